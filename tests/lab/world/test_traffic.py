"""Taking one setting away on one hop degrades exactly the paths across that hop, for that reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from podwright.lab.world.traffic import Flow, FlowResult
from tests.lab.prepared import prepared
from tests.lab.rack import Rack

SHARE = 100.0 * 4096 / 4178 * 0.97
"""A quarter of 400 Gb/s, in payload, paused and marked."""


def incast(rail: int = 0, target: str = "gpu-05") -> list[Flow]:
    """Four servers send to one on the same rail: one leaf, one egress port."""
    return [Flow(f"gpu-0{n}:rail{rail}", f"{target}:rail{rail}") for n in range(1, 5)]


def across() -> list[Flow]:
    """Four senders on leaf-01 to one NIC on leaf-02: the queue builds at leaf-02's host port, over the spine."""
    return [Flow(f"gpu-0{n}:rail0", "gpu-05:rail4") for n in range(1, 5)]


@pytest.fixture(scope="module")
def configured() -> Rack:
    made = Rack()
    prepared(made.world)
    return made


@pytest.fixture
def rack(configured: Rack) -> Iterator[Rack]:
    """A rack whose configuration and counters are put back after the test."""
    saved = {name: device.root.copy() for name, device in configured.devices.items()}
    yield configured
    for name, device in configured.devices.items():
        device.restore(saved[name])
    configured.world.counters.clear()
    configured.world.storms.clear()
    configured.world.bad_optics.clear()
    configured.world.cut.clear()


def run(rack: Rack, flows: list[Flow]) -> list[FlowResult]:
    return rack.world.traffic(flows, 10)


def test_an_uncongested_pair_runs_at_line_rate_even_without_pause(rack: Rack) -> None:
    rack.type("leaf-01", "interface Ethernet1/1", "no priority-flow-control mode", "system qos",
              "no service-policy type network-qos qos_network")  # fmt: skip
    (result,) = run(rack, [Flow("gpu-01:rail0", "gpu-02:rail0", mtu=1024)])
    assert result.gbps == pytest.approx(400 * 1024 / 1106, rel=0.001)
    assert (result.drops, result.paused, result.reason) == (0, 0, "")


def test_a_lossless_incast_is_paused_marked_and_fair(rack: Rack) -> None:
    results = run(rack, incast())
    assert [r.gbps for r in results] == pytest.approx([SHARE] * 4, rel=0.001)
    assert all(r.drops == 0 and r.out_of_sequence == 0 and r.marked and r.paused and not r.reason for r in results)
    counters = rack.world.counters
    assert counters["leaf-01", "Ethernet1/17"]["ecn_marked"] > 0
    assert counters["leaf-01", "Ethernet1/1"]["tx_pause"] == counters["gpu-01", "rail0"]["rx_pause"] > 0


def test_an_incast_across_the_spine_is_lossless_too(rack: Rack) -> None:
    results = run(rack, across())
    assert all(r.drops == 0 and r.marked and r.gbps == pytest.approx(SHARE, rel=0.001) for r in results)
    assert {p.split(":")[0] for p in results[0].path} == {"gpu-01", "leaf-01", "spine-01", "leaf-02", "gpu-05"}


LOSSY = [
    ("no priority-flow-control mode on", "priority-flow-control is not on"),
    ("priority-flow-control mode off", "priority-flow-control is not on"),
    ("priority-flow-control mode auto", "priority-flow-control is not on"),
    ("no service-policy type qos input QOS_CLASSIFICATION", "no classification policy"),
]


@pytest.mark.parametrize(("line", "reason"), LOSSY)
def test_a_setting_gone_on_one_host_port_hurts_only_its_sender(rack: Rack, line: str, reason: str) -> None:
    rack.type("leaf-01", "interface Ethernet1/5", line)
    results = run(rack, incast())
    hurt = [r for r in results if r.reason]
    assert [r.source for r in hurt] == ["gpu-02:rail0"]
    assert reason in hurt[0].reason and "leaf-01 Ethernet1/5" in hurt[0].reason
    assert hurt[0].drops and hurt[0].out_of_sequence and hurt[0].gbps < 0.25 * SHARE
    assert [r.gbps for r in results if not r.reason] == pytest.approx([SHARE] * 3, rel=0.001)


@pytest.mark.parametrize(("line", "reason"), LOSSY)
@pytest.mark.parametrize("end", ["leaf", "spine"])
def test_a_setting_gone_on_one_fabric_port_hurts_only_what_crosses_it(
    rack: Rack, line: str, reason: str, end: str
) -> None:
    before = run(rack, across())
    leaf_port = before[0].path[2].split(":")[1]
    far = rack.world.neighbor("leaf-01", leaf_port)
    assert far is not None
    switch, port = ("leaf-01", leaf_port) if end == "leaf" else far
    rack.type(switch, f"interface {port}", line)
    after = run(rack, across())
    crossing = [r for r in after if f"leaf-01:{leaf_port}" in r.path]
    if end == "leaf" and "service-policy" in line:
        assert [r for r in after if r.reason] == crossing
        assert all(r.drops == 0 and "notifications" in r.reason and r.gbps < 0.9 * SHARE for r in crossing)
        return
    assert crossing and [r for r in after if r.reason] == crossing
    assert all(reason in r.reason and switch in r.reason and r.drops for r in crossing)


@pytest.mark.parametrize("position", range(1, 7))
@pytest.mark.parametrize(
    "line",
    [
        "no priority-flow-control mode",
        "no service-policy type qos input QOS_CLASSIFICATION",
        "mtu 1500",
        "no priority-flow-control watch-dog-interval",
    ],
)
def test_every_port_setting_on_every_hop_of_a_long_path(rack: Rack, position: int, line: str) -> None:
    """Ports 1, 3, 5 of a path are entries, 2, 4, 6 exits; only flows across the changed port may notice."""
    before = run(rack, across())
    end = before[0].path[position]
    switch, _, port = end.partition(":")
    rack.type(switch, f"interface {port}", line)
    for old, new in zip(before, run(rack, across()), strict=True):
        if end not in old.path or "watch-dog" in line:
            assert new.gbps >= old.gbps and not new.drops and not new.reason, "a share set free is shared"
        elif "mtu" in line:
            assert new.gbps == 0 and f"{switch} {port}: MTU 1500" in new.reason
        elif "service-policy" in line and position % 2 == 0:
            assert new.drops == 0 and new.gbps < 0.9 * old.gbps and "notifications" in new.reason
        else:
            assert new.drops and new.out_of_sequence and new.gbps < 0.25 * old.gbps and f"{switch} {port}" in new.reason


SYSTEM = [
    (["system qos", "no service-policy type network-qos qos_network"], "no network-qos policy pauses"),
    (["policy-map type network-qos qos_network", "class type network-qos c-8q-nq3", "no pause pfc-cos 3"],
     "no network-qos policy pauses"),
    (["policy-map type network-qos qos_network", "class type network-qos c-8q-nq3", "pause pfc-cos 4"],
     "pauses priority 4, the path uses 3"),
    (["policy-map type qos QOS_CLASSIFICATION", "class ROCEv2", "set qos-group 2"], "not no-drop"),
    (["class-map type qos match-any ROCEv2", "no match dscp 26", "match dscp 24"], "not no-drop"),
]  # fmt: skip


@pytest.mark.parametrize("switch", ["leaf-01", "spine-01", "leaf-02"])
@pytest.mark.parametrize(("lines", "reason"), SYSTEM)
def test_a_class_broken_on_one_switch_hurts_exactly_the_paths_across_it(
    rack: Rack, switch: str, lines: list[str], reason: str
) -> None:
    rack.type(switch, *lines)
    for results in (run(rack, across()), run(rack, incast(0)), run(rack, incast(4))):
        for r in results:
            crosses = any(p.startswith(f"{switch}:") for p in r.path)
            assert bool(r.drops) == crosses, (switch, r)
            assert (reason in r.reason and switch in r.reason) == crosses


MTU = [
    (["policy-map type network-qos qos_network", "class type network-qos c-8q-nq3", "mtu 2200"], "network-qos MTU"),
    (["policy-map type network-qos qos_network", "class type network-qos c-8q-nq3", "no mtu"], "network-qos MTU 1500"),
]


@pytest.mark.parametrize(("lines", "reason"), MTU)
def test_a_class_mtu_too_small_fails_at_once(rack: Rack, lines: list[str], reason: str) -> None:
    rack.type("spine-01", *lines)
    assert all(r.gbps == 0 and r.drops and reason in r.reason for r in run(rack, across()))
    assert all(r.gbps > 0 and not r.reason for r in run(rack, incast()))


@pytest.mark.parametrize("line", ["mtu 1500", "no mtu", "mtu 4000"])
def test_a_port_mtu_too_small_fails_at_once_even_alone(rack: Rack, line: str) -> None:
    rack.type("leaf-01", "interface Ethernet1/1", line)
    (result,) = run(rack, [Flow("gpu-01:rail0", "gpu-02:rail0", gbps=10)])
    assert result.gbps == 0 and result.drops and "leaf-01 Ethernet1/1: MTU" in result.reason
    (other,) = run(rack, [Flow("gpu-03:rail0", "gpu-02:rail0", gbps=10)])
    assert other.gbps > 0 and not other.reason


@pytest.mark.parametrize(
    "lines",
    [
        ["policy-map type queuing QOS_EGRESS_PORT", "class type queuing c-out-8q-q3", "no random-detect"],
        ["system qos", "no service-policy type queuing output QOS_EGRESS_PORT"],
    ],
)
def test_without_ecn_nothing_is_lost_but_pause_storms(rack: Rack, lines: list[str]) -> None:
    marked = run(rack, incast())
    rack.type("leaf-01", *lines)
    plain = run(rack, incast())
    for before, after in zip(marked, plain, strict=True):
        assert (after.drops, after.marked) == (0, 0)
        assert after.paused > 50 * before.paused and after.gbps < 0.9 * before.gbps
        assert "marks no ECN" in after.reason
    assert not any(r.reason for r in run(rack, incast(4))), "leaf-02 still marks"


def test_red_without_the_ecn_keyword_marks_nothing(rack: Rack) -> None:
    red = "random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0"
    rack.type("leaf-01", "policy-map type queuing QOS_EGRESS_PORT", "class type queuing c-out-8q-q3", red)
    assert all(r.marked == 0 and r.reason for r in run(rack, incast()))


def test_the_watchdog_changes_traffic_only_in_a_storm(rack: Rack) -> None:
    healthy = run(rack, incast())
    rack.type("leaf-01", "no priority-flow-control watch-dog-interval on")
    assert run(rack, incast()) == healthy
    rack.world.storms.add(("gpu-05", "rail0"))
    victim = Flow("gpu-01:rail1", "gpu-02:rail1")
    assert run(rack, [*incast(), victim])[-1].gbps < 20
    rack.type("leaf-01", "priority-flow-control watch-dog-interval on")
    *stuck, spared = run(rack, [*incast(), victim])
    assert spared.gbps > 380 and not spared.reason
    assert all(r.gbps == 0 for r in stuck)
    assert rack.world.counters["leaf-01", "Ethernet1/17"]["watchdog"] > 0


def test_a_nic_out_of_class_hurts_its_own_flow(rack: Rack) -> None:
    rack.world.fault({"kind": "nic", "end": "gpu-03:rail0", "pfc": []})
    results = run(rack, incast())
    rack.world.fault({"kind": "nic", "end": "gpu-03:rail0", "pfc": [3]})
    assert [r.source for r in results if r.drops] == ["gpu-03:rail0"]


def test_dscp_that_the_fabric_does_not_know_is_lossy(rack: Rack) -> None:
    flows = [Flow(f.source, f.target, dscp=0) for f in incast()]
    assert all(r.drops for r in run(rack, flows))


def test_no_link_no_route_no_vlan_say_so(rack: Rack) -> None:
    rack.world.fault({"kind": "link", "end": "gpu-01:rail0", "state": "down"})
    assert "is down" in run(rack, [Flow("gpu-01:rail0", "gpu-02:rail0")])[0].reason
    rack.type("leaf-02", "no router bgp 64602")
    assert "no route" in run(rack, [Flow("gpu-02:rail0", "gpu-02:rail4")])[0].reason
    for port in ("Ethernet1/5", "Ethernet1/9"):
        rack.type("leaf-01", f"default interface {port}", f"interface {port}", "switchport access vlan 77", "mtu 9216")
    assert "VLAN 77 does not exist" in run(rack, [Flow("gpu-02:rail0", "gpu-03:rail0")])[0].reason
    rack.type("leaf-01", "vlan 77")
    assert run(rack, [Flow("gpu-02:rail0", "gpu-03:rail0")])[0].gbps > 380


def test_one_uplink_carries_a_flow_and_ecmp_spreads_queue_pairs(rack: Rack) -> None:
    (one,) = run(rack, [Flow("gpu-01:rail0", "gpu-01:rail4")])
    assert one.gbps > 390
    rack.world.counters.clear()
    run(rack, [Flow(f"gpu-0{n}:rail{r}", f"gpu-0{n}:rail{r + 4}", qps=8) for n in range(1, 6) for r in range(4)])
    used = [p for (d, p), c in rack.world.counters.items() if d == "spine-01" and c["rx_bytes"]]
    assert len(used) >= 15
    rack.type("leaf-01", "router bgp 64601", "address-family ipv4 unicast", "no maximum-paths")
    rack.world.counters.clear()
    run(rack, [Flow(f"gpu-01:rail{r}", f"gpu-02:rail{r + 4}") for r in range(4)])
    assert sum(1 for (d, _), c in rack.world.counters.items() if d == "spine-01" and c["rx_bytes"]) == 1


def test_bytes_are_conserved(rack: Rack) -> None:
    run(rack, across())
    counters = rack.world.counters
    for cable in rack.world.cables:
        assert counters[cable.a]["tx_bytes"] == counters[cable.b]["rx_bytes"]
        assert counters[cable.b]["tx_bytes"] == counters[cable.a]["rx_bytes"]


def test_a_bad_optic_loses_packets_at_any_load(rack: Rack) -> None:
    rack.world.fault({"kind": "optic", "end": "leaf-01:Ethernet1/1", "loss": 0.001})
    (result,) = run(rack, [Flow("gpu-01:rail0", "gpu-02:rail0", gbps=50)])
    assert result.drops and "damaged" in result.reason and rack.world.counters["leaf-01", "Ethernet1/1"]["crc"] > 0
