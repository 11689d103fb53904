"""The GPU driver: which one is asked for, and who takes it to the nodes of each pool."""

from typing import Any

import pytest

from podwright.components.design import operators
from podwright.components.model import Cluster
from tests.design import whole
from tests.design.goldens import STACKS, cluster


@pytest.fixture(params=STACKS)
def defined(request: pytest.FixtureRequest) -> Cluster:
    return cluster(request.param)


def _settings(defined: Cluster, kind: str) -> list[dict[str, Any]]:
    return [each for operator in whole.operators(defined) for each in operator.settings if each["kind"] == kind]


def test_the_gpu_policy_is_not_awaited_where_roll_outs_make_it_ready(defined: Cluster) -> None:
    """It is not ready while a node has an earlier driver, which only a roll-out behind it takes away."""
    (policy,) = _settings(defined, "ClusterPolicy")
    assert "annotations" not in policy["metadata"]
    assert policy["spec"]["driver"]["upgradePolicy"] == {"autoUpgrade": False}
    assert defined.operators
    alone = operators.gpus(defined.operators, ["NVIDIA-H200"], rdma=True).settings
    (awaited,) = (each for each in alone if each["kind"] == "ClusterPolicy")
    assert awaited["metadata"]["annotations"]["pulumi.com/waitFor"] == "jsonpath={.status.state}=ready"


def test_each_pool_with_gpus_is_taken_to_the_driver_that_the_file_asks_for(defined: Cluster) -> None:
    assert defined.operators
    asked = defined.operators.model_copy(update={"gpu_driver": "580.95.05"})
    newer = defined.model_copy(update={"operators": asked})
    before, after = whole.driver_rollouts(defined), whole.driver_rollouts(newer)
    assert set(before) == {each.pool for each in defined.servers.values() if each.gpus}
    for name, spec in after.items():
        assert spec["driver"]["version"] == "580.95.05"
        assert spec["trigger"] != before[name]["trigger"]
        assert spec["max_unavailable"] == defined.pools[name].max_unavailable
        assert spec["nodes"] == sorted(host for host, each in defined.servers.items() if each.pool == name)
    (policy,) = _settings(newer, "ClusterPolicy")
    named = {"repository": "nvcr.io/nvidia", "image": "driver", "version": "580.95.05"}
    assert policy["spec"]["driver"].items() >= named.items()
    (own,) = _settings(defined, "ClusterPolicy")
    assert not named.keys() & own["spec"]["driver"].keys()


def test_a_clusters_first_rails_are_taken_to_nodes_that_had_a_driver_without(defined: Cluster) -> None:
    """The module that lets NICs reach GPU memory is a container of the driver's pod: the operator replaces none of them
    by itself, and its policy is not ready until they are."""
    assert defined.operators
    for pool in (each for each in whole.rail_pools(defined) if each.products and each.nodes):
        without, having = (operators.driver_rollout(defined.operators, pool, rdma=rdma) for rdma in (False, True))
        assert without["trigger"] != having["trigger"]
        assert {**without, "trigger": ""} == {**having, "trigger": ""}
    (policy,) = _settings(defined, "ClusterPolicy")
    (planned,) = {each["trigger"] for each in whole.driver_rollouts(defined).values()}
    (same,) = {
        operators.driver_rollout(defined.operators, pool, rdma=policy["spec"]["driver"]["rdma"]["enabled"])["trigger"]
        for pool in whole.rail_pools(defined)
        if pool.products and pool.nodes
    }
    assert planned == same
