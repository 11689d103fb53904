"""Tenants: every interface of a tenant is in its VRF, nothing of one is in another's, tunnels keep the class."""

import pytest
from typer.testing import CliRunner

from podwright.cli.__main__ import app
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import FabricPlan
from tools import goldens


def plan(example: str) -> FabricPlan:
    return fabric.plan(model.load(goldens.stack_file(example)).network)


OWNERS: dict[str, dict[int, str | None]] = {"evpn": {1: "blue", 2: "red"}, "vrf": {1: "blue", 2: None}}


def vrf(planned: FabricPlan, hostname: str, interface: str) -> str | None:
    lines = planned.switch(hostname).config[f"interface {interface}"].splitlines()
    found = [line.removeprefix("vrf member ") for line in lines if line.startswith("vrf member ")]
    addresses = [place for place, line in enumerate(lines) if line.startswith(("ip address", "ip forward"))]
    assert not found or not addresses or lines.index(f"vrf member {found[0]}") < addresses[0], "it takes addresses away"
    return found[0] if found else None


@pytest.mark.parametrize("example", OWNERS)
def test_every_gateway_is_in_its_tenants_vrf_and_the_vrf_is_there(example: str) -> None:
    planned = plan(example)
    for rail in planned.rails.values():
        owner = OWNERS[example][rail.group]
        assert vrf(planned, rail.leaf, f"Vlan{rail.vlan}") == owner
        others = {f"vrf context {each}" for each in ("blue", "red") if each != owner}
        assert others.isdisjoint(planned.switch(rail.leaf).config)
        assert owner is None or f"vrf context {owner}" in planned.switch(rail.leaf).config


def test_by_vrf_both_ends_of_a_link_and_its_session_are_the_tenants() -> None:
    planned = plan("vrf")
    for link in planned.uplinks:
        group = int(link.leaf[-1]) // 2 + int(link.leaf[-1]) % 2
        owner = OWNERS["vrf"][group]
        assert vrf(planned, link.leaf, link.leaf_port) == owner
        assert vrf(planned, link.spine, link.spine_port) == owner
        for name, address in ((link.leaf, link.spine_address), (link.spine, link.leaf_address)):
            bgp = next(text for line, text in planned.switch(name).config.items() if line.startswith("router bgp"))
            indent = "  " if owner else ""
            assert f"\n{indent}neighbor {address}\n" in bgp
            before = bgp[: bgp.index(f"neighbor {address}\n")]
            assert ("\nvrf blue" in before) == (owner == "blue")
    assert "nv overlay" not in "".join(switch.text() for switch in planned.switches)


def test_by_evpn_leaves_meet_the_spines_and_tunnels_carry_the_vrf_alone() -> None:
    planned = plan("evpn")
    cluster = model.load(goldens.stack_file("evpn"))
    for name, leaf in cluster.fabric.leaves.items():
        config = planned.switch(name).config
        owner, index = OWNERS["evpn"][leaf.group], leaf.group
        assert next(iter(config)) == "nv overlay evpn", "commands of EVPN exist only behind it"
        nve = config["interface nve1"].splitlines()
        assert [line for line in nve if line.startswith("member vni")] == [f"member vni {50000 + index} associate-vrf"]
        assert "service-policy type qos input QOS_CLASSIFICATION" in nve
        assert not [line for line in nve if "qos-mode" in line]
        assert config[f"vlan {3000 + index}"] == f"name tenant-{owner}\nvn-segment {50000 + index}"
        assert f"vni {50000 + index}" in config[f"vrf context {owner}"].splitlines()
        assert f"ip address 10.0.0.{128 + leaf.index}/32" in config["interface loopback1"].splitlines()
        assert "ip router ospf UNDERLAY area 0.0.0.0" in config["interface loopback1"].splitlines()
        for number in (1, 2):
            assert f"neighbor 10.0.0.{number}\n  remote-as 65200" in config["router bgp 65200"]
            spine = planned.switch(f"spine-0{number}").config["router bgp 65200"]
            session = spine[spine.index(f"neighbor 10.0.0.{64 + leaf.index}\n") :].split("neighbor ")[1]
            assert "route-reflector-client" in session
    for number in (1, 2):
        assert "interface nve1" not in planned.switch(f"spine-0{number}").config


def test_the_tunnels_header_fits_into_the_switches_mtu() -> None:
    cluster = model.load(goldens.stack_file("evpn"))
    assert cluster.fabric.lossless.host_mtu + 50 <= cluster.fabric.lossless.mtu


def test_explain_names_each_tenant() -> None:
    shown = CliRunner().invoke(app, ["explain", "fabric", str(goldens.stack_file("evpn"))]).output
    assert "tenant red: leaf groups 2, VXLAN VNI 50002; DSCP and ECN are kept in the outer header" in shown
