"""Chassis profiles that are derived from a template: attached, in step, moved, let go, with their chassis all along.

Intersight has no status of it for chassis: a profile is in step when it has the policies of its template.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from podwright.components.providers.protocol.kind import Incomplete, ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand
from tests.providers.intersight.test_chassis import policies, profile
from tests.providers.intersight.test_check import problems
from tests.providers.intersight.test_domain import made as domain
from tests.waiting import soon

POLICY, CHASSIS, TEMPLATE = (BY_TOKEN[each] for each in ("Policy", "ChassisProfile", "ChassisProfileTemplate"))
POWER, FANS = ("power.Policy", "t-power"), ("thermal.Policy", "t-fans")
FORMS = pytest.mark.parametrize(
    "stand", ["{}", "{template-sync: automatic, merge: all-common}"], indirect=True, ids=["ordered", "automatic"]
)


def refs(*named: tuple[str, str]) -> list[dict[str, str]]:
    return [{"object_type": kind, "name": name} for kind, name in named]


def template(stand: Stand, *named: tuple[str, str], name: str = "t", **change: Any) -> Driver:
    spec = {"schema": 1, "name": name, "organization": "default", "policies": refs(*named)}
    return Driver(stand, TEMPLATE, {**spec, **change})


async def box(stand: Stand, *named: tuple[str, str], **change: Any) -> Driver:
    """A chassis profile on a site whose domain found the chassis; its policies exist."""
    await policies(stand)
    await (await domain(stand)).create()
    return Driver(stand, CHASSIS, profile(policies=refs(*named), **change))


def live(stand: Stand) -> Any:
    with stand.side.service.lock:
        return stand.store.view(stand.live("chassis.Profile", "x-1"))


def has(stand: Stand) -> set[str]:
    return {ref["ObjectType"] for ref in live(stand)["PolicyBucket"]}


def workflows(stand: Stand) -> int:
    return len(stand.store.of("workflow.WorkflowInfo"))


@FORMS
async def test_a_profile_is_derived_and_deployed_and_nothing_is_written_the_second_time(stand: Stand) -> None:
    driver = await box(stand, POWER, FANS, template="t")
    source = template(stand, POWER, FANS)
    await source.create()
    outputs = await driver.create()
    assert (outputs["config_state"], has(stand)) == ("Associated", {"power.Policy", "thermal.Policy"})
    assert live(stand)["SrcTemplate"]["Moid"] == stand.live("chassis.ProfileTemplate", "t")["Moid"]
    assert (await driver.drift(), await source.drift()) == ([], [])
    writes = stand.side.writes
    await source.update()
    await driver.update()
    assert stand.side.writes == writes


@FORMS
async def test_a_profile_joins_and_leaves_a_template_and_keeps_its_chassis_and_tags(stand: Stand) -> None:
    driver = await box(stand, POWER, FANS)
    await driver.create()
    stand.edit("chassis.Profile", "x-1", {"Tags": [*live(stand)["Tags"], {"Key": "people", "Value": "x"}]})
    source = template(stand, POWER, FANS)
    await source.create()
    before = workflows(stand)
    await driver.update(lambda spec: spec.update(template="t"))
    assert {tag["Key"] for tag in live(stand)["Tags"]} >= {"people", "podwright"}
    with pytest.raises(ProviderError, match=r"used by chassis\.Profile 'x-1'"):
        await source.delete()
    await driver.update(lambda spec: spec.pop("template"))
    assert (live(stand)["SrcTemplate"], has(stand)) == (None, {"power.Policy", "thermal.Policy"})
    assert live(stand)["AssociatedChassis"] is not None
    assert workflows(stand) == before, "nothing was deployed for it"
    assert await driver.drift() == []
    await source.delete()
    assert await source.gone()


@FORMS
async def test_a_changed_template_is_drift_of_its_profiles_until_they_are_merged(stand: Stand) -> None:
    driver = await box(stand, POWER, template="t")
    source = template(stand, POWER)
    await source.create()
    await driver.create()
    await source.update(lambda spec: spec.update(policies=refs(POWER, FANS)))
    assert has(stand) == {"power.Policy"}, "Intersight leaves the merge to its client"
    assert await driver.drift() == ["spec.template"]
    await driver.update(lambda spec: spec.update(policies=refs(POWER, FANS)))
    assert (has(stand), await driver.drift()) == ({"power.Policy", "thermal.Policy"}, [])


@FORMS
async def test_a_profile_moves_to_another_template_and_what_people_do_to_it_is_drift(stand: Stand) -> None:
    driver = await box(stand, POWER, template="t")
    for source in (template(stand, POWER), template(stand, POWER, FANS, name="u")):
        await source.create()
    await driver.create()
    await driver.update(lambda spec: spec.update(template="u", policies=refs(POWER, FANS)))
    assert live(stand)["SrcTemplate"]["Moid"] == stand.live("chassis.ProfileTemplate", "u")["Moid"]
    assert await driver.drift() == []
    stand.edit("chassis.Profile", "x-1", {"SrcTemplate": None})
    assert await driver.drift() == ["spec.template"]
    await driver.update()
    assert (await driver.drift(), has(stand)) == ([], {"power.Policy", "thermal.Policy"})


async def test_a_template_that_lacks_a_policy_is_reported_and_the_next_run_completes(stand: Stand) -> None:
    driver = await box(stand, POWER, FANS, template="t")
    source = template(stand, POWER)
    with pytest.raises(ProviderError, match="derived from the template 't', which Intersight does not have"):
        await driver.create()
    await source.create()
    with pytest.raises(Incomplete, match=r"its template lacks thermal\.Policy t-fans; the template must hold"):
        await driver.create()
    await source.update(lambda spec: spec.update(policies=refs(POWER, FANS)))
    await driver.create()
    assert await driver.drift() == []


@pytest.mark.parametrize("steps", [2, 6, *(pytest.param(each, marks=pytest.mark.rough) for each in range(9, 22, 4))])
async def test_killed_after_any_request_the_next_run_completes(stand: Stand, steps: int) -> None:
    driver = await box(stand, POWER, template="t")
    for source in (template(stand, POWER), template(stand, POWER, FANS, name="u")):
        await source.create()
    await driver.create()
    old = {"spec": dict(driver.spec)}
    driver.spec.update(template="u", policies=refs(POWER, FANS))
    task = asyncio.create_task(CHASSIS.update(driver.id, driver.inputs, old, driver.outputs, stand.context()))
    last = stand.side.gate.requests + steps
    await soon(lambda: stand.side.gate.requests >= last or task.done())
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await driver.update()
    assert (await driver.drift(), has(stand)) == ([], {"power.Policy", "thermal.Policy"})


async def test_another_owner_s_profile_is_not_taken_off_its_template(stand: Stand) -> None:
    theirs = await box(stand, POWER, template="t")
    theirs._context = {"identity": "other/stack"}
    await template(stand, POWER).create()
    await theirs.create()
    with pytest.raises(ProviderError, match="belongs to the stack other/stack"):
        await Driver(stand, CHASSIS, profile(policies=refs(POWER))).create()
    assert live(stand)["SrcTemplate"] is not None


def test_what_is_wrong_with_a_template_is_found_at_once(stand: Stand) -> None:
    wrong = template(stand, FANS, FANS, ("bios.Policy", "b"), name="a b").spec
    assert [path for path, _ in problems("ChassisProfileTemplate", wrong)] == [
        "spec.name", "spec.policies.1", "spec.policies.2",
    ]  # fmt: skip
    assert [path for path, _ in problems("ChassisProfile", profile(template="a b"))] == ["spec.template"]


async def test_a_template_changed_by_people_is_put_back(stand: Stand) -> None:
    await policies(stand)
    await Driver(stand, POLICY, specs.policy("snmp.Policy", "t-snmp", {"Enabled": False})).create()
    source = template(stand, POWER)
    await source.create()
    snmp = {"ObjectType": "snmp.Policy", "Moid": stand.live("snmp.Policy", "t-snmp")["Moid"]}
    stand.edit("chassis.ProfileTemplate", "t", {"PolicyBucket": [snmp]})
    assert [path.rpartition(".")[0] for path in await source.drift()] == ["spec.policies.0"] * 2
    await source.update()
    assert await source.drift() == []
