"""Mechanical mutants of a switch's text: each routing, overlay, vPC, bundle and address token changed or gone."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Final

_BLOCKS: Final = re.compile(
    r"router |vrf context (?!management)|vpc domain|interface (nve|port-channel|Vlan|loopback)|vlan \d|route-map "
)
"""Blocks of which every line is meant, descriptions and names aside."""
_LINES: Final = re.compile(
    r"(no )?(ip address|ip route |ip router|ip ospf|ip pim|ip forward|ip prefix-list|ipv6 address use|channel-group"
    r"|switchport( mode| access| trunk|$)|vrf member|vpc |feature (bgp|ospf|pim|bfd|hsrp|lacp|vpc|interface-vlan|nv"
    r"|vn-segment)|nv overlay|fabric forwarding|(no )?shutdown$|bfd |route-map )"
)
"""Lines that are meant wherever they stand."""
_OTHERS: Final = re.compile(
    r"description |name |mtu |service-policy|priority-flow-control|storm-control|log-|spanning-tree|.*\bredirects$"
    r"|ipv6 (?!address use)|address-family ipv6|timers|delay restore|(ip arp|ipv6 nd) synchronize|.*interface mgmt0"
)
"""Lines about something else: classes, storms, logging, waiting times, IPv6."""
_TOKEN: Final = re.compile(
    r"(?<![\w.-])\d+(?:\.\d+){3}(?:/\d+)?(?![\w.])|(?<![\w./])\d+(?![\w.])|(?<=[a-z])\d+$|[A-Za-z][\w-]*"
)
_SWAPPED: Final = {
    "active": ("on", "passive"), "trunk": ("access",), "access": ("trunk",), "permit": ("deny",), "deny": ("permit",),
    "point-to-point": ("broadcast",), "l2vpn": ("ipv4",), "both": ("import", "export"), "direct": ("static",),
    "bgp": ("static",), "associate-vrf": ("",), "extended": ("",), "evpn": ("",), "secondary": ("",), "L2": ("L3",),
}  # fmt: skip
"""Words for which another one is valid in the same place."""
_NAMED: Final = re.compile(r"(?:prefix-list|route-map|router ospf|vrf member|vrf context|vrf|ip router ospf) $")
"""What stands before a name that somebody chose."""


@dataclass(frozen=True)
class Mutant:
    """One text with one token changed or one line, with what stands below it, gone."""

    text: str
    what: str
    kind: str
    """`number`, `address`, `word`, `name` or `line`."""


def mutants(text: str, chance: random.Random) -> Iterator[Mutant]:
    """Every mutant of one line of each shape: of lines that look alike, any one."""
    lines = text.splitlines()
    alike: dict[str, list[int]] = {}
    for at in range(len(lines)):
        if _meant(lines, at):
            alike.setdefault(_shape(lines, at), []).append(at)
    for places in alike.values():
        at = chance.choice(places)
        block = lines[_heading(lines, at)]
        gone = [*lines[:at], *lines[_end(lines, at) :]]
        yield Mutant(_joined(gone), f"[{block}] drop: {lines[at].strip()}", "line")
        for kind, line in _changed(lines[at]):
            edited = [*lines[:at], line, *lines[at + 1 :]]
            yield Mutant(_joined(edited), f"[{block}] {lines[at].strip()} -> {line.strip()}", kind)


def _meant(lines: Sequence[str], at: int) -> bool:
    bare, heading = lines[at].strip(), lines[_heading(lines, at)]
    if not bare or _OTHERS.match(bare) or heading.startswith(("interface mgmt", "vrf context management")):
        return False
    if _OF_A_HOST.match(bare) and heading.startswith("interface Ethernet") and not _bundled_or_routed(lines, at):
        return False
    if re.match(r"vlan \d+,", bare):
        return False  # which VLANs there are
    if heading.startswith("route-map") or lines[at] != heading:
        return bool(_BLOCKS.match(heading) or _LINES.match(bare))
    return bool(_BLOCKS.match(bare) or _LINES.match(bare))


_OF_A_HOST = re.compile(r"switchport|(no )?shutdown")
"""Lines by which a single port without an address differs: whom it carries, and whether."""


def _bundled_or_routed(lines: Sequence[str], at: int) -> bool:
    start = _heading(lines, at)
    block = " ".join(lines[start : _end(lines, start)])
    return any(word in block for word in ("channel-group", "ip address", "ipv6 address", "no switchport"))


def _changed(line: str) -> Iterator[tuple[str, str]]:
    """Kind and line of each change of each token."""
    for found in _TOKEN.finditer(line):
        for kind, other in _others(line, found):
            yield kind, re.sub(r"(?<=\S) {2,}", " ", f"{line[: found.start()]}{other}{line[found.end() :]}").rstrip()


def _others(line: str, found: re.Match[str]) -> Iterator[tuple[str, str]]:
    token = found[0]
    if "." in token:
        address, slash, length = token.partition("/")
        for step in (-1, 1, 256):
            yield "address", f"{IPv4Address((int(IPv4Address(address)) + step) % 2**32)}{slash}{length}"
        for step in (-1, 1) if slash else ():
            if 0 <= int(length) + step <= 32:
                yield "address", f"{address}/{int(length) + step}"
    elif token.isdigit():
        yield from (("number", str(int(token) + step)) for step in (-1, 1) if int(token) + step >= 0)
    elif _NAMED.search(line[: found.start()]):
        yield "name", f"{token}X"
    else:
        yield from (("word", other) for other in _SWAPPED.get(token, ()))


def _shape(lines: Sequence[str], at: int) -> str:
    """A line and its block without numbers; of blocks that look alike with all their lines."""
    start = _heading(lines, at)
    block = [each for each in lines[start : _end(lines, start)] if not each.strip().startswith("description")]
    known = " ".join(re.sub(r"[\d./]+", "#", each.strip()) for each in block) if lines[start].startswith("int") else ""
    above = " ".join(re.sub(r"[\d./]+", "#", lines[each].strip()) for each in _above(lines, at))
    return f"{known}|{above}|{re.sub(r'[0-9./,-]+', '#', lines[at].strip())}"


def _above(lines: Sequence[str], at: int) -> Iterator[int]:
    indent = _indent(lines[at])
    for back in range(at - 1, -1, -1):
        if _indent(lines[back]) < indent:
            yield back
            indent = _indent(lines[back])
        if not indent:
            return


def _heading(lines: Sequence[str], at: int) -> int:
    while lines[at].startswith(" "):
        at -= 1
    return at


def _end(lines: Sequence[str], at: int) -> int:
    """Number of the first line behind what stands below a line."""
    indent = _indent(lines[at])
    return next((end for end in range(at + 1, len(lines)) if _indent(lines[end]) <= indent), len(lines))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"
