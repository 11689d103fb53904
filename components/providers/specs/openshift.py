"""Specs of the installation and of what on a cluster needs waiting, field by field."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class InstallSpec(TypedDict):
    """An OpenShift cluster put on its hosts by the agent-based installer."""

    schema: int
    """Number of this shape."""
    cluster: str
    """Its name."""
    domain: str
    """Base domain."""
    version: str
    """OpenShift release; another one updates a running cluster."""
    api_vip: str
    """Address of the API."""
    ingress_vip: str
    """Address of the routes."""
    machine_network: str
    """Network of the nodes."""
    networks: NotRequired[dict[str, Any]]
    """Of pods and services: cluster, host_prefix (a node's subnet of it) and service. Left out: the installer's own."""
    gateway: str
    """Their default gateway."""
    dns: NotRequired[list[str]]
    """Name servers."""
    ntp: NotRequired[list[str]]
    """Time servers."""
    architecture: NotRequired[Literal["x86_64", "aarch64", "amd64", "arm64"]]
    """Of the hosts. Left out: x86_64."""
    pull_secret: str
    """Name of the secret that holds the registry's pull secret."""
    ssh_key: str
    """Public SSH key of the nodes' `core` user."""
    mirror: NotRequired[dict[str, Any]]
    """Of a disconnected site, read when a host is installed: sources, a list of source and mirrors, and trust, the
    registry's private authorities as PEM text. Left out: images come from where they are published."""
    publish: dict[str, str]
    """Where the boot image goes, and the URL that hosts boot it from: directory, url."""
    intersight: NotRequired[dict[str, str]]
    """Endpoint, key_id and secret for hosts that boot through Intersight."""
    taints: NotRequired[dict[str, Any]]
    """By pool, the taint of its nodes or a list of them: that of a host which joins is made with it. Left out: none
    has one."""
    hosts: list[dict[str, Any]]
    """name, role, pool, serial, boot_mac, address, disk, how each is reached: bmc or intersight, credential. And
    network, read when it is installed: interfaces, MAC addresses by logical name, and state, what nmstate makes of
    them. Left out: one interface of boot_mac with the address."""


class OperatorInstallSpec(TypedDict):
    """The approval of one pinned operator release."""

    schema: int
    """Number of this shape."""
    namespace: str
    """Where the operator is subscribed."""
    subscription: str
    """Name of the Subscription."""
    csv: str
    """ClusterServiceVersion that is approved."""
    dependencies: NotRequired[list[str]]
    """ClusterServiceVersions that may come along."""
    brings: NotRequired[list[str]]
    """API paths of objects that the operator makes when it starts, and that are there once it counts as installed."""


class RolloutSpec(TypedDict):
    """Nodes taken through cordon, drain, activate, ready and uncordon."""

    schema: int
    """Number of this shape."""
    pool: str
    """The node pool."""
    nodes: list[Any]
    """Names, or mappings with name, serial, bmc, credential, intersight, mig, digest, firmware (of a server with a
    controller of its own: version, until, source, components, images)."""
    trigger: str
    """Digest of what changed below; a node that carries it is left alone."""
    max_unavailable: NotRequired[int]
    """Nodes that may be away at once. Left out: 1."""
    drain_seconds: NotRequired[int]
    """How long a drain may take. Left out: 1800."""
    soak_seconds: NotRequired[int]
    """How long the first node must stay ready before another one goes. Left out: it is looked at once."""
    pause: NotRequired[bool]
    """No node is taken; those that would be are reported."""
    despite: NotRequired[list[str]]
    """ClusterOperators that may be degraded while nodes are taken. Left out: none."""
    intersight: NotRequired[dict[str, str]]
    """Endpoint, key_id and secret for nodes that are restarted through Intersight."""


class DriverRolloutSpec(TypedDict):
    """Nodes emptied one after the other for a driver that its operator leaves to whoever deletes its pods."""

    schema: int
    """Number of this shape."""
    pool: str
    """The node pool."""
    nodes: list[str]
    """Its nodes."""
    driver: dict[str, str]
    """Namespace and component (or, of the NICs' driver, label) of its pods, path of what reports its state, version
    where one is asked, owner where the pool has an NVIDIADriver."""
    trigger: str
    """Digest of what decides which driver runs."""
    nic_driver: NotRequired[dict[str, str]]
    """The NICs' driver beside that of GPUs, in the same form: one drain of a node replaces both."""
    nic_trigger: NotRequired[str]
    """Digest of what decides which driver of NICs runs."""
    max_unavailable: NotRequired[int]
    """Nodes that may be away at once. Left out: 1."""
    drain_seconds: NotRequired[int]
    """How long a drain may take. Left out: 1800."""
    pause: NotRequired[bool]
    """No node is taken; those that would be are reported."""
    despite: NotRequired[list[str]]
    """ClusterOperators that may be degraded while nodes are taken. Left out: none."""
    soak_seconds: NotRequired[int]
    """How long the first node must stay as it came back before another one goes. Left out: it is looked at once."""


class HostNetworkSpec(TypedDict):
    """VLANs and storage bonds of a pool's nodes that run."""

    schema: int
    """Number of this shape."""
    pool: str
    """The node pool."""
    nodes: list[str]
    """Its nodes; one without interfaces loses those that it was brought."""
    interfaces: dict[str, list[dict[str, Any]]]
    """By node, VLANs as nmstate's desired state has them, and bonds with their NICs."""
    macs: dict[str, dict[str, str]]
    """By node, MAC addresses of NICs that its VLANs have for base or its bonds for ports, by logical name."""
    max_unavailable: NotRequired[int]
    """Nodes that are changed at once, after the first one. Left out: 1."""
    soak_seconds: NotRequired[int]
    """How long the first node must stay as it is then before another one goes. Left out: it is looked at once."""
    pause: NotRequired[bool]
    """No node is changed; those that would be are reported."""


class GuardSpec(TypedDict):
    """What keeps this stack from taking over foreign objects."""

    schema: int
    """Number of this shape."""
    label: str
    """Label of owned objects."""
    mark: str
    """Its value for this stack."""


class PoolReadySpec(TypedDict):
    """What every node of a pool must offer."""

    schema: int
    """Number of this shape."""
    pool: str
    """The node pool."""
    nodes: list[str]
    """Its nodes."""
    resources: dict[str, Any]
    """What each must have allocatable, by resource name."""
    nics: NotRequired[dict[str, Any]]
    """What its NICs must be set to: PCI addresses by rail, and the template's content."""
    ports: NotRequired[list[dict[str, Any]]]
    """Where its rails' ports must be: nodes that are alike, vendor, and by rail pci and device. Another place fails."""
    mirrors: NotRequired[dict[str, list[str]]]
    """Where its nodes must pull from: mirrors by registry or repository."""
    images: NotRequired[dict[str, Any]]
    """Which images its nodes must run and no others: allowed, registries; signed, digests of keys by scope."""
    trigger: str
    """Digest of what can change it."""
    pause: NotRequired[bool]
    """The pool is paused: what it lacks is reported, not awaited."""
    stalled_seconds: NotRequired[int]
    """How long nothing may move before it counts as failed."""
    admission: NotRequired[bool]
    """Each of its nodes must have passed its checks since it booted."""


class GatewayModeSpec(TypedDict):
    """A gateway mode that OVN-Kubernetes has to be in on every node."""

    schema: int
    """Number of this shape."""
    mode: str
    """`local`: what pods send goes by way of their host."""


class TaintSpec(TypedDict):
    """One taint of a pool's nodes."""

    schema: int
    """Number of this shape."""
    pool: str
    """The node pool."""
    taint: dict[str, Any]
    """Its key, value and effect."""
    nodes: list[str]
    """Nodes that have it."""
    clears: NotRequired[list[str]]
    """Nodes on which the cluster itself puts it and takes it off: they lose it when this resource goes."""
