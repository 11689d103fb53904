"""Ports broken out: what comes and goes, what each model takes, and what the world makes of a cable to a lane."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.view import LiveView
from podwright.lab.world.inventory import Cable
from podwright.lab.world.model import World
from tests.lab.rack import LAB, SWITCHED, Rack


def racked(model: str, release: str = "10.5(3)") -> tuple[Device, Session]:
    world = World.load(LAB, variants=SWITCHED)
    world.switches["leaf-01"].model, world.switches["leaf-01"].release = model, release
    device = build(world, world.switches["leaf-01"], "admin", "x", "192.0.2.1")
    session = Session(device, quiet=True)
    session.run("configure terminal")
    return device, session


def ports(device: Device, first: int = 1, last: int = 128) -> list[str]:
    return [name for name in device.interfaces("Ethernet") if first <= int(name.split("/")[1]) <= last]


def configured(session: Session) -> str:
    return session.run("show running-config").split("Bios:version", 1)[1]


def test_a_port_gives_way_to_its_lanes_and_takes_their_configuration_with_it() -> None:
    device, session = racked("N9K-C9364D-GX2A")
    session.run("interface Ethernet1/5")
    session.run("description whole")
    assert session.run("interface breakout module 1 port 5 map 200g-2x") == ""
    assert ports(device, 5, 5) == ["Ethernet1/5/1", "Ethernet1/5/2"]
    assert "Invalid interface format" in session.run("interface Ethernet1/5")
    assert session.run("interface Ethernet1/5/2") == ""
    assert session.run("description half") == ""
    assert "whole" not in configured(session)
    assert session.run("no interface breakout module 1 port 5 map 200g-2x") == ""
    assert ports(device, 5, 5) == ["Ethernet1/5"]
    assert "half" not in configured(session)


def test_the_running_configuration_holds_one_line_for_each_map_and_gives_itself() -> None:
    _, session = racked("N9K-C9364D-GX2A")
    for line in ("port 7 map 100g-4x", "port 5 map 200g-2x", "port 6 map 200g-2x", "port 3 map 200g-2x"):
        assert session.run(f"interface breakout module 1 {line}") == ""
    lines = configured(session).splitlines()
    assert [each for each in lines if "breakout" in each] == [
        "interface breakout module 1 port 3,5-6 map 200g-2x",
        "interface breakout module 1 port 7 map 100g-4x",
    ]
    at = [lines.index(each) for each in ("interface Ethernet1/4", "interface Ethernet1/5/1", "interface Ethernet1/5/2")]
    assert at == sorted(at) and "interface Ethernet1/5" not in lines
    _, twin = racked("N9K-C9364D-GX2A")
    for line in lines[1:]:
        assert twin.run(line) == "", line
    assert configured(twin) == configured(session)


@pytest.mark.parametrize(
    ("model", "line", "words"),
    [
        ("N9K-C9336C-FX2", "port 1 map 100g-4x", "% Invalid command at '^' marker."),
        ("N9K-C93600CD-GX", "port 29 map 200g-4x", "% Invalid command at '^' marker."),
        ("N9K-C93600CD-GX", "port 1 map 100g-4x", "is not supported on this port"),
        ("N9K-C93600CD-GX", "port 2 map 25g-4x", "is not supported on this port"),
        ("N9K-C9364C-GX", "port 2 map 50g-2x", "is not supported on this port"),
        ("N9K-C9364D-GX2A", "port 65 map 10g-4x", "is not supported on this port"),
        ("N9K-C9364D-GX2A", "port 70 map 10g-4x", "Ethernet1/70 does not exist"),
        ("N9K-C9364D-GX2A", "port 129 map 10g-4x", "Invalid range at '^' marker."),
    ],
)
def test_a_model_takes_its_own_maps_only(model: str, line: str, words: str) -> None:
    device, session = racked(model)
    before = ports(device)
    assert words in session.run(f"interface breakout module 1 {line}")
    assert ports(device) == before


def test_a_port_takes_another_map_only_when_it_is_whole() -> None:
    device, session = racked("N9K-C9332D-GX2B")
    session.run("interface breakout module 1 port 1-2 map 200g-2x")
    assert "broken out as 200g-2x" in session.run("interface breakout module 1 port 2-3 map 100g-4x")
    assert sorted(ports(device, 2, 3)) == ["Ethernet1/2/1", "Ethernet1/2/2", "Ethernet1/3"]
    session.run("no interface breakout module 1 port 2")
    assert session.run("interface breakout module 1 port 2-3 map 100g-4x") == ""
    assert len(ports(device, 1, 3)) == 2 + 4 + 4


def test_the_odd_ports_of_a_quad_break_out_together_and_the_even_ones_go() -> None:
    device, session = racked("N9K-C93600CD-GX")
    session.run("interface breakout module 1 port 5 map 25g-4x")
    assert sorted(ports(device, 5, 8)) == [f"Ethernet1/{port}/{lane}" for port in (5, 7) for lane in (1, 2, 3, 4)]
    session.run("no interface breakout module 1 port 7")
    assert sorted(ports(device, 5, 8)) == ["Ethernet1/5", "Ethernet1/6", "Ethernet1/7", "Ethernet1/8"]
    session.run("interface breakout module 1 port 6 map 50g-2x")
    assert len(ports(device, 5, 8)) == 8
    session.run("interface breakout module 1 port 25 map 25g-4x")
    assert len(ports(device, 25, 28)) == 8 + 2


def test_even_ports_of_a_9364c_gx_come_back_when_both_odd_ones_are_whole() -> None:
    device, session = racked("N9K-C9364C-GX")
    session.run("interface breakout module 1 port 1 map 50g-2x")
    session.run("no interface breakout module 1 port 1")
    assert sorted(ports(device, 1, 4)) == ["Ethernet1/1", "Ethernet1/3/1", "Ethernet1/3/2"]
    session.run("no interface breakout module 1 port 3")
    assert len(ports(device, 1, 4)) == 4


def test_tables_parse_and_show_the_lanes() -> None:
    _, session = racked("N9K-C9364D-GX2A")
    session.run("interface breakout module 1 port 5 map 100g-4x")
    parsed = parse_output("cisco_nxos", "show interface breakout", session.run("show interface breakout"))
    assert parsed == [{"parent": "Eth1/5", "breakout_map": "100g-4x", "breakout_ports": "Eth1/5/1-4"}]
    brief = parse_output("cisco_nxos", "show interface brief", session.run("show interface brief"))
    assert "Eth1/5/4" in [each["interface"] for each in brief]
    status = parse_output("cisco_nxos", "show interface status", session.run("show interface status"))
    assert "Eth1/5/4" in [each["port"] for each in status]
    session.run("interface Ethernet1/5/4")
    assert "Configured speed is not supported" in session.run("speed 400000")
    assert session.run("speed 100000") == ""


def test_a_cable_to_a_lane_is_dark_until_the_port_is_broken_out() -> None:
    rack = Rack()
    world, device = rack.world, rack.devices["leaf-01"]
    world.attach_switch("leaf-01", LiveView(device))
    first = next(each for each in world.cables if each.a == ("leaf-01", "Ethernet1/1"))
    world.recable(
        [*(each for each in world.cables if each != first), Cable(("leaf-01", "Ethernet1/1/2"), first.b, 200)]
    )
    assert not world.link_up("leaf-01", "Ethernet1/1/2")
    rack.console("leaf-01", "interface breakout module 1 port 1 map 200g-2x")
    assert world.link_up("leaf-01", "Ethernet1/1/2")
    assert LiveView(device).port("Ethernet1/1/2").speed == 200
    assert "Eth1/1/2" in rack.show("leaf-01", "show lldp neighbors")
    rack.console("leaf-01", "no interface breakout module 1 port 1")
    assert not world.link_up("leaf-01", "Ethernet1/1/2")
    world.close()


def test_rollback_and_reload_bring_the_ports_of_their_time() -> None:
    device, session = racked("N9K-C9364D-GX2A")
    session.run("end")
    session.run("checkpoint whole")
    session.run("copy running-config startup-config")
    session.run("configure terminal")
    session.run("interface breakout module 1 port 1 map 200g-2x")
    session.run("interface Ethernet1/1/1")
    session.run("description lane")
    patch = session.run("show diff rollback-patch running-config checkpoint whole")
    assert "no interface breakout module 1 port 1 map 200g-2x" in patch
    session.run("end")
    assert "Rollback completed successfully" in session.run("rollback running-config checkpoint whole")
    assert ports(device, 1, 1) == ["Ethernet1/1"]
    session.run("configure terminal")
    session.run("interface breakout module 1 port 1-2 map 100g-4x")
    device.boot()
    assert ports(device, 1, 2) == ["Ethernet1/1", "Ethernet1/2"]
