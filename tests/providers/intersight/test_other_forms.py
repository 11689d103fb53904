"""Answers that say the same in other forms are no change, and a change is seen in all of them.

One `up` of servers by lot, then look after look while Intersight shuffles, leaves out, spells differently and adds.
"""

from __future__ import annotations

import copy
import os
import random
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.cli.world import world as world_of
from podwright.components.design.compute import RolePlan, role
from podwright.components.model.management import ServerManagement
from tests.design.compute.test_management import SECTION
from tests.design.goldens import cluster
from tests.e2e.inventory_of_servers import drawn
from tests.providers.intersight.conftest import KEY_ID, standing
from tests.providers.intersight.wave import Wave, drawn_plan

GIVEN = os.environ.get("PODWRIGHT_FORMS_SEED", "")
"""Any seed must pass; without one a small inventory is looked at in a few forms."""
SEED = GIVEN or "10"
MOST, LOOKS = (12, 10) if GIVEN else (3, 3)
SECRETS = ("imc-ops", "imc-deputy", "imc-snmp-authentication", "imc-snmp-privacy", "ldap-reader")


def text(world: dict[str, Any]) -> str:
    """A world file whose key is the one that this folder's tests sign with."""
    world = copy.deepcopy(world)
    world["credentials"]["intersight"] = {"key_id": KEY_ID, "secret": "intersight-key"}
    return yaml.safe_dump({**world, "timing": {"post_seconds": 0.05}})


def by_lot(seed: str) -> tuple[RolePlan, dict[str, Any], str]:
    inventory, world = drawn(seed, MOST)
    return drawn_plan(inventory), world, "default"


def managed(stack: str, hosts: Collection[str] = ()) -> tuple[RolePlan, dict[str, Any], str]:
    """One of this project's stacks, with every policy for its management controllers; or these hosts as they are."""
    said = cluster(stack)
    assert said.intersight
    account, servers = said.intersight, said.servers
    if hosts:
        servers = {name: servers[name] for name in hosts}
    else:
        account = account.model_copy(update={"management": ServerManagement.model_validate(SECTION)})
    plan = role(said.name, servers, said.domains, account, said.site, said.fabric.frontend, said.compute.roles)
    world = {name: part for name, part in world_of(said).items() if name != "switches"}
    known = {*world["servers"], *world.get("domains", {})}
    boxes = {box for domain in world.get("domains", {}).values() for box in domain["chassis"]}
    ends = {*known, *boxes, *(f"{name}-{fabric}" for name in world.get("domains", {}) for fabric in "ab")}
    cables = [cable for cable in world["cables"] if all(end.partition(":")[0] in ends for end in cable[:2])]
    return plan, {**world, "cables": cables}, account.organization


async def look(wave: Wave, form: str) -> None:
    """In another form, nothing is changed, nothing is written, and what somebody changes is found."""
    stand = wave.stand
    stand.fault(forms=form)
    writes = stand.side.writes
    assert await wave.drift() == {}
    assert await wave.up() == []
    assert stand.side.writes == writes
    name, key = random.Random(form).choice(wave.switches())
    wave.turn(name, key)
    assert await wave.drift() == {name: [f"spec.properties.{key}"]}
    wave.turn(name, key)


@pytest.mark.parametrize("made", ["drawn", *(pytest.param(each, marks=pytest.mark.rough) for each in ("lab", "prod"))])
async def test_other_forms_of_the_same_are_no_change_and_cost_no_write(tmp_path: Path, made: str) -> None:
    plan, world, organization = by_lot(f"forms {SEED}") if made == "drawn" else managed(made)
    with standing(tmp_path, text=text(world)) as stand:
        stand.fault(discovery=0.05)
        for name in SECRETS:
            (stand.lab.secrets / name).write_text("a-Password-1")
        wave = Wave(stand, plan, organization)
        assert await wave.up() == []
        for number in range(LOOKS):
            print(f"PODWRIGHT_FORMS_SEED={SEED}: {made}, look {number}")
            await look(wave, f"{SEED} {number}")
        wave.turn(*wave.switches()[0])
        assert await wave.up() == []
        assert await wave.drift() == {}
