"""The Pulumi package: entry of the plugin ``pulumi-resource-podwright``, and what it serves.

One process serves resources, components and the schema.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from podwright.components.providers.protocol.server import serve

if TYPE_CHECKING:
    import pulumi

    from podwright.components.providers.protocol.construct import Received
    from podwright.components.schema.package import Package

_LAYERS: Final = (
    "acceptance",
    "cluster",
    "fabric",
    "compute",
    "platform",
    "teams",
    "operators",
    "host_networks",
    "queues",
    "data_science",
    "scaling",
    "keys",
    "service_mesh",
    "lost_nodes",
    "storage",
    "workloads",
)
"""Modules of the component classes."""
_RESOURCES: Final[Mapping[str, tuple[str, ...]]] = {
    "nxos": ("Switch", "Soak", "Verification"),
    "intersight": (
        "Policy",
        "Pool",
        "ServerProfileTemplate",
        "ServerProfile",
        "DomainProfileTemplate",
        "DomainProfile",
        "ChassisProfileTemplate",
        "ChassisProfile",
        "ResourceGroup",
    ),
    "redfish": ("Server",),
    "openshift": (
        "Install",
        "OperatorInstall",
        "Rollout",
        "DriverRollout",
        "HostNetwork",
        "Guard",
        "PoolReady",
        "QueuesReady",
        "QueueInUse",
        "RuntimeKnown",
        "FormerJobEnded",
        "GatewayMode",
        "Served",
        "CanaryWatch",
        "Taint",
    ),
}
RESOURCES: Final[Mapping[str, str]] = {
    "podwright:index:Join": "podwright.components.providers.resources:Join",
    "podwright:index:World": "podwright.components.providers.resources:World",
    **{
        f"podwright:{module}:{name}": f"podwright.components.providers.{module}.resources:{name}"
        for module, names in _RESOURCES.items()
        for name in names
    },
}
"""Where each resource class is, by token."""


def components() -> dict[str, str]:
    """Where each component class is, by token: every class of a layer that has a token of its own.

    This imports the layers, which takes longer than all the rest of the plugin.
    """
    layers = [import_module(f"podwright.components.{name}") for name in _LAYERS]
    return {
        str(vars(kind)["TOKEN"]): f"{layer.__name__}:{name}"
        for layer in layers
        for name, kind in vars(layer).items()
        if isinstance(kind, type) and kind.__module__ == layer.__name__ and "TOKEN" in vars(kind)
    }


class Served:
    """The package, made when it is first asked for: an instance that serves resources alone starts without it."""

    def __init__(self, components: Mapping[str, str] | None = None, resources: Mapping[str, str] = RESOURCES) -> None:
        """Tables from token to ``module:Class``; without one of components, those of the layers."""
        self._components, self._resources = components, resources

    @cached_property
    def _package(self) -> Package:
        from podwright.components.schema.package import Package  # noqa: PLC0415 - the models load as long as all the rest

        return Package(components() if self._components is None else self._components, self._resources)

    def construct(
        self,
        token: str,
        name: str,
        inputs: Mapping[str, Received],
        options: pulumi.ResourceOptions,
        secrets: Mapping[str, str],
    ) -> tuple[pulumi.Resource, dict[str, Any]]:
        """Make one component; returns it and its outputs as the outside names them. Raises ComponentError."""
        return self._package.construct(token, name, inputs, options, secrets)

    def schema(self) -> str:
        """The package's schema, JSON."""
        return self._package.schema()


def main() -> None:
    """Entry of the plugin: ``pulumi-resource-podwright <engine address>``."""
    asyncio.run(serve(sys.argv[1:], Served()))


if __name__ == "__main__":
    main()
