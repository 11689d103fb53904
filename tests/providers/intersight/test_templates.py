"""Profiles that are derived from a template: attached, in step, moved, let go; the template owns what Intersight says.

Each of it holds in both forms of what no source settles: who brings a profile in step, and what a merge takes along.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from podwright.components.providers.intersight import boot
from podwright.components.providers.protocol.kind import Incomplete, ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, KEY_ID, Driver, Stand
from tests.providers.intersight.test_check import problems
from tests.waiting import soon

POLICY, PROFILE, TEMPLATE = (BY_TOKEN[each] for each in ("Policy", "ServerProfile", "ServerProfileTemplate"))
NTP, BIOS, MEDIA = ("ntp.Policy", "t-ntp"), ("bios.Policy", "t-bios"), ("vmedia.Policy", "t-media")
LOGIN = {"key_id": KEY_ID, "secret": "intersight-key"}
FORMS = pytest.mark.parametrize(
    "stand", ["{}", "{template-sync: automatic, merge: all-common}"], indirect=True, ids=["ordered", "automatic"]
)


def refs(*policies: tuple[str, str]) -> list[dict[str, str]]:
    return [{"object_type": kind, "name": name} for kind, name in policies]


def template(stand: Stand, *policies: tuple[str, str], name: str = "t", **change: Any) -> Driver:
    spec = {"schema": 1, "name": name, "organization": "default", "target_platform": "Standalone"}
    return Driver(stand, TEMPLATE, {**spec, "policies": refs(*policies), **change})


async def policies(stand: Stand) -> list[Driver]:
    media = specs.policy("vmedia.Policy", "t-media", {"Enabled": True, "Encryption": True})
    made = [Driver(stand, POLICY, each) for each in (specs.ntp(), specs.bios(), media)]
    for driver in made:
        await driver.create()
    return made


def live(stand: Stand, name: str = "cp-01") -> Any:
    with stand.side.service.lock:
        return stand.store.view(stand.live("server.Profile", name))


def status(stand: Stand, name: str = "cp-01") -> tuple[str, set[str]]:
    shown = live(stand, name)
    return shown["TemplateSyncStatus"], {ref["ObjectType"] for ref in shown["PolicyBucket"]}


@FORMS
async def test_a_profile_is_derived_and_staged_and_nothing_is_written_the_second_time(stand: Stand) -> None:
    await policies(stand)
    source = template(stand, NTP, BIOS)
    await source.create()
    driver = Driver(stand, PROFILE, specs.profile(NTP, BIOS, template="t", tags={"rack": "1"}))
    outputs = await driver.create()
    assert status(stand) == ("OK", {"ntp.Policy", "bios.Policy"})
    assert (outputs["config_state"], stand.world.host("cp-01").boots) == ("Pending-changes", 0)
    assert (await driver.drift(), await source.drift()) == ([], [])
    writes = stand.side.writes
    await source.update()
    await driver.update()
    assert stand.side.writes == writes


@FORMS
async def test_a_rendered_profile_joins_and_leaves_a_template_and_keeps_server_and_tags(stand: Stand) -> None:
    await policies(stand)
    driver = Driver(stand, PROFILE, specs.profile(NTP, action="deploy"))
    await driver.create()
    stand.edit("server.Profile", "cp-01", {"Tags": [*live(stand)["Tags"], {"Key": "people", "Value": "x"}]})
    source = template(stand, NTP)
    await source.create()
    workflows = len(stand.store.of("workflow.WorkflowInfo"))
    await driver.update(lambda spec: spec.update(template="t"))
    assert status(stand) == ("OK", {"ntp.Policy"})
    assert {tag["Key"] for tag in live(stand)["Tags"]} >= {"people", "podwright"}
    with pytest.raises(ProviderError, match=r"used by server\.Profile 'cp-01'"):
        await source.delete()
    await driver.update(lambda spec: spec.pop("template"))
    assert live(stand)["SrcTemplate"] is None
    assert live(stand)["AssociatedServer"] is not None
    assert len(stand.store.of("workflow.WorkflowInfo")) == workflows, "nothing was deployed for it"
    assert await driver.drift() == []
    await source.delete()
    assert await source.gone()


@FORMS
async def test_a_changed_template_is_drift_of_its_profiles_until_they_are_in_step(stand: Stand) -> None:
    await policies(stand)
    source = template(stand, NTP)
    await source.create()
    driver = Driver(stand, PROFILE, specs.profile(NTP, template="t"))
    await driver.create()
    await source.update(lambda spec: spec.update(policies=refs(NTP, MEDIA)))
    if stand.world.variants["template-sync"] == "ordered":
        assert status(stand) == ("OutOfSync", {"ntp.Policy"})
        assert await driver.drift() == ["spec.template"]
    await driver.update(lambda spec: spec.update(policies=refs(NTP, MEDIA)))
    assert status(stand) == ("OK", {"ntp.Policy", "vmedia.Policy"})
    assert (await driver.drift(), live(stand)["ConfigContext"]["ConfigState"]) == ([], "Associated")
    await source.update(lambda spec: spec.update(policies=refs(NTP)))
    await driver.update(lambda spec: spec.update(policies=refs(NTP)))
    assert status(stand) == ("OK", {"ntp.Policy"})


@FORMS
async def test_a_profile_moves_to_another_template(stand: Stand) -> None:
    await policies(stand)
    for source in (template(stand, NTP), template(stand, NTP, BIOS, name="u")):
        await source.create()
    driver = Driver(stand, PROFILE, specs.profile(NTP, template="t"))
    await driver.create()
    await driver.update(lambda spec: spec.update(template="u", policies=refs(NTP, BIOS)))
    assert status(stand) == ("OK", {"ntp.Policy", "bios.Policy"})
    assert live(stand)["SrcTemplate"]["Moid"] == stand.live("server.ProfileTemplate", "u")["Moid"]
    assert await driver.drift() == []


async def test_what_people_do_to_attachment_and_template_is_drift(stand: Stand) -> None:
    await policies(stand)
    source, driver = template(stand, NTP), Driver(stand, PROFILE, specs.profile(NTP, template="t"))
    await source.create()
    await driver.create()
    stand.edit("server.Profile", "cp-01", {"SrcTemplate": None})
    assert await driver.drift() == ["spec.template"]
    await driver.update()
    bios = stand.live("bios.Policy", "t-bios")
    own = stand.live("server.ProfileTemplate", "t")["PolicyBucket"]
    more = [*own, {"ObjectType": "bios.Policy", "Moid": bios["Moid"]}]
    stand.edit("server.ProfileTemplate", "t", {"PolicyBucket": more, "ServerFamily": "All"})
    assert [path for path in await source.drift() if not path.startswith("spec.policies")] == ["spec.server_family"]
    assert await driver.drift() == ["spec.template"]
    await source.update()
    await driver.update()
    assert (await source.drift(), await driver.drift(), status(stand)[0]) == ([], [], "OK")
    alone = Driver(stand, PROFILE, specs.profile(NTP, name="cp-99", serial="WZP00000012"))
    await alone.create()
    mark = {"ObjectType": "server.ProfileTemplate", "Moid": stand.live("server.ProfileTemplate", "t")["Moid"]}
    stand.edit("server.Profile", "cp-99", {"SrcTemplate": mark})
    assert await alone.drift() == ["spec.template"]
    await alone.update()
    assert (await alone.drift(), live(stand, "cp-99")["SrcTemplate"]) == ([], None)


async def test_a_template_that_holds_something_else_is_told_and_the_next_run_completes(stand: Stand) -> None:
    await policies(stand)
    source = template(stand, NTP)
    await source.create()
    driver = Driver(stand, PROFILE, specs.profile(NTP, BIOS, template="t"))
    with pytest.raises(Incomplete, match=r"its template lacks bios\.Policy t-bios; the template must hold") as told:
        await driver.create()
    assert told.value.outputs["spec"]["template"] == "t", "it is attached"
    await source.update(lambda spec: spec.update(policies=refs(NTP, BIOS)))
    await driver.create()
    assert await driver.drift() == []
    with pytest.raises(ProviderError, match="derived from the template 'v', which Intersight does not have"):
        await driver.update(lambda spec: spec.update(template="v"))


async def test_foreign_profiles_and_templates_are_left_alone(stand: Stand) -> None:
    await policies(stand)
    theirs = template(stand, NTP)
    theirs._context = {"identity": "other/stack"}
    await theirs.create()
    with pytest.raises(ProviderError, match="'t' exists in Intersight and belongs to the stack other/stack"):
        await template(stand, NTP).create()
    owned = Driver(stand, PROFILE, specs.profile(NTP, template="t"), identity="other/stack")
    await owned.create()
    with pytest.raises(ProviderError, match="belongs to the stack other/stack"):
        await Driver(stand, PROFILE, specs.profile(NTP)).create()
    assert status(stand)[0] == "OK"


@FORMS
async def test_a_server_that_installs_is_off_its_template_until_the_image_goes(stand: Stand) -> None:
    await policies(stand)
    device = {"ObjectType": "boot.VirtualMedia", "ClassId": "boot.VirtualMedia", "Name": "image", "Enabled": True}
    order = ("boot.PrecisionPolicy", "t-boot")
    await Driver(stand, POLICY, specs.policy(*order, {"ConfiguredBootMode": "Uefi", "BootDevices": [device]})).create()
    source = template(stand, NTP, MEDIA, order)
    await source.create()
    driver = Driver(stand, PROFILE, specs.profile(NTP, MEDIA, order, template="t"))
    await driver.create()
    host = {"name": "cp-01", "serial": "WZP00000011"}
    await boot.boot_image(stand.context(), LOGIN, host, "http://192.0.2.2/x.iso")
    assert status(stand)[0] == "None"
    assert await driver.drift() == []
    await driver.update(lambda spec: spec.update(digest="2"))
    media = next(ref for ref in live(stand)["PolicyBucket"] if ref["ObjectType"] == "vmedia.Policy")
    assert media["Moid"] != stand.live("vmedia.Policy", "t-media")["Moid"], "the image is in still"
    await boot.eject(stand.context(), LOGIN, host)
    assert status(stand) == ("OK", {"ntp.Policy", "vmedia.Policy", "boot.PrecisionPolicy"})
    assert await driver.drift() == []
    assert [each["Name"] for each in stand.store.of("vmedia.Policy")] == ["t-media"]


@pytest.mark.parametrize("steps", [1, 5, *(pytest.param(each, marks=pytest.mark.rough) for each in range(9, 26, 4))])
async def test_killed_after_any_request_the_next_run_completes(stand: Stand, steps: int) -> None:
    await policies(stand)
    for source in (template(stand, NTP), template(stand, NTP, BIOS, name="u")):
        await source.create()
    driver = Driver(stand, PROFILE, specs.profile(NTP, template="t"))
    await driver.create()
    old = {"spec": dict(driver.spec)}
    driver.spec.update(template="u", policies=refs(NTP, BIOS))
    task = asyncio.create_task(PROFILE.update(driver.id, driver.inputs, old, driver.outputs, stand.context()))
    last = stand.side.gate.requests + steps
    await soon(lambda: stand.side.gate.requests >= last or task.done())
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await driver.update()
    assert status(stand) == ("OK", {"ntp.Policy", "bios.Policy"})
    assert await driver.drift() == []


@pytest.mark.parametrize("mode", ["cut", "500"])
async def test_a_merge_without_an_answer_is_looked_up(stand: Stand, mode: str) -> None:
    await policies(stand)
    await template(stand, NTP).create()
    stand.fault(mode=mode, verb="POST", path="bulk/MoMergers", times=1, carried_out=True)
    driver = Driver(stand, PROFILE, specs.profile(NTP, template="t"))
    await driver.create()
    assert (status(stand), await driver.drift()) == (("OK", {"ntp.Policy"}), [])


@pytest.mark.parametrize("stand", ["{c845a: checked}"], indirect=True)
async def test_a_c845a_has_its_family_from_the_template(stand: Stand) -> None:
    await policies(stand)
    family = {"server_family": "UCSC845A"}
    await template(stand, NTP, **family).create()
    machine = {"name": "inf-01", "serial": "WZP00000021", "model": "UCSC-845A-M8"}
    driver = Driver(stand, PROFILE, specs.profile(NTP, template="t", **machine, **family))
    await driver.create()
    assert (live(stand, "inf-01")["ServerFamily"], await driver.drift()) == ("UCSC845A", [])


def test_what_is_wrong_with_a_template_is_said_at_once(stand: Stand) -> None:
    wrong = template(stand, NTP, NTP, target_platform="FI", server_family="x", name="a b").spec
    assert [path for path, _ in problems("ServerProfileTemplate", wrong)] == [
        "spec.name", "spec.target_platform", "spec.server_family", "spec.policies.1",
    ]  # fmt: skip
    assert [path for path, _ in problems("ServerProfile", specs.profile(template="a b"))] == ["spec.template"]
