"""Mutants of the compute plan that are listed as harmless, driven on the lab: profiles deploy, hosts boot the image,
and what a node sees of its machine stays as it was.
"""

from __future__ import annotations

import asyncio
import datetime
import os
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from podwright.components.providers.intersight import boot
from podwright.lab.world.inventory import Vnic
from podwright.policies.rules.resource import Resource
from tests.providers.intersight.conftest import LOGIN, Stand, standing
from tests.providers.intersight.test_other_forms import managed, text
from tests.providers.intersight.wave import Wave
from tests.waiting import soon
from tools.compute_mutants.plan import Plan, plan
from tools.compute_mutants.sites import Mutant, mutants, sites
from tools.compute_mutants.verdicts import excuse

GIVEN = os.environ.get("PODWRIGHT_HARMLESS_SEED", "")
SEED = GIVEN or datetime.date.today().isoformat()
"""Any seed must pass. Without one, two mutants are driven, others each day."""
DRIVEN = 3 if GIVEN else 1
pytestmark = pytest.mark.rough
HOSTS = {"lab": ("cp-01", "inf-01"), "prod": ("cp-01", "inf-01")}
"""Servers that are driven: rack servers of two models, and blades of two roles."""
Facts = dict[str, Any]


def harmless(judged: Plan, lot: random.Random, own: Mapping[str, dict[str, Any]]) -> Iterator[Mutant]:
    """Mutants that no rule stops and an entry excuses, in any order; of what `own`, the driven objects, have."""
    every = {
        mutant.name: mutant
        for site in sites(judged.resources)
        if any(_name(urn) in own for urn in site.places)
        for mutant in mutants(site)
        if excuse(mutant) is not None
    }
    by_urn = {each.urn: each for each in judged.resources}
    for name in lot.sample(sorted(every), len(every)):
        if not judged.gate(every[name].apply(by_urn)):
            yield every[name]


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]


def changed(mutant: Mutant, own: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The specs of driven objects that a mutant changes, by name."""
    places = {urn: path for urn, path in mutant.site.places.items() if _name(urn) in own}
    given = {urn: Resource("", _name(urn), urn, {"spec": own[_name(urn)]}) for urn in places}
    made = Mutant(replace(mutant.site, places=places), mutant.to).apply(given)
    return {_name(urn): each.props["spec"] for urn, each in made.items()}


def wave_of(stand: Stand, stack: str) -> Wave:
    said, _, organization = managed(stack, HOSTS[stack])
    return Wave(stand, said, organization)


async def boots(stand: Stand, name: str, image: str) -> None:
    """A host comes up from the image, as an installation begins."""
    serial = stand.world.servers[name].serial
    await boot.boot_image(stand.context(), LOGIN, {"name": name, "serial": serial, "intersight": True}, image)
    await soon(lambda: stand.world.host(name).medium == "Cd", 20.0)


def facts(stand: Stand, name: str) -> Facts:
    """What a node sees of its machine: settings in force, NICs by their place, what it started from."""
    world, host = stand.world, stand.world.host(name)
    nics = [nic for nic in world.servers[name].nics.values() if isinstance(nic, Vnic)]
    profile = stand.live("server.Profile", name)
    return {
        **{f"bios {token}": value for token, value in world.bios(name).items()},
        **{
            f"nic {place} {key}": getattr(nic, key)
            for place, nic in enumerate(nics)
            for key in ("fabric", "failover", "vlans", "native", "mtu")
        },
        "boot address": nics[0].mac if nics else "",
        "addresses": len({nic.mac for nic in nics if nic.mac}),
        "paths": sorted(each["OperState"] for each in map(stand.store.view, stand.store.of("network.Vethernet"))),
        "profile": profile["ConfigContext"]["ConfigState"],
        "host": (host.power, host.state, host.medium, host.boots),
    }


def expected(mutant: Mutant, other: set[str]) -> bool:
    """True when a mutant changed what it is itself, if anything: its own BIOS setting, its own MTU."""
    last = str(mutant.site.path[-1])
    if mutant.site.kind.startswith("BIOS of"):
        return other <= {f"bios {last}"}
    if mutant.site.kind == "bios.Policy":  # a list of tokens that have a name and a value
        return len(other) <= 1 and all(each.startswith("bios ") for each in other)
    return not other or (last == "Mtu" and all(each.endswith(" mtu") for each in other))


async def driven(folder: Path, stack: str, specs: Mapping[str, dict[str, Any]], image: str) -> dict[str, Facts]:
    """Facts of each host once a plan with these specs in place of its own is up and its hosts have started."""
    _, world, _ = managed(stack, HOSTS[stack])
    with standing(_made(folder), text=text(world)) as stand:
        stand.fault(discovery=0.05)
        wave = wave_of(stand, stack)
        wave.put(specs)
        assert await wave.up() == []
        await asyncio.gather(*(boots(stand, name, image) for name in HOSTS[stack]))
        return {name: facts(stand, name) for name in HOSTS[stack]}


@pytest.mark.parametrize("stack", HOSTS)
def test_a_harmless_mutant_changes_nothing_that_a_node_sees(tmp_path: Path, stack: str, image: str) -> None:
    with standing(_made(tmp_path / "specs"), text=text(managed(stack, HOSTS[stack])[1])) as stand:
        own = wave_of(stand, stack).specs()
    before = asyncio.run(driven(tmp_path / "before", stack, {}, image))
    assert all(each["profile"] == "Associated" and each["host"][2] == "Cd" for each in before.values())
    lot = random.Random(f"{SEED} {stack}")
    found = harmless(plan(stack), lot, own)
    for number in range(DRIVEN):
        mutant = next(found)
        print(f"PODWRIGHT_HARMLESS_SEED={SEED}: {stack}, {mutant.name}")
        after = asyncio.run(driven(tmp_path / f"after-{number}", stack, changed(mutant, own), image))
        for name, seen in before.items():
            other = {key for key in seen | after[name] if seen.get(key) != after[name].get(key)}
            told = {key: (seen.get(key), after[name].get(key)) for key in other}
            assert expected(mutant, other), f"{mutant.name}: {name} {told}"


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
