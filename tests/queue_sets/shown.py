"""What `podwright status` counts of a set's queues, beside what the reference counts."""

from __future__ import annotations

from collections.abc import Mapping

from podwright.components.providers.status.queues import Share, shares
from podwright.components.providers.status.snapshot import Snapshot
from podwright.lab.openshift.api import Api
from tests.queue_sets.observed import Moment
from tests.queue_sets.reference import World, usage

QUEUES = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"


def agrees(api: Api, world: World) -> bool:
    """Whether it has the same of every team and pool; Kueue writes its counts a moment after it admits."""
    pools = Moment(api).flavors
    listed = (api.get(QUEUES) or {"items": []})["items"]
    seen = {(each.queue, pools[each.flavor]): each for each in shares(Snapshot({"ClusterQueue": tuple(listed)}))}
    used = usage(world.admitted())
    own = {key: (quota.nominal, used[key], max(0, used[key] - quota.nominal)) for key, quota in world.quotas.items()}
    found = {key: (each.nominal, each.used, each.borrowed) for key, each in seen.items()}
    return found == own and all(_lent(seen, pool) for pool in pools.values())


def _lent(seen: Mapping[tuple[str, str], Share], pool: str) -> bool:
    """Whether what is borrowed of a pool lies between the least and the most that its teams lend."""
    here = [each for (_, where), each in seen.items() if where == pool]
    borrowed = sum(each.borrowed for each in here)
    return sum(each.lent[0] for each in here) <= borrowed <= sum(each.lent[1] for each in here)
