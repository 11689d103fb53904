"""The NICs' driver: which one is asked for, and that one roll-out takes it to a node together with the GPU's."""

from typing import Any

import pytest

from podwright.components.design import operators
from podwright.components.design.image_set import image_set
from podwright.components.model import Cluster
from podwright.components.model.catalogue import RELEASE_SETS
from tests.design import whole
from tests.design.goldens import STACKS, cluster

ANOTHER = "doca3.3.0-26.01-1.0.0.0-0"


@pytest.fixture(params=STACKS)
def defined(request: pytest.FixtureRequest) -> Cluster:
    return cluster(request.param)


def _newer(defined: Cluster) -> Cluster:
    assert defined.operators
    asked = defined.operators.model_copy(update={"doca_driver": ANOTHER})
    return defined.model_copy(update={"operators": asked})


def _policies(defined: Cluster) -> dict[str, dict[str, Any]]:
    """By API path, those that name a driver."""
    kinds = {"NicNodePolicy": "nicnodepolicies", "NicClusterPolicy": "nicclusterpolicies"}
    found = [each for operator in whole.operators(defined) for each in operator.settings if each["kind"] in kinds]
    return {
        f"/apis/mellanox.com/v1alpha1/{kinds[each['kind']]}/{each['metadata']['name']}": each
        for each in found
        if "ofedDriver" in each["spec"]
    }


def test_a_policy_with_a_driver_is_not_awaited_and_leaves_its_pods_to_a_roll_out(defined: Cluster) -> None:
    """It is not ready while a node has an earlier driver, and nobody but the roll-out behind it replaces that."""
    for each in _policies(defined).values():
        assert "annotations" not in each["metadata"]
        assert each["spec"]["ofedDriver"]["upgradePolicy"] == {"autoUpgrade": False}


def test_another_driver_of_nics_moves_the_roll_outs_of_pools_on_the_backend_and_no_trigger_of_gpus(
    defined: Cluster,
) -> None:
    before, after = whole.driver_rollouts(defined), whole.driver_rollouts(_newer(defined))
    policies = _policies(_newer(defined))
    rails = {pool.name for pool in whole.rail_pools(defined) if pool.nics and pool.nodes}
    assert rails and rails <= after.keys()
    for name in rails:
        spec = after[name]
        assert spec["trigger"] == before[name]["trigger"]
        assert spec["nic_trigger"] != before[name]["nic_trigger"]
        looked_at = spec["nic_driver"]
        assert policies[looked_at["policy"]]["spec"]["ofedDriver"]["version"] == looked_at["version"] == ANOTHER
        assert looked_at["label"] == "nvidia.com/ofed-driver"
    for name in after.keys() - rails:
        assert after[name] == before[name]
        assert "nic_driver" not in after[name]


def test_without_a_driver_in_the_file_it_is_that_of_the_release_set(defined: Cluster) -> None:
    assert defined.operators
    own = RELEASE_SETS[defined.operators.release].doca_driver
    assert {each["spec"]["ofedDriver"]["version"] for each in _policies(defined).values()} == {own}


def test_nodes_without_gpus_have_a_roll_out_of_their_nics_driver_alone(defined: Cluster) -> None:
    assert defined.operators
    pool = next(pool for pool in whole.rail_pools(defined) if pool.nics and pool.nodes)
    both = operators.driver_rollout(defined.operators, pool, rdma=True)
    alone = operators.nic_driver_rollout(defined.operators, pool.model_copy(update={"products": ()}))
    assert (alone["driver"], alone["trigger"]) == (both["nic_driver"], both["nic_trigger"])
    assert alone.items() >= {key: both[key] for key in ("nodes", "max_unavailable", "soak_seconds")}.items()
    assert "nic_driver" not in alone


def test_the_mirrored_images_name_the_driver_that_the_file_asks_for() -> None:
    notes = image_set(_newer(cluster("lab"))).unpinned
    assert any(f"doca-driver:{ANOTHER}-" in each for each in notes)
