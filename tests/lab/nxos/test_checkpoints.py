"""Checkpoints, rollback, startup configuration, reload."""

from __future__ import annotations

import pytest

from podwright.lab.nxos.session import CutError, Session
from tests.lab.rack import Rack


@pytest.fixture
def rack() -> Rack:
    return Rack(configured=False)


def running(rack: Rack) -> str:
    return rack.show("leaf-01", "show running-config").split("version", 1)[1]


def test_rollback_restores_the_whole_box(rack: Rack) -> None:
    before = running(rack)
    assert "Done" in rack.show("leaf-01", "checkpoint before")
    rack.type("leaf-01", "feature bgp", "router bgp 65001", "interface Ethernet1/1", "mtu 9216", "vlan 10", "name x")
    patch = rack.show("leaf-01", "show diff rollback-patch running-config checkpoint before")
    assert "no feature bgp" in patch and "no vlan 10" in patch and "interface Ethernet1/1\n  no mtu 9216" in patch
    assert "Rollback completed successfully." in rack.show(
        "leaf-01", "rollback running-config checkpoint before atomic"
    )
    assert running(rack) == before
    assert "Rollback Patch is Empty" in rack.show(
        "leaf-01", "show diff rollback-patch checkpoint before running-config"
    )


def test_the_patch_leads_from_one_configuration_to_the_other(rack: Rack) -> None:
    rack.show("leaf-01", "checkpoint a")
    rack.type("leaf-01", "class-map type qos match-any R", "match dscp 26", "interface Ethernet1/1", "no switchport",
              "ip address 10.0.0.1/30", "no shutdown", "interface loopback0", "ip address 10.9.9.9/32")  # fmt: skip
    rack.show("leaf-01", "checkpoint b")
    target = running(rack)
    rack.show("leaf-01", "rollback running-config checkpoint a")
    text = rack.show("leaf-01", "show diff rollback-patch running-config checkpoint b")
    rack.type("leaf-01", *[line for line in text.splitlines()[2:] if line.strip() and line != "!!"])
    assert running(rack) == target


def test_ten_checkpoints_and_no_eleventh(rack: Rack) -> None:
    for number in range(10):
        assert "Done" in rack.show("leaf-01", f"checkpoint cp{number}")
    assert "ERROR: maximum number" in rack.show("leaf-01", "checkpoint one-more")
    assert rack.show("leaf-01", "show checkpoint summary").count("Created by") == 10
    assert "Done" in rack.show("leaf-01", "no checkpoint cp3")
    assert "Done" in rack.show("leaf-01", "checkpoint one-more")
    assert "already exists" in rack.show("leaf-01", "checkpoint cp1")
    assert "does not exist" in rack.show("leaf-01", "rollback running-config checkpoint nowhere")


def test_a_failing_rollback_changes_nothing_and_says_so(rack: Rack) -> None:
    rack.show("leaf-01", "checkpoint before")
    rack.type("leaf-01", "vlan 10")
    after = running(rack)
    rack.devices["leaf-01"].faults.rollback_fails = True
    assert "Rollback failed" in rack.show("leaf-01", "rollback running-config checkpoint before")
    assert running(rack) == after


def test_reload_keeps_only_what_was_saved(rack: Rack) -> None:
    rack.type("leaf-01", "vlan 10", "name kept")
    assert "100%" in rack.show("leaf-01", "copy running-config startup-config")
    rack.type("leaf-01", "vlan 20", "name lost")
    assert "+vlan 20" not in rack.show("leaf-01", "show startup-config")
    session = Session(rack.devices["leaf-01"], quiet=True)
    assert "(y/n)" in session.run("reload")
    with pytest.raises(CutError):
        session.run("y")
    assert rack.world.views["leaf-01"].alive is False
    rack.devices["leaf-01"].faults.down = False
    assert "kept" in running(rack) and "lost" not in running(rack)


def test_writes_count_what_changes_and_not_what_reads(rack: Rack) -> None:
    device = rack.devices["leaf-01"]
    for command in ("show running-config", "show version", "show diff rollback-patch running-config startup-config"):
        rack.show("leaf-01", command)
    assert device.writes == 0
    rack.console("leaf-01", "interface Ethernet1/1", "mtu 9216", "mtu 99999", "exit")
    assert device.writes == 2
