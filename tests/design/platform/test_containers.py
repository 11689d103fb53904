"""Limits of every container of a pool: kubelet's in its one KubeletConfig, CRI-O's in one object of its own."""

import copy
import json
from typing import Any

import pytest
from pydantic import ValidationError

from podwright.components import model
from podwright.components.model import Containers
from tests.design import whole
from tests.model.changes import LAB, both, put

LIMITS = {"pids": 16384, "log_mib": 200, "log_files": 10, "layer_gib": 100}
KUBELET = {"podPidsLimit": 16384, "containerLogMaxSize": "200Mi", "containerLogMaxFiles": 10}
WRITERS = ("KubeletConfig", "PerformanceProfile", "ContainerRuntimeConfig")


def _made(limits: dict[str, int] | None, hugepages_gib: int = 0) -> dict[str, dict[str, Any]]:
    stack: dict[str, Any] = copy.deepcopy(LAB)
    both(put("pools/inference/containers", limits), put("pools/inference/hugepages_gib", hugepages_gib))(stack)
    found = whole.node_pools(model.Cluster.model_validate(stack))["inference"].configuration
    writers = [each for each in found if each["kind"] in WRITERS]
    assert len({each["kind"] for each in writers}) == len(writers), "one of each at most"
    return {each["kind"]: each for each in writers}


def test_kubelets_limits_stand_beside_its_taints_in_the_pools_one_file() -> None:
    fields = _made(LIMITS)["KubeletConfig"]["spec"]["kubeletConfig"]
    assert {name: fields[name] for name in KUBELET} == KUBELET
    assert fields["registerWithTaints"]


def test_a_pool_with_huge_pages_has_them_in_its_performance_profile_and_no_kubelet_config_beside() -> None:
    made = _made(LIMITS, 16)
    assert set(made) == {"PerformanceProfile", "ContainerRuntimeConfig"}
    snippet = json.loads(made["PerformanceProfile"]["metadata"]["annotations"]["kubeletconfig.experimental"])
    assert KUBELET.items() <= snippet.items() and snippet["registerWithTaints"]


def test_the_size_of_layers_is_cri_os_and_selects_the_pool() -> None:
    spec = _made(LIMITS)["ContainerRuntimeConfig"]["spec"]
    assert spec["containerRuntimeConfig"] == {"overlaySize": "100Gi"}
    assert spec["machineConfigPoolSelector"] == _made(LIMITS)["KubeletConfig"]["spec"]["machineConfigPoolSelector"]


@pytest.mark.parametrize("limits", [None, {}])
def test_without_limits_a_pool_is_as_it_was(limits: dict[str, int] | None) -> None:
    (made,) = _made(limits).values()
    assert set(made["spec"]["kubeletConfig"]) == {"registerWithTaints"}


@pytest.mark.parametrize(
    "limits", [{"pids": 1023}, {"pids": 4_194_305}, {"log_files": 1}, {"log_mib": 0}, {"layer_gib": 9}]
)
def test_what_kubelet_or_images_could_not_live_with_is_refused(limits: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        Containers.model_validate(limits)
