"""What `podwright status` makes of OpenShift's refusal of pods: the SCCs that count, and not the whole list."""

from __future__ import annotations

import pytest

from podwright.components.providers.status.constraints import refusal
from tests.lab.openshift.test_scc_admission import Rights, pod
from tests.lab.openshift.test_scc_admission import refusal as refused
from tests.providers.status.test_diagnosis import _meta, _without_pods, diagnose

ALLOWED = "no security context constraints that account research/training may use admit them: "
LOCK = '.containers[0].capabilities.add: Invalid value: "IPC_LOCK": capability may not be added'
RANGE = "restricted-v2: .containers[0].runAsUser: Invalid value: 0: must be in the ranges: [1000690000, 1000699999]"


def message(of: dict[str, object], usable: tuple[str, ...] = ("restricted-v2",)) -> str:
    return f'Error creating: pods "pretrain-0-" is forbidden: {refused(of, Rights(usable))}'


def test_a_lost_binding_is_told_by_what_the_account_may_still_use() -> None:
    objects = _without_pods()
    objects["Event"] = [{
        "metadata": _meta("event", "research"), "involvedObject": {"uid": "uid-pretrain"}, "type": "Warning",
        "message": message(pod({"capabilities": {"add": ["IPC_LOCK"]}})), "lastTimestamp": "2026-01-01T00:00:01Z",
    }]  # fmt: skip
    (verdict,) = diagnose(objects)
    assert verdict.reason == f"1 of 1 pods do not exist: {ALLOWED}restricted-v2: {LOCK}"


@pytest.mark.parametrize(("given", "usable", "told"), [
    ({"runAsUser": 0}, ("restricted-v2",), f"{ALLOWED}{RANGE}"),
    ({"runAsUser": 0}, (), "account research/training may use none of the cluster's security context constraints"),
    (
        {"privileged": True, "capabilities": {"add": ["IPC_LOCK"]}}, ("restricted-v2", "nonroot-v2"),
        f"{ALLOWED}restricted-v2: .containers[0].privileged: Invalid value: true: Privileged containers are not allowed"
        f"; restricted-v2: {LOCK}; nonroot-v2: .containers[0].privileged: Invalid value: true: Privileged containers "
        f"are not allowed; nonroot-v2: {LOCK}",
    ),
])  # fmt: skip
def test_the_sccs_that_nobody_may_use_are_left_out(
    given: dict[str, object], usable: tuple[str, ...], told: str
) -> None:
    assert refusal(message(pod(given), usable), "research/training") == told


def test_another_refusal_is_none_of_its_business() -> None:
    assert refusal('pods "x" is forbidden: exceeded quota: gpus', "research/training") is None
