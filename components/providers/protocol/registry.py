"""Which module serves which resource token; a module is imported when its first resource arrives."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Final

from podwright.components.providers.protocol.kind import Kind, ProviderError

MODULES: Final[Mapping[str, str]] = {
    "nxos": "podwright.components.providers.nxos.module",
    "intersight": "podwright.components.providers.intersight.module",
    "redfish": "podwright.components.providers.redfish.module",
    "openshift": "podwright.components.providers.openshift.module",
    "index": "podwright.components.providers.site.module",
}
"""The second part of a token, and the Python module that lists its kinds as ``KINDS``."""


class Registry:
    """Finds a kind by token. Heavy client libraries stay unloaded in an instance that never needs them."""

    def __init__(self, modules: Mapping[str, str] = MODULES, kinds: Iterable[Kind] = ()) -> None:
        self._modules = dict(modules)
        self._kinds = {kind.token: kind for kind in kinds}

    def kind(self, token: str) -> Kind:
        """The kind behind `token`; ProviderError names the kinds there are when nobody serves it."""
        if token not in self._kinds:
            self._load(token)
        if token not in self._kinds:
            known = ", ".join(sorted(self._kinds)) or "none of this module"
            raise ProviderError(f"podwright has no resource {token}; it has {known}")
        return self._kinds[token]

    async def close(self) -> None:
        """Let every kind that was used hang up."""
        for kind in self._kinds.values():
            await kind.close()

    def _load(self, token: str) -> None:
        parts = token.split(":")
        name = self._modules.get(parts[1]) if len(parts) == 3 else None
        if name is None:
            return
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not name.startswith(error.name or " "):
                raise
            raise ProviderError(f"this release of podwright does not serve {token} yet") from None
        self._kinds |= {kind.token: kind for kind in module.KINDS}
