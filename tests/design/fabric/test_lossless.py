"""The lossless class: what is said once reaches both sides, every port, and nothing but its own fabric."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.design import fabric, lossless
from podwright.components.design.fabric import FabricPlan, SwitchPlan
from podwright.policies.rules import RULES
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import Rule
from tests.model.changes import LAB, PROD, Said
from tests.model.fabric_cases import STORAGE

ROOM = {"buffer_bytes": 300_000, "pause_bytes": 100_000, "resume_bytes": 90_000}


def plan(base: Said, **said: Any) -> FabricPlan:
    whole = copy.deepcopy(base)
    whole["fabric"] |= said
    return fabric.plan(model.load(whole).network)


def below(switch: SwitchPlan, line: str) -> list[str]:
    return [child.strip() for child in switch.config[line].splitlines()]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(0, 7), st.sampled_from([1500, 4200, 9000]), st.integers(1, 99))
def test_switch_and_host_follow_from_one_definition(priority: int, low: int, host_mtu: int, share: int) -> None:
    dscp = 8 * priority + low
    said = {
        "dscp": dscp,
        "priority": priority,
        "cnp_dscp": 56,
        "host_mtu": host_mtu,
        "bandwidth_percent": share,
    }
    whole = copy.deepcopy(LAB)
    whole["fabric"]["lossless"] = said
    cluster = model.load(whole)
    host = lossless.host(cluster.fabric.lossless)
    for switch in fabric.plan(cluster.network).switches:
        assert below(switch, "class-map type qos match-any ROCEv2") == [f"match dscp {host.traffic_class >> 2}"]
        paused = [line for line in below(switch, "policy-map type network-qos qos_network") if "pause" in line]
        assert paused == [f"pause pfc-cos {host.pfc.split(',').index('1')}"]
        queuing = switch.config["policy-map type queuing QOS_EGRESS_PORT"]
        assert f"class type queuing c-out-8q-q{priority}\n  bandwidth remaining percent {share}\n  random" in queuing
        shares = [int(line.split()[-1]) for line in queuing.splitlines() if "remaining" in line]
        assert sum(shares) == 100
        assert host.host_mtu < 9216
        assert host.rdma_mtu < host.host_mtu


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        ("class-map type qos match-any ROCEv2", "match dscp 34"),
        ("policy-map type qos QOS_CLASSIFICATION", "class ROCEv2\n  set qos-group 4"),
        ("policy-map type network-qos qos_network", "class type network-qos c-8q-nq3\n  mtu 9216\n  pause pfc-cos 4"),
        ("interface Ethernet1/1", "priority-flow-control mode off"),
        ("interface Ethernet1/1", "service-policy type qos input OTHER"),
        ("system qos", "service-policy type network-qos OTHER"),
    ],
)
def test_a_raw_line_cannot_change_the_switch_side_alone(block: str, lines: str) -> None:
    """`extra` is the only way to write one side; the pack stops the preview."""
    switch = plan(LAB).switch("leaf-01")
    config = {**switch.config, block: lines}
    links = {port: {"device": end.device, "port": end.port, "role": end.role} for port, end in switch.links.items()}
    props = {"spec": {"hostname": "leaf-01", "config": config, "links": links, "lossless": dict(switch.lossless or {})}}
    resource = Resource("podwright:nxos:Switch", "leaf-01", "urn", props)
    rule = next(each for each in RULES if each.id == "fabric-pfc-on-every-hop")
    assert isinstance(rule, Rule)
    assert list(rule.check(resource)) != []


def test_ports_of_a_speed_have_their_own_thresholds() -> None:
    """Hosts at 100G and routed ports at 400G on one switch: each kind marks where it was said to."""
    storage = copy.deepcopy(STORAGE)
    storage["lossless"] = {"ecn_by_speed": {"100G": {"min_kbytes": 80, "max_kbytes": 800}, "10G": {}}}
    storage["ports"] = {"gpu-01": {"port": "Ethernet1/1", "channel": 101, "device": "gpu-01", "vlans": [20]}}
    switch = plan(PROD, storage=storage).switch("stor-01")
    assert "service-policy type queuing output QOS_EGRESS_PORT_100G" in below(switch, "interface port-channel101")
    assert not [line for line in below(switch, "interface port-channel20") if "queuing" in line]
    own = switch.config["policy-map type queuing QOS_EGRESS_PORT_100G"]
    assert "minimum-threshold 80 kbytes maximum-threshold 800 kbytes" in own
    assert "minimum-threshold 150 kbytes" in switch.config["policy-map type queuing QOS_EGRESS_PORT"]
    assert not [line for line in switch.config if "_10G" in line]


def test_long_cables_bring_buffers_to_every_port() -> None:
    for switch in plan(LAB, lossless={"longest_cable_m": 500, "headroom": ROOM}).switches:
        assert below(switch, "policy-map type queuing QOS_INGRESS_HEADROOM") == [
            "class type queuing c-in-q3",
            "pause buffer-size 300000 pause-threshold 100000 resume-threshold 90000",
        ]
        for port in switch.links:
            assert "service-policy type queuing input QOS_INGRESS_HEADROOM" in below(switch, f"interface {port}")


def test_watchdog_timers_are_written_only_where_said() -> None:
    timers = {"interval_ms": 200, "auto_restore_multiplier": 0, "shutdown_multiplier": 12, "beyond_known_ranges": True}
    config = plan(LAB, lossless={"watchdog_timers": timers}).switch("spine-01").config
    assert [line for line in config if line.startswith("priority-flow-control")] == [
        "priority-flow-control watch-dog-interval on",
        "priority-flow-control watch-dog interval 200",
        "priority-flow-control watch-dog shutdown-multiplier 12",
        "priority-flow-control auto-restore multiplier 0",
    ]


def test_a_pair_has_its_own_class_or_none() -> None:
    """Cisco's lab, frontend: 150 kB and half the bandwidth, classification and watchdog on the port-channel."""
    plain = plan(PROD, storage=STORAGE).switch("stor-01")
    assert plain.lossless is None
    assert "qos" not in plain.text()
    carrying = copy.deepcopy(STORAGE)
    carrying["lossless"] = {}
    carrying["ports"] = {"gpu-01": {"port": "Ethernet1/1", "channel": 101, "device": "gpu-01", "vlans": [20]}}
    switch = plan(PROD, storage=carrying).switch("stor-02")
    assert switch.role == "storage-leaf"
    queue = switch.config["policy-map type queuing QOS_EGRESS_PORT"]
    assert "c-out-8q-q3\n  bandwidth remaining percent 50\n  random-detect minimum-threshold 150 kbytes" in queue
    channel, member = below(switch, "interface port-channel101"), below(switch, "interface Ethernet1/1")
    assert {
        "priority-flow-control mode on",
        "priority-flow-control watch-dog-interval on",
        "service-policy type qos input QOS_CLASSIFICATION",
    } <= set(channel)
    assert "priority-flow-control mode on" in member
    assert not [line for line in member if "watch-dog" in line or "service-policy" in line]


def test_routed_host_ports_have_a_link_each_and_no_vlan() -> None:
    whole = copy.deepcopy(LAB)
    whole["fabric"]["host_ports"] = "routed"
    whole["pools"]["training"]["rails"] = False
    del whole["workloads"]["training"]
    planned = fabric.plan(model.load(whole).network)
    leaf = planned.switch("leaf-01")
    assert not [line for line in leaf.config if line.startswith(("vlan ", "interface Vlan", "feature interface-vlan"))]
    seen = set()
    for (server, rail), host in planned.host_ports.items():
        assert int(host.address) == int(host.gateway) + 1
        assert int(host.gateway) % 2 == 0
        seen |= {host.address, host.gateway}
        if host.leaf == "leaf-01":
            lines = below(leaf, f"interface {host.port}")
            assert {f"description {server} rail{rail}", "no switchport", f"ip address {host.gateway}/31"} <= set(lines)
            assert "priority-flow-control mode on" in lines
    assert len(seen) == 2 * len(planned.host_ports)
    assert "ip prefix-list FABRIC_LOCAL seq 10 permit 10.64.0.0/16 eq 31" in leaf.config
