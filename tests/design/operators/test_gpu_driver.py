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


def test_gpu_memory_is_reached_by_dma_buf_or_by_peermem(defined: Cluster) -> None:
    """DMA-BUF takes the open kernel modules and no container beside the driver; every node of a pool goes over."""
    assert defined.operators
    by = {
        way: defined.model_copy(update={"operators": defined.operators.model_copy(update={"gpu_direct": way})})
        for way in ("dma-buf", "peermem")
    }
    driver = {way: _settings(each, "ClusterPolicy")[0]["spec"]["driver"] for way, each in by.items()}
    assert (
        driver["dma-buf"].items()
        >= {"kernelModuleType": "open", "rdma": {"enabled": False, "useHostMofed": False}}.items()
    )
    assert (
        driver["peermem"].items()
        >= {"kernelModuleType": "auto", "rdma": {"enabled": True, "useHostMofed": False}}.items()
    )
    before, after = (whole.driver_rollouts(by[way]) for way in ("peermem", "dma-buf"))
    assert all(after[pool]["trigger"] != before[pool]["trigger"] for pool in before)
    alone = operators.gpus(
        defined.operators.model_copy(update={"gpu_direct": "dma-buf"}), ["NVIDIA-H200"], rdma=False
    ).settings
    (unused,) = (each for each in alone if each["kind"] == "ClusterPolicy")
    assert unused["spec"]["driver"]["kernelModuleType"] == "auto", "without rails nobody asks for DMA-BUF"


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


def test_gdrcopy_and_gds_are_containers_of_the_drivers_pod(defined: Cluster) -> None:
    """GDS has an image of the release set and the open kernel modules; each key takes every node through."""
    assert defined.operators
    parts: dict[str, dict[str, Any]] = {
        "gdrcopy": {"enabled": True},
        "gds": {
            "enabled": True, "repository": "nvcr.io/nvidia/cloud-native", "image": "nvidia-fs", "version": "2.29.4",
        },
    }  # fmt: skip
    (without,) = _settings(defined, "ClusterPolicy")
    before = whole.driver_rollouts(defined)
    assert not parts.keys() & without["spec"].keys()
    for key, expected in parts.items():
        having = defined.model_copy(update={"operators": defined.operators.model_copy(update={key: True})})
        (policy,) = _settings(having, "ClusterPolicy")
        assert policy["spec"][key] == expected
        assert policy["spec"]["driver"]["kernelModuleType"] == {"gds": "open", "gdrcopy": "auto"}[key]
        assert all(spec["trigger"] != before[pool]["trigger"] for pool, spec in whole.driver_rollouts(having).items())


def test_for_gds_the_iommu_of_nodes_with_gpus_passes_through(defined: Cluster) -> None:
    """Virtual functions need the IOMMU, so that it cannot be off."""
    assert defined.operators
    having = defined.operators.model_copy(update={"gds": True})
    pools = [pool for pool in whole.rail_pools(defined) if pool.products]
    planned = operators.gpus(having, ["NVIDIA-H200"], rdma=True, pools=whole.rail_pools(defined))
    (found, (policy,)) = planned.stages
    configs = {each["metadata"]["name"]: each for each in found if each["kind"] == "MachineConfig"}
    assert set(configs) == {f"50-{pool.name}-iommu" for pool in pools}
    for pool in pools:
        made = configs[f"50-{pool.name}-iommu"]
        assert made["spec"]["kernelArguments"] == ["iommu=pt"]
        assert made["metadata"]["labels"] == {"machineconfiguration.openshift.io/role": pool.name}
    assert set(operators.gpu_boots(having, pools)) == {pool.name for pool in pools}
    assert policy["kind"] == "ClusterPolicy"
    assert not operators.gpu_boots(defined.operators, pools)


def _own(defined: Cluster, pool: str, version: str = "570.195.03") -> Cluster:
    pools = {**defined.pools, pool: defined.pools[pool].model_copy(update={"gpu_driver": version})}
    return defined.model_copy(update={"pools": pools})


def test_one_pools_own_driver_takes_the_cluster_to_nvidiadrivers(defined: Cluster) -> None:
    """Each pool with GPUs has one: a node whose object goes would lose its driver."""
    assert defined.operators
    having = [pool for pool in whole.rail_pools(defined) if pool.products]
    assert not _settings(defined, "NVIDIADriver")
    changed = _own(defined, having[0].name)
    found = {each["metadata"]["name"]: each["spec"] for each in _settings(changed, "NVIDIADriver")}
    assert set(found) == {"default", *(f"pool-{pool.name}" for pool in having)}
    assert [name for name, spec in found.items() if spec.get("default")] == ["default"]
    selected = [spec["nodeSelector"] for name, spec in found.items() if name != "default"]
    assert selected == [{"podwright.io/pool": pool.name} for pool in having], "no node has two"
    assert found["default"]["version"] == "595.91.07", "the operator fills in none"
    assert found[f"pool-{having[0].name}"]["version"] == "570.195.03"
    assert all(spec["upgradePolicy"] == {"autoUpgrade": False} for spec in found.values())
    assert all({"operator": "Exists", "key": "nvidia.com/gpu", "effect": "NoSchedule"} in spec["tolerations"]
               for spec in found.values())  # fmt: skip
    (policy,) = _settings(changed, "ClusterPolicy")
    assert policy["spec"]["driver"]["useNvidiaDriverCRD"] is True
    (before,) = _settings(defined, "ClusterPolicy")
    assert "useNvidiaDriverCRD" not in before["spec"]["driver"]


def test_roll_outs_follow_their_pools_nvidiadriver(defined: Cluster) -> None:
    having = [pool.name for pool in whole.rail_pools(defined) if pool.products]
    changed = _own(defined, having[0])
    before, after = whole.driver_rollouts(defined), whole.driver_rollouts(changed)
    again = whole.driver_rollouts(_own(changed, having[0], "580.95.05"))
    assert set(before) == set(after) == {*having}
    for name in having:
        path = f"/apis/nvidia.com/v1alpha1/nvidiadrivers/pool-{name}"
        version = "570.195.03" if name == having[0] else "595.91.07"
        assert after[name]["driver"].items() >= {"policy": path, "owner": f"pool-{name}", "version": version}.items()
        assert after[name]["trigger"] != before[name]["trigger"], "every node goes over"
        assert (again[name]["trigger"] != after[name]["trigger"]) is (name == having[0]), "then its own pool alone"


def test_an_nvidiadriver_names_every_image_and_its_pools_way_to_gpu_memory(defined: Cluster) -> None:
    assert defined.operators
    asked = defined.operators.model_copy(update={"gds": True, "gdrcopy": True, "gpu_direct": "peermem"})
    pools = [pool for pool in whole.rail_pools(defined) if pool.products]
    changed = _own(defined.model_copy(update={"operators": asked}), pools[0].name)
    found = {each["metadata"]["name"]: each["spec"] for each in _settings(changed, "NVIDIADriver")}
    for pool in pools:
        spec = found[f"pool-{pool.name}"]
        assert spec["rdma"]["enabled"] is bool(pool.nics)
        assert spec["kernelModuleType"] == "open"
        for part in ("gds", "gdrcopy"):
            assert {"repository", "image", "version"} <= spec[part].keys()
