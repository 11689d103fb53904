"""The network in sentences: underlay, detection of a lost neighbour, lossless classes, storage, reloads, waves."""

from collections.abc import Iterator

from podwright.components.design import fabric, lossless
from podwright.components.design.fabric import tenancy
from podwright.components.model import Cluster, Ecn, EvpnTenancy, Lossless, NumberedBgp, Ospf, Tenant, VrfTenancy
from podwright.components.model.coherence import storage


def lines(cluster: Cluster) -> Iterator[str]:
    """What the fabrics of a cluster are, one fact a line."""
    network = cluster.fabric
    uplinks = len(network.spines) * network.links_per_pair
    yield f"underlay: {_underlay(cluster)}"
    yield (
        f"equal-cost paths: {network.underlay.maximum_paths} for {uplinks} uplinks per leaf "
        f"({len(network.spines)} spines x {network.links_per_pair} links)"
    )
    yield (
        f"BFD: a lost neighbour is noticed after {network.bfd_interval_ms * network.bfd_multiplier} ms "
        f"({network.bfd_interval_ms} ms x {network.bfd_multiplier}); routes move, RDMA connections of a dead NIC do not"
    )
    yield f"server ports: {_ports(cluster)}"
    if network.tenancy is not None:
        for name, tenant in network.tenancy.tenants.items():
            groups = ", ".join(map(str, tenant.groups))
            yield f"tenant {name}: leaf groups {groups}, {_tenancy(network.tenancy, tenant)}"
    yield f"backend class: {_class(network.lossless)}"
    for name, pair in (("frontend", network.frontend), ("storage", network.storage)):
        if pair is not None:
            yield f"{name} class: {_class(pair.lossless) if pair.lossless else 'none, best effort'}"
    yield from _storage(cluster)
    if network.dlb is not None:
        yield f"load balancing: {network.dlb.mode}, by load over {uplinks} uplinks per leaf"
    for switch in fabric.plan(cluster.network).switches:
        for line in switch.reload:
            yield f"reload needed: {switch.hostname} before '{line}' takes effect"
    yield from _waves(cluster)
    settle = f"on, up to {network.settle_seconds} s to settle" if network.verification == "on" else "off: nobody looks"
    yield f"verification: {settle}"


def _storage(cluster: Cluster) -> Iterator[str]:
    """What GPUs read from storage, and what carries it with both switches of a pair up and with one."""
    read = cluster.storage.read
    if read is None:
        yield "storage reads: not defined, not checked"
        return
    for load in storage.loads(cluster):
        who = f"{_some(load.names)}, {load.gpus} GPUs" if load.names else f"{load.gpus} GPUs, {read.at_once:g} at once"
        enough = "" if load.left >= load.needs else ", too little"
        over = "to" if load.names else "from what serves storage to"
        lost = f"{load.left} with a switch lost{enough}"
        yield f"storage reads: {load.needs:g} of {load.carries} Gb/s {over} {who}; {lost}"


def _waves(cluster: Cluster) -> Iterator[str]:
    """In which order switches change, and what a network-qos change or a reload touches in each wave."""
    rollout = cluster.fabric.rollout
    plan = fabric.plan(cluster.network)
    how = f"soak {rollout.soak_seconds} s behind each, drain: {rollout.drain}" if rollout else "no soak between them"
    yield f"roll-out: {len(fabric.waves(cluster.network))} waves, {how}"
    for number, wave in enumerate(fabric.waves(cluster.network), 1):
        for name in wave:
            switch = plan.switch(name)
            gpus = "; ".join(f"GPU {_numbers(rails)} of {_some(each)}" for rails, each in fabric.gpus(switch).items())
            yield f"wave {number}: {name}, {len(switch.links)} ports{gpus and f', {gpus}'}"


def _some(servers: tuple[str, ...]) -> str:
    few = ", ".join(servers)
    return few if len(servers) <= 4 else f"{len(servers)} servers, {servers[0]} to {servers[-1]}"


def _numbers(numbers: tuple[int, ...]) -> str:
    whole = len(numbers) > 1 and numbers == tuple(range(numbers[0], numbers[-1] + 1))
    return f"{numbers[0]}-{numbers[-1]}" if whole else ",".join(map(str, numbers))


def _underlay(cluster: Cluster) -> str:
    network = cluster.fabric
    if isinstance(network.underlay, Ospf):
        return f"OSPF {network.underlay.process}, one area, /31 links out of {network.addressing.links}"
    spine = next(iter(network.spines.values())).asn
    leaves = sorted(leaf.asn for leaf in network.leaves.values())
    links = (
        f"/31 links out of {network.addressing.links}"
        if isinstance(network.underlay, NumberedBgp)
        else "no link addresses"
    )
    return f"eBGP, spines AS {spine}, leaves AS {leaves[0]} to {leaves[-1]}, {links}"


def _tenancy(kind: EvpnTenancy | VrfTenancy, tenant: Tenant) -> str:
    if isinstance(kind, VrfTenancy):
        return "a VRF on leaves, links and spines"
    return f"VXLAN VNI {tenancy.FIRST_VNI + tenant.index}; DSCP and ECN are kept in the outer header"


def _ports(cluster: Cluster) -> str:
    if cluster.fabric.host_ports == "routed":
        return f"a /31 each out of {cluster.fabric.addressing.hosts}"
    return f"a VLAN and /24 per rail and leaf out of {cluster.fabric.addressing.hosts}, gateway on the leaf"


def _class(fabric: Lossless) -> str:
    host = lossless.host(fabric)
    marks: list[tuple[str, Ecn | None]] = [("", fabric.ecn)]
    marks += [(f"at {speed} ", mark) for speed, mark in fabric.ecn_by_speed.items()]
    ecn = ", ".join(f"ECN {where}{mark.min_kbytes}-{mark.max_kbytes} kB" if mark else "no ECN" for where, mark in marks)
    room = f", headroom for {fabric.longest_cable_m} m" if fabric.headroom else ""
    return (
        f"DSCP {fabric.dscp} → priority {fabric.priority}, PFC {fabric.pfc}, watchdog {fabric.watchdog}, "
        f"{fabric.bandwidth_percent}/{100 - fabric.bandwidth_percent}, {ecn}{room}, MTU {fabric.mtu}; "
        f"hosts: trust {host.trust}, PFC {host.pfc}, NCCL_IB_TC {host.traffic_class}, RDMA MTU {host.rdma_mtu}"
    )
