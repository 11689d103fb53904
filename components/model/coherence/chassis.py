"""Blades and their chassis: slots that exist and are free, a rack that is the same, supplies that carry them."""

from collections.abc import Iterator
from typing import get_args

from podwright.components.model import blades
from podwright.components.model.catalogue import CHASSIS, SERVERS, Redundancy
from podwright.components.model.chassis import Chassis, ChassisProfile
from podwright.components.model.coherence.references import reference
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Problem


def _slots(args: FabricArgs) -> Iterator[Problem]:
    """A slot is a blade's, in a chassis of its domain, and in the chassis's rack."""
    for name, host in args.hosts.items():
        where, domain = blades.place(host), args.domains.get(host.domain or "")
        if where is None or host.model not in SERVERS:
            continue
        loc = ("hosts", name, "slot")
        if not blades.slots(host):
            yield Problem(loc, f"{host.model} is a rack server and takes no chassis slot", "delete this line")
        elif domain is not None:
            yield from reference(loc, where[0], domain.chassis, "chassis", f"domains.{host.domain}.chassis")
            chassis = domain.chassis.get(where[0])
            if chassis is not None and host.rack != chassis.rack:
                message = f"its chassis {where[0]} stands in {chassis.rack}, this line says {host.rack}"
                yield Problem(("hosts", name, "rack"), message, f"write `rack: {chassis.rack}`")


def _taken(args: FabricArgs) -> Iterator[Problem]:
    """Every slot holds one blade, and a blade of two slots has both."""
    taken: dict[tuple[str, str, int], str] = {}
    for name, host in args.hosts.items():
        where, domain = blades.place(host), args.domains.get(host.domain or "")
        if where is None or domain is None or where[0] not in domain.chassis:
            continue
        chassis, first = where
        last = CHASSIS[domain.chassis[chassis].model].slots
        for slot in range(first, first + blades.slots(host)):
            other = taken.setdefault((host.domain or "", chassis, slot), name)
            if slot > last:
                message = f"{host.model} takes two slots, and slot {first} of {chassis} is the last"
                yield Problem(("hosts", name, "slot"), message, f"its first slot is 1 to {last - 1}")
            elif other != name:
                message = f"slot {slot} of {chassis} is taken by {other}"
                yield Problem(("hosts", name, "slot"), message, "each slot holds one blade; an X410c takes two")


def _fitted(args: FabricArgs) -> Iterator[Problem]:
    """What stands in a chassis fits it and its supplies carry it."""
    for domain, pair in args.domains.items():
        for name, chassis in pair.chassis.items():
            yield from _room(args, domain, name, chassis)
            yield from _power(args, domain, name, chassis)


def _room(args: FabricArgs, domain: str, name: str, chassis: Chassis) -> Iterator[Problem]:
    there, model = blades.inside(args.hosts, domain, name).values(), CHASSIS[chassis.model]
    own, pcie = sum(map(blades.slots, there)), sum(map(blades.nodes, there))
    if own <= model.slots < own + pcie:
        message = f"{own} slots of blades and {pcie} PCIe nodes with their GPUs are more than {model.slots} slots"
        hint = "a blade with GPUs takes a slot more for its X440p: move one to another chassis"
        yield Problem(("domains", domain, "chassis", name), message, hint, at_key=True)


def _power(args: FabricArgs, domain: str, name: str, chassis: Chassis) -> Iterator[Problem]:
    there = blades.inside(args.hosts, domain, name).values()
    supplies, loc = blades.supplies(chassis), ("domains", domain, "chassis", name)
    least = CHASSIS[chassis.model].least(len(there))
    if chassis.supplies < least:
        message = f"{len(there)} blades need {least} power supplies at least, {chassis.supplies} are fitted"
        yield Problem((*loc, "supplies"), message, f"fit {least}, or move blades to another chassis")
    rack = args.site.racks.get(chassis.rack)
    if chassis.redundancy == "Grid" and rack is not None and rack.second_feed is None:
        message = f"Grid needs two power sources, and rack {chassis.rack} has one"
        yield Problem((*loc, "redundancy"), message, "give the rack a `second_feed`, or write N+1 or N+2")
    needed, budget = sum(blades.draw(args.site, each) for each in there), supplies.budget(chassis.redundancy)
    if budget is not None and needed > budget:
        message = f"its blades draw up to {needed} W, {chassis.supplies} supplies leave {budget} W under "
        enough = [mode for mode in get_args(Redundancy) if (supplies.budget(mode) or 0) >= needed]
        other = f"{' or '.join(enough)} would do" if enough else "no mode leaves enough"
        hint = f"{other}; or fit more supplies, move blades, or write what they draw in site.watts"
        yield Problem((*loc, "redundancy"), message + chassis.redundancy, hint)


def _profiled(args: FabricArgs) -> Iterator[Problem]:
    """What the profile of a chassis says of its power leaves its blades theirs."""
    for domain, pair in args.domains.items():
        for name, chassis in pair.chassis.items():
            if chassis.profile is None:
                continue
            yield from _limited(args, domain, name, chassis.profile)
            if chassis.profile.lends_reserve and chassis.redundancy == "NotRedundant":
                loc = ("domains", domain, "chassis", name, "profile", "lends_reserve")
                yield Problem(loc, "under NotRedundant nothing is kept back that could be lent", "delete this line")


def _limited(args: FabricArgs, domain: str, name: str, profile: ChassisProfile) -> Iterator[Problem]:
    needed = sum(blades.draw(args.site, each) for each in blades.inside(args.hosts, domain, name).values())
    if profile.limit_watts is not None and profile.limit_watts < needed:
        message = f"its blades draw up to {needed} W: under {profile.limit_watts} W they are slowed down, or stay off"
        loc = ("domains", domain, "chassis", name, "profile", "limit_watts")
        yield Problem(loc, message, f"write {needed} or more, or write what they draw in site.watts")


FABRIC = (_slots, _taken, _fitted, _profiled)
