"""A paused pool: everything that would take its nodes away is asked to wait, and nobody waits for it."""

from podwright.components.design.operators import driver_rollout, readiness
from podwright.components.model import Cluster, Pool
from tests.design import whole
from tests.design.goldens import cluster


def _paused(pool: str) -> Cluster:
    defined = cluster("lab")
    section = defined.pools[pool]
    changed = Pool.model_validate({**section.model_dump(), "rollout": {"pause": True}})
    return defined.model_copy(update={"pools": {**defined.pools, pool: changed}})


def _sriov(defined: Cluster, pool: str) -> int:
    settings = [each for operator in whole.operators(defined) for each in operator.settings]
    (config,) = (s for s in settings if s["kind"] == "SriovNetworkPoolConfig" and s["metadata"]["name"] == pool)
    return int(config["spec"]["maxUnavailable"])


def test_whoever_drains_nodes_of_a_pool_is_told_of_its_pause() -> None:
    defined, paused = cluster("lab"), _paused("training")
    before, after = whole.node_pools(defined)["training"], whole.node_pools(paused)["training"]
    assert (before.pool["spec"]["paused"], after.pool["spec"]["paused"]) == (False, True)
    assert "pause" not in before.rollout
    assert after.rollout["pause"] is True
    assert (_sriov(defined, "training"), _sriov(paused, "training")) == (1, 0)
    assert paused.operators
    (rails,) = (pool for pool in whole.rail_pools(paused) if pool.name == "training")
    assert driver_rollout(paused.operators, rails, rdma=True)["pause"] is True
    assert readiness.ready(rails, [])["pause"] is True


def test_the_pause_of_one_pool_is_no_others() -> None:
    paused = _paused("training")
    other = whole.node_pools(paused)["inference"]
    assert other.pool["spec"]["paused"] is False
    assert "pause" not in other.rollout
