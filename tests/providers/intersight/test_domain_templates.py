"""Domain profiles that are derived from a template: attached, merged side by side, moved, let go.

Each of it holds whether a merge of the pair's template takes the interconnects' profiles along or each has its own.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from podwright.components.providers.protocol.kind import Incomplete, ProviderError
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand
from tests.providers.intersight.test_check import problems
from tests.providers.intersight.test_domain import BUCKET, made
from tests.waiting import soon

DOMAIN, TEMPLATE = BY_TOKEN["DomainProfile"], BY_TOKEN["DomainProfileTemplate"]
LESS = BUCKET[1:]
FORMS = pytest.mark.parametrize(
    "stand",
    ["{}", "{domain-merge: each, merge: all-common}", "{domain-merge: each}"],
    indirect=True,
    ids=["together", "each-all-common", "each"],
)


def both(named: list[tuple[str, str]]) -> dict[str, Any]:
    refs = [{"object_type": kind, "name": name} for kind, name in named]
    return {"A": refs, "B": refs}


def template(stand: Stand, named: list[tuple[str, str]], name: str = "t", **change: Any) -> Driver:
    spec = {"schema": 1, "name": name, "organization": "default", "policies": both(named)}
    return Driver(stand, TEMPLATE, {**spec, **change})


def cluster(stand: Stand) -> Any:
    with stand.side.service.lock:
        return stand.store.view(stand.live("fabric.SwitchClusterProfile", "domain-1"))


def has(stand: Stand) -> list[set[str]]:
    """Types of policies of both interconnects' profiles."""
    found = sorted(stand.store.of("fabric.SwitchProfile"), key=lambda mo: str(mo["SwitchId"]))
    return [{ref["ObjectType"] for ref in mo["PolicyBucket"]} for mo in found]


def kinds(named: list[tuple[str, str]]) -> list[set[str]]:
    return [{kind for kind, _ in named}] * 2


def workflows(stand: Stand) -> int:
    return len(stand.store.of("workflow.WorkflowInfo"))


@FORMS
async def test_a_pair_is_derived_and_deployed_and_nothing_is_written_the_second_time(stand: Stand) -> None:
    driver, source = await made(stand, template="t"), template(stand, BUCKET)
    await source.create()
    outputs = await driver.create()
    assert outputs["config_states"] == {"A": "Associated", "B": "Associated"}
    assert (has(stand), cluster(stand)["TemplateSyncStatus"]) == (kinds(BUCKET), "OK")
    assert (await driver.drift(), await source.drift()) == ([], [])
    writes = stand.side.writes
    await source.update()
    await driver.update()
    assert stand.side.writes == writes


@FORMS
async def test_a_pair_joins_and_leaves_a_template_and_nothing_is_deployed(stand: Stand) -> None:
    driver = await made(stand)
    await driver.create()
    people = [*cluster(stand)["Tags"], {"Key": "people", "Value": "x"}]
    stand.edit("fabric.SwitchClusterProfile", "domain-1", {"Tags": people})
    source = template(stand, BUCKET)
    await source.create()
    before = workflows(stand)
    await driver.update(lambda spec: spec.update(template="t"))
    assert cluster(stand)["SrcTemplate"]["Moid"] == stand.live("fabric.SwitchClusterProfileTemplate", "t")["Moid"]
    assert {tag["Key"] for tag in cluster(stand)["Tags"]} >= {"people", "podwright"}
    with pytest.raises(ProviderError, match=r"used by fabric\.SwitchClusterProfile 'domain-1'"):
        await source.delete()
    await driver.update(lambda spec: spec.pop("template"))
    assert (cluster(stand)["SrcTemplate"], has(stand)) == (None, kinds(BUCKET))
    assert all(mo["SrcTemplate"] is None for mo in stand.store.of("fabric.SwitchProfile"))
    assert (workflows(stand), await driver.drift()) == (before, [])
    await source.delete()
    assert await source.gone() and stand.store.of("fabric.SwitchProfileTemplate") == []


@FORMS
async def test_a_changed_template_is_drift_of_its_domain_until_both_sides_are_merged(stand: Stand) -> None:
    driver, source = await made(stand, template="t", policies=both(LESS)), template(stand, LESS)
    await source.create()
    await driver.create()
    await source.update(lambda spec: spec.update(policies=both(BUCKET)))
    assert (has(stand), await driver.drift()) == (kinds(LESS), ["spec.template"])
    await driver.update(lambda spec: spec.update(policies=both(BUCKET)))
    assert (has(stand), await driver.drift()) == (kinds(BUCKET), [])


@FORMS
async def test_a_pair_moves_to_another_template_and_what_people_do_is_drift(stand: Stand) -> None:
    driver = await made(stand, template="t", policies=both(LESS))
    for source in (template(stand, LESS), template(stand, BUCKET, "u")):
        await source.create()
    await driver.create()
    await driver.update(lambda spec: spec.update(template="u", policies=both(BUCKET)))
    assert cluster(stand)["SrcTemplate"]["Moid"] == stand.live("fabric.SwitchClusterProfileTemplate", "u")["Moid"]
    assert (has(stand), await driver.drift()) == (kinds(BUCKET), [])
    stand.edit("fabric.SwitchClusterProfile", "domain-1", {"SrcTemplate": None})
    assert await driver.drift() == ["spec.template"]
    await driver.update()
    assert await driver.drift() == []


async def test_a_template_that_lacks_a_policy_is_reported_before_anything_is_deployed(stand: Stand) -> None:
    driver, source = await made(stand, template="t"), template(stand, LESS)
    with pytest.raises(ProviderError, match="derived from the template 't', which Intersight does not have"):
        await driver.create()
    await source.create()
    with pytest.raises(Incomplete, match=r"its template lacks ntp\.Policy t-ntp; the template must hold"):
        await driver.create()
    assert workflows(stand) == 0
    await source.update(lambda spec: spec.update(policies=both(BUCKET)))
    await driver.create()
    assert await driver.drift() == []


@pytest.mark.parametrize("steps", [3, 9, *(pytest.param(each, marks=pytest.mark.rough) for each in range(12, 40, 5))])
async def test_killed_after_any_request_the_next_run_completes(stand: Stand, steps: int) -> None:
    driver = await made(stand, template="t", policies=both(LESS))
    for source in (template(stand, LESS), template(stand, BUCKET, "u")):
        await source.create()
    await driver.create()
    old = {"spec": dict(driver.spec)}
    driver.spec.update(template="u", policies=both(BUCKET))
    task = asyncio.create_task(DOMAIN.update(driver.id, driver.inputs, old, driver.outputs, stand.context()))
    last = stand.side.gate.requests + steps
    await soon(lambda: stand.side.gate.requests >= last or task.done())
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await driver.update()
    assert (has(stand), await driver.drift()) == (kinds(BUCKET), [])


async def test_a_side_that_people_emptied_is_drift_of_the_template_and_put_back(stand: Stand) -> None:
    await made(stand)
    source = template(stand, BUCKET)
    await source.create()
    side = next(mo for mo in stand.store.of("fabric.SwitchProfileTemplate") if mo["SwitchId"] == "B")
    with stand.side.service.lock:
        stand.store.update(side, {"PolicyBucket": side["PolicyBucket"][1:]})
    assert all(path.startswith("spec.policies.B") for path in await source.drift())
    await source.update()
    assert await source.drift() == []
    with stand.side.service.lock:
        stand.store.remove(side)
    assert "spec.policies.B" in " ".join(await source.drift())
    await source.update()
    assert await source.drift() == []


def test_what_is_wrong_with_a_template_is_found_at_once(stand: Stand) -> None:
    wrong = template(stand, BUCKET, "a b", policies={"A": [{"object_type": "x.Policy", "name": "b"}], "C": []}).spec
    assert sorted(path for path, _ in problems("DomainProfileTemplate", wrong)) == [
        "spec.name", "spec.policies.A.0.object_type", "spec.policies.B", "spec.policies.C",
    ]  # fmt: skip
