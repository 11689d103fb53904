"""`configure replace`, files, rollback logs, roles and command authorisation."""

from __future__ import annotations

import pytest

from podwright.lab.nxos.session import Session
from tests.lab.rack import Rack


@pytest.fixture
def rack() -> Rack:
    return Rack(configured=False)


def running(rack: Rack) -> str:
    return rack.show("leaf-01", "show running-config").split("version", 1)[1]


def other(rack: Rack, *lines: str) -> str:
    """Leave a file with these lines on top of the configuration, and the box as it was."""
    rack.show("leaf-01", "checkpoint scratch")
    rack.type("leaf-01", *lines)
    assert "Copy complete." in rack.show("leaf-01", "copy running-config bootflash:wanted.cfg")
    rack.show("leaf-01", "rollback running-config checkpoint scratch")
    return rack.show("leaf-01", "show file bootflash:///wanted.cfg").split("version", 1)[1]


def test_replace_makes_a_file_the_configuration(rack: Rack) -> None:
    rack.type("leaf-01", "vlan 5", "name gone")
    target = other(rack, "no vlan 5", "feature bgp", "router bgp 65001", "router-id 10.0.0.1")
    patch = rack.show("leaf-01", "configure replace bootflash:wanted.cfg show-patch")
    assert "no vlan 5" in patch and "router bgp 65001\n  router-id 10.0.0.1" in patch
    assert "Verified config" in rack.show("leaf-01", "configure replace bootflash:wanted.cfg verify-only")
    assert "Configure replace completed successfully" in rack.show("leaf-01", "configure replace bootflash:wanted.cfg")
    assert running(rack) == target
    assert "Operation Status: Success" in rack.show("leaf-01", "show config-replace status")
    assert "no vlan 5" in rack.show("leaf-01", "show config-replace log exec")
    assert "No difference" in rack.show("leaf-01", "configure replace bootflash:wanted.cfg")


@pytest.mark.parametrize("committed", [True, False])
def test_a_replace_with_a_timer_is_undone_unless_it_is_committed(rack: Rack, committed: bool) -> None:
    before, target = running(rack), other(rack, "vlan 10", "name x")
    rack.show("leaf-01", "configure replace bootflash:wanted.cfg commit-timeout 60")
    assert running(rack) == target
    if committed:
        assert "Commit successful" in rack.show("leaf-01", "configure replace commit")
    rack.devices["leaf-01"].clock.offset += 61
    rack.devices["leaf-01"].tick()
    assert running(rack).partition("\n\n")[2] == (target if committed else before).partition("\n\n")[2]
    assert ("timer expired" in rack.show("leaf-01", "show config-replace status")) is False
    assert ("timer expired" in rack.show("leaf-01", "show config-replace log exec")) is not committed
    assert "ERROR: there is no configure replace" in rack.show("leaf-01", "configure replace commit")


def test_a_line_that_the_switch_refuses_stops_a_replace_unless_it_is_best_effort(rack: Rack) -> None:
    other(rack, "vlan 10")
    device = rack.devices["leaf-01"]
    device.files["bootflash:wanted.cfg"] += "hardware qos ecn\n"
    assert "`hardware qos ecn`" in rack.show("leaf-01", "configure replace bootflash:wanted.cfg verify-only")
    assert "Configure replace failed" in rack.show("leaf-01", "configure replace bootflash:wanted.cfg")
    assert "vlan 1,10" not in running(rack)
    assert "hardware qos ecn" in rack.show("leaf-01", "show config-replace log exec")
    assert "with errors" in rack.show("leaf-01", "configure replace bootflash:wanted.cfg best-effort")
    assert "vlan 1,10" in running(rack)


def test_the_timer_has_bounds_and_files_must_be_there(rack: Rack) -> None:
    assert "range is (30:3600)" in rack.show("leaf-01", "configure replace bootflash:x commit-timeout 5")
    assert "No such file" in rack.show("leaf-01", "configure replace bootflash:x")
    assert "No such file" in rack.show("leaf-01", "delete bootflash:x no-prompt")
    other(rack, "vlan 10")
    assert "wanted.cfg" in rack.show("leaf-01", "dir bootflash:")
    assert rack.show("leaf-01", "delete bootflash:wanted.cfg no-prompt") == ""
    assert "wanted.cfg" not in rack.show("leaf-01", "dir")


def test_a_checkpoint_in_a_file_outlives_the_database_and_a_reload(rack: Rack) -> None:
    assert "Done" in rack.show("leaf-01", "checkpoint file bootflash:before.cfg")
    before = running(rack)
    rack.type("leaf-01", "vlan 10")
    rack.show("leaf-01", "copy running-config startup-config")
    device = rack.devices["leaf-01"]
    device.reload()
    device.faults.down = False
    assert "completed successfully" in rack.show("leaf-01", "rollback running-config file bootflash:before.cfg")
    assert running(rack) == before


def test_rollback_leaves_a_log_of_what_it_did_and_of_what_failed(rack: Rack) -> None:
    assert "No rollback" in rack.show("leaf-01", "show rollback status")
    rack.show("leaf-01", "checkpoint before")
    assert "Patch is Empty" in rack.show("leaf-01", "rollback running-config checkpoint before")
    rack.type("leaf-01", "vlan 10")
    rack.devices["leaf-01"].faults.rollback_fails = True
    rack.show("leaf-01", "rollback running-config checkpoint before")
    assert "Operation Status: Failed" in rack.show("leaf-01", "show rollback status")
    assert "no vlan 10" in rack.show("leaf-01", "show rollback log exec")
    assert "Failed: Patch execution failed" in rack.show("leaf-01", "show rollback log verify")


def test_users_come_and_go_with_the_configuration(rack: Rack) -> None:
    rack.show("leaf-01", "checkpoint before")
    rack.type("leaf-01", "username robot password Secret123 role network-admin", "username robot role network-operator")
    assert rack.devices["leaf-01"].check_password("robot", "Secret123")
    assert "role network-operator" in rack.show("leaf-01", "show running-config | include robot")
    rack.show("leaf-01", "rollback running-config checkpoint before")
    assert not rack.devices["leaf-01"].check_password("robot", "Secret123")


def test_an_operator_reads_only_until_a_server_authorises_commands(rack: Rack) -> None:
    rack.type("leaf-01", "username watcher password Secret123 role network-operator")
    session = Session(rack.devices["leaf-01"], user="watcher", quiet=True)
    assert session.run("configure terminal") == "% Permission denied for the role\n"
    assert session.run("copy running-config startup-config") == "% Permission denied for the role\n"
    assert "NXOS: version" in session.run("sho version")
    rack.type("leaf-01", "feature tacacs+", "tacacs-server host 192.0.2.9", "aaa group server tacacs+ T",
              "server 192.0.2.9", "aaa authorization commands default group T local")  # fmt: skip
    assert session.run("configure terminal") == ""


def test_a_server_may_deny_lines_from_some_line_on(rack: Rack) -> None:
    device = rack.devices["leaf-01"]
    device.faults.deny, device.faults.deny_after = ["vlan", "router bgp"], 1
    session = Session(device, quiet=True)
    for line in ("configure terminal", "vlan 10", "name x", "interface Ethernet1/1"):
        assert session.run(line) == ""
    answer = session.run("vlan  11")
    assert answer == "Error: AAA authorization failed for command:vlan 11, AAA_AUTHOR_STATUS_METHOD=17(0x11)\n"
    assert "vlan 11" not in device.root.children and "vlan 10" in device.root.children
