"""Planned cables against sightings: what is swapped, rotated, in a wrong port, missing, strange or heard one way only.

Planned and observed cables are two matchings over the same plug places. Where they agree a cable is right; where not,
their union falls into chains in which planned and observed cables alternate. A closed chain of two cables is a swap, of
more a rotation; an open one ends at a free port. Faults that have nothing to do with each other share no chain.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from podwright.components.design.fabric.cabling import Cable, End, interface, natural
from podwright.components.design.fabric.cabling.sightings import Heard, Planned, Sighting
from podwright.components.design.fabric.materials import is_part

Observed = Mapping[str, Sequence[Sighting]]
"""Sightings by switch; a switch that is not in it was not asked or did not answer."""


@dataclass(frozen=True)
class Move:
    """The plug in `one` goes to `two`; with `swap`, the plug in `two` comes back to `one`."""

    one: End
    two: End
    swap: bool


@dataclass(frozen=True)
class Chain:
    """Plug places in a row, joined by planned and observed cables in turn; a closed one returns to its first place."""

    places: tuple[End, ...]
    closed: bool
    planned_first: bool
    inferred: frozenset[End] = frozenset()
    """The two ends of an observed cable that nobody heard and that has no other place to be."""

    def planned(self) -> list[tuple[End, End]]:
        """The planned cables of the chain."""
        return self._edges(0 if self.planned_first else 1)

    def observed(self) -> list[tuple[End, End]]:
        """The observed cables of the chain."""
        return self._edges(1 if self.planned_first else 0)

    def _edges(self, start: int) -> list[tuple[End, End]]:
        ring = (*self.places, self.places[0]) if self.closed else self.places
        return [(ring[at], ring[at + 1]) for at in range(start, len(ring) - 1, 2)]


@dataclass
class Wiring:
    """What was heard, port by port, and the cables that follow from it."""

    asked: Mapping[str, object]
    heard: dict[End, list[Heard]] = field(default_factory=dict)
    partner: dict[End, End] = field(default_factory=dict)
    """Observed cables, both ways round."""
    one_way: list[tuple[End, End]] = field(default_factory=list)
    """(the port that hears, the port that should and does not)."""
    conflicts: list[tuple[End, End]] = field(default_factory=list)
    """(the port that hears, the port it names, which is in another cable)."""

    def join(self, one: End, two: End) -> None:
        """One observed cable."""
        self.partner |= {one: two, two: one}


def wiring(planned: Planned, observed: Observed) -> Wiring:
    """Cables as the sightings have them. What both ends say comes first; one end's word fills what is left."""
    seen = Wiring(asked=observed)
    for sightings in observed.values():
        for sighting in sightings:
            port = interface(sighting.port)
            if port.startswith("Ethernet"):
                seen.heard.setdefault((sighting.device, port), []).append(planned.understand(sighting))
    says = {
        end: {each.end for each in heard if each.end is not None}
        for end, heard in sorted(seen.heard.items(), key=lambda item: place(item[0]))
    }
    for one, far in says.items():
        for two in far:
            if one in says.get(two, ()) and one != two:
                seen.join(one, two)
    _one_sided(planned, seen, says)
    _untold(planned, seen)
    return seen


def _one_sided(planned: Planned, seen: Wiring, says: Mapping[End, set[End]]) -> None:
    claims = [(one, two) for one, far in says.items() for two in sorted(far, key=place) if seen.partner.get(one) != two]
    claimed = Counter(end for claim in claims for end in claim)
    taken = set(seen.partner)
    for one, two in claims:
        if one in taken or two in taken or claimed[one] > 1 or claimed[two] > 1:
            seen.conflicts.append((one, two))
            continue
        seen.join(one, two)
        if planned.speaks(two, seen.asked) and one not in planned.mute:
            seen.one_way.append((one, two))


def _untold(planned: Planned, seen: Wiring) -> None:
    """A host that tells its name and not its NIC: the NIC follows where only one can be meant."""
    named = {end: {each.device for each in heard if each.kind == "device"} for end, heard in seen.heard.items()}
    loose = {end: devices.pop() for end, devices in named.items() if len(devices) == 1}
    for end, device in loose.items():
        if planned.partner.get(end, ("", ""))[0] == device or device in planned.switches:
            continue
        free = [
            far
            for far, here in planned.partner.items()
            if far[0] == device and far not in seen.partner and loose.get(here) != device
        ]
        if len(free) == 1 and end not in seen.partner:
            seen.join(end, free[0])


def place(end: End) -> tuple[object, ...]:
    """Sort key of a plug place."""
    return natural(end[0]), natural(end[1])


def chains(planned: Planned, seen: Wiring) -> Iterator[Chain]:
    """Every chain but those that are one right cable; open ones first."""
    done: set[End] = set()
    ends = sorted({*planned.partner, *seen.partner}, key=place)
    # Open chains first, from their free ends; what is left is closed.
    for start in [end for end in ends if (end in planned.partner) != (end in seen.partner)]:
        if start not in done:
            walked = _walk(start, planned.partner, seen.partner)
            done.update(walked)
            yield _close(Chain(tuple(walked), False, start in planned.partner), planned, seen)
    for start in ends:
        if start in done:
            continue
        walked = _walk(start, planned.partner, seen.partner)
        done.update(walked)
        if planned.partner[start] != seen.partner[start]:
            yield Chain(tuple(walked), True, True)


def _walk(start: End, planned: Mapping[End, End], observed: Mapping[End, End]) -> list[End]:
    """Places from `start` on, over a planned cable first where there is one, until the chain ends or returns."""
    walked = [start]
    turns = (planned, observed) if start in planned else (observed, planned)
    while (following := turns[(len(walked) - 1) % 2].get(walked[-1])) is not None and following != start:
        walked.append(following)
    return walked


def _close(chain: Chain, planned: Planned, seen: Wiring) -> Chain:
    """A chain open between a host's NIC and a switch port that hears no name: the NIC's cable can only be there."""
    if not chain.planned_first or len(chain.places) % 2 or len(chain.places) < 4:
        return chain
    first, last = chain.places[0], chain.places[-1]
    for nic, port in ((first, last), (last, first)):
        silent = nic[0] not in planned.switches and port[0] in planned.switches and port[0] in seen.asked
        if silent and all(heard.kind == "station" for heard in seen.heard.get(port, ())):
            return Chain(chain.places, True, True, frozenset((nic, port)))
    return chain


def surplus(chain: Chain) -> tuple[End, End] | None:
    """The observed cable that has to come out before the others fit, where a chain has one too many."""
    return chain.places[:2] if not chain.planned_first and len(chain.places) % 2 == 0 else None  # type: ignore[return-value]


def lacking(planned: Planned, chain: Chain) -> tuple[End, End] | None:
    """The planned cable that is not there, where a chain has one too few: a host's, where there is one."""
    if chain.closed or not chain.planned_first or len(chain.places) % 2:
        return None
    at = 0 if chain.places[-1][0] in planned.switches else len(chain.places) - 2
    return chain.places[at], chain.places[at + 1]


def moves(planned: Planned, chain: Chain) -> tuple[Move, ...]:
    """The fewest plugs to move until every cable of the chain that is there is where it belongs."""
    places = chain.places
    if chain.closed:
        side = min(places[::2], places[1::2], key=lambda ends: _effort(planned, ends))
        # Seen from the other side the ring is walked backwards: every step must meet the next planned cable.
        ring = side if side[0] == places[0] else side[::-1]
        return tuple(Move(min(pair, key=place), max(pair, key=place), True) for pair in pairwise(ring))
    if (lack := lacking(planned, chain)) is not None:
        places = places[1:] if lack[0] == places[0] else places[-2::-1]
    elif surplus(chain) is not None:
        places = places[:0:-1]
    elif chain.planned_first:
        places = places[::-1]
    # Now: observed, planned, observed, ... planned; the last place is free.
    return tuple(Move(places[at - 2], places[at], False) for at in range(len(places) - 1, 1, -2))


def _effort(planned: Planned, ends: Sequence[End]) -> tuple[int, int, int, int, object]:
    """A part of a breakout cable does not move alone. Walking between racks costs most, then between boxes; servers
    are opened last."""
    devices = {end[0] for end in ends}
    racks = {planned.rack.get(device, device) for device in devices}
    return (
        sum(is_part(end[1]) for end in ends),
        len(racks),
        len(devices),
        len(devices - set(planned.switches)),
        place(min(ends, key=place)),
    )


def cables_of(planned: Planned, chain: Chain) -> tuple[Cable, ...]:
    """The schedule's rows that a chain touches."""
    return tuple(planned.cable[one] for one, _ in chain.planned())
