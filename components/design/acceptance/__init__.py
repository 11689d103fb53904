"""Acceptance, derived: which servers send to which, over which switch ports, and how much must arrive.

Every rail of every leaf carries one incast, so every host port class is tried; every leaf sends to the next one over
all spines, so every uplink is. A test's digest moves with anything on its path. Spares stand in for servers that a job
uses while the test runs: any of them crosses the same hops between leaves.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from podwright.components.design import hardware, lossless
from podwright.components.design.compute import digest
from podwright.components.design.fabric import FabricPlan, Uplink, addressing, tenancy
from podwright.components.design.operators.network import network_name, resource
from podwright.components.design.platform.names import ACCEPTANCE_NAMESPACE, GID_INDEX, TRAINING
from podwright.components.model import Cluster

SCHEMA = 1
NOT_RUN = "not run "
"""How a printed line begins that tells of a test without free servers."""


@dataclass(frozen=True)
class Endpoint:
    """One NIC that takes part: the pod on this server asks for this rail's device."""

    server: str
    rail: int
    network: str
    resource: str
    leaf: str
    port: str

    @property
    def key(self) -> str:
        """The NIC's name within a plan."""
        return f"{self.server}:rail{self.rail}"


@dataclass(frozen=True)
class Hop:
    """A switch port on the path."""

    switch: str
    port: str


@dataclass(frozen=True)
class Test:
    """Senders to one receiver at once."""

    name: str
    senders: tuple[Endpoint, ...]
    receiver: Endpoint
    hops: tuple[Hop, ...]
    link_gbps: int
    """Speed of the receiver's link, which all senders share."""
    minimum_gbps: int
    """Least sum over the senders."""
    spare_senders: tuple[Endpoint, ...] = ()
    spare_receivers: tuple[Endpoint, ...] = ()
    """Who takes over where a sender or the receiver is in use, best first; their links are as fast."""


@dataclass(frozen=True)
class Acceptance:
    """All tests of a cluster, and what their pods are made of."""

    tests: tuple[Test, ...]
    settings: Mapping[str, Any]

    def document(self) -> dict[str, Any]:
        """The plan as the runner reads it."""
        spares = {end for test in self.tests for end in (*test.spare_senders, *test.spare_receivers)}
        document = self.measured()
        for test, record in zip(self.tests, document["tests"], strict=True):
            record["spare_senders"] = [end.key for end in test.spare_senders]
            record["spare_receivers"] = [end.key for end in test.spare_receivers]
        return {**document, "nics": {end.key: asdict(end) for end in sorted(spares, key=lambda end: end.key)}}

    def measured(self) -> dict[str, Any]:
        """What is judged where every NIC is free: a spare that comes or goes changes no path."""
        tests = [
            {key: value for key, value in asdict(test).items() if not key.startswith("spare_")} for test in self.tests
        ]
        plain: dict[str, Any] = json.loads(json.dumps({"schema": SCHEMA, **self.settings, "tests": tests}))
        return plain


def plan(cluster: Cluster, fabric: FabricPlan) -> Acceptance:
    """Tests of a coherent cluster, in a fixed order; none where fewer than two servers have rails."""
    host = lossless.host(cluster.fabric.lossless)
    settings = {
        "namespace": ACCEPTANCE_NAMESPACE,
        "service_account": TRAINING,
        "image": cluster.acceptance.image,
        "seconds": cluster.acceptance.seconds,
        "traffic_class": host.traffic_class,
        "gid_index": GID_INDEX,
        "switches": {switch.hostname: str(switch.management) for switch in fabric.switches if switch.lossless},
        "credential": {"user": cluster.fabric.user, "secret": cluster.fabric.credential},
    }
    return Acceptance((*_incasts(cluster, fabric), *_crossings(cluster, fabric)), settings)


def trigger(
    acceptance: Acceptance, switches: Mapping[str, str], servers: Mapping[str, str], below: Mapping[str, Any]
) -> str:
    """Digest of everything the tests judge: the plan, the switches on its paths, its servers, and what is `below`."""
    hops = {hop.switch for test in acceptance.tests for hop in test.hops}
    ends = {end.server for test in acceptance.tests for end in (*test.senders, test.receiver)}
    return digest(
        [
            acceptance.measured(),
            {name: value for name, value in sorted(switches.items()) if name in hops},
            {name: value for name, value in sorted(servers.items()) if name in ends},
            below,
        ]
    )


def unproven(printed: str) -> dict[str, str]:
    """Why, by test, of what a run printed: those that it could not make."""
    rows = (line.removeprefix(NOT_RUN) for line in printed.splitlines() if line.startswith(NOT_RUN))
    return {name: why for name, _, why in (row.partition(": ") for row in rows)}


def _incasts(cluster: Cluster, fabric: FabricPlan) -> Iterator[Test]:
    """One incast per rail of a leaf group; the receiver moves on with the rail so that each server receives."""
    for (group, rail), place in fabric.rails.items():
        members = _members(cluster, group, rail)
        if len(members) < 2:
            continue
        turned = members[rail % len(members) :] + members[: rail % len(members)]
        names = turned[: cluster.acceptance.fan_in + 1]
        receiver, *senders = (_endpoint(cluster, fabric, name, rail) for name in names)
        hops = tuple(Hop(end.leaf, end.port) for end in (*senders, receiver))
        spares = [_endpoint(cluster, fabric, name, rail) for name in turned[len(names) :]]
        yield _test(cluster, f"{place.leaf}-rail{rail}", tuple(senders), receiver, hops, spares, spares)


def _crossings(cluster: Cluster, fabric: FabricPlan) -> Iterator[Test]:
    """Each leaf with rails sends to the next one of its tenant, over every spine both hang on."""
    leaves: dict[str, tuple[int, int]] = {}
    for (group, rail), place in fabric.rails.items():
        if len(_members(cluster, group, rail)) >= 2:
            leaves.setdefault(place.leaf, (group, rail))
    for leaf, other in _rings(cluster, list(leaves)):
        (group, rail), (far_group, far_rail) = leaves[leaf], leaves[other]
        target = _members(cluster, far_group, far_rail)[0]
        sources = [name for name in _members(cluster, group, rail) if name != target][: cluster.acceptance.fan_in]
        senders = tuple(_endpoint(cluster, fabric, name, rail) for name in sources)
        receiver = _endpoint(cluster, fabric, target, far_rail)
        hops = (
            *(Hop(end.leaf, end.port) for end in senders),
            *_between(fabric.uplinks, leaf, other),
            Hop(receiver.leaf, receiver.port),
        )
        near, far = (
            [end for end in _on_leaf(cluster, fabric, place, first) if end not in used]
            for place, first, used in ((leaf, rail, senders), (other, far_rail, (receiver,)))
        )
        yield _test(cluster, f"{leaf}-to-{other}", senders, receiver, hops, near, far)


def _rings(cluster: Cluster, leaves: list[str]) -> Iterator[tuple[str, str]]:
    """Each leaf and the next one that it may reach: tenants do not reach each other."""
    owners = {leaf: tenancy.of_leaf(cluster.fabric, leaf) for leaf in leaves}
    for leaf in leaves:
        ring = [each for each in leaves if owners[each] == owners[leaf]]
        other = ring[(ring.index(leaf) + 1) % len(ring)]
        if other != leaf:
            yield leaf, other


def _on_leaf(cluster: Cluster, fabric: FabricPlan, leaf: str, first: int) -> list[Endpoint]:
    """Every rail NIC on a leaf, those of the rail `first` first."""
    rails = [(group, rail) for (group, rail), place in fabric.rails.items() if place.leaf == leaf]
    return [
        _endpoint(cluster, fabric, name, rail)
        for group, rail in sorted(rails, key=lambda pair: (pair[1] != first, pair))
        for name in _members(cluster, group, rail)
    ]


def _members(cluster: Cluster, group: int, rail: int) -> list[str]:
    return [
        name
        for name, server in sorted(cluster.servers.items(), key=lambda item: (item[1].index, item[0]))
        if server.group == group
        and server.pool in cluster.pools
        and cluster.pools[server.pool].rails
        and any(nic.rail == rail for nic in hardware.rails(server))
    ]


def _endpoint(cluster: Cluster, fabric: FabricPlan, name: str, rail: int) -> Endpoint:
    server, port = cluster.servers[name], fabric.host_ports[name, rail]
    network = network_name(ACCEPTANCE_NAMESPACE, server.group or 0, rail)
    return Endpoint(name, rail, network, resource(rail), port.leaf, port.port)


def _between(uplinks: tuple[Uplink, ...], leaf: str, other: str) -> Iterator[Hop]:
    """Every port that equal-cost routing may take from one leaf to the other."""
    up = [link for link in uplinks if link.leaf == leaf]
    down = [link for link in uplinks if link.leaf == other]
    shared = {link.spine for link in up} & {link.spine for link in down}
    for link in up:
        if link.spine in shared:
            yield Hop(link.leaf, link.leaf_port)
            yield Hop(link.spine, link.spine_port)
    for link in down:
        if link.spine in shared:
            yield Hop(link.spine, link.spine_port)
            yield Hop(link.leaf, link.leaf_port)


def _test(
    cluster: Cluster,
    name: str,
    senders: tuple[Endpoint, ...],
    receiver: Endpoint,
    hops: tuple[Hop, ...],
    near: Iterable[Endpoint],
    far: Iterable[Endpoint],
) -> Test:
    speed = _speed(cluster, receiver)
    slowest = min(_speed(cluster, end) for end in senders)
    spare_senders = tuple(end for end in near if _speed(cluster, end) >= slowest)
    spare_receivers = tuple(end for end in far if _speed(cluster, end) == speed)
    least = speed * cluster.acceptance.minimum_percent // 100
    return Test(name, senders, receiver, hops, speed, least, spare_senders, spare_receivers)


def _speed(cluster: Cluster, end: Endpoint) -> int:
    return addressing.speed(cluster.fabric, cluster.servers[end.server], end.rail)
