"""What nodes hand out of their GPUs, by the names that pods ask for: whole GPUs, MIG slices, shares of either."""

from collections import Counter
from collections.abc import Iterable, Mapping

from podwright.components.design import hardware
from podwright.components.design.platform.names import WHOLE_GPU, mig_resource, share
from podwright.components.model import Pool, Server


def offered(pool: Pool, servers: Iterable[Server]) -> dict[str, int]:
    """How many of each extended resource the servers of a pool have in all, as kubelets count it, sorted by name."""
    counts: Counter[str] = Counter()
    for server in servers:
        parts = hardware.mig_parts(server, pool)
        counts.update({mig_resource(profile): count for profile, count in parts.slices.items()})
        counts[WHOLE_GPU] += parts.whole
    if pool.sharing is None:
        return {each: counts[each] for each in sorted(counts) if counts[each]}
    return {share(each): counts[each] * pool.sharing.replicas for each in sorted(counts) if counts[each]}


def devices(pools: Mapping[str, Pool], servers: Mapping[str, Server]) -> tuple[str, ...]:
    """Each extended resource of GPUs that some pool offers, sorted: what a team's quota has a number of."""
    members = {name: [each for each in servers.values() if each.pool == name] for name in pools}
    return tuple(sorted({each for name, pool in pools.items() for each in offered(pool, members[name])}))
