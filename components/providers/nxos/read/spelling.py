"""One spelling for every line, so that what the device shows and what the design says can be compared.

A device abbreviates, expands, reorders lists and hides defaults. `canonical` undoes all of that, and
nothing else: a changed digit stays a change. Defaults are those of the Nexus 9000 configuration guides
named in the tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block, Line, configured_lines, listed, members

_KINDS: Final = {
    "ethernet": "Ethernet",
    "eth": "Ethernet",
    "port-channel": "port-channel",
    "po": "port-channel",
    "loopback": "loopback",
    "lo": "loopback",
    "vlan": "Vlan",
    "mgmt": "mgmt",
    "nve": "nve",
}
_NAME: Final = r"(ethernet|eth|port-channel|po|loopback|lo|vlan|mgmt|nve)"
_PORT: Final = re.compile(
    r"\b(?P<before>neighbor|interface|update-source|source-interface|echo-interface|source) "
    rf"(?P<kind>{_NAME[1:-1]})\s?(?P<number>\d+(?:/\d+){{0,2}}(?:\.\d+)?)(?= |$)",
    re.IGNORECASE,
)
"""An interface name is one only behind these words; a policy may well be called po10."""
_HEADER: Final = re.compile(rf"^interface\s+{_NAME}\s*(\d+(?:/\d+){{0,2}}(?:\.\d+)?)$", re.IGNORECASE)
_FREE_TEXT: Final = re.compile(r"^(no )?(description|name|cli alias|banner|snmp-server (contact|location))\b")
_LISTS: Final = re.compile(r"^((?:no )?(?:match (?:dscp|cos|precedence|vlan)|switchport trunk allowed vlan)) (\S+)$")
_DSCP: Final = {
    "default": 0, "cs1": 8, "af11": 10, "af12": 12, "af13": 14, "cs2": 16, "af21": 18, "af22": 20, "af23": 22,
    "cs3": 24, "af31": 26, "af32": 28, "af33": 30, "cs4": 32, "af41": 34, "af42": 36, "af43": 38, "cs5": 40,
    "ef": 46, "cs6": 48, "cs7": 56,
}  # fmt: skip
"""Names of DSCP values (RFC 2474, 2597, 3246); the device shows either."""

_PORT_DEFAULTS: Final = frozenset(
    {
        # Interfaces configuration guide, 10.x: "Default settings"
        "switchport mode access", "switchport access vlan 1", "switchport trunk native vlan 1",
        "switchport trunk allowed vlan 1-4094", "speed auto", "duplex auto", "fec auto", "mtu 1500", "no description",
        "negotiate auto", "lacp rate normal", "lacp suspend-individual", "lacp port-priority 32768",
        "spanning-tree port type normal", "no ip forward", "autostate", "cdp enable",
        "lldp transmit", "lldp receive", "flowcontrol receive off", "flowcontrol send off",
        # QoS configuration guide, 10.x: "Configuring priority flow control"
        "priority-flow-control mode auto", "priority-flow-control watch-dog-interval off",
        # Unicast routing configuration guide, 10.x
        "ip redirects", "ipv6 redirects", "bfd echo",
    }
)  # fmt: skip
_BLOCK_DEFAULTS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    ("policy-map type network-qos", frozenset({"mtu 1500"})),
    (
        "system qos",
        frozenset(
            {
                "service-policy type network-qos default-nq-8q-policy",
                "service-policy type queuing output default-8q-out-policy",
            }
        ),
    ),
    (
        "router bgp",
        frozenset(
            {
                "timers bgp 60 180", "graceful-restart", "maximum-paths 1", "maximum-paths ibgp 1",
                "reconnect-interval 60", "no shutdown", "timers 60 180",
            }
        ),
    ),
    ("router ospf", frozenset({"maximum-paths 8", "no shutdown"})),
    (
        "vpc domain",
        frozenset(
            {
                "role priority 32667", "system-priority 32667", "delay restore 30",
                "delay restore interface-vlan 10", "delay restore orphan-port 0",
            }
        ),
    ),
    ("vlan", frozenset({"no shutdown", "state active"})),
)  # fmt: skip
_TOP_DEFAULTS: Final = frozenset(
    {
        "priority-flow-control watch-dog-interval off", "system jumbomtu 9216", "spanning-tree mode rapid-pvst",
        "lldp timer 30", "lldp holdtime 120", "lacp system-priority 32768", "no ip domain-lookup",
        "bfd interval 50 min_rx 50 multiplier 3", "logging timestamp seconds", "logging monitor 5",
    }
)  # fmt: skip
_ORDERED: Final = ("policy-map type qos ",)
"""Blocks in which the order of the lines is the meaning: the first class that matches takes the packet."""


def header(text: str) -> str:
    """The canonical spelling of a top-level line."""
    text = " ".join(text.split())
    if found := _HEADER.match(text):
        return f"interface {_KINDS[found[1].lower()]}{found[2]}"
    if found := re.match(r"^class-map type qos (?!match-)(\S+)$", text):
        return f"class-map type qos match-all {found[1]}"  # QoS guide: match-all when nothing is said
    return _spelled(text)


def _spelled(text: str) -> str:
    text = " ".join(text.split())
    if _FREE_TEXT.match(text):
        return text
    if found := _LISTS.match(text):
        return f"{found[1]} {_list(found[2])}"
    return _PORT.sub(lambda m: f"{m['before']} {_KINDS[m['kind'].lower()]}{m['number']}", text)


def _list(text: str) -> str:
    parts = [str(_DSCP.get(part.lower(), part)) for part in text.split(",")]
    if all(re.fullmatch(r"\d+(-\d+)?", part) for part in parts):
        return listed(members(",".join(parts)))
    return text


def spread(text: str) -> tuple[str, ...]:
    """A line that lists numbers as one line for each: half of a list that changes is no third value."""
    found = _LISTS.match(text)
    if found is None or not re.fullmatch(r"[\d,-]+", found[2]):
        return (text,)
    return tuple(f"{found[1]} {number}" for number in members(found[2]))


def is_list(text: str) -> bool:
    """True for a line whose values stand side by side, so that one more takes nothing away."""
    return bool(_LISTS.match(text))


def gathered(texts: Iterable[str]) -> tuple[str, ...]:
    """The opposite, in the order in which each list begins."""
    lists: dict[str, list[int]] = {}
    for text in texts:
        found = _LISTS.match(text)
        number = int(found[2]) if found and found[2].isdigit() else None
        lists.setdefault(found[1] if found and number is not None else text, []).extend(
            [] if number is None else [number]
        )
    return tuple(f"{head} {listed(numbers)}" if numbers else head for head, numbers in lists.items())


def canonical(name: str, block: Block) -> Block:
    """`tidy` in one order, so that equal blocks are equal; where order is the meaning it is kept."""
    lines = tidy(name, block)
    return lines if name.startswith(_ORDERED) else _sorted(lines)


def tidy(name: str, block: Block) -> Block:
    """The block under canonical top-level line `name` in canonical spelling, without defaults, in its own order.

    The admin state of an interface is always said, because its default depends on the kind of interface; that of a port
    of the chassis, and the layer of ports and port-channels, depends on the device too (ports.py).
    """
    lines = _tidy(block, _defaults(name))
    if is_interface(name) and any(line.text.startswith("channel-group ") for line in lines):
        # A bundle's storm control, repeated: it has none of its own (security guide: such a member is suspended).
        lines = tuple(line for line in lines if not line.text.startswith("storm-control "))
    default = _admin_default(name)
    if default:
        stated = {line.text for line in lines} & {"shutdown", "no shutdown"}
        lines = tuple(line for line in lines if line.text not in {"shutdown", "no shutdown"})
        state = stated.pop() if len(stated) == 1 else default
        lines = (*lines, Line(state, implied=state == default))
    return lines


def is_interface(name: str) -> bool:
    """True for a canonical top-level line that names one interface."""
    return bool(_HEADER.match(name))


def ordered(name: str) -> bool:
    """True for blocks in which the order of the lines is the meaning."""
    return name.startswith(_ORDERED)


def _tidy(block: Block, defaults: frozenset[str]) -> Block:
    lines: dict[str, Line] = {}
    for line in block:
        text = _spelled(line.text)
        children = _tidy(line.children, defaults)
        if text not in defaults:
            already = lines[text].children if text in lines else ()
            lines[text] = Line(text, tuple(dict.fromkeys((*already, *children))), line.implied)
    return tuple(lines.values())


def _sorted(block: Block) -> Block:
    lines = (Line(line.text, _sorted(line.children), line.implied) for line in block)
    return tuple(sorted(lines, key=lambda line: line.text))


def _defaults(name: str) -> frozenset[str]:
    if is_interface(name):
        return _PORT_DEFAULTS
    return next((lines for start, lines in _BLOCK_DEFAULTS if name.startswith(start)), frozenset())


def _admin_default(name: str) -> str:
    """What an interface is when nothing is said: SVIs, NVEs and sub-interfaces are down, others up.

    Empty for ports of the chassis, of which only the device knows, and for what is no interface.
    """
    if not is_interface(name) or (name.startswith("interface Ethernet") and "." not in name):
        return ""
    return "shutdown" if name.startswith(("interface Vlan", "interface nve")) or "." in name else "no shutdown"


def hidden_default(name: str) -> bool:
    """True for a top-level line that the device leaves out because it says the default."""
    return name in _TOP_DEFAULTS


def is_blank(name: str, block: Block) -> bool:
    """True when a live block holds nothing that anyone has set: an interface in its default state, `system qos`, the
    lines of terminals."""
    if name == "system qos" or name.startswith("line "):
        return not block
    return is_interface(name) and not configured_lines(tidy(name, block))


def fixed(name: str) -> bool:
    """True for interfaces of the chassis, which are set to default and never removed."""
    return bool(re.match(r"^interface (Ethernet\d+(/\d+)+$|mgmt)", name))


_SLOTS: Final = re.compile(
    r"^(?:no )?(hostname|ip domain-name|banner motd|clock timezone|copp profile|spanning-tree mode|system jumbomtu"
    r"|system default switchport shutdown|system default switchport"
    r"|priority-flow-control (?:watch-dog-interval|watch-dog interval|watch-dog shutdown-multiplier"
    r"|auto-restore multiplier|fixed-restore multiplier)|hardware access-list tcam region \S+"
    r"|hardware qos ns-buffer-profile|lldp (?:timer|holdtime)|lacp system-priority|bfd interval|bfd echo-interface"
    r"|ntp source-interface|logging (?:source-interface|timestamp|monitor|console)|snmp-server (?:contact|location)"
    r"|username \S+(?= (?:password|role) )|snmp-server user \S+(?= (?:\S+ )?auth )"
    r"|interface breakout module \d+ port \d+|spanning-tree vlan \d+ priority"
    r"|ip prefix-list \S+ seq \d+|cli alias name \S+|vpc domain|router bgp|class-map type qos match-(?:any|all)"
    r"(?= \S+$))\b"
)


def slot(name: str) -> str:
    """What of the switch a top-level line sets: two lines of one slot cannot stand side by side."""
    if name.startswith("class-map type qos match-"):
        return "class-map type qos " + name.rsplit(maxsplit=1)[-1]
    found = _SLOTS.match(name)
    if found:
        return found[1]
    return re.sub(r"^(route-map \S+) (?:permit|deny) (\d+)$", r"\1 \2", name)


def tidy_config(config: Mapping[str, Block]) -> dict[str, Block]:
    """Every block under its canonical name, tidy."""
    return {header(name): tidy(header(name), block) for name, block in config.items()}


def same(name: str, first: Block, second: Block) -> bool:
    """True when two tidy blocks mean the same to the device."""
    return first == second or (not ordered(name) and _sorted(first) == _sorted(second))
