"""The Pulumi package: entry of the plugin ``pulumi-resource-podwright``, and what it serves.

One process serves resources, components and the schema.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from podwright.components.providers.protocol.server import serve

if TYPE_CHECKING:
    import pulumi

    from podwright.components.providers.protocol.construct import Received
    from podwright.components.schema.package import Package

_COMPONENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "cluster": ("AiCluster",),
    "fabric": ("Fabric",),
    "compute": ("ServerRole", "InterconnectDomain", "ServerProfile", "RedfishServer"),
    "platform": ("OpenShiftCluster", "NodePool", "Team"),
    "operators": ("NodeFeatureDiscovery", "SriovOperator", "NetworkOperator", "GpuOperator"),
    "storage": ("Storage",),
    "workloads": ("FabricAcceptance", "TrainingJob", "InferenceService"),
}
COMPONENTS: Final[Mapping[str, str]] = {
    f"podwright:index:{name}": f"podwright.components.{module}:{name}"
    for module, names in _COMPONENTS.items()
    for name in names
}
"""Where each component class is, by token."""
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


class Served:
    """The package, made when it is first asked for: an instance that serves resources alone starts without it."""

    def __init__(self, components: Mapping[str, str] = COMPONENTS, resources: Mapping[str, str] = RESOURCES) -> None:
        self._tables = components, resources

    @cached_property
    def _package(self) -> Package:
        from podwright.components.schema.package import Package  # noqa: PLC0415 - the models load as long as all the rest

        return Package(*self._tables)

    def construct(
        self, token: str, name: str, inputs: Mapping[str, Received], options: pulumi.ResourceOptions
    ) -> tuple[pulumi.Resource, dict[str, Any]]:
        """Make one component; returns it and its outputs as the outside names them. Raises ComponentError."""
        return self._package.construct(token, name, inputs, options)

    def schema(self) -> str:
        """The package's schema, JSON."""
        return self._package.schema()


def main() -> None:
    """Entry of the plugin: ``pulumi-resource-podwright <engine address>``."""
    asyncio.run(serve(sys.argv[1:], Served()))


if __name__ == "__main__":
    main()
