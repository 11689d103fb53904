"""What is measured while jobs run: the free NICs, and never by waiting for one that a job holds."""

from typing import Any

from components.providers.acceptance.held import free, holders
from components.providers.acceptance.plan import Plan
from tests.providers.acceptance.test_acceptance import DOCUMENT

PLAN = Plan.read(DOCUMENT)
(TEST,) = PLAN.tests


def _pod(node: str, phase: str = "Running", namespace: str = "research") -> dict[str, Any]:
    return {
        "metadata": {"name": f"job-on-{node}", "namespace": namespace},
        "spec": {"nodeName": node, "containers": [{"resources": {"requests": {"openshift.io/rail0": "1"}}}]},
        "status": {"phase": phase},
    }


def test_only_pods_that_still_run_hold_a_rail_and_our_own_do_not_count() -> None:
    pods = [_pod("gpu-01"), _pod("gpu-02", "Succeeded"), _pod("gpu-03", namespace=PLAN.namespace), _pod("cp-01")]
    assert holders(PLAN, pods) == {("gpu-01", "openshift.io/rail0"): "research/job-on-gpu-01"}


def test_nothing_held_leaves_the_test_as_it_is() -> None:
    assert free(TEST, {}) == (TEST, ())


def test_held_senders_are_left_out_and_named() -> None:
    left, told = free(TEST, holders(PLAN, [_pod("gpu-01")]))
    assert left is not None
    assert [nic.node for nic in left.senders] == ["gpu-02", "gpu-03", "gpu-04"]
    assert told == ("gpu-01:rail0 (held by research/job-on-gpu-01)",)


def test_another_nic_of_the_rail_receives_where_the_receiver_is_held() -> None:
    left, _ = free(TEST, holders(PLAN, [_pod("gpu-05")]))
    assert left is not None
    assert (left.receiver.node, [nic.node for nic in left.senders]) == ("gpu-01", ["gpu-02", "gpu-03", "gpu-04"])


def test_one_free_nic_is_too_few() -> None:
    left, told = free(TEST, holders(PLAN, [_pod(f"gpu-0{number}") for number in (1, 2, 3, 5)]))
    assert left is None
    assert len(told) == 4
