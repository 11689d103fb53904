"""Admission of a pool's nodes: what is made of the key, who tolerates the taint, and what a file may not ask."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from podwright.components import model
from podwright.components.design import operators
from podwright.components.design.platform import NodePoolPlan, admission, first_taints
from podwright.components.design.platform.admission import TAINT
from podwright.components.model import Admission
from podwright.components.model.coherence import check
from tests.design import whole
from tests.model.changes import LAB, put

KEY: dict[str, Any] = {
    "controller_image": f"registry.example.com/ubi9/python-312@sha256:{'a' * 64}",
    "dcgm_image": f"registry.example.com/nvidia/dcgm@sha256:{'b' * 64}",
    "nccl_image": f"registry.example.com/nvidia/nccl-tests@sha256:{'c' * 64}",
}
WANTED = Admission.model_validate(KEY)
PLAIN = {name: image for name, image in KEY.items() if name != "nccl_image"}
"""For pools whose GPUs are divided or shared."""


def _cluster(key: dict[str, Any] | None = KEY, pool: str = "training", **more: Any) -> model.Cluster:
    stack: dict[str, Any] = copy.deepcopy(LAB)
    put(f"pools/{pool}/admission", key)(stack)
    for name, value in more.items():
        put(f"pools/{pool}/{name}", value)(stack)
    return model.Cluster.model_validate(stack)


def pool_plan(key: dict[str, Any] | None = KEY) -> NodePoolPlan:
    """The plan of the training pool."""
    return whole.node_pools(_cluster(key))["training"]


def _named(kind: str, name: str) -> dict[str, Any]:
    return next(e for e in pool_plan().admission if e["kind"] == kind and e["metadata"]["name"] == name)


def test_a_node_registers_with_both_taints_and_a_host_that_joins_has_them() -> None:
    cluster = _cluster()
    (kubelet,) = (e for e in pool_plan().configuration if e["kind"] == "KubeletConfig")
    assert TAINT in kubelet["spec"]["kubeletConfig"]["registerWithTaints"]
    taints = first_taints(cluster.pools)["taints"]
    assert TAINT in taints["training"] and isinstance(taints["inference"], dict)


def test_without_the_key_a_pool_is_as_it_was() -> None:
    plain = pool_plan(None)
    assert plain.admission == () and plain.admission_taint is None
    assert "admission" not in plain.rails.model_dump(mode="json")


def test_what_the_checks_need_tolerates_the_taint_and_only_then() -> None:
    section = _cluster().operators
    assert section is not None
    for wanted in (True, False):
        pools = [pool_plan(KEY if wanted else None).rails]
        found = operators.feature_discovery(section, admission=wanted).settings
        gpu = operators.gpus(section, ["NVIDIA-H200"], rdma=True, pools=pools).settings
        tolerated = found[0]["spec"]["operand"]["workerTolerations"], gpu[-1]["spec"]["daemonsets"]["tolerations"]
        assert [any(e["key"] == TAINT["key"] for e in rows) for rows in tolerated] == [wanted, wanted]


def test_no_account_on_a_gpu_node_may_do_anything() -> None:
    accounts = {e["metadata"]["name"]: e for e in pool_plan().admission if e["kind"] == "ServiceAccount"}
    assert not accounts["checks"]["automountServiceAccountToken"]
    bound = [e for e in pool_plan().admission if e["kind"].endswith("Binding") and "subjects" in e]
    rights = {e["roleRef"]["name"] for e in bound if e["subjects"][0]["name"] == "checks"}
    assert rights == {"system:openshift:scc:anyuid"}
    controller = _named("Deployment", "admission")["spec"]["template"]["spec"]
    assert controller["nodeSelector"] == {"node-role.kubernetes.io/master": ""}
    (rule,) = _named("ClusterRole", "podwright-admission-training")["rules"]
    assert rule["resources"] == ["nodes"] and set(rule["verbs"]) == {"get", "list", "watch", "patch"}


def test_the_limits_stand_before_the_program_that_they_bind() -> None:
    kinds = [each["kind"] for each in pool_plan().admission]
    assert kinds.index("ValidatingAdmissionPolicyBinding") < kinds.index("Deployment") == len(kinds) - 1


def test_tolerations_of_pods_are_looked_at_when_they_are_made_and_when_they_change() -> None:
    policy = _named("ValidatingAdmissionPolicy", "podwright-admission-training-workloads")["spec"]
    (rule,) = policy["matchConstraints"]["resourceRules"]
    assert (rule["resources"], rule["operations"]) == (["pods"], ["CREATE", "UPDATE"])
    outside, changed = (each["expression"] for each in policy["matchConditions"])
    assert "'nvidia-gpu-operator'" in outside and "'nvidia-'" not in outside
    assert "oldObject.spec.?tolerations" in changed


def test_images_of_the_checks_are_pulled_from_where_all_others_are() -> None:
    assert set(KEY.values()) <= set(_cluster().images)


@pytest.mark.parametrize(
    ("more", "where", "words"),
    [
        ({"purpose": "cpu", "rails": False}, "admission", "is for plain CPU work"),
        ({"numa": {"policy": "single-numa-node"}}, "numa", "on more than one NUMA node: kubelet would end them"),
        (
            {"sharing": {"mode": "mps", "replicas": 2}, "rails": False, "numa": {"policy": "best-effort"}},
            "admission",
            "with `numa` kubelet takes shares from the GPUs of one NUMA node first",
        ),
    ],
)
def test_a_pool_whose_nodes_cannot_be_checked_is_refused(more: dict[str, Any], where: str, words: str) -> None:
    found = [each.message for each in check(_cluster(**more)) if each.loc[:3] == ("pools", "training", where)]
    assert any(words in each for each in found), found


def _planned(pool: str, key: dict[str, Any] = PLAIN, **more: Any) -> dict[str, Any]:
    """Settings of the controller, of a pool without rails."""
    cluster = _cluster(key, pool=pool, rails=False, **more)
    assert [each for each in check(cluster) if "admission" in each.loc] == []
    members = {name: server for name, server in cluster.servers.items() if server.pool == pool}
    found: dict[str, Any] = json.loads(admission.settings(pool, cluster.pools[pool], members))
    return found


def _boxes(settings: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Name, program and resource of each container."""
    spec = settings["pod"]["spec"]
    rows = [*spec["initContainers"], *spec["containers"]]
    asked = [next((key for key in row["resources"]["limits"] if key != "memory"), "") for row in rows]
    return [(row["name"], row["command"][-1], resource) for row, resource in zip(rows, asked, strict=True)]


def _levels(settings: dict[str, Any]) -> set[str]:
    spec = settings["pod"]["spec"]
    rows = [*spec["initContainers"], *spec["containers"]]
    return {each["value"] for row in rows for each in row["env"] if each["name"] == "LEVEL"}


def test_slices_are_taken_by_profile_and_nothing_is_measured_over_them() -> None:
    found = _planned("inference")
    assert _boxes(found) == [("slices-1g-18gb", "slices", "nvidia.com/mig-1g.18gb")] and _levels(found) == {"0"}
    (node,) = found["nodes"].values()
    assert node["layout"] == "all-1g.18gb" and node["gpus"] == 0
    assert set(node["units"]) == {"nvidia.com/mig-1g.18gb"} and "resource" not in found


def test_gpus_that_stay_whole_beside_divided_ones_have_every_check_of_whole_ones() -> None:
    groups = [{"count": 6, "slices": {"3g.71gb": 1, "1g.18gb": 4}}, {"count": 2}]
    found = _planned("training", KEY, mig_gpus=groups)
    whole = "nvidia.com/gpu"
    assert _boxes(found)[2:] == [(each, each, whole) for each in ("devices", "diagnostics", "collective")]
    node = next(iter(found["nodes"].values()))
    assert node["units"] == {"nvidia.com/mig-1g.18gb": 24, "nvidia.com/mig-3g.71gb": 6, whole: 2} and node["gpus"] == 2


def test_one_gpu_that_stays_whole_is_diagnosed_and_measured_with_no_other() -> None:
    found = _planned("training", PLAIN, mig_gpus=[{"count": 7, "slices": {"1g.18gb": 7}}, {"count": 1}])
    assert [name for name, _, _ in _boxes(found)] == ["slices-1g-18gb", "devices", "diagnostics"]


@pytest.mark.parametrize(("mode", "level"), [("time-slicing", "1"), ("mps", "0")])
def test_shares_are_taken_one_by_one_and_no_diagnostic_loads_a_gpu(mode: str, level: str) -> None:
    found = _planned("training", sharing={"mode": mode, "replicas": 4, "reason": "one project, the same data"})
    assert _boxes(found) == [("share-gpu", "share", "nvidia.com/gpu.shared")] and _levels(found) == {level}
    node = next(iter(found["nodes"].values()))
    assert found["replicas"] == 4 and node["units"] == {"nvidia.com/gpu.shared": 8} and node["layout"] == "all-disabled"
    assert found["pod"]["spec"]["initContainers"] == [], "an init container hands its share on to the next"
    assert "/dev/shm" not in json.dumps(found["pod"]), "MPS has its own there"


def test_the_controllers_files_find_each_other_in_a_pod(tmp_path: Path) -> None:
    """No package is there, and no module of ours."""
    for name, text in _named("ConfigMap", "program")["data"].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import admission"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert ended.returncode == 0 and "podwright.components" not in str(_named("ConfigMap", "program")), ended.stderr


def test_a_pool_of_whole_gpus_has_the_settings_that_it_had() -> None:
    document = json.loads(_named("ConfigMap", "settings")["data"]["settings.json"])
    assert document["resource"] == "nvidia.com/gpu" and "replicas" not in document
    assert all(set(each) == {"gpus", "fabric", "bus_gbytes"} for each in document["nodes"].values())
    assert _boxes(document) == [(each, each, "") for each in ("devices", "diagnostics", "collective")]
