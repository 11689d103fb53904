"""Ports broken out: the speeds given for ports in use make one breakout of each port, or none."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from podwright.components.model.catalogue import SERVERS, SWITCHES, cage_number
from podwright.components.model.catalogue import Switch as Model
from podwright.components.model.coherence.pairs import used
from podwright.components.model.coherence.references import pairs, switches
from podwright.components.model.network import FabricArgs
from podwright.components.model.pair import Pair
from podwright.components.model.problems import Loc, Problem


@dataclass(frozen=True)
class Use:
    """One port of a pair's leaf that the file names."""

    loc: Loc
    leaf: str
    port: str
    gbps: int | None
    """Speed given for it."""

    @property
    def number(self) -> int:
        """Of the front-panel port."""
        return cage_number(self.port)

    @property
    def lane(self) -> int:
        """Of the part, 0 for the whole port."""
        return int((*self.port.split("/"), "0")[2])


def _uses(args: FabricArgs) -> Iterator[tuple[Use, Model]]:
    for loc, pair in pairs(args).items():
        for (*place, _), (leaf, port) in used(loc, pair).items():
            model = SWITCHES.get(pair.leaves[leaf].model) if leaf in pair.leaves else None
            if model is not None:
                yield Use(tuple(place), leaf, port, _defined_gbps(pair, tuple(place[len(loc) :]))), model


def _defined_gbps(pair: Pair, place: Loc) -> int | None:
    """The speed given beside a port; the peer link's have none."""
    kind, name = place[0], str(place[1])
    port = pair.ports.get(name) if kind == "ports" else pair.routed.get(name) if kind == "routed" else None
    return port.gbps if port else None


def _each(args: FabricArgs) -> Iterator[Problem]:
    """Each port by itself: whole, or a part of what its model makes."""
    reported: set[Loc] = set()
    for use, model in _uses(args):
        group = model.group(use.number)
        if group is None or use.loc in reported:
            continue
        offered = ", ".join(f"{each.gbps} ({each.word})" for each in group.cage.breakouts if each.word)
        flaw: tuple[str, str] | None = None
        made = model.split(use.number, use.gbps) if use.gbps else None
        if not use.lane and use.gbps:
            flaw = f"{use.port} is a whole port and runs at {group.gbps} Gb/s", f"write {use.port}/1, or no gbps"
        elif use.lane and use.loc[-2] == "peer_link":
            flaw = f"{use.port} is a part of a port; the peer link takes whole ones", f"write {_whole(use.port)}"
        elif use.lane and use.gbps is None:
            flaw = f"{use.port} is a part of a port: its speed decides the breakout", f"add gbps: {offered}"
        elif use.lane and made is None:
            flaw = f"{model.name} does not break {_whole(use.port)} out into {use.gbps} Gb/s", f"it offers {offered}"
        elif made and use.lane > made.count:
            parts = f"{_whole(use.port)}/1 to /{made.count}"
            flaw = f"{made.word} makes {parts}, not {use.port}", "take another port"
        elif made and use.number in model.together(use.number, str(made.word))[1]:
            odd = use.number - 1
            flaw = f"{model.name} breaks only odd ports out into {made.word} here", f"take Ethernet1/{odd}/{use.lane}"
        if flaw:
            reported.add(use.loc)
            yield Problem(use.loc, *flaw)


def _whole(port: str) -> str:
    return "/".join(port.split("/")[:2])


def _beside(args: FabricArgs) -> Iterator[Problem]:
    """What one port's breakout makes of it and of its neighbours fits every other use of them."""
    maps: dict[tuple[str, int], tuple[str, Use]] = {}
    gone: dict[tuple[str, int], tuple[str, Use]] = {}
    for use, model in _uses(args):
        made = model.split(use.number, use.gbps) if use.lane and use.gbps else None
        if made is not None:
            broken, away = model.together(use.number, str(made.word))
            for number in broken:
                maps.setdefault((use.leaf, number), (str(made.word), use))
            gone |= {(use.leaf, number): (str(made.word), use) for number in away}
    reported: set[Loc] = set()
    for use, model in _uses(args):
        flaw = _clash(use, model, maps.get((use.leaf, use.number)), gone.get((use.leaf, use.number)))
        if flaw and use.loc not in reported:
            reported.add(use.loc)
            yield Problem(use.loc, *flaw)


def _clash(
    use: Use, model: Model, broken: tuple[str, Use] | None, gone: tuple[str, Use] | None
) -> tuple[str, str] | None:
    if broken is not None:
        word, by = broken
        made = model.split(use.number, use.gbps) if use.gbps else None
        if not use.lane:
            beside = f"{use.port} is used whole beside it"
            message = beside if by.number == use.number else f"{use.port} breaks out with {by.port} ({word})"
            return message, "a port is broken out, or carries one link"
        if made is not None and made.word != word:
            message = f"{use.port} at {use.gbps} Gb/s needs {made.word}, {by.port} makes it {word}"
            return message, "the parts of a port, and of ports that break out together, have one speed"
    elif gone is not None:
        message = f"{use.port} is not there while {gone[1].port} is broken out ({gone[0]}) on a {model.name}"
        return message, "take a port of another group"
    return None


def _backend(args: FabricArgs) -> Iterator[tuple[str, int]]:
    """Front-panel ports that the backend's plan takes, by switch."""
    fabric = args.fabric
    for name, leaf in fabric.leaves.items():
        model = SWITCHES.get(leaf.model)
        for server in args.hosts.values() if model else ():
            box = SERVERS.get(server.model)
            if model and box and box.rails and server.group == leaf.group:
                parts = max(model.groups[0].parts(fabric.host_gbps or box.rails[0].gbps), 1)
                last = server.index * len(leaf.rails)
                yield from ((name, (number - 1) // parts + 1) for number in range(last - len(leaf.rails) + 1, last + 1))
        for far, spine in fabric.spines.items():
            for member in range(1, fabric.links_per_pair + 1):
                yield far, (leaf.index - 1) * fabric.links_per_pair + member
                if model:
                    yield name, model.ports // 2 + (spine.index - 1) * fabric.links_per_pair + member


_LINE = re.compile(r"interface breakout\b")
_ONE = re.compile(r"interface breakout module 1 port (\d+) map (\S+)$")


def _lines(args: FabricArgs) -> Iterator[Problem]:
    """A raw line breaks out one port that nothing else says, into what its model makes of it."""
    known = {*_backend(args), *((use.leaf, use.number) for use, _ in _uses(args))}
    for (*_, name), switch in switches(args).items():
        model = SWITCHES.get(switch.model)
        lines = args.fabric.extra.get(str(name), {})
        for line in lines if model else ():
            if model and _LINE.match(line):
                flaw = _flaw(model, str(name), line, lines, known)
                if flaw:
                    yield Problem(("fabric", "extra", str(name), line), *flaw, at_key=True)


def _flaw(
    model: Model, name: str, line: str, beside: Collection[str], known: set[tuple[str, int]]
) -> tuple[str, str] | None:
    found = _ONE.match(line)
    if found is None:
        return "is not one port's breakout", "write one line per port: interface breakout module 1 port 5 map 100g-4x"
    number, word = int(found[1]), found[2]
    group = model.group(number)
    if group is None:
        return f"{model.name} has no Ethernet1/{number}", f"it has Ethernet1/1 to Ethernet1/{model.ports}"
    if (name, number) in known:
        return (
            f"Ethernet1/{number} has a link, whose speed decides its breakout",
            "define the speed at the port instead",
        )
    words = [each.word for each in group.cage.breakouts if each.word]
    broken, gone = model.together(number, word)
    if word not in words or number in gone:
        return f"{model.name} does not break Ethernet1/{number} out into {word}", f"it offers {', '.join(words)}"
    missing = [each for each in broken if f"interface breakout module 1 port {each} map {word}" not in beside]
    if missing:
        hint = f"write interface breakout module 1 port {missing[0]} map {word} beside it"
        return f"Ethernet1/{missing[0]} of a {model.name} breaks out with Ethernet1/{number}", hint
    return None


FABRIC = (_each, _beside, _lines)
