"""Acceptance, derived: which servers send to which, over which switch ports, and how much must arrive.

Every rail of every leaf carries one incast, so every host port class is tried; every leaf sends to the next one over
all spines, so every uplink is. A test's digest moves with anything on its path. Spares stand in for servers that a job
uses while the test runs: any of them crosses the same hops between leaves.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from podwright.components.design import lossless
from podwright.components.design.compute import digest
from podwright.components.design.fabric.qos import CNP_QUEUE
from podwright.components.design.operators.network import network_name, resource
from podwright.components.design.platform.names import ACCEPTANCE_NAMESPACE, GID_INDEX, TRAINING
from podwright.components.model import Acceptance as Section
from podwright.components.model import FabricPaths, PathPort, PathUplink, RailPool

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


def plan(section: Section, paths: FabricPaths, pools: Iterable[RailPool]) -> Acceptance:
    """Tests of every path that servers of `pools` use, in a fixed order; none where fewer than two have rails."""
    host = lossless.host(paths.lossless)
    nodes = {node for pool in pools if pool.nics for node in pool.nodes}
    ports = sorted((each for each in paths.ports if each.server in nodes), key=lambda each: (each.index, each.server))
    field = _Field(section, paths, ports)
    settings = {
        "namespace": ACCEPTANCE_NAMESPACE,
        "service_account": TRAINING,
        "image": section.image,
        "seconds": section.seconds,
        "traffic_class": host.traffic_class,
        "gid_index": GID_INDEX,
        "notifications": {"dscp": host.cnp_dscp, "group": CNP_QUEUE},
        "switches": dict(paths.switches),
        "credential": {"user": paths.user, "secret": paths.credential},
    }
    return Acceptance((*_incasts(field), *_crossings(field)), settings)


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


@dataclass(frozen=True)
class _Field:
    """What tests are chosen from: NICs of the pools' servers by index, and the links between them."""

    section: Section
    paths: FabricPaths
    ports: list[PathPort]

    def members(self, group: int, rail: int) -> list[PathPort]:
        return [each for each in self.ports if (each.group, each.rail) == (group, rail)]


def _incasts(field: _Field) -> Iterator[Test]:
    """One incast per rail of a leaf group; the receiver moves on with the rail so that each server receives."""
    for place in field.paths.networks.rails:
        rail, members = place.rail, field.members(place.group, place.rail)
        if len(members) < 2:
            continue
        turned = members[rail % len(members) :] + members[: rail % len(members)]
        taken = turned[: field.section.fan_in + 1]
        receiver, *senders = taken
        hops = tuple(Hop(end.leaf, end.port) for end in (*senders, receiver))
        spares = turned[len(taken) :]
        yield _test(field, f"{place.leaf}-rail{rail}", senders, receiver, hops, (spares, spares))


def _crossings(field: _Field) -> Iterator[Test]:
    """Each leaf with rails sends to the next one of its tenant, over every spine both hang on."""
    leaves: dict[str, tuple[int, int]] = {}
    for place in field.paths.networks.rails:
        if len(field.members(place.group, place.rail)) >= 2:
            leaves.setdefault(place.leaf, (place.group, place.rail))
    for leaf, other in _rings(field.paths, list(leaves)):
        (group, rail), (far_group, far_rail) = leaves[leaf], leaves[other]
        receiver = field.members(far_group, far_rail)[0]
        sources = [each for each in field.members(group, rail) if each.server != receiver.server]
        senders = sources[: field.section.fan_in]
        hops = (
            *(Hop(end.leaf, end.port) for end in senders),
            *_between(field.paths.uplinks, leaf, other),
            Hop(receiver.leaf, receiver.port),
        )
        near = [end for end in _on_leaf(field, leaf, rail) if end not in senders]
        far = [end for end in _on_leaf(field, other, far_rail) if end != receiver]
        yield _test(field, f"{leaf}-to-{other}", senders, receiver, hops, (near, far))


def _rings(paths: FabricPaths, leaves: list[str]) -> Iterator[tuple[str, str]]:
    """Each leaf and the next one that it may reach: tenants do not reach each other."""
    for leaf in leaves:
        ring = [each for each in leaves if paths.tenants.get(each) == paths.tenants.get(leaf)]
        other = ring[(ring.index(leaf) + 1) % len(ring)]
        if other != leaf:
            yield leaf, other


def _on_leaf(field: _Field, leaf: str, first: int) -> list[PathPort]:
    """Every rail NIC on a leaf, those of the rail `first` first."""
    rails = [(place.group, place.rail) for place in field.paths.networks.rails if place.leaf == leaf]
    ordered = sorted(rails, key=lambda pair: (pair[1] != first, pair))
    return [end for group, rail in ordered for end in field.members(group, rail)]


def _endpoint(field: _Field, end: PathPort) -> Endpoint:
    group = None if field.paths.networks.routed else end.group
    network = network_name(ACCEPTANCE_NAMESPACE, group, end.rail)
    return Endpoint(end.server, end.rail, network, resource(end.rail), end.leaf, end.port)


def _between(uplinks: tuple[PathUplink, ...], leaf: str, other: str) -> Iterator[Hop]:
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
    field: _Field,
    name: str,
    senders: list[PathPort],
    receiver: PathPort,
    hops: tuple[Hop, ...],
    spares: tuple[list[PathPort], list[PathPort]],
) -> Test:
    """`spares` stand in for senders and for the receiver."""
    near, far = spares
    slowest = min(end.gbps for end in senders)
    return Test(
        name,
        tuple(_endpoint(field, end) for end in senders),
        _endpoint(field, receiver),
        hops,
        receiver.gbps,
        receiver.gbps * field.section.minimum_percent // 100,
        tuple(_endpoint(field, end) for end in near if end.gbps >= slowest),
        tuple(_endpoint(field, end) for end in far if end.gbps == receiver.gbps),
    )
