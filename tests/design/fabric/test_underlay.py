"""The three underlays: sessions at both ends of every link, no line of another underlay, detection as said."""

import copy
from typing import Any

import pytest
from typer.testing import CliRunner

from podwright.cli.__main__ import app
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import FabricPlan
from tests.model.changes import LAB, PROD, Said
from tools.generated import ROOT

ASN = 65200


def said(base: Said, **underlay: Any) -> Said:
    whole = copy.deepcopy(base)
    whole["fabric"]["underlay"] = underlay
    if underlay["kind"] == "ospf":
        for switch in (*whole["fabric"]["leaves"].values(), *whole["fabric"]["spines"].values()):
            switch["asn"] = ASN
    return whole


def plan(base: Said, **underlay: Any) -> FabricPlan:
    return fabric.plan(model.load(said(base, **underlay)).network)


def below(planned: FabricPlan, hostname: str, line: str) -> list[str]:
    return planned.switch(hostname).config[line].splitlines()


@pytest.mark.parametrize("base", [LAB, PROD], ids=["lab", "prod"])
def test_between_interfaces_each_end_names_its_port_and_the_other_as(base: Said) -> None:
    planned = plan(base, kind="ebgp-unnumbered")
    whole = model.load(base).fabric
    for link in planned.uplinks:
        leaf, spine = whole.leaves[link.leaf].asn, whole.spines[link.spine].asn
        at_leaf, at_spine = (planned.switch(name).config for name in (link.leaf, link.spine))
        assert f"neighbor {link.leaf_port}\n  bfd\n  remote-as {spine}\n" in at_leaf[f"router bgp {leaf}"]
        assert f"neighbor {link.spine_port}\n  bfd\n  remote-as {leaf}\n" in at_spine[f"router bgp {spine}"]
        for lines in (at_leaf[f"interface {link.leaf_port}"], at_spine[f"interface {link.spine_port}"]):
            assert {
                "ip forward",
                "ipv6 address use-link-local-only",
                "ipv6 link-local use-bia",
                "no ip redirects",
                "no ipv6 redirects",
            } <= set(lines.splitlines())
            assert "ip address" not in lines


def test_between_interfaces_a_reload_is_announced_and_can_be_left_out() -> None:
    line = "hardware access-list tcam region ing-sup 768"
    assert {switch.reload for switch in plan(LAB, kind="ebgp-unnumbered").switches} == {(line,)}
    assert {switch.reload for switch in plan(LAB, kind="ebgp-unnumbered", ing_sup=None).switches} == {()}
    assert {switch.reload for switch in plan(LAB, kind="ebgp").switches} == {()}


@pytest.mark.parametrize("kind", ["ebgp", "ebgp-unnumbered"])
def test_paths_through_other_autonomous_systems_are_equal(kind: str) -> None:
    for switch in plan(PROD, kind=kind).switches:
        for line, text in switch.config.items():
            # The two peers of a pair have one way to each other, and nothing to balance over.
            if line.startswith("router bgp") and switch.role in ("leaf", "spine"):
                assert "bestpath as-path multipath-relax" in text.splitlines()


def test_ospf_is_on_every_link_loopback_and_rail_and_no_bgp_runs() -> None:
    planned = plan(LAB, kind="ospf")
    for switch in planned.switches:
        assert "feature ospf" in switch.config
        assert "bgp" not in switch.text()
        assert "ip router ospf UNDERLAY area 0.0.0.0" in below(planned, switch.hostname, "interface loopback0")
        process = below(planned, switch.hostname, "router ospf UNDERLAY")
        assert process[0] == "bfd"
        assert "maximum-paths 64" in process
        for port, end in switch.links.items():
            lines = below(planned, switch.hostname, f"interface {port}")
            wanted = end.role == "fabric"
            assert ("ip ospf network point-to-point" in lines) == wanted
            assert ("ip router ospf UNDERLAY area 0.0.0.0" in lines) == wanted
    for rail in planned.rails.values():
        lines = below(planned, rail.leaf, f"interface Vlan{rail.vlan}")
        assert lines[-2:] == ["ip router ospf UNDERLAY area 0.0.0.0", "ip ospf passive-interface"]


@pytest.mark.parametrize("kind", ["ebgp", "ebgp-unnumbered", "ospf"])
def test_bfd_and_paths_are_as_said_on_every_link(kind: str) -> None:
    whole = said(PROD, kind=kind, maximum_paths=32)
    whole["fabric"] |= {"bfd_interval_ms": 250, "bfd_multiplier": 4}
    planned = fabric.plan(model.load(whole).network)
    for link in planned.uplinks:
        for name, port in ((link.leaf, link.leaf_port), (link.spine, link.spine_port)):
            assert "bfd interval 250 min_rx 250 multiplier 4" in below(planned, name, f"interface {port}")
    for switch in planned.switches[:10]:
        routing = next(text for line, text in switch.config.items() if line.startswith("router "))
        assert "maximum-paths 32" in routing


def test_explain_states_detection_time_paths_and_both_sides_of_the_class() -> None:
    shown = CliRunner().invoke(app, ["explain", "fabric", str(ROOT / "Pulumi.prod.yaml")])
    assert shown.exit_code == 0
    assert "after 300 ms (100 ms x 3)" in shown.output
    assert "64 for 16 uplinks per leaf (2 spines x 8 links)" in shown.output
    assert "DSCP 26 → priority 3, PFC on, watchdog on, 90/10, ECN 950-3000 kB" in shown.output
    assert "trust dscp, PFC 0,0,0,1,0,0,0,0, NCCL_IB_TC 106, RDMA MTU 4096" in shown.output
    assert "frontend class: none, best effort" in shown.output
