"""From what a switch holds to what it should hold: the fewest lines, in an order that never opens a lossy gap.

Within a block hier-config finds the lines; between blocks the order is ours. What others refer to is made
first and removed last: class-maps, then network-qos and queuing policies, then `system qos` (so that the no-drop
class exists before anything is classified into it or any port pauses for it), then classification, then ports, then
routing; removals run the other way round, after everything else, and what protected the old class goes only when
nothing is classified into it any more (lossless.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from podwright.components.providers.nxos.read.blocks import Block, flat
from podwright.components.providers.nxos.read.lossless import (
    QOS,
    QUEUING,
    classes,
    matches,
    no_drop,
    shrinking_first,
    staged,
)
from podwright.components.providers.nxos.read.spelling import (
    fixed,
    hidden_default,
    is_blank,
    is_interface,
    same,
    slot,
    tidy,
)
from podwright.components.providers.nxos.write.breakout import cleared_first, coming, leaving, without
from podwright.components.providers.nxos.write.renumbering import let_go
from podwright.components.providers.nxos.write.renumbering import without as freed

Config = Mapping[str, Block]
"""Tidy blocks by canonical top-level line."""


@dataclass(frozen=True)
class Section:
    """A top-level line to send and the lines below it, with `exit` where a nested mode ends."""

    header: str
    lines: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([self.header, *(f"  {line}" for line in self.lines)])


_RANKS: Final = tuple(
    (re.compile(pattern), rank)
    for rank, pattern in enumerate(
        (
            r"(no )?cli alias name podwrightowner\b",
            r"(no )?(hostname|feature|nv overlay|install)\b",
            r"(no )?(system (?!qos)|hardware|priority-flow-control|spanning-tree|lldp|lacp|bfd)\b",
            r"(no )?interface breakout\b",
            r"(no )?vlan\b",
            r"(no )?vrf context\b",
            r"(no )?ip (prefix-list|access-list|as-path|community-list)\b",
            r"(no )?route-map\b",
            r"(no )?class-map\b",
            r"no policy-map type qos\b",
            r"(no )?policy-map type (?!qos)",
            r"system qos$",
            r"policy-map type qos\b",
            r"vpc domain\b",
            r"(no )?interface loopback",
            r"(no )?interface Vlan",
            r"(no )?interface port-channel",
            r"(no |default )?interface ",
            r"(no )?router\b",
        )
    )
)
_LAST: Final = len(_RANKS)
_REPLACED_FIRST: Final = ("vpc domain ", "router bgp ", "class-map ")
"""Blocks of which a switch holds one: the old one must go before the new one can come."""
_DEFAULT_FIRST: Final = "system jumbomtu "
"""A limit whose default is the largest value: it returns before switched ports take that value."""
_EMPTIED: Final = ("system qos", "line ")
"""Blocks that always exist: their lines are taken away one by one."""
_ROUTED_LINE: Final = re.compile(r"(no )?(vrf member|ip|ipv6|bfd|hsrp|fabric forwarding)\b")
"""Lines that an interface loses with its VRF."""
_WITHOUT_VALUE: Final = ("banner ", "clock timezone ", "username ", "snmp-server user ")
"""Settings whose `no` form takes no value."""
_NEVER_REMOVED: Final = ("interface mgmt", "feature ssh", "vlan 1")
"""What the session itself stands on, and the VLAN that cannot be removed."""


def _rank(header: str, *, new: bool = False) -> int:
    if new and header.startswith(QOS):
        header = QUEUING  # nothing is classified by it yet, and `system qos` may be the first to refer to it
    return next((rank for pattern, rank in _RANKS if pattern.match(header)), _LAST)


def remediation(live: Config, want: Config, gone: Collection[str] = ()) -> tuple[Section, ...]:
    """The sections that turn `live` into `want` and take the blocks `gone` away; nothing when nothing differs."""
    slots = {slot(name): name for name in want}
    going, new = leaving(live, want, gone), coming(live, want)
    live = without(live, (*going, *new))
    first = [Section(f"no {line}") for line in going]
    early = cleared_first(gone, live, new)
    first += [section for name in early for section in removal(name, live[name])]
    released = [claim for claim in let_go(live, want, gone) if claim.section not in early]
    first += [Section(claim.section, (_negated(claim.line),)) for claim in released]
    live = freed(live, released)
    changes: list[Section] = []
    trims: list[Section] = []
    removals: list[Section] = []
    protected = staged(live, want)
    for name, block in want.items():
        existing = _holder(live, name)
        if existing is not None and name.startswith(_REPLACED_FIRST):
            first += removal(existing, live[existing])
        through = protected.get(name, block)
        changes += _change(name, live, through)
        if through != block:
            trims += _change(name, {**live, name: through}, block)
    for name in gone:
        if name in live and name not in (*want, *early) and slot(name) not in slots:
            where = first if name.startswith(_DEFAULT_FIRST) else removals
            where += removal(name, live[name])
    changes.sort(key=lambda section: _rank(section.header, new=section.header not in live))
    removals.sort(key=lambda section: -_rank(section.header))
    return (*first, *changes, *trims, *removals)


def _holder(live: Config, name: str) -> str | None:
    """The live block that stands where `name` should, under another name."""
    wanted = slot(name)
    return None if wanted == name else next((n for n in live if n != name and slot(n) == wanted), None)


def _change(name: str, live: Config, block: Block) -> list[Section]:
    missing = name not in live and not fixed(name)
    now = live[name] if name in live else tidy(name, ())
    if same(name, now, block) or (fixed(name) and name not in live and is_blank(name, block)):
        return [Section(name)] if missing and not hidden_default(name) else []
    if missing and not is_interface(name):
        now = ()
    if fixed(name) and name in live and not is_blank(name, now) and _routed(now) != _routed(block):
        # Lines of the other layer are refused once the port has turned; the port is out of service meanwhile anyway.
        return [Section(f"default {name}"), *_change(name, {}, block)]
    return [Section(name, _with_admin_state(name, _below(name, now, block, live), block))]


def _below(name: str, now: Block, block: Block, live: Config) -> tuple[str, ...]:
    if name.startswith(QOS):
        return tuple(classes(now, block, no_drop(live), lambda have, need: _lines(name, have, need)))
    if name.startswith("class-map type qos "):
        return matches(now, block)
    if name.startswith("interface ") and _vrf(now) != _vrf(block) and _switched(now) != now:
        # Joining or leaving a VRF takes every routed line of the interface away: they are entered again behind it.
        join = _vrf(block) or f"no {_vrf(now)}"
        return (join, *_lines(name, _switched(now), tuple(line for line in block if line.text != join)))
    lines = _lines(name, now, block)
    return shrinking_first(now, block, lines) if name.startswith(QUEUING) else lines


def _vrf(block: Block) -> str:
    """The line by which an interface is in a VRF; empty in the default one."""
    return next((line.text for line in block if line.text.startswith("vrf member ")), "")


def _switched(block: Block) -> Block:
    """What is left of an interface after it changed its VRF."""
    return tuple(line for line in block if not _ROUTED_LINE.match(line.text))


def _routed(block: Block) -> bool:
    return any(line.text == "no switchport" for line in block)


def _lines(name: str, now: Block, block: Block) -> tuple[str, ...]:
    """The lines below `name` that turn `now` into `block`, by hier-config."""
    from hier_config import WorkflowRemediation, get_hconfig  # noqa: PLC0415 - a preview, which types no line, starts sooner

    from podwright.components.providers.nxos.write.rules import driver  # noqa: PLC0415 - it loads the library too

    running, wanted = (get_hconfig(driver(), "\n".join([name, *flat(b, 1)])) for b in (now, block))
    found: list[str] = []
    for top in WorkflowRemediation(running, wanted).remediation_config.children:
        _flatten(top, found)
    return tuple(found)


def _flatten(parent: Any, into: list[str]) -> None:
    for child in sorted(parent.children):
        into.append(child.text)
        if child.children:
            _flatten(child, into)
            into.append("exit")


def _with_admin_state(name: str, lines: tuple[str, ...], block: Block) -> tuple[str, ...]:
    """A port that turns routed or switched may change its admin state with it, so the state is always said."""
    if not name.startswith("interface ") or not {"switchport", "no switchport"} & set(lines):
        return lines
    state = next(line.text for line in block if line.text in {"shutdown", "no shutdown"})
    return lines if state in lines else (*lines, state)


def removal(name: str, block: Block) -> list[Section]:
    """What takes a whole block away; an interface of the chassis goes back to its default."""
    if name.startswith(_NEVER_REMOVED) and (name == "vlan 1" or not name.startswith("vlan")):
        return []
    if name.startswith(_EMPTIED):
        return [Section(name, tuple(_negated(line.text) for line in block))] if block else []
    if fixed(name):
        return [] if is_blank(name, block) else [Section(f"default {name}")]
    return [Section(_negated(slot(name) if name.startswith(_WITHOUT_VALUE) else name))]


def _negated(line: str) -> str:
    return line.removeprefix("no ") if line.startswith("no ") else f"no {line}"
