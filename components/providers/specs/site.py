"""Specs of what belongs to a site as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict


class JoinSpec(TypedDict):
    """The end of a wave or a layer."""

    schema: int
    """Number of this shape."""
    cluster: str
    """Name of the cluster."""
    ends: str
    """What ends here, in words."""


class SearchedSwitch(TypedDict):
    """A switch that may carry the stack's mark."""

    management: str
    """Address of mgmt0."""
    credential: str
    """Name of the secret that holds the switch password."""
    serial: NotRequired[str]
    """Serial number of the chassis."""
    renamed_from: NotRequired[str]
    """Name it had: under any other one in the state it is refused."""


class KnownServer(TypedDict):
    """A server, for what tells it from others."""

    serial: str
    """Serial number of the chassis."""
    bmc: NotRequired[str]
    """Address of its baseboard controller."""
    node: NotRequired[str]
    """Name of its Kubernetes Node, which cannot change."""
    renamed_from: NotRequired[str]
    """Name it had: under any other one in the state it is refused."""


class SearchedInstallation(TypedDict, total=False):
    """An installation that may have been begun; empty where the stack installs nothing."""

    cluster: str
    """Name of the cluster."""
    publish: Mapping[str, str]
    """Where installation images are put: directory and url."""


class Contents(TypedDict, total=False):
    """What runs on the stack's cluster, by name."""

    pools: list[str]
    """Node pools."""
    operators: list[str]
    """Subscriptions of operators."""
    teams: list[str]
    """Teams, each with a namespace."""
    volumes: list[str]
    """Claims on storage."""
    training: list[str]
    """Training jobs."""
    inference: list[str]
    """Inference services."""


class WorldSpec(TypedDict):
    """Where a stack may leave its mark: searched when the stack goes."""

    schema: int
    """Number of this shape."""
    cluster: str
    """Name of the cluster."""
    switches: Mapping[str, SearchedSwitch]
    """Switches by hostname."""
    intersight: bool
    """The stack keeps objects in the Intersight account of the provider instance."""
    installation: SearchedInstallation
    """The installation of the stack's cluster."""
    servers: NotRequired[Mapping[str, KnownServer]]
    """Servers by host name."""
    domains: NotRequired[Mapping[str, Mapping[str, str]]]
    """Serial numbers of Fabric Interconnects by pair and fabric."""
    contents: NotRequired[Contents]
    """What runs on the cluster; what leaves it counts against the limit of changes."""
