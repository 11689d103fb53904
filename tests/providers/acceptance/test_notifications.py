"""The lossless class from the file to both ends of a link, on other priorities than the usual one: what the switches
get, what rail NICs get, what perftest sends; and congestion notifications looked for in their own QoS group.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.operators.nic_settings import settings_of
from podwright.components.providers.acceptance import plan as plans
from podwright.components.providers.acceptance.counters import pause_frames, queue_counters, sent_by_group
from podwright.components.providers.acceptance.plan import Plan, Port
from podwright.components.providers.acceptance.verdict import Counters, Measured, Verdict, judge
from podwright.lab.openshift.nics.nvconfig import desired
from podwright.lab.world.inventory import Nic
from podwright.lab.world.traffic import Flow
from tests.design import whole
from tests.lab.rack import ROOT, Rack

USUAL: dict[str, Any] = {}
CLASSES: dict[str, dict[str, Any]] = {
    "priority 3": USUAL,
    "priority 4": {"priority": 4, "dscp": 34},
    "priority 5, other notifications": {"priority": 5, "dscp": 46, "cnp_dscp": 56},
}


@dataclass
class Site:
    """Switches as the plan configures them, NICs as the template does, and the acceptance plan."""

    rack: Rack
    plan: Plan

    def measured(self, name: str) -> Verdict:
        """One test, run and judged as the runner does it."""
        (test,) = [each for each in self.plan.tests if each.name == name]
        before = self._counters(test)
        receiver = f"{test.receiver.node}:rail{test.receiver.rail}"
        senders = {str(nic): f"{nic.node}:rail{nic.rail}" for nic in test.senders}
        flows = [Flow(sender, receiver, dscp=self.plan.traffic_class >> 2) for sender in senders.values()]
        results = self.rack.world.traffic(flows, 10)
        grown = {hop: now.since(before[hop]) for hop, now in self._counters(test).items()}
        rates = {nic: result.gbps for nic, result in zip(senders, results, strict=True)}
        return judge(test, Measured(rates, (), results[0].out_of_sequence, grown), expected=self.plan.notifications)

    def nic(self, server: str, rail: int) -> Nic:
        return self.rack.world.servers[server].nics[f"rail{rail}"]

    def _counters(self, test: plans.Test) -> dict[Port, Counters]:
        assert self.plan.notifications is not None
        found = {}
        for switch, port in test.hops:
            text = self.rack.show(switch, f"show queuing interface {port}")
            drops, marked = queue_counters(text)
            received, sent = pause_frames(self.rack.show(switch, "show interface priority-flow-control"))[port]
            notified = sent_by_group(text)[self.plan.notifications.group]
            found[switch, port] = Counters(drops, marked, received, sent, notified)
        return found


def _defined(lossless: dict[str, Any]) -> model.Cluster:
    text = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())["config"]["podwright:cluster"]
    text["fabric"]["lossless"] = {**text["fabric"].get("lossless", {}), **lossless}
    return model.load(text)


def _built(lossless: dict[str, Any], nics: dict[str, Any] | None = None) -> Site:
    """`nics`: the class that NICs are set to, where it is not the switches'."""
    cluster, other = _defined(lossless), _defined(lossless if nics is None else nics)
    rack = Rack(configured=False)
    planned = fabric.plan(cluster.network)
    for name in rack.devices:
        rack.type(name, *planned.switch(name).text().splitlines())
    template = settings_of(other.fabric.lossless)
    firmware, qos = desired(template, 1, "card"), template["roceOptimized"]["qos"]
    for server in rack.world.servers.values():
        for nic in server.nics.values():
            nic.trust_dscp, nic.mtu = qos["trust"] == "dscp", other.fabric.lossless.host_mtu
            nic.pfc = frozenset(each for each, on in enumerate(qos["pfc"].split(",")) if on == "1")
            nic.cnp_dscp = int(firmware["CNP_DSCP_P1"])
    return Site(rack, Plan.read(json.loads(json.dumps(whole.acceptance(cluster).document()))))


@pytest.fixture(params=CLASSES)
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    made = _built(CLASSES[request.param])
    yield made
    made.rack.world.close()


def test_each_class_carries_an_incast_at_line_rate_with_notifications_in_their_own_queue(site: Site) -> None:
    for test in site.plan.tests:
        verdict = site.measured(test.name)
        assert (verdict.passed, verdict.reasons) == (True, ())
        assert verdict.marked and verdict.notified == verdict.marked and verdict.drops == 0
    receiver = site.plan.tests[0].receiver
    assert site.rack.world.counters[receiver.node, f"rail{receiver.rail}"]["np_cnp_sent"]


def test_a_nic_left_at_the_operators_mark_of_notifications_is_named(site: Site) -> None:
    """DSCP 4 is what NVIDIA's operator writes by itself; no class of the switches has it."""
    test = site.plan.tests[0]
    site.nic(test.receiver.node, test.receiver.rail).cnp_dscp = 4
    expected = site.plan.notifications
    assert expected is not None
    (slow, named) = site.measured(test.name).reasons
    assert f"arrive at {test.receiver}" in slow
    assert named.startswith(f"{test.receiver} answers marks with nothing in QoS group 7 on leaf-01 Ethernet")
    assert f"its CNP_DSCP is not {expected.dscp}" in named
    assert all(site.measured(other.name).passed for other in site.plan.tests[1:8])


def test_notifications_in_the_class_of_the_data_are_not_in_their_own(site: Site) -> None:
    test = site.plan.tests[0]
    site.nic(test.receiver.node, test.receiver.rail).cnp_dscp = site.plan.traffic_class >> 2
    assert any("answers marks with nothing in QoS group 7" in reason for reason in site.measured(test.name).reasons)


@pytest.mark.parametrize(
    ("switches", "nics"), [(CLASSES["priority 4"], USUAL), (USUAL, CLASSES["priority 4"])], ids=["switches", "NICs"]
)
def test_one_side_left_at_another_priority_fails(switches: dict[str, Any], nics: dict[str, Any]) -> None:
    site = _built(switches, nics)
    verdict = site.measured("leaf-01-rail0")
    assert not verdict.passed and verdict.drops and verdict.out_of_sequence
    site.rack.world.close()


def test_the_switchs_own_packets_are_not_taken_for_notifications() -> None:
    def box(title: str, packets: int) -> str:
        return f"|  {title}  |\n+--+\n|   Tx Pkts |  {packets}|   1|\n| Dropped Tx Pkts |  9|  9|\n"

    text = box("QOS GROUP 7", 40) + box("QOS GROUP 0", 2) + box("CONTROL QOS GROUP", 900) + box("SPAN QOS GROUP", 5)
    assert sent_by_group(text) == {7: 41, 0: 3}
    assert sent_by_group("") == {}


def test_a_plan_of_an_earlier_release_is_judged_as_it_was() -> None:
    site = _built(USUAL)
    (test, *_) = site.plan.tests
    counted = {test.hops[0]: Counters(marked=9)}
    assert judge(test, Measured({"a": 400.0}, (), 0, counted)).passed
    assert not judge(test, Measured({"a": 400.0}, (), 0, counted), expected=site.plan.notifications).passed
    site.rack.world.close()
