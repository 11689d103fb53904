"""Properties of every plan: one cable per port, one owner per address, nothing moves when something is inserted."""

import copy
import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.design import fabric, hardware, lossless
from podwright.components.design.fabric import FabricPlan
from tools.generated import ROOT

LAB: dict[str, Any] = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())["config"]["podwright:cluster"]


@st.composite
def clusters(draw: st.DrawFn) -> dict[str, Any]:
    """Clusters of other sizes and names: leaves split the eight rails evenly, indexes have gaps."""
    said = copy.deepcopy(LAB)
    parts = draw(st.sampled_from([1, 2, 4, 8]))
    spines = draw(st.integers(1, 4))
    width = 8 // parts
    leaf_indexes = draw(st.lists(st.integers(1, 12), min_size=parts, max_size=parts, unique=True))
    spine_indexes = draw(st.permutations(range(1, spines + 1)))
    said["fabric"]["links_per_pair"] = draw(st.integers(1, min(32 // spines, 64 // max(leaf_indexes))))
    leaf = {"model": "N9K-C9364D-GX2A", "rack": "r1"}
    said["fabric"]["leaves"] = {
        f"edge-{index}": leaf
        | {
            "index": index,
            "management": f"192.0.2.{10 + number}",
            "asn": 64600 + index,
            "rails": list(range(number * width, (number + 1) * width)),
        }
        for number, index in enumerate(leaf_indexes)
    }
    said["fabric"]["spines"] = {
        f"core-{index}": leaf | {"index": index, "management": f"192.0.2.{60 + index}", "asn": 65001}
        for index in spine_indexes
    }
    rooms = 32 // width
    places = draw(st.lists(st.integers(1, rooms), min_size=4, max_size=4, unique=True))
    for name, place in zip([f"gpu-0{number}" for number in range(1, 5)], places, strict=True):
        said["servers"][name]["index"] = place
    del said["servers"]["gpu-05"]
    said["acceptance"]["fan_in"] = 3
    return said


def plan(said: dict[str, Any]) -> FabricPlan:
    return fabric.plan(model.load(json.loads(json.dumps(said))).network)


@settings(max_examples=40, deadline=None)
@given(clusters())
def test_every_port_and_address_has_one_owner(said: dict[str, Any]) -> None:
    planned = plan(said)
    ends = Counter((link.device, link.port) for link in planned.links)
    ends += Counter((link.peer, link.peer_port) for link in planned.links)
    assert max(ends.values()) == 1
    addresses = Counter(each.address for each in planned.host_ports.values())
    addresses += Counter(rail.gateway for rail in planned.rails.values())
    for uplink in planned.uplinks:
        addresses += Counter([uplink.leaf_address, uplink.spine_address])
    assert max(addresses.values()) == 1
    subnets = sorted(rail.subnet for rail in planned.rails.values())
    assert not any(one.overlaps(two) for one, two in pairwise(subnets))


@settings(max_examples=40, deadline=None)
@given(clusters())
def test_every_port_exists_on_its_model_and_is_described_at_both_ends(said: dict[str, Any]) -> None:
    planned = plan(said)
    for switch in planned.switches:
        model = hardware.switch_model(switch.model)
        for port, end in switch.links.items():
            assert model.gbps(int(port.removeprefix("Ethernet1/"))) == 400
            assert f"description {end.device} {end.port}" in switch.config[f"interface {port}"].splitlines()
    for server in (name for name in said["servers"] if name.startswith("gpu")):
        assert [planned.host_ports[server, rail] for rail in range(8)]


@settings(max_examples=40, deadline=None)
@given(clusters())
def test_both_ends_of_a_link_agree(said: dict[str, Any]) -> None:
    planned = plan(said)
    for link in planned.uplinks:
        assert int(link.leaf_address) ^ int(link.spine_address) == 1
        leaf, spine = planned.switch(link.leaf), planned.switch(link.spine)
        leaf_bgp = next(text for line, text in leaf.config.items() if line.startswith("router bgp"))
        spine_bgp = next(text for line, text in spine.config.items() if line.startswith("router bgp"))
        asn = said["fabric"]["leaves"][link.leaf]["asn"]
        assert f"neighbor {link.spine_address}\n  bfd\n  remote-as 65001" in leaf_bgp
        assert f"neighbor {link.leaf_address}\n  bfd\n  remote-as {asn}" in spine_bgp


@settings(max_examples=30, deadline=None)
@given(clusters(), st.data())
def test_taking_a_server_or_a_spine_away_moves_nothing_else(said: dict[str, Any], data: st.DataObject) -> None:
    """The inverse of inserting one: what stays has the ports and addresses it had."""
    whole = plan(said)
    less = copy.deepcopy(said)
    del less["servers"][data.draw(st.sampled_from(["gpu-01", "gpu-02", "gpu-03", "gpu-04"]))]
    less["acceptance"]["fan_in"] = 2
    if len(less["fabric"]["spines"]) > 1:
        del less["fabric"]["spines"][data.draw(st.sampled_from(sorted(less["fabric"]["spines"])))]
    part = plan(less)
    assert set(part.links) <= set(whole.links)
    assert set(part.uplinks) <= set(whole.uplinks)
    assert part.host_ports.items() <= whole.host_ports.items()
    assert part.rails == whole.rails


def test_lossless_settings_reach_every_port_of_the_class() -> None:
    planned = plan(LAB)
    for switch in planned.switches:
        for port in switch.links:
            lines = switch.config[f"interface {port}"].splitlines()
            assert {
                "priority-flow-control mode on",
                "priority-flow-control watch-dog-interval on",
                "mtu 9216",
                "service-policy type qos input QOS_CLASSIFICATION",
            } <= set(lines)


@pytest.mark.parametrize(("switch", "line"), [("pfc", "mode on"), ("watchdog", "watch-dog-interval on")])
def test_a_protection_switched_off_is_off_everywhere(switch: str, line: str) -> None:
    said = copy.deepcopy(LAB)
    said["fabric"]["lossless"] = {switch: "off"}
    text = "".join(each.text() for each in plan(said).switches)
    assert f"priority-flow-control {line}" not in text
    assert ("priority-flow-control mode off" in text) == (switch == "pfc")


def test_a_raw_line_replaces_ours_of_the_same_name() -> None:
    said = copy.deepcopy(LAB)
    said["fabric"]["extra"] = {"leaf-01": {"interface Ethernet1/1": "priority-flow-control mode off\nlldp transmit"}}
    lines = plan(said).switch("leaf-01").config["interface Ethernet1/1"].splitlines()
    assert "priority-flow-control mode on" not in lines
    assert lines[-2:] == ["priority-flow-control mode off", "lldp transmit"]
    assert "priority-flow-control watch-dog-interval on" in lines


def test_the_host_side_follows_from_the_class() -> None:
    """106 is 26 << 2 with ECT(0): the value NVIDIA's guides give for DSCP 26."""
    host = lossless.host(model.Lossless())
    assert (host.traffic_class, host.pfc, host.rdma_mtu) == (106, "0,0,0,1,0,0,0,0", 4096)
    assert lossless.host(model.Lossless(host_mtu=4200)).rdma_mtu == 4096
    assert lossless.host(model.Lossless(host_mtu=1500)).rdma_mtu == 1024
