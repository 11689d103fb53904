"""What sections contradict each other in: pools, teams, workloads, addresses and names of one file."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import cluster_networks, inventory, platform
from podwright.components.model.coherence.addresses import machine_vlans, networks, overlapping
from podwright.components.model.coherence.compute import refused_gpu
from podwright.components.model.coherence.handover import asked as counted
from podwright.components.model.coherence.handover import quota_problems, senders
from podwright.components.model.coherence.pairs import gateways
from podwright.components.model.coherence.platform import CONTROL_PLANE, laid_out, members, slices
from podwright.components.model.coherence.references import pairs, reference
from podwright.components.model.coherence.workloads import InferenceOn, offered, too_many
from podwright.components.model.explain import suggest
from podwright.components.model.problems import Loc, Problem, below
from podwright.components.model.queued import waits
from podwright.components.model.workloads import versions


def _pools(cluster: Cluster) -> Iterator[Problem]:
    pools = [CONTROL_PLANE, *cluster.pools]
    for name, server in cluster.servers.items() if cluster.openshift else ():
        yield from reference(("servers", name, "pool"), server.pool, pools, "pool", "pools")


def _workloads(cluster: Cluster) -> Iterator[Problem]:
    if cluster.openshift is None:
        return
    teams = cluster.teams
    for kind in ("training", "inference"):
        jobs = cluster.workloads.training if kind == "training" else cluster.workloads.inference
        for name, job in jobs.items():
            loc = ("workloads", kind, name)
            yield from reference((*loc, "team"), job.team, teams, "team", "openshift.teams")
            yield from reference((*loc, "pool"), job.pool, cluster.pools, "pool", "pools")


def _addresses(cluster: Cluster) -> Iterator[Problem]:
    """Switches, servers, their management controllers and the installation's virtual addresses: each has its own."""
    entries = platform.addresses(cluster.openshift, cluster.servers)
    own = [entry for entry in entries if entry[0][0] == "openshift"]
    yield from inventory.once([*own, *inventory.management(cluster.network), *entries[len(own) :]])


def _serials(cluster: Cluster) -> Iterator[Problem]:
    yield from inventory.chassis([*inventory.serials(cluster.network), *platform.serials(cluster.servers)])


def _overlaps(cluster: Cluster) -> Iterator[Problem]:
    """VLANs of purpose `machine` are the machine network, listed once."""
    found = networks(cluster.network)
    if cluster.openshift is None:
        yield from overlapping({**found, **machine_vlans(cluster.network)}, {})
        return
    machine: dict[Loc, IPv4Network] = {("openshift", "machine_network"): cluster.openshift.machine_network}
    pools = {loc: found[loc] for loc in found if loc[1] == "addressing"}
    shift = cluster.openshift
    yield from overlapping(pools | machine | found | cluster_networks.defined(shift), cluster_networks.known(shift))
    for loc, network in found.items():
        # Where nodes and their pods have addresses; loopbacks and links are the switches' own.
        if loc[-1] == "hosts" or "vlans" in loc:
            yield from overlapping({loc: network}, cluster_networks.OVN_KUBERNETES)


def _gateways(cluster: Cluster) -> Iterator[Problem]:
    """The peers' own addresses beside a gateway are nobody else's; the machine network is one and the same."""
    shift = cluster.openshift
    if shift is None:
        return
    taken = {server.address: name for name, server in cluster.servers.items()}
    taken |= {shift.api_vip: "openshift.api_vip", shift.ingress_vip: "openshift.ingress_vip"}
    for loc, (vlan, (virtual, *peers)) in gateways(cluster.network).items():
        if vlan.purpose == "machine" and vlan.subnet != shift.machine_network:
            message = f"{vlan.subnet} is not openshift.machine_network {shift.machine_network}"
            yield Problem(loc, message, f"write {shift.machine_network}")
            continue
        for own in peers:
            if own in taken:
                message = f"{own}, a peer's own address beside the gateway {virtual}, is taken by {taken[own]}"
                yield Problem(loc, message, "leave the two addresses after the gateway free")


def _slices(cluster: Cluster) -> Iterator[Problem]:
    """A team's quota is of slices that some pool offers."""
    pools = [(pool, members(cluster.servers, name)) for name, pool in cluster.pools.items()]
    known = sorted({profile for pool, servers in pools if not pool.sharing for profile in slices(pool, servers)})
    if not all(laid_out(pool, servers) for pool, servers in pools):
        return
    for name, team in cluster.teams.items():
        for profile in team.slices:
            if profile not in known:
                listed = ", ".join(known) or "none: no pool has `mig`"
                hint = suggest(profile, tuple(known)) or f"offered: {listed}"
                loc: Loc = ("openshift", "teams", name, "slices", profile)
                yield Problem(loc, f"no pool offers {profile}", hint, at_key=True)


def _replicas(cluster: Cluster) -> Iterator[Problem]:
    """All services of a pool together fit it."""
    taken: Counter[tuple[str, str]] = Counter()
    for loc, _, job in versions(cluster.workloads.inference):
        pool = cluster.pools.get(job.pool)
        have = offered(InferenceOn(job, pool, members(cluster.servers, job.pool))) if pool else None
        if pool is None or have is None:
            continue
        taken[job.pool, job.slice or "GPU"] += job.most * job.gpus
        total = taken[job.pool, job.slice or "GPU"]
        if total > have:
            yield from below(loc, [too_many(job, pool, have, total)])


def _quota(cluster: Cluster) -> Iterator[Problem]:
    """What a team runs fits what it may ask for; otherwise its pods never start."""
    asked: dict[str, Counter[str]] = defaultdict(Counter)
    for job in cluster.workloads.training.values():
        # In a queue jobs wait for each other: one by one they are checked with it.
        if not waits(cluster, job.pool):
            asked[job.team]["gpus"] += job.nodes * job.gpus
    for _, _, service in versions(cluster.workloads.inference):
        asked[service.team][counted(service, cluster.pools.get(service.pool))] += service.most * service.gpus
    for name, team in cluster.teams.items():
        yield from below(("openshift", "teams", name), quota_problems(name, team, asked[name]))


def _capacity(cluster: Cluster) -> Iterator[Problem]:
    """A team's quota is of what there is: more can never be asked for at once."""
    pools = [(pool, members(cluster.servers, name)) for name, pool in cluster.pools.items()]
    if not pools or not all(laid_out(pool, servers) for pool, servers in pools):
        return
    if any(refused_gpu(server) for _, servers in pools for server in servers.values()):
        return
    unshared = [(pool, servers) for pool, servers in pools if not pool.sharing]
    undivided = sum(platform.whole(pool, servers) for pool, servers in unshared)
    divided: Counter[str] = Counter()
    for pool, servers in unshared:
        divided.update(slices(pool, servers))
    for name, team in cluster.teams.items():
        loc: Loc = ("openshift", "teams", name)
        if team.gpus > undivided:
            message = f"a quota of {team.gpus} GPUs, where all pools have {undivided} whole ones"
            yield Problem((*loc, "gpus"), message, f"write at most {undivided}")
        for profile, count in team.slices.items():
            if 0 < divided[profile] < count:
                message = f"a quota of {count} slices, where all pools have {divided[profile]}"
                yield Problem((*loc, "slices", profile), message, f"write at most {divided[profile]}")


def _hosts_addresses(cluster: Cluster) -> Iterator[Problem]:
    """A management controller's or switch's address is one that a device can have."""
    found = [(loc, address) for loc, address in platform.addresses(None, cluster.servers) if loc[-1] == "bmc"]
    given = [vlan.subnet for pair in pairs(cluster.network).values() for vlan in pair.vlans.values()]
    given += [cluster.openshift.machine_network] if cluster.openshift else []
    given += [cluster.fabric.day0.network] if cluster.fabric.day0 else []
    for loc, address in (*inventory.management(cluster.network), *found):
        assert isinstance(address, IPv4Address)
        unusable = address.is_multicast or address.is_reserved or address.is_loopback or address.is_unspecified
        if unusable or address.is_link_local:
            yield Problem(loc, f"{address} is no address of a device", "write the one it has on the management network")
            continue
        for network in given:
            if address in (network.network_address, network.broadcast_address) and network.prefixlen < 31:
                yield Problem(loc, f"{address} is the first or last of {network}", "take a host address")
                break


def _acceptance(cluster: Cluster) -> Iterator[Problem]:
    """The receiver and its senders are different servers of one leaf group."""
    if cluster.acceptance is None:
        return
    groups = Counter(
        server.group
        for server in cluster.servers.values()
        if server.group is not None and (server.model not in SERVERS or SERVERS[server.model].rails)
    )
    yield from below(("acceptance",), senders(cluster.acceptance, max(groups.values(), default=0)))


CLUSTER = (
    _pools,
    _workloads,
    _addresses,
    _serials,
    _overlaps,
    _gateways,
    _slices,
    _replicas,
    _quota,
    _capacity,
    _hosts_addresses,
    _acceptance,
)
