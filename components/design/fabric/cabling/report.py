"""A check of cables in words: each fault with its ports, what is wrong, and the cheapest way to mend it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from podwright.components.design.fabric.cabling import Cable, End
from podwright.components.design.fabric.cabling.check import (
    Chain,
    Move,
    Observed,
    Wiring,
    cables_of,
    chains,
    lacking,
    moves,
    place,
    surplus,
    wiring,
)
from podwright.components.design.fabric.cabling.sightings import Heard, Planned
from podwright.components.design.fabric.materials import is_part

Kind = Literal[
    "swap", "rotation", "misplugged", "missing", "unplanned", "stranger", "one-way", "contradiction", "unasked"
]


@dataclass(frozen=True)
class Finding:
    """One fault."""

    kind: Kind
    ports: tuple[End, ...]
    what: str
    fix: str
    cables: tuple[Cable, ...] = ()
    """The schedule's rows it concerns."""
    take_out: tuple[End, End] | None = None
    """A cable that has to come out first."""
    moves: tuple[Move, ...] = ()
    certain: bool = True
    """False where one end of a cable gives no name and follows from being the only one left."""


@dataclass
class Report:
    """Everything a check found. Only what was heard counts as right."""

    right: list[Cable] = field(default_factory=list)
    unproven: list[tuple[Cable, str]] = field(default_factory=list)
    """Cables nobody can vouch for, and why: a host that sends no LLDP or no name."""
    findings: list[Finding] = field(default_factory=list)


def check(planned: Planned, observed: Observed) -> Report:
    """Judge every cable of the plan, and everything that was heard and is not in it."""
    seen = wiring(planned, observed)
    report = Report()
    wrong: set[End] = set()
    reported: set[End] = set()
    for chain in chains(planned, seen):
        wrong.update(chain.places)
        reported |= chain.inferred
        if len(chain.places) == 2 and chain.planned_first:
            reported |= _unheard(planned, seen, planned.cable[chain.places[0]], report)
        else:
            report.findings.append(_chain(planned, seen, chain))
    half = {end for pair in seen.one_way for end in pair}
    report.right = [each for each in planned.cables if not wrong & set(each.ends) and not half & set(each.ends)]
    report.findings += [
        *_one_way(planned, seen),
        *_conflicts(seen),
        *_strangers(planned, seen, reported),
        *_unasked(planned, seen),
    ]
    return report


def name(end: End) -> str:
    """A plug place as people say it."""
    return f"{end[0]} {end[1]}"


def _unheard(planned: Planned, seen: Wiring, cable: Cable, report: Report) -> set[End]:
    """A planned cable that nobody names: missing between two switches that would say so, unproven otherwise.

    Returns the ports that the finding speaks of.
    """
    here, far = cable.ends
    heard = [each for end in cable.ends for each in seen.heard.get(end, ())]
    if any(
        each.kind == "stranger" or (each.kind == "device" and each.device not in (here[0], far[0])) for each in heard
    ):
        return set()  # said once, by _strangers
    silent = [end[0] for end in cable.ends if end[0] in planned.switches and end[0] not in seen.asked]
    if silent:
        report.unproven.append((cable, f"{' and '.join(silent)} did not answer"))
    elif far[0] not in planned.switches:
        report.unproven.append((cable, _host(cable, [each.kind for each in heard])))
    elif _should_hear(planned, here, far) or _should_hear(planned, far, here):
        what = f"{name(here)} and {name(far)} hear nothing of each other"
        if heard:
            what = f"{name(here)} should reach {name(far)}; there is {heard[0].reported}"
        fix = f"plug in the cable {cable.label}, or look at its optics: both ports must be up"
        report.findings.append(Finding("missing", cable.ends, what, fix, (cable,)))
        return set(cable.ends)
    else:
        report.unproven.append((cable, "LLDP is off by plan on its ports"))
    return set()


def _should_hear(planned: Planned, one: End, two: End) -> bool:
    return one not in planned.deaf and two not in planned.mute


def _host(cable: Cable, kinds: list[str]) -> str:
    if "device" in kinds:
        return f"{cable.peer} is there; it does not tell on which NIC"
    return "a station is there; it gives no name" if kinds else "not seen: the far end sends no LLDP"


def _chain(planned: Planned, seen: Wiring, chain: Chain) -> Finding:
    """A finding for places whose cables lead elsewhere."""
    rows, todo = cables_of(planned, chain), moves(planned, chain)
    kind: Kind = "misplugged"
    if chain.closed:
        kind = "swap" if len(rows) == 2 else "rotation"
    elif not rows:
        kind = "unplanned"
    what = "; ".join(_reaches(planned, chain, one, two) for one, two in _moves(planned, chain))
    ports = tuple(end for end in chain.places if end[0] in planned.switches or not chain.inferred)
    fix = _fix(planned, seen, chain, todo)
    return Finding(kind, ports, what, fix, rows, surplus(chain), todo, not chain.inferred)


def _moves(planned: Planned, chain: Chain) -> list[tuple[End, End]]:
    """The observed cables, each from a switch's port, planned ports first."""

    def rank(end: End) -> tuple[object, ...]:
        return end[0] not in planned.switches, end not in planned.partner, place(end)

    pairs = [(one, two) if rank(one) <= rank(two) else (two, one) for one, two in chain.observed()]
    return sorted(pairs, key=lambda pair: place(pair[0]))


def _reaches(planned: Planned, chain: Chain, one: End, two: End) -> str:
    goal = planned.partner.get(one)
    planned_for = f"(planned: {name(goal)})" if goal else "(no cable is planned there)"
    if one in chain.inferred:
        return f"{name(one)} hears no name and must hold the cable of {name(two)} {planned_for}"
    return f"{name(one)} reaches {name(two)} {planned_for}"


def _fix(planned: Planned, seen: Wiring, chain: Chain, todo: tuple[Move, ...]) -> str:
    steps = [_step(planned, move) for move in todo]
    if (extra := surplus(chain)) is not None:
        steps.insert(0, f"take out the cable between {name(extra[0])} and {name(extra[1])}")
    if (lack := lacking(planned, chain)) is not None:
        steps.append(f"plug in a cable between {name(lack[0])} and {name(lack[1])}")
    fix = ", then ".join(steps)
    if chain.inferred and not any(seen.heard.get(end) for end in chain.inferred):
        port = next(end for end in chain.inferred if end[0] in planned.switches)
        nic = next(end for end in chain.inferred if end != port)
        fix += (
            f"; nothing is heard at {name(port)}: if it is empty, {name(nic)} hangs loose and goes where it is planned"
        )
    return fix


def _step(planned: Planned, move: Move) -> str:
    one, two = move.one, move.two
    far = two[1] if one[0] == two[0] else name(two)
    where = ", ".join(dict.fromkeys(planned.rack[end[0]] for end in (one, two) if planned.rack.get(end[0])))
    rack = f" (rack {where})" if where else ""
    plug, plugs = ("breakout part", "breakout parts") if is_part(one[1]) else ("plug", "plugs")
    if move.swap:
        return f"swap the {plugs} in {name(one)} and {far}{rack}"
    return f"move the {plug} in {name(one)} to {far}{rack}"


def _one_way(planned: Planned, seen: Wiring) -> Iterator[Finding]:
    for one, two in seen.one_way:
        what = f"{name(one)} hears {name(two)}, which does not hear it back"
        fix = f"look at the optic and fibre from {name(one)} to {name(two)}, and for `no lldp` on either port"
        rows = tuple({planned.cable[end]: None for end in (one, two) if end in planned.cable})
        yield Finding("one-way", (one, two), what, fix, rows)


def _conflicts(seen: Wiring) -> Iterator[Finding]:
    for one, two in seen.conflicts:
        other = seen.partner.get(two) or seen.partner.get(one)
        says = f", while {name(two if two in seen.partner else one)} is in a cable with {name(other)}" if other else ""
        what = f"{name(one)} hears {name(two)}{says}"
        fix = "entries age out after the hold time of 120 s: ask again; if it stays, two devices claim one name or port"
        yield Finding("contradiction", (one, two), what, fix)


def _strangers(planned: Planned, seen: Wiring, reported: set[End]) -> Iterator[Finding]:
    """What stands at a port and is not of the plan, or not of that port; `told` are ports already spoken of."""
    for end, heard in sorted(seen.heard.items(), key=lambda item: place(item[0])):
        goal = planned.partner.get(end)
        if goal is None and end in planned.foreign:
            continue
        settled = end in seen.partner or end in reported
        for each in heard:
            if not _strange(planned, each, goal) or (settled and each.kind != "stranger"):
                continue
            where = f"(planned: {name(goal)})" if goal else "(no cable is planned there)"
            row = (planned.cable[end],) if end in planned.cable else ()
            fix = f"find the cable of {name(goal)}" if goal else "take it out, or plan it"
            yield Finding("stranger", (end,), f"{name(end)} hears {each.reported} {where}", fix, row)


def _strange(planned: Planned, heard: Heard, goal: End | None) -> bool:
    """A host's port may hear a station without a name, and its own host without a NIC; nothing else."""
    if heard.kind == "device":
        return goal is None or heard.device != goal[0]
    if heard.kind == "station":
        return goal is None or goal[0] in planned.switches
    return heard.kind == "stranger"


def _unasked(planned: Planned, seen: Wiring) -> Iterator[Finding]:
    for switch in planned.switches:
        if switch not in seen.asked:
            fix = "see why it does not answer; cables between it and others that do not answer are not judged"
            yield Finding("unasked", ((switch, "mgmt0"),), f"{switch} was not asked or did not answer", fix)
