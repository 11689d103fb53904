"""Kubelet's managers of a pool: by a KubeletConfig of its own, or by its PerformanceProfile, never by both."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components import model
from podwright.components.model import Cluster
from tests.design import whole
from tests.model.changes import LAB, both, put

HERE = Path(__file__).parent
NUMA = {"policy": "single-numa-node", "scope": "pod"}


def _cluster(numa: dict[str, str] | None, hugepages_gib: int = 0, pool: str = "inference") -> Cluster:
    stack: dict[str, Any] = copy.deepcopy(LAB)
    both(put(f"pools/{pool}/numa", numa), put(f"pools/{pool}/hugepages_gib", hugepages_gib))(stack)
    return model.Cluster.model_validate(stack)


def _kinds(cluster: Cluster, pool: str = "inference") -> dict[str, dict[str, Any]]:
    made = whole.node_pools(cluster)[pool].configuration
    found = {each["kind"]: each for each in made if each["kind"] in ("KubeletConfig", "PerformanceProfile")}
    assert sum(each["kind"] in found for each in made) == len(found), "one of each at most"
    return found


def test_it_is_the_golden() -> None:
    (made,) = _kinds(_cluster(NUMA)).values()
    assert made == yaml.safe_load((HERE / "numa.yaml").read_text())


@pytest.mark.parametrize("policy", ["best-effort", "restricted", "single-numa-node"])
def test_a_pool_with_huge_pages_has_it_in_its_performance_profile_and_no_kubelet_config_beside(policy: str) -> None:
    (made,) = _kinds(_cluster({"policy": policy, "scope": "pod"}, 16)).values()
    assert made["kind"] == "PerformanceProfile" and made["spec"]["numa"] == {"topologyPolicy": policy}
    snippet = json.loads(made["metadata"]["annotations"]["kubeletconfig.experimental"])
    assert snippet["topologyManagerScope"] == "pod" and snippet["registerWithTaints"]


def test_a_pool_without_the_section_is_as_it_was() -> None:
    (made,) = _kinds(_cluster(None)).values()
    assert set(made["spec"]["kubeletConfig"]) == {"registerWithTaints"}
    (made,) = _kinds(_cluster(None, 16)).values()
    assert made["spec"]["numa"] == {"topologyPolicy": "best-effort"}
    assert "topologyManagerScope" not in made["metadata"]["annotations"]["kubeletconfig.experimental"]


def test_the_processors_kept_for_the_system_are_those_of_a_performance_profile() -> None:
    (without,) = _kinds(_cluster(NUMA)).values()
    (profile,) = _kinds(_cluster(NUMA, 16)).values()
    assert without["spec"]["kubeletConfig"]["reservedSystemCPUs"] == profile["spec"]["cpu"]["reserved"] != ""


def test_only_a_strict_policy_takes_memory_from_the_numa_nodes_too() -> None:
    (made,) = _kinds(_cluster({"policy": "best-effort"})).values()
    assert set(made["spec"]["kubeletConfig"]) == {
        *("registerWithTaints", "cpuManagerPolicy", "cpuManagerReconcilePeriod"),
        *("reservedSystemCPUs", "topologyManagerPolicy"),
    }
