"""Which Nexus models carry a number of servers: the choices side by side, and why the others do not."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from podwright.components.design.fabric import sizing
from podwright.components.design.fabric.sizing import LEAST_SPINES, Layout, Size, Split
from podwright.components.design.hardware import SWITCHES, PortGroup, SwitchModel, rail_speeds, unknown_switch

MOST_INDEX = 63
"""Largest index of a switch in a stack file: a fabric with more leaves is more than one stack can say."""


@dataclass(frozen=True)
class Ask:
    """What is to be carried."""

    servers: int
    rails: int
    """NICs of a server on this fabric."""
    gbps: int
    """Speed of a NIC."""
    ratio: float = 1.0
    """Largest oversubscription; 1.0 is non-blocking."""
    layout: Layout = "rail"
    leaf: str | None = None
    """Only this leaf model."""
    spine: str | None = None
    """Only this spine model."""


@dataclass(frozen=True)
class Option:
    """One pair of models that carries it."""

    leaf: str
    spine: str | None
    """None: a single leaf."""
    split: Split
    size: Size
    parts: int
    """Most host links that one leaf port makes: 1, or more where it is broken out."""
    plugs: int
    """Leaf ports that face hosts."""
    modules: int
    """Transceivers at switches and servers, if every link is optical (a cable with fixed ends takes none)."""
    rack_units: int
    most_servers: int
    """How many servers these two models carry in two tiers."""

    @property
    def switches(self) -> int:
        """Leaves and spines."""
        return self.size.leaves + self.size.spines

    @property
    def single_point(self) -> bool:
        """One switch, whose loss stops everything."""
        return self.size.spines == 0


@dataclass(frozen=True)
class Refusal:
    """A model that does not do, and what would."""

    model: str
    why: str


@dataclass(frozen=True)
class Proposal:
    """Answer to an ask: what does, the fewest switches first, single points of failure last; and what does not."""

    options: tuple[Option, ...]
    refusals: tuple[Refusal, ...]


def propose(ask: Ask) -> Proposal:
    """Every leaf model with the spine that takes the fewest switches, or the reason why it does not do."""
    options: list[Option] = []
    refusals: list[Refusal] = []
    for name in [ask.leaf] if ask.leaf else SWITCHES:
        found, why = _with_leaf(ask, name)
        options += [found] if found else []
        refusals += [Refusal(name, why)] if why else []
    if ask.leaf and not options:
        others = propose(replace(ask, leaf=None, spine=None)).options
        instead = f": {others[0].leaf} would do" if others and ask.leaf in SWITCHES else ""
        refusals = [Refusal(each.model, each.why + instead) for each in refusals]
    order = sorted(options, key=lambda each: (each.single_point, each.switches, each.rack_units, each.modules))
    return Proposal(tuple(order), tuple(refusals))


def unwritable(option: Option) -> str | None:
    """Why one stack file cannot say this fabric today, or None where it can."""
    size, leaf = option.size, SWITCHES[option.leaf]
    if option.single_point:
        return "a stack file has a spine at least"
    if max(size.leaves, size.spines) > MOST_INDEX:
        return f"a stack file names {MOST_INDEX} leaves and as many spines at most"
    if len(leaf.groups) > 1:
        return "a stack file's leaves have ports of one speed"
    if option.split.down_gbps not in rail_speeds():
        return f"no server of the catalogue has NICs of {option.split.down_gbps}G"
    half = leaf.ports // 2 * option.parts
    if size.hosts_per_leaf > half:
        return f"a stack file's leaves keep half their ports for spines: {half} hosts, not {size.hosts_per_leaf}"
    return None


def split(leaf: SwitchModel, gbps: int, up_gbps: int, ratio: float) -> Split | None:
    """As many host ports as leave enough uplinks; the slowest ports face hosts. None where there are none."""
    down, up = 0, sum(group.count for group in leaf.groups if group.gbps == up_gbps)
    best = None
    for group, number in _slowest_first(leaf):
        down, up = down + leaf.makes(number, gbps), up - (group.gbps == up_gbps)
        if down and up >= LEAST_SPINES and down * gbps <= ratio * up * up_gbps:
            best = Split(down, gbps, up, up_gbps)
    return best


def most_servers(split: Split, spine_ports: int, rails: int, layout: Layout) -> int:
    """Servers that two tiers carry: every spine port a leaf, every leaf full."""
    if layout == "rack":
        return spine_ports * (split.down // rails)
    if layout == "rail":
        return spine_ports // rails * split.down
    return spine_ports * split.down // rails


def _with_leaf(ask: Ask, name: str) -> tuple[Option | None, str]:
    """The best pair with this leaf, or why there is none."""
    why = unknown_switch(name) or (unknown_switch(ask.spine) if ask.spine else None)
    if not why and SWITCHES[name].count(ask.gbps) == 0:
        why = f"{ask.gbps}G is not a {name}, which has {SWITCHES[name].described()}"
    if why:
        return None, why
    leaf = SWITCHES[name]
    spines = [SWITCHES[ask.spine]] if ask.spine else list(SWITCHES.values())
    found = [option for spine in spines for option in _pair(ask, leaf, spine)]
    if found:
        return min(found, key=lambda each: (each.switches, each.rack_units)), ""
    return None, _too_large(ask, leaf, spines)


def _pair(ask: Ask, leaf: SwitchModel, spine: SwitchModel) -> Iterator[Option]:
    shared = split(leaf, ask.gbps, spine.top_gbps, ask.ratio)
    if shared is None:
        return
    spine_ports = sum(group.count for group in spine.groups if group.gbps == spine.top_gbps)
    try:
        made = sizing.clos(ask.servers, ask.rails, shared, spine_ports, ask.layout, ask.ratio)
    except ValueError:
        return
    at_leaf, parts = _leaf_modules(leaf, ask.gbps, made.hosts_per_leaf)
    yield Option(
        leaf=leaf.name,
        spine=spine.name if made.spines else None,
        split=shared,
        size=made,
        parts=parts,
        plugs=made.leaves * at_leaf,
        modules=made.leaves * at_leaf + made.host_links + 2 * made.fabric_links,
        rack_units=made.leaves * leaf.rack_units + made.spines * spine.rack_units,
        most_servers=most_servers(shared, spine_ports, ask.rails, ask.layout),
    )


def _leaf_modules(leaf: SwitchModel, gbps: int, hosts: int) -> tuple[int, int]:
    """Transceivers towards the hosts of a full leaf, and the most links one of them carries."""
    found, most = 0, 1
    for _, number in _slowest_first(leaf):
        made = leaf.makes(number, gbps)
        if hosts > 0 and made:
            found, most, hosts = found + 1, max(most, made), hosts - made
    return found, most


def _slowest_first(leaf: SwitchModel) -> Iterator[tuple[PortGroup, int]]:
    """Front-panel ports in the order in which hosts take them."""
    for group in sorted(leaf.groups, key=lambda each: each.gbps):
        yield from ((group, number) for number in range(group.first, group.last + 1))


def _too_large(ask: Ask, leaf: SwitchModel, spines: list[SwitchModel]) -> str:
    """Two tiers of this leaf do not reach: how far they do."""
    reach = 0
    for spine in spines:
        shared = split(leaf, ask.gbps, spine.top_gbps, ask.ratio)
        if shared is not None:
            ports = sum(group.count for group in spine.groups if group.gbps == spine.top_gbps)
            reach = max(reach, most_servers(shared, ports, ask.rails, ask.layout))
    if not reach:
        speeds = ", ".join(sorted({f"{spine.top_gbps}G" for spine in spines}))
        return f"{leaf.name} has no uplinks that leave {ask.ratio:g}:1 towards spines of {speeds}"
    return f"two tiers with {leaf.name} end at {reach} servers × {ask.rails} at {ask.ratio:g}:1, not {ask.servers}"
