"""Maintenance mode: what is applied, what the neighbours and the traffic make of it, and the ways back."""

from __future__ import annotations

import pytest

from podwright.lab.nxos.session import Session
from podwright.lab.world.routes import received
from tests.lab.rack import Rack


@pytest.fixture
def rack() -> Rack:
    return Rack()


def paths(rack: Rack, name: str) -> int:
    return sum(received(rack.world, name).values())


def block(rack: Rack, name: str, head: str) -> str:
    return rack.show(name, f"show running-config | section {head}")


def test_it_says_what_it_will_do_and_does_it_when_one_is_sure(rack: Rack) -> None:
    session = Session(rack.devices["spine-01"], quiet=True)
    session.run("configure terminal")
    asked = session.run("system mode maintenance")
    assert "Following configuration will be applied:\n\nrouter bgp 64603\n  isolate\n" in asked
    assert asked.endswith("Do you want to continue (yes/no)? [no] ")
    assert session.run("no") == "" and "isolate" not in block(rack, "spine-01", "router")
    session.run("system mode maintenance")
    said = session.run("yes")
    assert "Applying : router bgp 64603\nApplying :   isolate\n" in said
    assert said.endswith("Maintenance mode operation successful.\n")
    assert session.prompt == "spine-01(maint-mode)(config)# "
    assert "  isolate\n" in block(rack, "spine-01", "router bgp")
    assert rack.show("spine-01", "show system mode").startswith("System Mode: Maintenance\n")


def test_an_isolated_spine_passes_nothing_on_and_its_sessions_stay_up(rack: Rack) -> None:
    before = paths(rack, "leaf-01")
    up = sum(1 for s in rack.world.sessions() if s.up)
    assert before > 0
    said = rack.console("spine-01", "system mode maintenance")
    assert "successful" in said
    assert sum(1 for s in rack.world.sessions() if s.up) == up
    assert paths(rack, "leaf-01") < before
    said = rack.console("spine-01", "no system mode maintenance")
    assert "Applying :   no isolate\n" in said
    assert paths(rack, "leaf-01") == before
    assert rack.show("spine-01", "show system mode") == "System Mode: Normal\n"


def test_an_isolated_leaf_still_announces_what_is_its_own(rack: Rack) -> None:
    before = paths(rack, "leaf-02")
    rack.console("leaf-01", "system mode maintenance")
    assert paths(rack, "leaf-02") == before
    rack.console("leaf-01", "router bgp 64601", "isolate include-local")
    assert paths(rack, "leaf-02") < before


def test_shutdown_takes_protocols_and_ports_down_and_brings_back_only_those(rack: Rack) -> None:
    device = rack.devices["leaf-01"]
    rack.type("leaf-01", "interface Ethernet1/60", "shutdown")
    before = rack.show("leaf-01", "show running-config").split("version", 1)[1]
    rack.console("leaf-01", "system mode maintenance shutdown")
    assert not any(rack.world.views["leaf-01"].admin_up(name) for name in device.hardware.names())
    assert not any(s.up for s in rack.world.sessions() if s.device == "leaf-01")
    rack.console("leaf-01", "no system mode maintenance")
    assert rack.show("leaf-01", "show running-config").split("version", 1)[1] == before


def test_ports_of_a_vpc_go_down_with_the_domain_and_others_stay(rack: Rack) -> None:
    rack.type("leaf-01", "feature vpc", "feature lacp", "vpc domain 10", "default interface Ethernet1/1-2",
              "interface port-channel101", "vpc 101", "interface Ethernet1/1",
              "channel-group 101 mode active")  # fmt: skip
    view = rack.world.views["leaf-01"]
    assert view.admin_up("Ethernet1/1") and view.admin_up("Ethernet1/2")
    assert "Applying : vpc domain 10\nApplying :   shutdown\n" in rack.console("leaf-01", "system mode maintenance")
    assert not view.admin_up("Ethernet1/1") and view.admin_up("Ethernet1/2")


def test_a_written_profile_is_applied_instead(rack: Rack) -> None:
    session = Session(rack.devices["spine-01"], quiet=True, dont_ask=True)
    for line in ("configure maintenance profile maintenance-mode", "interface loopback9", "shutdown", "exit",
                 "configure maintenance profile normal-mode", "interface loopback9", "no shutdown", "end"):  # fmt: skip
        assert session.run(line) == ""
    shown = rack.show("spine-01", "show maintenance profile")
    assert "[Maintenance Mode]\ninterface loopback9\nshutdown\n" in shown
    assert "isolate" not in rack.console("spine-01", "system mode maintenance dont-generate-profile")
    assert "interface loopback9\n  shutdown\n" in rack.show("spine-01", "show running-config")
    assert "Applying : no shutdown" in rack.console("spine-01", "no system mode maintenance dont-generate-profile")


def test_the_timer_brings_the_switch_back(rack: Rack) -> None:
    before = paths(rack, "leaf-01")
    assert "range is (5:65535)" in rack.console("spine-01", "system mode maintenance timeout 4")
    rack.type("spine-01", "system mode maintenance timeout 10")
    assert rack.show("spine-01", "show maintenance timeout") == "Maintenance mode timeout value: 10 minutes\n"
    rack.console("spine-01", "system mode maintenance")
    assert "Timer: 9 minutes" in rack.show("spine-01", "show system mode")
    device = rack.devices["spine-01"]
    device.clock.offset += 601
    device.tick()
    assert rack.show("spine-01", "show system mode") == "System Mode: Normal\n" and paths(rack, "leaf-01") == before


@pytest.mark.parametrize("line", ["system mode maintenance", "no system mode maintenance"])
def test_twice_is_refused(rack: Rack, line: str) -> None:
    if not line.startswith("no"):
        rack.console("spine-01", line)
    assert "already" in rack.console("spine-01", line)


def test_saved_in_maintenance_mode_means_booted_in_maintenance_mode(rack: Rack) -> None:
    rack.console("spine-01", "system mode maintenance")
    rack.show("spine-01", "copy running-config startup-config")
    device = rack.devices["spine-01"]
    device.reload()
    device.faults.down = False
    assert "System Mode: Maintenance" in rack.show("spine-01", "show system mode")
    assert "Applying :   no isolate" in rack.console("spine-01", "no system mode maintenance")
