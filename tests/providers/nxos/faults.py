"""Single faults that somebody types into the lab stack's network, and all that verification says of each."""

from __future__ import annotations

from typing import Any

LEAF, SPINE = "Ethernet1/33 (to spine-01 Ethernet1/1)", "Ethernet1/1 (to leaf-01 Ethernet1/33)"
LOOK_PFC = "`priority-flow-control mode` of interface {} and `show policy-map system type network-qos`"
LOOK_WATCHDOG = "`priority-flow-control watch-dog-interval` of the switch and of interface {}"
LOST = (
    "a packet of 9216 bytes to 10.1.0.0 does not come back, one of 84 does; "
    "look at the MTU of the far end and `ping 10.1.0.0 packet-size 9188 df-bit`"
)
LOOK_BFD = "`show bfd neighbors` and `bfd` of the BGP neighbor at both ends"


def session(switch: str, port: str, peer: str) -> str:
    return (
        f"{switch} {port}: the BGP session with {peer} is not Established; "
        f"look at `show ip bgp neighbors {peer}` here and at the far end"
    )


Fault = tuple[str, list[str], dict[str, list[str]], dict[str, dict[str, Any]]]
"""Where, the lines typed there, the sentences by verification, the drift by verification."""


def small(mtu: int) -> Fault:
    """A leaf's end of a link has a smaller MTU: it says so itself, and not beside it that echoes are lost."""
    return (
        "leaf-01",
        ["interface Ethernet1/33", f"mtu {mtu}"],
        {"leaf-01-links": [f"leaf-01 {LEAF}: has MTU {mtu}, planned 9216; look at `mtu` of interface Ethernet1/33"]},
        {"leaf-01-links": {"Ethernet1/33 mtu": mtu, "Ethernet1/33 answered": False}},
    )


FAULTS: dict[str, Fault] = {
    "PFC off at one end of a link": (
        "leaf-01",
        ["interface Ethernet1/33", "priority-flow-control mode off"],
        {"leaf-01-links": [
            f"leaf-01 {LEAF}: PFC is operationally off, planned on for priority 3 (bitmap 8); "
            f"look at {LOOK_PFC.format('Ethernet1/33')}"
        ]},
        {"leaf-01-links": {"Ethernet1/33 pfc": 0}},
    ),
    "PFC off on a port to a server": (
        "leaf-02",
        ["interface Ethernet1/7", "no priority-flow-control mode on"],
        {"leaf-02-hosts": [
            "leaf-02 Ethernet1/7 (to gpu-02 rail6): PFC is operationally off, planned on for priority 3 (bitmap 8); "
            f"look at {LOOK_PFC.format('Ethernet1/7')}"
        ]},
        {"leaf-02-hosts": {"Ethernet1/7 pfc": 0}},
    ),
    "another priority pauses": (
        "spine-01",
        ["policy-map type network-qos qos_network", "class type network-qos c-8q-nq3", "no pause pfc-cos 3",
         "pause pfc-cos 4"],
        {"spine-01-links": [
            "spine-01 Ethernet1/1-40: PFC is operationally on for priority 4 (bitmap 10), planned on for priority 3 "
            f"(bitmap 8); look at {LOOK_PFC.format('each')}"
        ]},
        {"spine-01-links": {f"Ethernet1/{number} pfc": 16 for number in range(1, 41)}},
    ),
    "no policy pauses": (
        "leaf-01",
        ["system qos", "no service-policy type network-qos qos_network"],
        {
            "leaf-01-links": [
                "leaf-01 Ethernet1/33-52: PFC is operationally off, planned on for priority 3 (bitmap 8); "
                f"look at {LOOK_PFC.format('each')}"
            ],
            "leaf-01-hosts": [
                "leaf-01 Ethernet1/1-20: PFC is operationally off, planned on for priority 3 (bitmap 8); "
                f"look at {LOOK_PFC.format('each')}"
            ],
        },
        {
            "leaf-01-links": {f"Ethernet1/{number} pfc": 0 for number in range(33, 53)},
            "leaf-01-hosts": {f"Ethernet1/{number} pfc": 0 for number in range(1, 21)},
        },
    ),
    "the watchdog off on a port": (
        "spine-01",
        ["interface Ethernet1/1", "no priority-flow-control watch-dog-interval on"],
        {"spine-01-links": [
            f"spine-01 {SPINE}: the PFC watchdog is not armed, planned armed; "
            f"look at {LOOK_WATCHDOG.format('Ethernet1/1')}"
        ]},
        {"spine-01-links": {"Ethernet1/1 watchdog": False}},
    ),
    "the watchdog off": (
        "spine-01",
        ["no priority-flow-control watch-dog-interval on"],
        {"spine-01-links": [
            f"spine-01 Ethernet1/1-40: the PFC watchdog is not armed, planned armed; "
            f"look at {LOOK_WATCHDOG.format('each')}"
        ]},
        {"spine-01-links": {f"Ethernet1/{number} watchdog": False for number in range(1, 41)}},
    ),
    "a neighbour shut": (
        "spine-01",
        ["router bgp 65001", "neighbor 10.1.0.1", "shutdown"],
        {"spine-01-links": [session("spine-01", SPINE, "10.1.0.1")],
         "leaf-01-links": [session("leaf-01", LEAF, "10.1.0.0")]},
        {"spine-01-links": {"Ethernet1/1 session": False, "Ethernet1/1 bfd": False},
         "leaf-01-links": {"Ethernet1/33 session": False, "Ethernet1/33 bfd": False}},
    ),
    "another AS number expected": (
        "leaf-01",
        ["router bgp 64601", "neighbor 10.1.0.0", "remote-as 65009"],
        {"spine-01-links": [session("spine-01", SPINE, "10.1.0.1")],
         "leaf-01-links": [session("leaf-01", LEAF, "10.1.0.0")]},
        {"spine-01-links": {"Ethernet1/1 session": False, "Ethernet1/1 bfd": False},
         "leaf-01-links": {"Ethernet1/33 session": False, "Ethernet1/33 bfd": False}},
    ),
    "BFD removed on one side": (
        "spine-01",
        ["router bgp 65001", "neighbor 10.1.0.1", "no bfd"],
        {"spine-01-links": [f"spine-01 {SPINE}: the BFD session with 10.1.0.1 is not up; look at {LOOK_BFD}"],
         "leaf-01-links": [f"leaf-01 {LEAF}: the BFD session with 10.1.0.0 is not up; look at {LOOK_BFD}"]},
        {"spine-01-links": {"Ethernet1/1 bfd": False}, "leaf-01-links": {"Ethernet1/33 bfd": False}},
    ),
    "MTU 1500 on one port": small(1500),
    "MTU one byte short": small(9215),
    "MTU 1500 at a spine's end": (
        "spine-01",
        ["interface Ethernet1/1", "mtu 1500"],
        {"spine-01-links": [f"spine-01 {SPINE}: has MTU 1500, planned 9216; look at `mtu` of interface Ethernet1/1"],
         "leaf-01-links": [f"leaf-01 {LEAF}: {LOST}"]},
        {"spine-01-links": {"Ethernet1/1 mtu": 1500}, "leaf-01-links": {"Ethernet1/33 answered": False}},
    ),
    "the network-qos MTU of a spine": (
        "spine-01",
        ["policy-map type network-qos qos_network", "class type network-qos c-8q-nq-default", "mtu 1500"],
        {
            f"leaf-0{leaf}-links": [
                f"leaf-0{leaf} Ethernet1/33-52: a packet of 9216 bytes to its neighbor does not come back, "
                "one of 84 does; look at the MTU of the far end and `ping … packet-size 9188 df-bit`"
            ]
            for leaf in (1, 2)
        },
        {f"leaf-0{leaf}-links": {f"Ethernet1/{n} answered": False for n in range(33, 53)} for leaf in (1, 2)},
    ),
    "MTU 1500 on a port to a server": (
        "leaf-01",
        ["interface Ethernet1/3", "no mtu"],
        {"leaf-01-hosts": [
            "leaf-01 Ethernet1/3 (to gpu-01 rail2): has MTU 1500, planned 9216; look at `mtu` of interface Ethernet1/3"
        ]},
        {"leaf-01-hosts": {"Ethernet1/3 mtu": 1500}},
    ),
    "MTU 1500 on a gateway": (
        "leaf-02",
        ["interface Vlan105", "mtu 1500"],
        {"leaf-02-hosts": [
            "leaf-02 Vlan105 (to rail5 of group 1): has MTU 1500, planned 9216; look at `mtu` of interface Vlan105"
        ]},
        {"leaf-02-hosts": {"Vlan105 mtu": 1500}},
    ),
}  # fmt: skip
