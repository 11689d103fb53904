"""Admission of a pool's nodes: what is made of the key, who tolerates the taint, and what a file may not ask."""

import copy
from typing import Any

import pytest

from podwright.components import model
from podwright.components.design import operators
from podwright.components.design.platform import NodePoolPlan, first_taints
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


def test_images_of_the_checks_are_pulled_from_where_all_others_are() -> None:
    assert set(KEY.values()) <= set(_cluster().images)


@pytest.mark.parametrize(
    ("pool", "more", "words"),
    [
        ("inference", {}, "take its GPUs whole"),
        ("training", {"sharing": {"mode": "mps", "replicas": 2}, "rails": False}, "by `sharing`"),
        ("training", {"purpose": "cpu", "rails": False}, "is for plain CPU work"),
    ],
)
def test_a_pool_whose_nodes_cannot_be_checked_is_refused(pool: str, more: dict[str, Any], words: str) -> None:
    found = [
        each.message for each in check(_cluster(pool=pool, **more)) if each.loc[:3] == ("pools", pool, "admission")
    ]
    assert any(words in each for each in found), found
