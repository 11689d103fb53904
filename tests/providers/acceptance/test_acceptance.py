"""Acceptance's own arithmetic: what is read from switches and pods, what runs at once, what counts as passed."""

from typing import Any

import pytest

from podwright.components.providers.acceptance import pods
from podwright.components.providers.acceptance.counters import pause_frames, queue_counters
from podwright.components.providers.acceptance.plan import Plan
from podwright.components.providers.acceptance.run import waves
from podwright.components.providers.acceptance.verdict import Counters, Measured, judge

NIC = {"resource": "openshift.io/rail0", "network": "rail0"}
TEST: dict[str, Any] = {
    "name": "leaf-01-rail0",
    "link_gbps": 400,
    "minimum_gbps": 360,
    "receiver": {"server": "gpu-05", "rail": 0, **NIC},
    "senders": [{"server": f"gpu-0{index}", "rail": 0, **NIC} for index in range(1, 5)],
    "hops": [{"switch": "leaf-01", "port": "Ethernet1/17"}],
}
DOCUMENT: dict[str, Any] = {
    "schema": 1,
    "namespace": "podwright-acceptance",
    "service_account": "training",
    "image": "registry.example.com/perftest@sha256:" + "a" * 64,
    "seconds": 10,
    "traffic_class": 106,
    "gid_index": 3,
    "switches": {"leaf-01": "192.0.2.11"},
    "credential": {"user": "admin", "secret": "switch-admin"},
    "tests": [TEST],
}
HOP = ("leaf-01", "Ethernet1/17")

QUEUING = """
|                         QOS GROUP 3                         |
+-------------------------------------------------------------+
|                   Tx Pkts |       232168501|               0|
| WRED/AFD & Tail Drop Pkts |              12|               3|
| WRED/AFD & Tail Drop Byts |           49152|               0|
|       WD & Tail Drop Pkts |              20|               0|
|           ECN Marked Pkts |         2441408|               1|
+-------------------------------------------------------------+
|                         QOS GROUP 0                         |
| WRED/AFD & Tail Drop Pkts |               1|               0|
|       WD & Tail Drop Pkts |               0|               0|
|           ECN Marked Pkts |               0|               0|
"""
PFC = """
============================================================
Port               Mode Oper(VL bmap)  RxPPP      TxPPP
============================================================
Ethernet1/2        On   On   (8)       17         4
Ethernet1/3        Auto Off            0          0
"""


def _measured(gbps: float = 95.0, **more: Any) -> Measured:
    rates = {f"gpu-0{index}:rail0": gbps for index in range(1, 5)}
    return Measured(**{"gbps": rates, "errors": (), "out_of_sequence": 0, "ports": {HOP: Counters()}, **more})


def _judge(measured: Measured) -> tuple[bool, tuple[str, ...]]:
    verdict = judge(Plan.read(DOCUMENT).tests[0], measured)
    return verdict.passed, verdict.reasons


def test_counters_are_read_from_what_switches_show() -> None:
    assert queue_counters(QUEUING) == (20, 2441409)
    assert pause_frames(PFC) == {"Ethernet1/2": (17, 4), "Ethernet1/3": (0, 0)}


def test_a_lossless_incast_passes_with_pauses_and_marks() -> None:
    counted = Counters(marked=900, rx_pause=40, tx_pause=40)
    assert _judge(_measured(ports={HOP: counted})) == (True, ())


@pytest.mark.parametrize(
    ("measured", "reason"),
    [
        (_measured(80.0), "320 Gb/s arrive at gpu-05:rail0, 360 are asked"),
        (_measured(ports={HOP: Counters(drops=7)}), "leaf-01 Ethernet1/17 dropped 7 packets"),
        (_measured(out_of_sequence=3), "3 packets arrived out of sequence at gpu-05:rail0"),
        (_measured(errors=("gpu-01:rail0: Couldn't open device",)), "gpu-01:rail0: Couldn't open device"),
    ],
)
def test_each_thing_that_fails_it_is_said(measured: Measured, reason: str) -> None:
    assert _judge(measured) == (False, (reason,))


def test_a_counter_that_went_back_counts_from_zero() -> None:
    assert Counters(drops=5).since(Counters(drops=900)) == Counters(drops=5)
    assert Counters(drops=905).since(Counters(drops=900)) == Counters(drops=5)


def test_tests_that_share_a_nic_or_a_port_do_not_run_at_once() -> None:
    other_rail = {**TEST, "name": "other", "receiver": {**TEST["receiver"], "rail": 1}, "senders": [], "hops": []}
    same_port = {**other_rail, "name": "same-port", "receiver": {**TEST["receiver"], "rail": 2}, "hops": TEST["hops"]}
    plan = Plan.read({**DOCUMENT, "tests": [TEST, other_rail, same_port]})
    assert [[test.name for test in wave] for wave in waves(plan.tests)] == [["leaf-01-rail0", "other"], ["same-port"]]


def test_each_sender_has_a_server_of_its_own() -> None:
    plan = Plan.read(DOCUMENT)
    test = plan.tests[0]
    script = pods.receiver(plan, test)["spec"]["containers"][0]["command"][-1]
    for index in range(4):
        port = str(pods.FIRST_PORT + index)
        command = pods.sender(plan, test, index, "10.64.0.5")["spec"]["containers"][0]["command"]
        assert f"-p {port} " in f"{script} "
        assert command[command.index("-p") + 1] == port
        assert command[-1] == "10.64.0.5"


def test_what_pods_leave_is_read_or_said() -> None:
    assert pods.bandwidth('{"results": {"BW_average": 96.5}}') == 96.5
    with pytest.raises(ValueError, match="Couldn't open device"):
        pods.bandwidth("Couldn't open device\n")
    assert pods.out_of_sequence("4\n9\n") == 5
    assert pods.out_of_sequence("cat: no such file") is None


def test_another_schema_is_refused() -> None:
    with pytest.raises(ValueError, match="schema 1, not 2"):
        Plan.read({**DOCUMENT, "schema": 2})
