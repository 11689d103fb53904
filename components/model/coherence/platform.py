"""The control plane's spread, pools and what their servers are, teams."""

from collections.abc import Iterator

from podwright.components.model.catalogue import GPUS, SERVERS, Gpu
from podwright.components.model.catalogue.mig import layout, layouts
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.compute import gpu_count, memory_gib
from podwright.components.model.coherence.references import CONTROL_PLANE
from podwright.components.model.compute import Server
from podwright.components.model.explain import suggest
from podwright.components.model.problems import Problem

RESERVED = ("default", "openshift", "kubernetes", "kueue-system")
RESERVED_PREFIXES = ("openshift-", "kube-", "nvidia-", "podwright-")


def members(cluster: Cluster, pool: str) -> dict[str, Server]:
    """Servers of a pool by name."""
    return {name: server for name, server in cluster.servers.items() if server.pool == pool}


def slices(cluster: Cluster, pool: str) -> dict[str, int]:
    """MIG slices by profile that a pool offers in all."""
    mig = cluster.pools[pool].mig if pool in cluster.pools else None
    total: dict[str, int] = {}
    for server in members(cluster, pool).values():
        product = GPUS.get(server.gpus or "")
        held = layout(product, mig) if product and mig else None
        for profile, count in (held or {}).items():
            total[profile] = total.get(profile, 0) + count * gpu_count(server)
    return total


def laid_out(cluster: Cluster, pool: str) -> bool:
    """Whether every GPU of a pool knows the pool's layout; otherwise its slices are not judged."""
    mig = cluster.pools[pool].mig
    products = (GPUS.get(server.gpus) for server in members(cluster, pool).values() if server.gpus)
    return mig is None or all(gpu is not None and layout(gpu, mig) is not None for gpu in products)


def _control_plane(cluster: Cluster) -> Iterator[Problem]:
    hosts = members(cluster, CONTROL_PLANE)
    if len(hosts) not in (3, 5):
        hint = "give three servers (or five) `pool: control-plane`, each in a rack and power domain of its own"
        yield Problem(("servers",), f"{len(hosts)} control-plane hosts; etcd needs 3 or 5", hint)
    racks: dict[str, str] = {}
    feeds: dict[str, str] = {}
    for name, server in hosts.items():
        loc = ("servers", name, "rack")
        rack = cluster.site.racks.get(server.rack)
        if server.rack in racks:
            message = f"{racks[server.rack]}, a control-plane host too, stands in {server.rack} already"
            yield Problem(loc, message, "a rack that fails must leave the others a majority")
        elif rack is not None and rack.power_domain in feeds:
            message = f"{feeds[rack.power_domain]}, a control-plane host too, hangs on {rack.power_domain} already"
            yield Problem(loc, message, "take a rack on another power domain")
        racks.setdefault(server.rack, name)
        if rack is not None:
            feeds.setdefault(rack.power_domain, name)


def _pools(cluster: Cluster) -> Iterator[Problem]:
    for name, pool in cluster.pools.items():
        servers = members(cluster, name)
        if pool.max_unavailable > 1 and pool.max_unavailable > len(servers):
            loc = ("pools", name, "max_unavailable")
            yield Problem(loc, f"the pool has {len(servers)} servers", f"write 1 to {max(1, len(servers))}")
        for host, server in servers.items():
            memory = memory_gib(server)
            if memory is not None and pool.hugepages_gib >= memory:
                loc = ("pools", name, "hugepages_gib")
                yield Problem(loc, f"{host} has {memory} GiB of memory in all", "leave room for everything else")
                break
        if pool.rails:
            yield from _railed(name, servers)


def _railed(pool: str, servers: dict[str, Server]) -> Iterator[Problem]:
    for host, server in servers.items():
        model = SERVERS.get(server.model)
        if model is None:
            continue
        if not model.rails:
            message = f"pool {pool} has rails, {model.name} has no rail NICs"
            yield Problem(("servers", host, "pool"), message, "take another pool, or another model")
        elif server.group is None:
            message = f"pool {pool} has rails; the leaf group its rails are cabled to is missing"
            yield Problem(("servers", host), message, "add `group:` with the group of its leaves")


def _mig(cluster: Cluster) -> Iterator[Problem]:
    """A layout holds for every GPU of the pool, so every GPU of the pool must know it."""
    for name, pool in cluster.pools.items():
        if pool.mig is None:
            continue
        servers = members(cluster, name)
        products: dict[str, Gpu] = {each.gpus: GPUS[each.gpus] for each in servers.values() if each.gpus in GPUS}
        loc = ("pools", name, "mig")
        if servers and not products:
            yield Problem(loc, f"no server of pool {name} has a GPU", "write null, or give its servers `gpus`")
        for product, gpu in products.items():
            if not gpu.mig:
                yield Problem(loc, f"{product} has no MIG", "write null: its GPUs stay whole")
            elif layout(gpu, pool.mig) is None:
                known = layouts(gpu)
                hint = suggest(pool.mig, known) or f"layouts of {product}: {', '.join(known)}"
                yield Problem(loc, f"{product} has no layout {pool.mig}", hint)


def _teams(cluster: Cluster) -> Iterator[Problem]:
    offered = {profile for pool in cluster.pools for profile in slices(cluster, pool)}
    judged = all(laid_out(cluster, pool) for pool in cluster.pools)
    for name, team in cluster.openshift.teams.items():
        loc = ("openshift", "teams", name)
        if name in RESERVED or name.startswith(RESERVED_PREFIXES):
            hint = "a team's name becomes its namespace: take another"
            yield Problem(loc, f"{name} is a namespace of the system's", hint, at_key=True)
        for profile in team.slices:
            if judged and profile not in offered:
                listed = ", ".join(sorted(offered)) or "none: no pool has `mig`"
                hint = suggest(profile, tuple(sorted(offered))) or f"offered: {listed}"
                yield Problem((*loc, "slices", profile), f"no pool offers {profile}", hint, at_key=True)


CHECKS = (_control_plane, _pools, _mig, _teams)
