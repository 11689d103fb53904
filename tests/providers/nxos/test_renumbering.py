"""Numbers that a switch gives out once: VLANs, subnets, VNIs and vPCs take each other's place in one push."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.nxos.write.remediation import remediation
from tests.providers.nxos.forms import config
from tests.providers.nxos.rack import Rack, inputs


def lines(live: str, want: str, *gone: str) -> list[str]:
    return [
        line.strip() for section in remediation(config(live), config(want), gone) for line in str(section).split("\n")
    ]


GATEWAY = """no shutdown
ip address 10.66.{subnet}.2/24
hsrp version 2
hsrp {vlan}
  preempt
  priority 110
  ip 10.66.{subnet}.1
"""
OLD = {
    "feature interface-vlan": "",
    "feature hsrp": "",
    "vlan 60": "",
    "vlan 70": "",
    "vlan 80": "",
    "vlan 90": "",
    "interface Vlan60": GATEWAY.format(vlan=60, subnet=6),
    "interface Vlan70": GATEWAY.format(vlan=70, subnet=7),
    "interface Vlan80": "ip address 10.67.0.1/24\nip address 10.67.1.1/24 secondary\nno shutdown",
    "interface Vlan90": "ip address 10.67.2.1/24\nno shutdown",
    "feature nv overlay": "",
    "feature vn-segment-vlan-based": "",
    "feature lacp": "",
    "vlan 10": "name rail0\nvn-segment 10010",
    "vlan 20": "name rail1\nvn-segment 10020",
    "interface Vlan10": "ip address 10.64.0.1/24\nno shutdown",
    "interface Vlan20": "ip address 10.64.1.1/24\nno shutdown",
    "interface Ethernet1/1": "switchport\nswitchport access vlan 10\nno shutdown",
    "interface Ethernet1/2": "switchport\nswitchport access vlan 20\nno shutdown",
    "interface Ethernet1/31": "no switchport\nip address 10.1.0.0/31\nno shutdown",
    "interface Ethernet1/32": "no switchport\nip address 10.1.0.2/31\nno shutdown",
}
CASES: dict[str, dict[str, str | None]] = {
    "a VLAN under another id": {
        "vlan 10": None,
        "interface Vlan10": None,
        "vlan 30": OLD["vlan 10"],
        "interface Vlan30": OLD["interface Vlan10"],
        "interface Ethernet1/1": OLD["interface Ethernet1/1"].replace("10", "30"),
    },
    "two VLANs swap their subnets": {
        "interface Vlan10": OLD["interface Vlan20"],
        "interface Vlan20": OLD["interface Vlan10"],
    },
    "two VLANs swap their VNIs": {"vlan 10": OLD["vlan 20"], "vlan 20": OLD["vlan 10"]},
    "a subnet moves on, the next one follows": {
        "interface Vlan10": OLD["interface Vlan20"],
        "interface Vlan20": "ip address 10.64.2.1/24\nno shutdown",
    },
    "a larger subnet takes in another's": {
        "interface Vlan10": "ip address 10.64.0.1/23\nno shutdown",
        "interface Vlan20": "ip address 10.64.8.1/24\nno shutdown",
    },
    "two links swap their addresses": {
        "interface Ethernet1/31": OLD["interface Ethernet1/32"],
        "interface Ethernet1/32": OLD["interface Ethernet1/31"],
    },
    "an address moves from a port to a VLAN": {
        "interface Ethernet1/31": "switchport\nswitchport access vlan 40\nno shutdown",
        "vlan 40": "",
        "interface Vlan40": "ip address 10.1.0.0/31\nno shutdown",
    },
    "a VLAN with a gateway under another id": {
        "vlan 60": None,
        "interface Vlan60": None,
        "vlan 66": "",
        "interface Vlan66": GATEWAY.format(vlan=66, subnet=6),
    },
    "two VLANs with gateways swap their subnets": {
        "interface Vlan60": GATEWAY.format(vlan=60, subnet=7),
        "interface Vlan70": GATEWAY.format(vlan=70, subnet=6),
    },
    "a gateway gets another group": {"interface Vlan60": GATEWAY.format(vlan=160, subnet=6)},
    "own address and virtual address change places": {
        "interface Vlan60": GATEWAY.format(vlan=60, subnet=6)
        .replace("10.66.6.2/24", "10.66.6.1/24")
        .replace("ip 10.66.6.1\n", "ip 10.66.6.2\n")
    },
    "a gateway's subnet moves on, the next one follows": {
        "interface Vlan60": GATEWAY.format(vlan=60, subnet=7),
        "interface Vlan70": GATEWAY.format(vlan=70, subnet=8),
    },
    "primary and secondary change places": {
        "interface Vlan80": "ip address 10.67.1.1/24\nip address 10.67.0.1/24 secondary\nno shutdown"
    },
    "a secondary subnet moves to another VLAN": {
        "interface Vlan80": "ip address 10.67.0.1/24\nno shutdown",
        "interface Vlan90": "ip address 10.67.2.1/24\nip address 10.67.1.1/24 secondary\nno shutdown",
    },
    "a primary subnet moves away from below its secondary": {
        "interface Vlan80": "ip address 10.67.3.1/24\nip address 10.67.1.1/24 secondary\nno shutdown",
        "interface Vlan90": "ip address 10.67.0.1/24\nno shutdown",
    },
    "two secondaries and their primaries swap": {
        "interface Vlan80": "ip address 10.67.2.1/24\nno shutdown",
        "interface Vlan90": "ip address 10.67.0.1/24\nip address 10.67.1.1/24 secondary\nno shutdown",
    },
    "a subnet under another VRF's twin": {
        "vrf context blue": "",
        "interface Vlan10": "vrf member blue\nip address 10.64.1.1/24\nno shutdown",
    },
}


@pytest.mark.parametrize("changes", CASES.values(), ids=CASES)
async def test_a_switch_takes_it_in_one_push_and_back(changes: dict[str, str | None], lab: Rack) -> None:
    new = {name: text for name, text in (OLD | changes).items() if text is not None}
    made = await lab.kind.create(inputs(OLD), lab.context())
    outputs: dict[str, Any] = dict(made.outputs)
    outputs = dict(await lab.kind.update("leaf-01", inputs(new), inputs(OLD), outputs, lab.context()))
    live = await lab.kind.read("leaf-01", inputs(new), outputs, lab.context())
    assert live is not None
    assert live.inputs == inputs(new)
    await lab.kind.update("leaf-01", inputs(OLD), inputs(new), outputs, lab.context())
    back = await lab.kind.read("leaf-01", inputs(OLD), outputs, lab.context())
    assert back is not None
    assert back.inputs == inputs(OLD)


def test_what_goes_anyway_lets_go_first_and_nothing_else_is_touched() -> None:
    live = "interface Vlan10\n  ip address 10.64.0.1/24\ninterface Vlan20\n  ip address 10.64.1.1/24\n"
    moved = "interface Vlan30\n  ip address 10.64.0.1/24\ninterface Vlan20\n  ip address 10.64.1.1/24\n"
    assert lines(live, moved, "interface Vlan10") == [
        "interface Vlan10",
        "no ip address 10.64.0.1/24",
        "interface Vlan30",
        "ip address 10.64.0.1/24",
        "no interface Vlan10",
    ]
    assert lines(live, live + "interface Vlan30\n  ip address 10.64.3.1/24\n") == [
        "interface Vlan30",
        "ip address 10.64.3.1/24",
    ]


def test_an_address_that_somebody_else_has_is_left_to_him() -> None:
    """The device refuses it by name, which is the truth."""
    live = "interface Vlan10\n  ip address 10.64.0.1/24\n"
    assert lines(live, "interface Vlan30\n  ip address 10.64.0.2/24\n") == [
        "interface Vlan30",
        "ip address 10.64.0.2/24",
    ]


def test_a_vpc_number_is_given_up_before_another_bundle_takes_it() -> None:
    live = "interface port-channel5\n  vpc 5\ninterface port-channel6\n  vpc 6\n"
    swapped = "interface port-channel5\n  vpc 6\ninterface port-channel6\n  vpc 5\n"
    assert lines(live, swapped)[:4] == ["interface port-channel5", "no vpc 5", "interface port-channel6", "no vpc 6"]


async def test_a_smaller_mtu_of_switched_ports_comes_and_goes(lab: Rack) -> None:
    """Switched ports take the default or the switch's largest frame, and nothing between."""
    port = "interface Ethernet1/1"
    large = OLD | {port: "switchport\nswitchport access vlan 10\nmtu 9216\nno shutdown"}
    small = large | {"system jumbomtu 9100": "", port: large[port].replace("9216", "9100")}
    made = await lab.kind.create(inputs(large), lab.context())
    outputs = dict(await lab.kind.update("leaf-01", inputs(small), inputs(large), made.outputs, lab.context()))
    await lab.kind.update("leaf-01", inputs(large), inputs(small), outputs, lab.context())
    back = await lab.kind.read("leaf-01", inputs(large), outputs, lab.context())
    assert back is not None
    assert back.inputs == inputs(large)
