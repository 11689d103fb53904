"""What differs between what a switch must show and what it shows: sentences that name switch, port and what to look at.

One cause is told once: what a port cannot do because it is down, or a session's BFD because the session is gone, is not
told beside it. Ports with the same fault share a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from podwright.components.providers.nxos.read.blocks import port_ranges
from podwright.components.providers.nxos.read.echo import HEADERS, SMALL
from podwright.components.providers.nxos.read.interfaces import SMALL_ECHO, Interfaces, unjudged
from podwright.components.providers.protocol.kind import Values

_FEW = 3
"""Ports up to which a sentence says what each faces."""

_PROTOCOLS = {
    "bgp": ("BGP session", "Established", "show ip bgp neighbors {neighbor}"),
    "evpn": ("EVPN session", "Established", "show bgp l2vpn evpn neighbors {neighbor}"),
    "ospf": ("OSPF adjacency", "FULL", "show ip ospf neighbors"),
}
_POLICY = "`show policy-map system type network-qos`"


@dataclass(frozen=True)
class Finding:
    """One difference; `{port}` and `{neighbor}` in its words stand for all ports that have it."""

    what: str
    look: str


def sentences(switch: str, planned: Interfaces, seen: Interfaces) -> list[str]:
    """All that is wrong with a switch, in a fixed order; empty when it shows what it must."""
    dark = set(unjudged(planned, seen))
    ports: dict[Finding, list[str]] = {}
    for name, row in planned.items():
        for finding in () if name in dark else _findings(row, seen[name]):
            ports.setdefault(finding, []).append(name)
    return [_sentence(switch, finding, names, planned) for finding, names in ports.items()]


def _findings(want: Values, now: Values) -> Iterator[Finding]:
    if want.get("up") and not now["up"]:
        yield Finding("is down, planned up", "its cable, its transceiver and `show interface status` at both ends")
        return
    if "mtu" in want and want["mtu"] != now["mtu"]:
        yield Finding(f"has MTU {now['mtu']}, planned {want['mtu']}", "`mtu` of interface {port}")
    if "pfc" in want and want["pfc"] != now["pfc"]:
        what = f"PFC is operationally {_pause(now['pfc'])}, planned {_pause(want['pfc'])}"
        yield Finding(what, f"`priority-flow-control mode` of interface {{port}} and {_POLICY}")
    if "watchdog" in want and want["watchdog"] != now["watchdog"]:
        what = f"the PFC watchdog is {_armed(now['watchdog'])}, planned {_armed(want['watchdog'])}"
        yield Finding(what, "`priority-flow-control watch-dog-interval` of the switch and of interface {port}")
    if "session" in want:
        yield from _neighbor(want, now)


def _neighbor(want: Values, now: Values) -> Iterator[Finding]:
    vrf = "" if want["vrf"] == "default" else f" vrf {want['vrf']}"
    kind, state, command = _PROTOCOLS[want["protocol"]]
    if not now["session"]:
        yield Finding(f"the {kind} with {{neighbor}}{vrf} is not {state}", f"`{command}{vrf}` here and at the far end")
    elif "bfd" in want and not now["bfd"]:
        place = "OSPF process" if want["protocol"] == "ospf" else "BGP neighbor"
        look = f"`show bfd neighbors` and `bfd` of the {place} at both ends"
        yield Finding(f"the BFD session with {{neighbor}}{vrf} is not up", look)
    # A port whose own MTU is wrong has said so already.
    if want.get("answered") and not now["answered"] and want["mtu"] == now["mtu"]:
        size = int(want["probe"])
        least = f"one of {SMALL + HEADERS} does" if now[SMALL_ECHO] else "nor does a small one"
        yield Finding(
            f"a packet of {size} bytes to {{neighbor}}{vrf} does not come back, {least}",
            f"the MTU of the far end and `ping {{neighbor}}{vrf} packet-size {size - HEADERS} df-bit`",
        )


def _sentence(switch: str, finding: Finding, names: list[str], planned: Interfaces) -> str:
    if len(names) <= _FEW:
        where = ", ".join(f"{name} (to {planned[name]['faces']})" for name in names)
    else:
        where = port_ranges(names)
    text = f"{switch} {where}: {finding.what}; look at {finding.look}"
    if len(names) == 1:
        return text.replace("{port}", names[0]).replace("{neighbor}", planned[names[0]].get("neighbor", ""))
    commands = text.replace("neighbors {neighbor}", "neighbors").replace("ping {neighbor}", "ping …")
    return commands.replace("{port}", "each").replace("{neighbor}", "its neighbor")


def _pause(bitmap: int) -> str:
    if not bitmap:
        return "off"
    priorities = ", ".join(str(bit) for bit in range(8) if bitmap >> bit & 1)
    return f"on for priority {priorities} (bitmap {bitmap:x})"


def _armed(on: bool) -> str:
    return "armed" if on else "not armed"
