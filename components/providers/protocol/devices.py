"""Which resource of the running program has which device: no two share one, and none is deleted that is still planned.

An engine knows resources by name alone. A device whose name changed in the program is a creation and a deletion to it,
and both reach the same device: first configured, then stripped.
"""

from __future__ import annotations

from collections.abc import Mapping

from podwright.components.providers.protocol.difference import Path
from podwright.components.providers.protocol.kind import Failure, Kind, ProviderError, Values

Key = tuple[str, str]
"""A kind's token, and an address or serial number."""


class Devices:
    """The devices that the program of this operation planned so far, by resource."""

    def __init__(self) -> None:
        self._planned: dict[Key, str] = {}

    def plan(self, kind: Kind, urn: str, inputs: Values) -> list[Failure]:
        """Take the devices of a resource's inputs for it; one Failure for each that another resource has."""
        self._planned = {key: planner for key, planner in self._planned.items() if planner != urn}
        found = []
        for (token, value), path in _keys(kind, inputs).items():
            other = self._planned.setdefault((token, value), urn)
            if other != urn:
                found.append(Failure(path, f"{value} is planned for {_name(other)} already: a device is one resource"))
        return found

    def refuse_deletion(self, kind: Kind, urn: str, inputs: Values) -> None:
        """Raise ProviderError when the program has a device of these inputs under another name."""
        for token, value in _keys(kind, inputs):
            other = self._planned.get((token, value), urn)
            if other != urn:
                raise ProviderError(
                    f"{_name(urn)} is not deleted: {value} is planned as {_name(other)}, which is the same device. "
                    f"Write `renamed_from` in the new entry, with the name of the old one, and run again"
                )


def _keys(kind: Kind, inputs: Values) -> dict[Key, Path]:
    if not isinstance(inputs.get("spec"), Mapping):
        return {}
    return {(kind.token, value): path for path, value in kind.devices(inputs).items() if value}


def _name(urn: str) -> str:
    return urn.rsplit("::", maxsplit=1)[-1]
