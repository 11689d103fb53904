"""What may plug in at the two ends of one link, and what to take for a length: rules over the catalogue's data.

Refused is what could not come up: a module its cage does not take or does not feed (electrical lanes), a port of
another speed, two lines that do not speak with each other, error correction that the port cannot run, a cable shorter
than the way. What no source confirms is never a reason to refuse.
"""

from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache

from podwright.components.model.catalogue.optics import CABLES, OPTICS, TRUNKS, FixedCable, Optic
from podwright.components.model.catalogue.ports import Cage

Product = Optic | FixedCable


@dataclass(frozen=True)
class Ends:
    """The two receptacles of a link and the speed it runs at."""

    near: Cage
    far: Cage
    gbps: int
    parts: int = 1
    """Links that the near port makes: more than one where it is broken out."""


@dataclass(frozen=True)
class Choice:
    """What one link takes: two transceivers and a fibre, or one cable that is all of it (then `near` is `far`)."""

    near: Product
    far: Product
    parts: int = 1
    """Links that share the near end, and the cable where it has fixed ends."""

    @property
    def reach_m(self) -> float:
        """How far it carries."""
        return min(self.near.reach_m, self.far.reach_m)

    @property
    def fixed(self) -> bool:
        """One cable with its ends on it."""
        return isinstance(self.near, FixedCable)

    def described(self) -> str:
        """In a few words: QDD-400G-DR4-S to QSFP-400G-DR4 (OS2, 500 m)."""
        names = self.near.name if self.near == self.far else f"{self.near.name} to {self.far.name}"
        medium = self.near.kind if isinstance(self.near, FixedCable) else self.near.fibre
        return f"{names} ({medium}, {self.reach_m:g} m)"


def product(name: str) -> Product | None:
    """The transceiver or cable of this product id; None where the catalogue has none."""
    return OPTICS.get(name) or CABLES.get(name)


def nearest(name: str) -> tuple[str, ...]:
    """Product ids that a wrong one may have meant."""
    return tuple(get_close_matches(name.upper(), (*CABLES, *OPTICS), n=3, cutoff=0.6))


def seated(found: Product, cage: Cage, gbps: int, parts: int = 1) -> str | None:
    """Why this cannot work in a port that makes so many links of a speed, or None where it can."""
    if found.form not in cage.takes:
        return f"{found.name} is a {found.form} module, the {cage.name} port takes {', '.join(cage.takes)}"
    if found.lane_gbps > cage.lane_gbps:
        return f"{found.name} needs lanes of {found.lane_gbps}G, the {cage.name} port has {cage.lane_gbps}G"
    if parts > 1 and (parts, gbps) not in _splits(found):
        return f"{found.name} does not make {parts} × {gbps}G of a port"
    if parts == 1 and found.links > 1:
        return f"{found.name} carries {found.links} links of {found.gbps}G: for a port broken out into as many"
    if parts == 1 and found.gbps != gbps:
        return f"{found.name} runs at {found.gbps}G, the link at {gbps}G"
    needed = found.host_fec if isinstance(found, Optic) else found.fec
    offered = cage.fec.get(gbps)
    if needed is not None and offered is not None and needed not in offered:
        return f"{found.name} needs {needed} error correction, the {cage.name} port has {', '.join(offered)}"
    return None


def _splits(found: Product) -> set[tuple[int, int]]:
    """Into how many links of which speed it breaks a port out."""
    made = {(found.links, found.gbps)} if found.links > 1 else set()
    if isinstance(found, Optic) and found.parts:
        made.add((found.parts[0], found.gbps // found.parts[0]))
    return made


def landed(found: Product, ends: Ends) -> str | None:
    """Why this cannot be the far end of a link, or None where it can: breakout cables have other plugs there."""
    if isinstance(found, FixedCable) and ends.parts > 1:
        found = replace(found, form=found.far_form or found.form, links=1)
    return seated(found, ends.far, ends.gbps)


def paired(near: Product, far: Product, parts: int = 1) -> str | None:
    """Why these two ends do not speak with each other, or None where they do."""
    if isinstance(near, FixedCable) or isinstance(far, FixedCable):
        both = near.name == far.name
        return None if both else f"{near.name} and {far.name}: a cable with fixed ends is the same product at both"
    if near.fec != far.fec:
        return f"{near.name} corrects errors with {near.fec}, {far.name} with {far.fec}: the link stays down"
    line = near.parts[1] if parts > 1 and near.parts else near.line
    if line != far.line:
        return f"{near.name} speaks {line}, {far.name} speaks {far.line}"
    # Behind a port that is broken out the fibre fans out, so that its plugs differ.
    if near.fibre != far.fibre or (parts == 1 and near.connector != far.connector):
        return f"{near.name} takes {near.connector} {near.fibre}, {far.name} takes {far.connector} {far.fibre}"
    return None


@cache
def choices(ends: Ends) -> tuple[Choice, ...]:
    """Everything that works between two ports, the preferred (cheapest, shortest) first."""
    known: tuple[Product, ...] = (*CABLES.values(), *OPTICS.values())
    nears = [each for each in known if not seated(each, ends.near, ends.gbps, ends.parts)]
    fars = [each for each in known if not landed(each, ends)]
    found = [Choice(near, far, ends.parts) for near in nears for far in fars if not paired(near, far, ends.parts)]
    return (
        *(each for each in found if each.fixed),
        *sorted((each for each in found if not each.fixed), key=lambda each: each.reach_m),
    )


def choose(ends: Ends, metres: float) -> Choice | None:
    """What to take for a length; None where nothing of the catalogue reaches."""
    return next((each for each in choices(ends) if each.reach_m >= metres), None)


def would_do(ends: Ends, metres: float | None) -> str:
    """A hint: the choice for this length, or what there is."""
    if metres is None:
        known = [each.described() for each in choices(ends)]
        return f"what works between these ports: {'; '.join(known)}" if known else _nothing(ends)
    found = choose(ends, metres)
    if found is not None:
        return f"{found.described()} would do for {metres:g} m"
    longest = max(choices(ends), key=lambda each: each.reach_m, default=None)
    if longest is None:
        return _nothing(ends)
    return f"nothing in the catalogue reaches {metres:g} m; the farthest is {longest.described()}"


def _nothing(ends: Ends) -> str:
    near = ends.near.name if ends.parts == 1 else f"{ends.near.name} broken out in {ends.parts}"
    return f"the catalogue has nothing for {ends.gbps}G between {near} and {ends.far.name}"


def fan_out(choice: Choice, metres: float) -> str:
    """The fibre from a port that is broken out to its far ends: what to order."""
    near, far = choice.near, choice.far
    assert isinstance(near, Optic) and isinstance(far, Optic)
    return f"{near.connector} to {choice.parts} × {far.connector} {near.fibre} fan-out, {metres:g} m"


def trunk(optic: Optic, metres: float) -> str:
    """The fibre between two transceivers: Cisco's product where there is one of the length, else what to order."""
    found = TRUNKS.get((optic.connector.removesuffix(" APC"), optic.fibre))
    length = next((each for each in found[1] if each >= metres), None) if found else None
    if found is None or length is None:
        return f"{optic.connector} {optic.fibre} trunk, {metres:g} m"
    return f"{found[0]}{length}M"
