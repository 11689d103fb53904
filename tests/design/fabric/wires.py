"""Real wires for tests: who is plugged in where, what each switch would hear of it, and hands that move plugs."""

import random
from collections.abc import Callable, Iterable

from podwright.components.design.fabric.cabling import End, short
from podwright.components.design.fabric.cabling.check import Move
from podwright.components.design.fabric.cabling.sightings import Planned, Sighting

Wires = dict[End, End]


def pulled(wires: Wires, end: End) -> None:
    """The plug at `end` is taken out; the cable is gone with it."""
    del wires[wires.pop(end)]


def swapped(wires: Wires, one: End, two: End) -> None:
    """The plugs in two places change places; either may be empty. Both plugs of one cable: nothing happens."""
    far_one, far_two = wires.pop(one, None), wires.pop(two, None)
    if far_one == two:
        far_one, far_two = one, two
    for place, far in ((two, far_one), (one, far_two)):
        if far is not None:
            wires[place], wires[far] = far, place


def mended(wires: Wires, moves: Iterable[Move]) -> None:
    """Do what a report says. A move into a place that is taken is no move."""
    for move in moves:
        assert move.swap or (move.one in wires and move.two not in wires), move
        swapped(wires, move.one, move.two)


def heard(
    planned: Planned,
    wires: Wires,
    asked: Iterable[str] | None = None,
    host: Callable[[End], Sighting | None] = lambda end: None,
) -> dict[str, list[Sighting]]:
    """What every asked switch hears; `host` makes the words of a NIC, None where it sends none."""
    found: dict[str, list[Sighting]] = {name: [] for name in (planned.switches if asked is None else asked)}
    for (device, port), (far, far_port) in wires.items():
        if device not in found:
            continue
        if far in planned.switches:
            said: Sighting | None = Sighting(device, short(port), far, far_port)
        else:
            said = host((far, far_port))
            said = said and Sighting(device, short(port), said.name, said.far_port, said.description, said.chassis)
        if said is not None:
            found[device].append(said)
    for sightings in found.values():
        random.Random(1).shuffle(sightings)
    return found


def named(end: End) -> Sighting:
    """A host that runs an LLDP agent: its name, and the NIC by its rail."""
    return Sighting("", "", end[0], end[1])


def nameless(end: End) -> Sighting:
    """NIC firmware: a MAC address for everything."""
    mac = f"0200.{abs(hash(end)) % 65536:04x}.0001"
    return Sighting("", "", "null", mac, "null", mac)
