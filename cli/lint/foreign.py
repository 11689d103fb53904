"""What is not ours to check: other operating systems, and sections that another controller writes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from podwright.policies.rules.nexus.lines import Line

_NXOS: Final = re.compile(
    r"^(!Command: show (running|startup)-config|!RANCID-CONTENT-TYPE: cisco-nx|version \d+\.\d+\(\w+\)"
    r"|(no )?feature [a-z-]+|vdc \S+ id \d|vpc domain \d|vrf context \S|copp profile |boot nxos |install feature-set "
    r"|interface (ethernet|eth|e) ?\d+/\d|interface mgmt ?0|(policy|class)-map type (qos|network-qos|queuing)"
    r"|priority-flow-control |system qos$|nv overlay evpn|switchname )",
    re.IGNORECASE,
)
"""Lines that only NX-OS has."""
_OTHERS: Final = (
    (
        "Cisco IOS or IOS-XE",
        re.compile(
            r"^(interface (Gigabit|TenGigabit|TwentyFiveGig|FortyGigabit|HundredGig|FastEthernet)|service timestamps "
            r"|boot-start-marker|ip cef|line vty 0 \d+$|version 1[2567]\.\d+$|license udi pid |platform punt-)",
            re.IGNORECASE,
        ),
    ),
    ("Cisco IOS-XR", re.compile(r"^(!! IOS XR|interface (MgmtEth|Bundle-Ether|HundredGigE)\S|route-policy \S+$)")),
    (
        "Arista EOS",
        re.compile(r"^(transceiver qsfp default-mode|management api http-commands|daemon TerminAttr)"),
    ),
    ("Juniper Junos", re.compile(r"^(set (system|interfaces|protocols) \S|(system|interfaces|protocols) \{$)")),
    ("SONiC or Cumulus", re.compile(r'^(nv set \S|auto swp\d|\s*"(PORT_QOS_MAP|DEVICE_METADATA)")')),
    (
        "Cisco ACI (APIC)",
        re.compile(
            r"^\s*(vlan-domain member \S|tenant \S+$|leaf-interface-profile |leaf-profile |fabric-internal$"
            r"|apic\d*[#>]|leaf \d{3,4}(-\d+)?$|external-l3 epg )"
        ),
    ),
)
_DECLARED: Final = re.compile(r"^!\s*(?:RANCID-CONTENT-TYPE: (?!cisco-nx)(\S+)|device: .*\b(EOS)-\d)")
"""A line by which a file says what it is, whatever else its lines look like."""
_NAMES: Final = {
    "arista": "Arista EOS",
    "EOS": "Arista EOS",
    "cisco": "Cisco IOS or IOS-XE",
    "cisco-xr": "Cisco IOS-XR",
}
_ENOUGH: Final = 2


def recognised(lines: Sequence[str]) -> str:
    """Empty for an NX-OS configuration, else what the file is, as the end of a sentence with its line."""
    for number, line in enumerate(lines, 1):
        if declared := _DECLARED.match(line):
            name = declared[1] or declared[2]
            return (
                f"is {_an(_NAMES.get(name, name))} configuration (line {number}: {line.strip()[:60]}); lint reads NX-OS"
            )
    nexus = sum(bool(_NXOS.match(line)) for line in lines)
    best, most, at = "", 0, 0
    for name, pattern in _OTHERS:
        hits = [number for number, line in enumerate(lines, 1) if pattern.match(line)]
        if len(hits) > most:
            best, most, at = name, len(hits), hits[0]
    if most > nexus:
        return f"is {_an(best)} configuration (line {at}: {lines[at - 1].strip()[:60]}); lint reads NX-OS"
    return "" if nexus else "holds no NX-OS configuration"


def _an(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"


@dataclass(frozen=True)
class Owned:
    """A part of a configuration that another controller writes; `first` to `last` line of the file."""

    controller: str
    first: int
    last: int
    sign: Line


_NDFC: Final = "Nexus Dashboard Fabric Controller"
_BLOCKS: Final = (
    (re.compile(r"^configure profile \S"), _NDFC),
    (re.compile(r"^(apply|refresh) profile \S"), _NDFC),
    (re.compile(r"^route-map fabric-rmap-redist\b", re.IGNORECASE), _NDFC),
    (re.compile(r"^route-map extcon-rmap-filter", re.IGNORECASE), _NDFC),
    (re.compile(r"^(vmtracker|vmm) "), "a virtual machine manager"),
)
"""Blocks that a controller writes whole."""
_TOOLS: Final = (("ansible", "Ansible"), ("terraform", "Terraform"), ("nso", "Cisco NSO"), ("puppet", "Puppet"))
"""Tools by the word that people write into descriptions, banners and comments."""
_MARKS: Final = (
    (re.compile(r"\b(NDFC|DCNM)\b|nexus dashboard", re.IGNORECASE), _NDFC),
    (re.compile(r"^description connected-to-\S+-(Ethernet|port-channel)\d"), _NDFC),
    (re.compile(r"\b(apic|aci)[- ]managed\b", re.IGNORECASE), "an APIC"),
    *(
        (re.compile(rf"\b({word})[- ]managed\b|\bmanaged (by|with) {word}\b", re.IGNORECASE), name)
        for word, name in _TOOLS
    ),
)
"""Words that a controller leaves in the descriptions and names of what it writes."""


_NAMED = (("description",), ("name",))
_NAMING = ("d", "D", "n", "N")
"""How the two may begin, shortened or not: asked before a line is written out."""


def owned(tree: Sequence[Line]) -> tuple[Owned, ...]:
    """Parts that another controller writes."""
    return tuple(each for block in tree for each in _owned(block))


def _owned(block: Line) -> Iterator[Owned]:
    last = max(line.number for line in block.walk())
    for pattern, controller in _BLOCKS:
        if pattern.match(block.text):
            yield Owned(controller, block.number, last, block)
            return
    for line in block.walk():
        for pattern, controller in _MARKS if line.text.startswith(_NAMING) and line.words[:1] in _NAMED else ():
            if pattern.search(line.text):
                yield Owned(controller, block.number, last, line)
                return


def declared(source: Sequence[str]) -> Iterator[str]:
    """What comments and banners of a file say of the tool that writes all of it, once for each tool."""
    said: dict[str, int] = {}
    for number, line in enumerate(source, 1):
        if line.lstrip().startswith(("!", "#", "banner ")):
            for pattern, controller in _MARKS:
                if pattern.search(line):
                    said.setdefault(controller, number)
    yield from (f"line {number} says that {name} writes this switch; change it there" for name, number in said.items())


def managed(parts: Sequence[Owned]) -> str:
    """The controller that writes the switch as a whole, to go by its marks; empty where it only owns sections."""
    names = [part.controller for part in parts]
    return next((name for name in dict.fromkeys(names) if names.count(name) >= _ENOUGH and name == _NDFC), "")
