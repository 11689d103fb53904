"""The server's own word on a change, compared with the table's: on every kind of property, and where they differ."""

from __future__ import annotations

import copy
import dataclasses
import random
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from podwright.components import model
from podwright.components.changes.disruption import Disruption
from podwright.components.changes.property_changes import property_changes
from podwright.components.providers.intersight import account as accounts
from podwright.components.providers.intersight.table import rules_of
from podwright.components.providers.protocol.configuration import login_of
from podwright.components.providers.protocol.kind import Incomplete
from podwright.lab.intersight.side import start
from podwright.lab.redfish import registry
from tests.design import whole
from tests.lab.bench import make_world
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand
from tests.providers.intersight.test_profile import BUCKET, bucket
from tests.waiting import soon
from tools.goldens import stack_file

POLICY, POOL, PROFILE = BY_TOKEN["Policy"], BY_TOKEN["Pool"], BY_TOKEN["ServerProfile"]
SAMPLE, SEED = 24, 20261123


async def deployed(stand: Stand) -> Driver:
    """A profile in force, staged from then on, as a roll-out leaves it."""
    driver = Driver(stand, PROFILE, specs.profile(*BUCKET, digest="1", restart_digest="1"))
    await driver.create()
    stand.world.power("cp-01", "On")
    await soon(lambda: state(stand) == "Associated")
    return driver


def state(stand: Stand, name: str = "cp-01") -> str:
    return str(stand.live("server.Profile", name)["ConfigContext"]["ConfigState"])


async def test_a_restart_that_the_plan_did_not_hold_stops_before_anything_is_handed_over(stand: Stand) -> None:
    _, bios, *_ = await bucket(stand)
    driver = await deployed(stand)
    await bios.update(lambda spec: spec["properties"].update(SmtMode="Auto"))
    for _ in range(2):  # the second time nothing differs from the state any more, and it stops all the same
        with pytest.raises(Incomplete, match="would cause Reboot, but by the plan the server takes") as stopped:
            await driver.update(lambda spec: spec.update(digest="2"))
        driver.outputs = copy.deepcopy(dict(stopped.value.outputs))
        assert "(it is about bios.Policy)" in stopped.value.reasons[0]
        assert "changes: {approve: [{what: reboot, on: [cp-01]" in stopped.value.reasons[0]
    assert "SmtMode" not in stand.world.host("cp-01").bios_pending
    ctx = driver.ctx
    approval = {"what": "disruptive", "on": ["cp-01"], "until": "2999-01-01T00:00:00Z"}
    login = login_of({"intersight": {"key_id": "x"}, "changes": {"approve": [approval]}}, PROFILE.token)
    ctx = dataclasses.replace(ctx, config={**ctx.config, "changes": login["changes"]})
    driver.outputs = dict(await PROFILE.update(driver.id, driver.inputs, driver.inputs, driver.outputs, ctx))
    assert stand.world.host("cp-01").bios_pending["SmtMode"] == "Auto"
    assert stand.world.host("cp-01").boots == 1


async def test_a_restart_of_the_plan_waits_and_what_is_said_while_it_waits_stops_nothing(stand: Stand) -> None:
    ntp, bios, *_ = await bucket(stand)
    driver = await deployed(stand)
    await bios.update(lambda spec: spec["properties"].update(SmtMode="Auto"))
    await driver.update(lambda spec: spec.update(digest="2", restart_digest="2"))
    await ntp.update(lambda spec: spec["properties"].update(NtpServers=["192.0.2.9"]))
    await driver.update(lambda spec: spec.update(digest="3"))
    assert (state(stand), stand.world.host("cp-01").boots) == ("Pending-changes", 1)


async def test_a_deployment_that_was_cut_off_goes_on_with_the_restart_that_was_planned(stand: Stand) -> None:
    _, bios, *_ = await bucket(stand)
    driver = await deployed(stand)
    await bios.update(lambda spec: spec["properties"].update(SmtMode="Auto"))
    stand.side.fault({"fail_next": "cable"})
    with pytest.raises(Incomplete, match="cable") as failed:
        await driver.update(lambda spec: spec.update(digest="2", restart_digest="2"))
    driver.outputs = copy.deepcopy(dict(failed.value.outputs))
    assert driver.outputs["spec"]["restart_digest"] == "1"
    await driver.update()
    assert driver.outputs["spec"]["restart_digest"] == "2"
    assert stand.world.host("cp-01").bios_pending["SmtMode"] == "Auto"


async def test_what_somebody_changed_by_hand_is_put_back_and_waits(stand: Stand) -> None:
    await bucket(stand)
    driver = await deployed(stand)
    stand.world.stage_bios("cp-01", {"SmtMode": "Auto"})
    stand.world.power("cp-01", "ForceRestart")
    await soon(lambda: state(stand) == "Out-of-sync")
    seen = await PROFILE.read(driver.id, driver.inputs, driver.outputs, driver.ctx)
    assert seen is not None
    await PROFILE.update(driver.id, driver.inputs, seen.inputs, seen.outputs, driver.ctx)
    assert stand.world.host("cp-01").bios_pending["SmtMode"] == "Off"


# --- the lab's word and the table, property by property ------------------------------------------------------------

WORLD = """
name: bench
servers:
{servers}
timing: {{post_seconds: 0.05}}
credentials: {{intersight: {{key_id: a/b/c, secret: intersight-key}}}}
"""
SERVER = """  {name}:
    model: {model}
    serial: {serial}
    uuid: 00000000-0000-4000-8000-0000000000{number}
    bmc: 192.0.2.{number}
    boot_mac: "02:00:00:00:00:{number}"
    intersight: true
    cpu: {{vendor: {vendor}, sockets: 2, cores: 32}}
    memory_gib: 128
"""
Place = tuple[str, int | None, str]
"""Name of a policy, place among its children, property with dots."""


def other(rule: Mapping[str, Any], value: Any) -> Any:
    """Another value that Intersight takes; None where nothing is known to be one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        low, high = rule.get("low", 0), rule.get("high", 1 << 16)
        return next((each for each in (value - 1, value + 1) if low <= each <= high), None)
    choices = [each for each in rule.get("one_of", ()) if each not in (value, "platform-default", "")]
    return choices[0] if choices else None


def leaves(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def changed(spec: Mapping[str, Any], child: int | None, path: str) -> dict[str, Any] | None:
    """The spec with another value at a place, where there is one that can be sent."""
    out = copy.deepcopy(dict(spec))
    at = out if child is None else out["children"][child]
    *above, last = path.split(".")
    inner = at["properties"]
    for name in above:
        inner = inner[name]
    rule = rules_of(at["object_type"])[last] if not above else {}
    value = f"{inner[last]},99" if last == "AllowedVlans" else other(rule, inner[last])
    if value is None or last in ("StaticMacAddress", "TargetPlatform", "Order", "SwitchId", "Model"):
        return None
    inner[last] = value
    return out if out != spec and POLICY.check({"spec": out}, None) == [] else None  # type: ignore[arg-type]


def places(policies: Mapping[str, Mapping[str, Any]], tokens: Collection[str]) -> list[Place]:
    """Every property that can be changed; BIOS tokens only where the lab's board has them."""
    found: list[Place] = []
    for name, spec in policies.items():
        known = tokens if spec["object_type"] == "bios.Policy" else None
        for number, each in enumerate((spec, *spec["children"])):
            child = number - 1 if number else None
            found += [(name, child, path) for path, _ in leaves(each["properties"]) if known is None or path in known]
    return [place for place in found if changed(policies[place[0]], *place[1:]) is not None]


@pytest.mark.parametrize(("stack", "host"), [("lab", "cp-01"), ("prod", "inf-01")])
async def test_the_lab_says_what_the_table_says(stack: str, host: str, tmp_path: Path) -> None:
    """A seeded sample of the properties that the design writes, each changed alone on a profile in force."""
    cluster = model.load(stack_file(stack))
    plan = whole.compute(cluster)
    profile = next(each for each in plan.profiles if each.name == host)
    objects = {each.name: each.spec("default") for each in (*plan.pools, *plan.policies)}
    needed = {each.name for each in profile.policies}
    for _ in range(3):
        needed |= {one for name in needed for one in references(objects[name])}
    used = {name: spec for name, spec in objects.items() if name in needed}
    server = cluster.servers[host]
    text = SERVER.format(name=host, model=server.model, serial=server.serial, number=11, vendor=vendor(server.model))
    world, lab = make_world(tmp_path, WORLD.format(servers=text))
    side = start(world, lab)
    sample = random.Random(SEED).sample(places(used, registry.allowed(world.servers[host])), SAMPLE)
    sample += [("prod-vlan-group", None, "VlanSettings.AllowedVlans")] if stack == "prod" else []
    side.fault({"validate": 0.02, "configure": 0.02})
    accounts._clients.clear()
    stand = Stand(side, world, lab)
    try:
        made = {
            name: Driver(stand, POOL if ".Pool" in spec["object_type"] else POLICY, spec) for name, spec in used.items()
        }
        for driver in made.values():
            await driver.create()
        spec = {**profile.spec, "organization": "default", "action": "deploy", "approved_disruptions": ["Reboot"]}
        await Driver(stand, PROFILE, spec).create()
        wrong = [each for place in sample if (each := await told(stand, host, made[place[0]], *place[1:]))]
    finally:
        side.stop()
        world.close()
    assert wrong == []


async def told(stand: Stand, host: str, driver: Driver, child: int | None, path: str) -> str:
    """What is wrong with the lab's word on one change; it is taken back afterwards."""
    before, after = copy.deepcopy(driver.spec), changed(driver.spec, child, path)
    assert after is not None
    (change,) = property_changes(before, after)
    foreseen = change.row.disruption >= Disruption.REBOOT
    await driver.update(lambda spec: (spec.clear(), spec.update(after))[0])  # type: ignore[func-returns-value]
    await soon(lambda: state(stand, host) == "Pending-changes")
    said = stand.live("server.Profile", host)["ConfigChanges"]["Disruptions"]
    await driver.update(lambda spec: (spec.clear(), spec.update(before))[0])  # type: ignore[func-returns-value]
    await soon(lambda: state(stand, host) == "Associated")
    if (said == ["Reboot"]) == foreseen:
        return ""
    return f"{driver.spec['object_type']} {change.name}: the table says {change.row.disruption.word}, Intersight {said}"


def references(spec: Mapping[str, Any]) -> Iterator[str]:
    for each in (spec, *spec["children"]):
        for value in each["references"].values():
            yield from (one["name"] for one in (value if isinstance(value, list) else [value]))


def vendor(name: str) -> str:
    return "intel" if "M7" in name else "amd"
