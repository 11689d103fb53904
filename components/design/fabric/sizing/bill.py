"""What an option of a sizing is made of, before there is a stack file: switches, and pluggables for stated lengths."""

from collections.abc import Iterator
from dataclasses import dataclass

from podwright.components.design import hardware
from podwright.components.design.fabric.materials import Bill, Line, Open, pieces
from podwright.components.design.fabric.sizing.models import Ask, Option
from podwright.components.design.hardware import PairEnds

_NIC_CAGES = {400: "QSFP112", 200: "QSFP112", 100: "QSFP28"}
"""Receptacle of a server NIC by its speed (200G: BlueField-3 B3220); other speeds have none in the catalogue."""


@dataclass(frozen=True)
class Lengths:
    """Cable lengths in metres; None: not said."""

    host: float | None = None
    fabric: float | None = None


def bill(ask: Ask, option: Option, lengths: Lengths) -> Bill:
    """Switches of both tiers, and for each kind of link what the catalogue has for its length."""
    size = option.size
    lines = [Line("switch", option.leaf, size.leaves, "leaf")]
    if option.spine is not None:
        lines.append(Line("switch", option.spine, size.spines, "spine"))
    still_open: list[Open] = []
    for role, links, ends, metres in _links(ask, option, lengths):
        choice = hardware.choose(ends, metres) if ends and metres is not None else None
        if choice is None:
            why = "the catalogue has nothing for these ports"
            if ends:
                why = "their length is not defined" if metres is None else hardware.would_do(ends, metres)
            still_open.append(Open(f"pluggables and cable of {role} links", links, why))
            continue
        plugs = option.plugs if choice.parts > 1 else links
        lines += [Line(kind, product, plugs, f"{role} links") for kind, product in pieces(choice, metres)]
        others = pieces(choice, metres, first=False) if links > plugs else ()
        lines += [Line(kind, product, links - plugs, f"{role} links") for kind, product in others]
    return Bill(tuple(_together(lines)), tuple(still_open))


def _links(ask: Ask, option: Option, lengths: Lengths) -> Iterator[tuple[str, int, PairEnds | None, float | None]]:
    """Kind of link, how many, both receptacles (None: unknown or several) and length."""
    leaf = hardware.switch_model(option.leaf)
    facing = min((each for each in leaf.groups if each.parts(ask.gbps)), key=lambda each: each.gbps)
    nic = _NIC_CAGES.get(ask.gbps)
    parts = facing.parts(ask.gbps)  # another than the option's: its hosts hang on ports of two kinds
    ends = PairEnds(facing.cage, hardware.CAGES[nic], ask.gbps, parts) if nic and parts == option.parts else None
    yield "host", option.size.host_links, ends, lengths.host
    if option.spine is not None:
        spine = hardware.switch_model(option.spine)
        up = next(group for group in leaf.groups if group.gbps == option.split.up_gbps)
        far = next(group for group in spine.groups if group.gbps == option.split.up_gbps)
        yield "fabric", option.size.fabric_links, PairEnds(up.cage, far.cage, option.split.up_gbps), lengths.fabric


def _together(lines: list[Line]) -> Iterator[Line]:
    """Two ends with the same product are one line."""
    counts: dict[tuple[str, str], Line] = {}
    for line in lines:
        before = counts.get((line.product, line.where))
        counts[line.product, line.where] = Line(
            line.kind, line.product, line.count + (before.count if before else 0), line.where
        )
    yield from counts.values()
