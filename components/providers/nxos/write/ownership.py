"""Whose a block is: the mark on the switch, what may be claimed, and what was there before us.

The mark is one inert line of the running configuration, ``cli alias name podwrightowner podwright <project>/<stack>
<digest> <preexisting> <name>``. An alias changes nothing, needs no feature, shows in every backup, and no other tool
rewrites it (banner, SNMP location and descriptions are all somebody's). It is the first line a push writes and the last
one a delete removes, so a killed run finds its own half-written blocks again. `digest` covers the names of the owned
blocks; `preexisting` lists, by index in their sorted order, those that stood there before us and are given back when we
go; `name` is the switch's in the stack, by which a switch that was renamed is known again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block, configured_lines, listed, members, render
from podwright.components.providers.nxos.read.spelling import (
    fixed,
    hidden_default,
    is_blank,
    is_interface,
    same,
    slot,
    spread,
    tidy,
)
from podwright.components.providers.nxos.write.breakout import configured
from podwright.components.providers.nxos.write.remediation import Config

ALIAS: Final = "podwrightowner"
_START: Final = f"cli alias name {ALIAS} "


@dataclass(frozen=True)
class Mark:
    """The mark as it stands on a switch; `line` is empty when there is none."""

    line: str = ""
    identity: str = ""
    digest: str = ""
    preexisting: str = "-"
    name: str = ""
    """Empty in the marks of releases that did not write it."""

    def covers(self, identity: str, names: Collection[str]) -> bool:
        """True when this stack wrote the mark for exactly these blocks."""
        return self.identity == identity and self.digest == digest_of(names)

    def passed_on(self, before: str | None, identity: str) -> Mark:
        """The mark as if `identity` had written it, where `before` did: the state of the switch moved between them."""
        return replace(self, identity=identity) if before and self.identity == before else self

    def preexisting_of(self, names: Collection[str]) -> set[str]:
        """The blocks among `names`, the ones the mark was written for, that stood there before us."""
        if self.preexisting == "-":
            return set()
        known = sorted(names)
        return {known[index] for index in members(self.preexisting) if index < len(known)}


def is_identity(value: object) -> bool:
    """True for what a mark names its owner by: project/stack."""
    return isinstance(value, str) and re.fullmatch(r"[^\s/]+/[^\s/]+", value) is not None


def digest_of(names: Iterable[str]) -> str:
    """Twelve hex digits that name a set of blocks."""
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:12]


def mark_line(identity: str, names: Collection[str], preexisting: Collection[str], switch: str) -> str:
    """The line to write for these blocks on the switch of this name."""
    indexes = [index for index, name in enumerate(sorted(names)) if name in preexisting]
    return f"{_START}podwright {identity} {digest_of(names)} {listed(indexes) or '-'} {switch}"


def mark_of(live: Config) -> Mark:
    """The mark on a switch."""
    line = next((name for name in live if name.startswith(_START)), "")
    words = line.removeprefix(_START).split()
    if len(words) not in (4, 5) or words[0] != "podwright":
        return Mark(line)
    return Mark(line, *words[1:])


@dataclass(frozen=True)
class Claim:
    """What claiming blocks comes to: `foreign` lines in the way, and what is given back as found when we go.

    `found` maps top-level lines to the text below them, `places` are the claimed blocks they made room for.
    """

    foreign: tuple[str, ...]
    found: Mapping[str, str]
    places: frozenset[str]


def claim(live: Config, want: Config, ours: Mapping[str, Block], *, adopt: bool, resumed: bool) -> Claim:
    """Judge the blocks of `want` that are not `ours` yet, nor take the place of one that is (a new AS number).

    A port in its default state and a block that is not there are free. A line without children that already stands as
    wanted (a feature that is on) is used and stays. Anything else is foreign, unless `adopt`, which gives it back. With
    `resumed` (our own mark from a run that was killed) a block that holds nothing but wanted lines is our own work.
    """
    foreign: list[str] = []
    found: dict[str, str] = {}
    places: set[str] = set()
    for name, standing in ((wanted, each) for wanted in want if wanted not in ours for each in _standing(live, wanted)):
        if standing in ours:
            continue
        block = live[standing]
        same_line = standing == name and not block and not want[name] and not is_interface(name)
        known = set(paths(want[name]))
        if not same_line and resumed and standing == name and not set(paths(configured_lines(block))) - known:
            continue
        if same_line or adopt:
            found[standing] = render(block)
            places.add(name)
        else:
            foreign.append(standing)
    return Claim(tuple(foreign), found, frozenset(places))


def _standing(live: Config, name: str) -> tuple[str, ...]:
    """The live blocks under this name or in its slot, and what a breakout takes away; none when the place is free."""
    if name in live:
        return () if is_blank(name, live[name]) else (name,)
    wanted = slot(name)
    existing = () if wanted == name else tuple(each for each in live if slot(each) == wanted)
    return (*existing, *configured(live, name))


def paths(block: Block, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every line of a block with the lines above it; a line that lists numbers once for each."""
    for line in block:
        yield from ((*above, text) for text in spread(line.text))
        yield from paths(line.children, (*above, line.text))


def edited(live: Config, ours: Config, want: Config, begun: Config | None = None) -> tuple[str, ...]:
    """Owned blocks that somebody else touched since we last wrote or read them.

    A push of ours that was killed leaves a mixture of the old and the wanted lines; a line that is in neither, or one
    that is in both and is gone, is somebody's edit. `begun` is the state before such a push, where its checkpoint still
    stands: in blocks that it had to write lines may be missing, and lines of that state may stand.
    """
    touched = []
    for name, before in ours.items():
        now, after = live.get(name), want.get(name)
        if now is not None and same(name, before, now):
            continue
        if now is None and _unseen(name) and (is_blank(name, before) or same(name, before, tidy(name, ()))):
            continue
        known = set(paths(before)) | set(paths(after or ()))
        lasting = set(paths(before)) & set(paths(after)) if after is not None else set()
        if begun is not None:
            stood = begun.get(name)
            known |= set(paths(stood or ()))
            if after is None or stood is None or not same(name, stood, after):
                lasting = set()
                if now is None:
                    continue
        if now is None:
            if after is not None:
                touched.append(name)
        elif (extra := set(paths(configured_lines(now))) - known) or lasting - set(paths(now)):
            touched.append(f"{name} ({' / '.join(min(extra))})" if extra else name)
    return tuple(touched)


def _unseen(name: str) -> bool:
    """True for what a running configuration may leave out although it is there."""
    return fixed(name) or hidden_default(name)
