"""What is measured while jobs run: the free NICs, and never by waiting for one that a job holds."""

from typing import Any

from podwright.components.providers.acceptance.occupancy import free, holders
from podwright.components.providers.acceptance.plan import Plan
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


def _nic(node: str, rail: int, port: int) -> dict[str, Any]:
    leaf = f"leaf-0{rail // 4 + 1}"
    names = {"resource": f"openshift.io/rail{rail}", "network": f"rail{rail}"}
    return {"server": node, "rail": rail, **names, "leaf": leaf, "port": f"Ethernet1/{port}"}


CROSSING: dict[str, Any] = {
    "name": "leaf-01-to-leaf-02",
    "link_gbps": 400,
    "minimum_gbps": 360,
    "senders": [_nic("gpu-02", 0, 2)],
    "receiver": _nic("gpu-01", 4, 1),
    "spare_senders": ["gpu-01:rail0", "gpu-03:rail0"],
    "spare_receivers": ["gpu-02:rail4", "gpu-03:rail4"],
    "hops": [
        {"switch": "leaf-01", "port": "Ethernet1/2"},
        {"switch": "spine-01", "port": "Ethernet1/1"},
        {"switch": "leaf-02", "port": "Ethernet1/1"},
    ],
}
SPARES = {
    "gpu-01:rail0": _nic("gpu-01", 0, 1),
    "gpu-03:rail0": _nic("gpu-03", 0, 3),
    "gpu-02:rail4": _nic("gpu-02", 4, 2),
    "gpu-03:rail4": _nic("gpu-03", 4, 3),
}


def _busy(*nodes: str) -> dict[tuple[str, str], str]:
    return {(node, f"openshift.io/rail{rail}"): "research/job" for node in nodes for rail in (0, 4)}


def test_any_free_pair_that_crosses_the_same_hop_takes_over() -> None:
    (test,) = Plan.read({**DOCUMENT, "tests": [CROSSING], "nics": SPARES}).tests
    assert free(test, {}) == (test, ())
    left, told = free(test, _busy("gpu-01"))
    assert left is not None
    assert (str(left.receiver), [str(nic) for nic in left.senders]) == ("gpu-03:rail4", ["gpu-02:rail0"])
    assert set(left.hops) == {
        ("leaf-01", "Ethernet1/2"), ("spine-01", "Ethernet1/1"), ("leaf-02", "Ethernet1/3")
    }  # fmt: skip
    assert told == ("gpu-01:rail4 (held by research/job)",)
    left, _ = free(test, _busy("gpu-02"))
    assert left is not None
    assert (str(left.receiver), [str(nic) for nic in left.senders]) == ("gpu-01:rail4", ["gpu-03:rail0"])
    assert ("leaf-01", "Ethernet1/3") in left.hops
    assert ("leaf-01", "Ethernet1/2") not in left.hops


def test_a_server_does_not_send_to_itself() -> None:
    (test,) = Plan.read({**DOCUMENT, "tests": [CROSSING], "nics": SPARES}).tests
    left, told = free(test, _busy("gpu-01", "gpu-03"))
    assert left is None
    assert len(told) == 4, "every NIC that could have taken part is told, with who holds it"


def test_spares_fill_an_incast_up_to_its_width() -> None:
    spares = {"gpu-06:rail0": _nic("gpu-06", 0, 6)}
    widened = {**DOCUMENT["tests"][0], "spare_senders": list(spares), "spare_receivers": list(spares)}
    (test,) = Plan.read({**DOCUMENT, "tests": [widened], "nics": spares}).tests
    left, _ = free(test, holders(PLAN, [_pod("gpu-05")]))
    assert left is not None
    assert left.receiver.node == "gpu-06"
    assert [nic.node for nic in left.senders] == ["gpu-01", "gpu-02", "gpu-03", "gpu-04"]
    left, _ = free(test, holders(PLAN, [_pod("gpu-01")]))
    assert left is not None
    assert left.receiver.node == "gpu-05"
    assert [nic.node for nic in left.senders] == ["gpu-02", "gpu-03", "gpu-04", "gpu-06"]


def test_one_free_nic_is_too_few() -> None:
    left, told = free(TEST, holders(PLAN, [_pod(f"gpu-0{number}") for number in (1, 2, 3, 5)]))
    assert left is None
    assert len(told) == 4
