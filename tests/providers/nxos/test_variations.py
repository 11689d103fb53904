"""A device shows what we wrote in its own way: none of its ways is drift, and every digit is."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components.providers.nxos.read.blocks import Block, Line, flat, parse
from podwright.components.providers.nxos.read.spelling import tidy_config
from podwright.components.providers.nxos.texts import digest_of
from podwright.components.providers.nxos.write.remediation import remediation
from tools import goldens

TEXTS = {
    f"{example}/{hostname}": text
    for example in goldens.examples()
    for hostname, text in sorted(goldens.texts(example).items())
}
SHORT = {"Ethernet": ("ethernet", "Eth", "eth"), "port-channel": ("Port-channel", "po", "Po"),
         "loopback": ("Loopback", "lo"), "Vlan": ("vlan", "VLAN"), "mgmt": ("mgmt",),
         "nve": ("Nve", "NVE")}  # fmt: skip
NAMED = {"26": "af31", "48": "cs6", "24": "cs3", "46": "ef"}
SHOWN = {
    # Interfaces, layer 2, QoS and unicast routing configuration guides: defaults, and what takes their place.
    "interface Ethernet": (
        ("speed auto", "speed"), ("duplex auto", "duplex"), ("fec auto", "fec"), ("mtu 1500", "mtu"),
        ("cdp enable", "no cdp"), ("lldp transmit", "no lldp"), ("lldp receive", "no lldp"),
        ("priority-flow-control mode auto", "priority-flow-control mode"),
        ("priority-flow-control watch-dog-interval off", "priority-flow-control watch-dog-interval"),
        ("switchport", "no switchport"), ("switchport mode access", "(no switchport|switchport mode)"),
        ("spanning-tree port type normal", "(no switchport|spanning-tree port type)"),
    ),
    "interface Vlan": (("ip redirects", "no ip redirects"), ("mtu 1500", "mtu"), ("no ip forward", "ip forward")),
    "interface port-channel": (("lacp suspend-individual", "no lacp suspend-individual"), ("mtu 1500", "mtu")),
    "router bgp": (("timers bgp 60 180", "timers bgp"), ("graceful-restart", "no graceful-restart")),
    "vpc domain": (("role priority 32667", "role priority"), ("delay restore orphan-port 0", "delay restore orphan")),
    "vlan": (("state active", "state"), ("no shutdown", "shutdown")),
}  # fmt: skip
HIDDEN = "lldp timer 30\nspanning-tree mode rapid-pvst\nlacp system-priority 32768\n"


def varied(draw: Any, text: str) -> str:
    """The text as some release, some hand or some day shows it."""
    blocks = draw(st.permutations(list(parse(text).items())))
    lines = ["", "!Command: show running-config", "!Time: now", "version 10.4(5) Bios:version 01.14"]
    for name, block in blocks:
        for line in (_header(draw, name), *flat(_shuffled(draw, name, (*block, *_shown(draw, name, block))), 1)):
            depth = len(line) - len(line.lstrip())
            lines.append(" " * depth + _spelled(draw, line.strip()) + draw(st.sampled_from(("", "", " "))))
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from(("", "!"))))
    return "\n".join(lines)


def _header(draw: Any, name: str) -> str:
    found = re.match(r"^interface ([A-Za-z-]+)(\d.*)$", name)
    if found is None:
        return name
    kind = draw(st.sampled_from((found[1], *SHORT[found[1]])))
    return f"interface {kind}{draw(st.sampled_from(('', ' ')))}{found[2]}"


def _shown(draw: Any, name: str, block: Block) -> Block:
    """Defaults of this block that nothing in it contradicts."""
    rows = next((rows for start, rows in SHOWN.items() if name.startswith(start)), ())
    free = [line for line, taken in rows if not any(re.match(rf"{taken}\b", below.text) for below in block)]
    return tuple(map(Line, draw(st.lists(st.sampled_from(free), unique=True)) if free else ()))


def _shuffled(draw: Any, name: str, block: Block) -> Block:
    below = [Line(line.text, _shuffled(draw, "", line.children)) for line in block]
    return tuple(below if name.startswith("policy-map type qos ") else draw(st.permutations(below)))


def _spelled(draw: Any, text: str) -> str:
    if found := re.match(r"^match dscp (\d+)$", text):
        return f"match dscp {draw(st.sampled_from((found[1], NAMED.get(found[1], found[1]))))}"
    if found := re.match(r"^(switchport trunk allowed vlan) ([\d,]+)$", text):
        return f"{found[1]} {','.join(draw(st.permutations(found[2].split(','))))}"
    if text.startswith("description "):
        return text
    blank: str = draw(st.sampled_from(("  ", " ", " ")))
    return blank.join(text.split(" "))


@settings(max_examples=60, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(TEXTS)))
def test_no_way_of_showing_it_is_drift(data: st.DataObject, name: str) -> None:
    want = tidy_config(parse(TEXTS[name]))
    live = tidy_config(parse(varied(data.draw, TEXTS[name])))
    assert [str(section) for section in remediation(live, want)] == []
    assert [str(section) for section in remediation(want, live)] == []
    assert digest_of(live) == digest_of(want)
    said_too = want | tidy_config(parse(HIDDEN))
    assert remediation(live, said_too) == ()


@settings(max_examples=150, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(TEXTS)))
def test_one_changed_digit_shows(data: st.DataObject, name: str) -> None:
    text = TEXTS[name]
    place = data.draw(st.sampled_from([found.start() for found in re.finditer(r"\d", text)]))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != text[place]]))
    want, live = tidy_config(parse(text)), tidy_config(parse(text[:place] + other + text[place + 1 :]))
    line = text[: text.index("\n", place)].rpartition("\n")[2]
    assert remediation(live, want, tuple(live)), f"{line}: {text[place]} became {other}"
    assert digest_of(live) != digest_of(want), line


@settings(max_examples=60, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(n for n, text in TEXTS.items() if "policy-map type qos " in text)))
def test_another_order_of_classes_shows(data: st.DataObject, name: str) -> None:
    want = tidy_config(parse(TEXTS[name]))
    policy = next(line for line in want if line.startswith("policy-map type qos "))
    order = data.draw(st.permutations(want[policy]).filter(lambda lines: tuple(lines) != want[policy]))
    live = {**want, policy: tuple(order)}
    assert [section.header for section in remediation(live, want)] == [policy]
    assert digest_of(live) != digest_of(want)
