"""The Pulumi package: entry of the plugin ``pulumi-resource-podwright``, its components and its schema.

One process serves resources, components and the schema. Components are imported when the first one is asked for, so
that an instance which serves resources alone starts without them.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import Mapping
from typing import Any, Final

import pulumi

from podwright.components.providers.protocol.construct import ComponentError, Received
from podwright.components.providers.protocol.server import serve
from podwright.components.providers.protocol.servicer import VERSION
from podwright.components.schema.arguments import outputs
from podwright.components.schema.document import arguments_class, document
from podwright.components.schema.inputs import arguments_from, located
from podwright.components.schema.names import camel

COMPONENTS: Final[Mapping[str, str]] = {}
"""Where each component is, by the name that its token ends in: module and class."""
_RESOURCES: Final[Mapping[str, tuple[str, ...]]] = {
    "nxos": ("Switch", "Soak", "Verification"),
    "intersight": ("Policy", "Pool", "ServerProfile", "DomainProfile"),
    "redfish": ("Server",),
    "openshift": ("Install", "OperatorInstall", "Rollout", "Guard", "PoolReady"),
}
RESOURCES: Final[Mapping[str, str]] = {
    "podwright:index:Join": "podwright.components.providers.resources:Join",
    **{
        f"podwright:{module}:{name}": f"podwright.components.providers.{module}.resources:{name}"
        for module, names in _RESOURCES.items()
        for name in names
    },
}
"""Where each resource class is, by token."""


class Package:
    """The components by token, and everything's schema."""

    def __init__(self, components: Mapping[str, str] = COMPONENTS, resources: Mapping[str, str] = RESOURCES) -> None:
        self._components = dict(components)
        self._resources = dict(resources)

    def construct(
        self, token: str, name: str, inputs: Mapping[str, Received], options: pulumi.ResourceOptions
    ) -> tuple[pulumi.Resource, dict[str, Any]]:
        """Make one component; returns it and its outputs as the outside names them. Raises ComponentError."""
        if token not in self._components:
            known = ", ".join(sorted(self._components)) or "none"
            raise pulumi.RunError(f"podwright has no component {token}; it has {known}")
        kind = _class(self._components[token])
        args = arguments_from(arguments_class(kind), name, inputs)
        try:
            made = kind(name, args, options)
        except pulumi.RunError as error:
            if problems := getattr(error, "problems", None):
                raise ComponentError(name, located(problems, type(args))) from None
            raise
        return made, {camel(each): getattr(made, each) for each in outputs(kind)}

    def schema(self) -> str:
        """The package's schema, JSON."""
        components = {token: _class(place) for token, place in self._components.items()}
        resources = {token: _class(place) for token, place in self._resources.items()}
        return json.dumps(document(VERSION, components, resources), indent=1, ensure_ascii=False)


def _class(place: str) -> type[Any]:
    module, _, name = place.partition(":")
    found = getattr(importlib.import_module(module), name)
    assert isinstance(found, type)
    return found


def main() -> None:
    """Entry of the plugin: ``pulumi-resource-podwright <engine address>``."""
    asyncio.run(serve(sys.argv[1:], Package()))


if __name__ == "__main__":
    main()
