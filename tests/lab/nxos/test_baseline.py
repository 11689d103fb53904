"""What a switch shows of a baseline, and what of one it refuses."""

import pytest

from tests.lab.rack import Rack, racks

rack = pytest.fixture(racks)


def test_the_clock_the_banner_and_the_recovery_are_shown(rack: Rack) -> None:
    rack.type("leaf-01", "clock timezone CET 1 0", "banner motd ^Keep out.^", "errdisable recovery cause bpduguard")
    assert " CET " in rack.show("leaf-01", "show clock")
    assert rack.show("leaf-01", "show banner motd") == "Keep out.\n"
    shown = rack.show("leaf-01", "show errdisable recovery")
    assert (
        "bpduguard                         enabled\n" in shown and "link-flap                         disabled" in shown
    )
    assert "Timer interval: 300" in shown


def test_vlans_of_one_priority_share_a_line(rack: Rack) -> None:
    rack.type("leaf-01", "spanning-tree vlan 10 priority 4096", "spanning-tree vlan 30,31 priority 4096",
              "spanning-tree vlan 31 priority 8192")  # fmt: skip
    lines = [line for line in rack.show("leaf-01", "show running-config").splitlines() if line.startswith("spanning")]
    assert lines == ["spanning-tree vlan 10,30 priority 4096", "spanning-tree vlan 31 priority 8192"]
    rack.type("leaf-01", "no spanning-tree vlan 10,31 priority")
    lines = [line for line in rack.show("leaf-01", "show running-config").splitlines() if line.startswith("spanning")]
    assert lines == ["spanning-tree vlan 30 priority 4096"]


@pytest.mark.parametrize(
    ("before", "line", "answer"),
    [
        ((), "spanning-tree vlan 10 priority 4095", "increments of 4096"),
        ((), "errdisable recovery cause everything", "Invalid command"),
        ((), "telemetry", "Invalid command"),
        (("feature telemetry", "telemetry", "subscription 1"), "dst-grp 1", "does not exist"),
        (
            ("feature telemetry", "telemetry", "sensor-group 1", "subscription 1", "snsr-grp 1 sample-interval 60000"),
            "no sensor-group 1",
            "in use by a subscription",
        ),
        ((), "clock timezone CET 25 0", "Invalid command"),
        (("interface Ethernet1/1", "no switchport"), "storm-control broadcast level 1", "not allowed on a routed port"),
        (("interface Ethernet1/1", "switchport"), "storm-control broadcast level 101", "Invalid command"),
        (
            ("feature lacp", "default interface Ethernet1/1", "interface port-channel5", "switchport",
             "interface Ethernet1/1", "switchport",
             "channel-group 5 mode active"),
            "storm-control broadcast level 1",
            "not allowed on a port-channel member",
        ),
    ],
)  # fmt: skip
def test_what_the_switch_refuses(rack: Rack, before: tuple[str, ...], line: str, answer: str) -> None:
    assert answer in rack.console("leaf-01", *before, line)


def test_a_session_stands_where_both_ends_check_how_far_packets_come_or_neither(rack: Rack) -> None:
    def state() -> str:
        return rack.show("leaf-01", "show ip bgp summary").splitlines()[-1].split()[-1]

    ends = {}
    for line in rack.show("leaf-01", "show running-config").splitlines():
        if line.startswith("  neighbor "):
            ends["leaf-01"] = line.strip()
    assert state().isdigit()
    rack.type("leaf-01", "router bgp 64601", ends["leaf-01"], "ttl-security hops 1")
    assert not state().isdigit()
    assert "cannot be configured" in rack.console("leaf-01", "router bgp 64601", ends["leaf-01"], "ebgp-multihop 2")
    rack.type("leaf-01", "router bgp 64601", ends["leaf-01"], "no ttl-security hops 1")
    assert state().isdigit()
