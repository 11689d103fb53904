"""The network's bill of materials, counted from the plan: switches, transceivers, cables; and what they cost.

What cannot be known from the stack file (a length nobody said, the far end of a link that is not in the catalogue) is
listed as open, not guessed. What the site's price file does not say is not checked, and no total pretends otherwise.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from podwright.components.design import hardware
from podwright.components.design.fabric.model import FabricPlan, Link
from podwright.components.design.hardware import Choice, FixedCable, PairEnds
from podwright.components.model import FabricArgs, Rates

Kind = Literal["switch", "transceiver", "cable", "fibre"]


@dataclass(frozen=True)
class Line:
    """One product and how many of it."""

    kind: Kind
    product: str
    count: int
    where: str
    """Role of the switches, or links it is for."""


@dataclass(frozen=True)
class Open:
    """Something the plan takes that cannot be named yet."""

    what: str
    count: int
    why: str


@dataclass(frozen=True)
class Bill:
    """Everything the network's plan takes."""

    lines: tuple[Line, ...]
    open: tuple[Open, ...]


@dataclass(frozen=True)
class Priced:
    """A bill against a site's figures. None or an entry in `unknown`: not checked."""

    price: float
    """Sum of what has a price."""
    lead_days: int | None
    """The longest lead time that is known."""
    watts: float
    """Sum of what has a draw."""
    unknown: Mapping[str, tuple[str, ...]]
    """Products without a figure, by price, lead_days and watts. Cables and fibres have no draw."""


_FABRIC = {"frontend-leaf": "frontend ", "storage-leaf": "storage "}
"""What links of a pair are called beside the backend's."""
_Part = tuple[Kind, str, str]


def bill(args: FabricArgs, plan: FabricPlan) -> Bill:
    """Count what the plan of a coherent cluster takes."""
    parts: Counter[_Part] = Counter(("switch", switch.model, switch.role) for switch in plan.switches)
    unsaid: Counter[tuple[str, str]] = Counter()
    models = {switch.hostname: switch.model for switch in plan.switches}
    racks = {switch.hostname: switch.rack for switch in plan.switches}
    racks |= {name: server.rack for name, server in args.hosts.items()}
    shared: set[tuple[str, str]] = set()
    fabrics = {each.hostname: _FABRIC.get(each.role, "") for each in plan.switches}
    longest = _longest(args, racks, plan)
    for link in plan.links:
        where = f"{fabrics[link.device]}{link.role} links {link.gbps}G"
        ends = ends_of(args, models, link)
        if ends is None:
            unsaid[f"pluggables and cable of {where}", "the far end is not in the catalogue"] += 1
            continue
        metres = longest[link.device, cage(link.port)] if ends.parts > 1 else _metres(args, racks, link)
        choice = choice_of(args, link, ends, metres)
        if choice is None:
            why = "neither their length nor their ends are said" if metres is None else hardware.would_do(ends, metres)
            unsaid[f"pluggables and cable of {where}", why] += 1
            continue
        plug = (link.device, cage(link.port))
        parts.update((kind, product, where) for kind, product in pieces(choice, metres, first=plug not in shared))
        shared |= {plug} if ends.parts > 1 else set()
        if metres is None:
            unsaid[f"cable of {where}", "its length is not defined in fabric.cables"] += 1
    lines = _sorted(Line(kind, product, count, where) for (kind, product, where), count in parts.items())
    return Bill(lines, tuple(Open(what, count, why) for (what, why), count in sorted(unsaid.items())))


def change(old: Bill, new: Bill) -> Bill:
    """What a new bill takes more than an old one; a count below zero is what is left over."""
    lines = {(each.kind, each.product, each.where): each.count for each in new.lines}
    unsaid = {(each.what, each.why): each.count for each in new.open}
    for line in old.lines:
        part = (line.kind, line.product, line.where)
        lines[part] = lines.get(part, 0) - line.count
    for each in old.open:
        unsaid[each.what, each.why] = unsaid.get((each.what, each.why), 0) - each.count
    return Bill(
        _sorted(Line(kind, product, count, where) for (kind, product, where), count in lines.items() if count),
        tuple(Open(what, count, why) for (what, why), count in sorted(unsaid.items()) if count),
    )


def _sorted(lines: Iterable[Line]) -> tuple[Line, ...]:
    order = ("switch", "transceiver", "cable", "fibre")
    return tuple(sorted(lines, key=lambda line: (order.index(line.kind), line.where, line.product)))


def price(found: Bill, rates: Rates) -> Priced:
    """What a bill costs, takes in time and draws, as far as the site's figures say; less than zero for a change."""
    total, watts, leads = 0.0, 0.0, list[int]()
    unknown: dict[str, dict[str, None]] = {"price": {}, "lead_days": {}, "watts": {}}
    for line in found.lines:
        rate = rates.of(line.product)
        total += line.count * (rate.price or 0)
        watts += line.count * (rate.watts or 0)
        # What is left over need not be waited for.
        leads += [rate.lead_days] if rate.lead_days is not None and line.count > 0 else []
        powered = line.kind in ("switch", "transceiver")
        for figure, value in (("price", rate.price), ("lead_days", rate.lead_days), ("watts", rate.watts)):
            needed = powered if figure == "watts" else line.count > 0 or figure == "price"
            if value is None and needed:
                unknown[figure][line.product] = None
    return Priced(total, max(leads, default=None), watts, {figure: tuple(each) for figure, each in unknown.items()})


def ends_of(args: FabricArgs, models: Mapping[str, str], link: Link) -> PairEnds | None:
    """Both receptacles; None where the far end is nothing the catalogue knows."""
    near = hardware.port_group(models[link.device], link.port)
    parts = near.parts(link.gbps) if is_part(link.port) else 1
    if link.peer in models:
        far = hardware.port_group(models[link.peer], link.peer_port).cage
    elif link.peer_port.startswith("rail") and link.peer in args.hosts:
        nics = {f"rail{nic.rail}": nic for nic in hardware.rails(args.hosts[link.peer])}
        far = hardware.CAGES[nics[link.peer_port].cage]
    else:
        return None
    return PairEnds(near.cage, far, link.gbps, parts)


def is_part(port: str) -> bool:
    """Whether a switch port is one of several that a front-panel port was broken out into."""
    return port.startswith("Ethernet") and port.count("/") == 2


def cage(port: str) -> str:
    """The receptacle of a port: what is broken out of one transceiver goes with it."""
    return "/".join(port.split("/")[:2])


def _longest(args: FabricArgs, racks: Mapping[str, str], plan: FabricPlan) -> dict[tuple[str, str], float | None]:
    """By plug: how long a cable must be whose ends are in several racks; None where a length is not said."""
    found: dict[tuple[str, str], float | None] = {}
    for link in plan.links:
        plug, metres = (link.device, cage(link.port)), _metres(args, racks, link) if link.peer in racks else None
        before = found.get(plug, 0)
        found[plug] = max(before, metres) if metres is not None and before is not None else None
    return found


def _metres(args: FabricArgs, racks: Mapping[str, str], link: Link) -> float | None:
    cables = args.fabric.cables
    return cables.metres(racks[link.device], racks[link.peer]) if cables else None


def choice_of(args: FabricArgs, link: Link, ends: PairEnds, metres: float | None) -> Choice | None:
    """What the stack file says for this kind of link, else what the catalogue has for its length."""
    chosen = getattr(args.fabric.cables, link.role, None)
    if chosen is not None:
        near, far = hardware.pluggable(chosen.near), hardware.pluggable(chosen.far or chosen.near)
        return Choice(near, far, ends.parts) if near and far else None
    return hardware.choose(ends, metres) if metres is not None else None


def pieces(choice: Choice, metres: float | None, *, first: bool = True) -> Iterator[tuple[Kind, str]]:
    """Products of one link, one entry an end or a cable; without `first` only what it does not share with another."""
    near, far = choice.near, choice.far
    if isinstance(near, FixedCable) or isinstance(far, FixedCable):
        fixed = near if isinstance(near, FixedCable) else far
        if metres is not None and isinstance(fixed, FixedCable) and first:
            yield "cable", fixed.product(metres)
        return
    if first:
        yield "transceiver", near.name
    yield "transceiver", far.name
    if metres is not None and first:
        yield "fibre", hardware.trunk(near, metres) if choice.parts == 1 else hardware.fan_out(choice, metres)
