"""vNICs that are derived from a template: attached, in step, moved, let go; a merge alone brings what the template has.

Each of it holds in both forms of what no source settles: whether an attachment brings the template's values along, and
what a merge takes beside them.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from podwright.components.providers.protocol.kind import ProviderError
from podwright.lab.intersight.service import ROOT, Call
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand
from tests.waiting import soon

POLICY, POOL = BY_TOKEN["Policy"], BY_TOKEN["Pool"]
FORMS = pytest.mark.parametrize(
    "stand", ["{}", "{template-sync: automatic, merge: all-common}"], indirect=True, ids=["ordered", "automatic"]
)
REFERENCES = {
    "EthQosPolicy": {"object_type": "vnic.EthQosPolicy", "name": "t-qos"},
    "EthAdapterPolicy": {"object_type": "vnic.EthAdapterPolicy", "name": "t-adapter"},
    "FabricEthNetworkGroupPolicy": [{"object_type": "fabric.EthNetworkGroupPolicy", "name": "t-group"}],
    "FabricEthNetworkControlPolicy": {"object_type": "fabric.EthNetworkControlPolicy", "name": "t-control"},
    "MacPool": {"object_type": "macpool.Pool", "name": "t-macs"},
}


async def objects(stand: Stand) -> None:
    jumbo = specs.qos("t-jumbo") | {"properties": {"Mtu": 9000, "Priority": "Gold"}}
    group = {"VlanSettings": {"AllowedVlans": "10", "NativeVlan": 10}}
    for spec in (
        specs.qos(),
        jumbo,
        specs.policy("vnic.EthAdapterPolicy", "t-adapter", {"RssSettings": True}),
        specs.policy("fabric.EthNetworkGroupPolicy", "t-group", group),
        specs.policy("fabric.EthNetworkControlPolicy", "t-control", {"CdpEnabled": False}),
    ):
        await Driver(stand, POLICY, spec).create()
    await Driver(stand, POOL, specs.macs()).create()


def template(stand: Stand, name: str = "t", qos: str = "t-qos", fabric: str = "A") -> Driver:
    properties = {"EnableOverride": False, "FailoverEnabled": False, "SwitchId": fabric}
    references = {**REFERENCES, "EthQosPolicy": {"object_type": "vnic.EthQosPolicy", "name": qos}}
    return Driver(stand, POLICY, specs.policy("vnic.VnicTemplate", name, properties, references=references))


def vnic(source: str | None = "t", qos: str = "t-qos", fabric: str = "A") -> dict[str, Any]:
    references = {**REFERENCES, "EthQosPolicy": {"object_type": "vnic.EthQosPolicy", "name": qos}}
    if source is not None:
        references["SrcTemplate"] = {"object_type": "vnic.VnicTemplate", "name": source}
    place = {"Id": "MLOM", "PciLink": 0, "PciLinkAssignmentMode": "Custom", "SwitchId": fabric, "Uplink": 0}
    properties = {"Order": 0, "Placement": place, "FailoverEnabled": False, "MacAddressType": "POOL"}
    return {"object_type": "vnic.EthIf", "name": "eth0", "properties": properties, "references": references}


def lan(stand: Stand, child: dict[str, Any], platform: str = "FIAttached") -> Driver:
    about = {"TargetPlatform": platform, "PlacementMode": "custom"}
    return Driver(stand, POLICY, specs.policy("vnic.LanConnectivityPolicy", "t-lan", about, children=[child]))


def live(stand: Stand) -> Any:
    with stand.side.service.lock:
        return stand.store.view(stand.live("vnic.EthIf", "eth0"))


def patch(stand: Stand, object_type: str, name: str, **change: Any) -> None:
    """Somebody's request."""
    path = f"{ROOT}{stand.side.service.schema.objects[object_type].path}/{stand.live(object_type, name)['Moid']}"
    stand.side.service.handle(Call("PATCH", path, {}, {}, json.dumps(change).encode()))


def mark(stand: Stand) -> dict[str, str]:
    return {"ObjectType": "vnic.VnicTemplate", "Moid": stand.live("vnic.VnicTemplate", "t")["Moid"]}


def qos(stand: Stand) -> str:
    return str(stand.store.target(live(stand)["EthQosPolicy"])["Name"])


SOURCE = "spec.children.0.references.SrcTemplate.name"


@FORMS
async def test_a_vnic_is_derived_and_nothing_is_written_the_second_time(stand: Stand) -> None:
    await objects(stand)
    source, driver = template(stand), lan(stand, vnic())
    await source.create()
    await driver.create()
    assert (live(stand)["TemplateSyncStatus"], qos(stand)) == ("OK", "t-qos")
    assert (await driver.drift(), await source.drift()) == ([], [])
    writes = stand.side.writes
    await source.update()
    await driver.update()
    assert stand.side.writes == writes


@FORMS
async def test_a_rendered_vnic_joins_and_leaves_a_template_with_its_own_values_and_tags(stand: Stand) -> None:
    await objects(stand)
    driver = lan(stand, vnic(None))
    await driver.create()
    stand.edit("vnic.EthIf", "eth0", {"Tags": [*live(stand)["Tags"], {"Key": "people", "Value": "x"}]})
    source = template(stand)
    await source.create()
    moid, place = live(stand)["Moid"], live(stand)["Placement"]
    await driver.update(lambda spec: spec.update(children=[vnic()]))
    assert (live(stand)["TemplateSyncStatus"], live(stand)["Moid"]) == ("OK", moid)
    assert {name: live(stand)["Placement"][name] for name in place} == place
    assert {tag["Key"] for tag in live(stand)["Tags"]} >= {"people", "podwright"}
    with pytest.raises(ProviderError, match="associated with vNICs"):
        await source.delete()
    await driver.update(lambda spec: spec.update(children=[vnic(None)]))
    assert (live(stand)["SrcTemplate"], live(stand)["Moid"], qos(stand)) == (None, moid, "t-qos")
    assert await driver.drift() == []
    await source.delete()
    assert await source.gone()


@FORMS
async def test_a_changed_template_reaches_its_vnics_and_their_update_waits_for_it(stand: Stand) -> None:
    await objects(stand)
    source, driver = template(stand), lan(stand, vnic())
    await source.create()
    await driver.create()
    jumbo = {"object_type": "vnic.EthQosPolicy", "name": "t-jumbo"}
    await source.update(lambda spec: spec["references"].update(EthQosPolicy=jumbo))
    await driver.update(lambda spec: spec.update(children=[vnic(qos="t-jumbo")]))
    assert (live(stand)["TemplateSyncStatus"], qos(stand), await driver.drift()) == ("OK", "t-jumbo", [])


@FORMS
async def test_a_vnic_moves_to_another_template_and_with_it_to_the_other_fabric(stand: Stand) -> None:
    await objects(stand)
    for source in (template(stand), template(stand, "u", "t-jumbo", "B")):
        await source.create()
    driver = lan(stand, vnic())
    await driver.create()
    await driver.update(lambda spec: spec.update(children=[vnic("u", "t-jumbo", "B")]))
    assert live(stand)["SrcTemplate"]["Moid"] == stand.live("vnic.VnicTemplate", "u")["Moid"]
    assert (live(stand)["Placement"]["SwitchId"], qos(stand), await driver.drift()) == ("B", "t-jumbo", [])


async def test_what_people_do_to_vnic_and_template_is_drift_and_put_back(stand: Stand) -> None:
    await objects(stand)
    source, driver = template(stand), lan(stand, vnic())
    await source.create()
    await driver.create()
    stand.edit("vnic.EthIf", "eth0", {"SrcTemplate": None})
    assert SOURCE.rpartition(".")[0] in " ".join(await driver.drift())
    await driver.update()
    assert await driver.drift() == []
    # People allow overrides, and one vNIC has its own value.
    jumbo = {"ObjectType": "vnic.EthQosPolicy", "Moid": stand.live("vnic.EthQosPolicy", "t-jumbo")["Moid"]}
    patch(stand, "vnic.VnicTemplate", "t", EnableOverride=True)
    patch(stand, "vnic.EthIf", "eth0", EthQosPolicy=jumbo)
    assert live(stand)["OverriddenList"] == ["EthQosPolicy"]
    assert (await source.drift(), await driver.drift()) == (
        ["spec.properties.EnableOverride"], ["spec.children.0.references.EthQosPolicy.name"],
    )  # fmt: skip
    await source.update()
    await driver.update()
    assert (await source.drift(), await driver.drift(), qos(stand)) == ([], [], "t-qos")
    # Attached again by hand, without the template's values.
    for change in ({"SrcTemplate": None}, {"EthQosPolicy": jumbo}, {"SrcTemplate": mark(stand)}):
        patch(stand, "vnic.EthIf", "eth0", **change)
    assert set(await driver.drift()) == {SOURCE, "spec.children.0.references.EthQosPolicy.name"}
    await driver.update()
    assert (await driver.drift(), qos(stand)) == ([], "t-qos")


async def test_a_vnic_that_people_attached_is_taken_off_the_template(stand: Stand) -> None:
    await objects(stand)
    await template(stand).create()
    driver = lan(stand, vnic(None))
    await driver.create()
    stand.edit("vnic.EthIf", "eth0", {"SrcTemplate": mark(stand)})
    assert {path.rpartition(".")[0] for path in await driver.drift()} == {SOURCE.rpartition(".")[0]}
    await driver.update()
    assert (live(stand)["SrcTemplate"], await driver.drift()) == (None, [])


async def test_a_template_with_another_value_than_the_vnic_lists_is_reported(stand: Stand) -> None:
    await objects(stand)
    driver = lan(stand, vnic(qos="t-jumbo"))
    with pytest.raises(ProviderError, match=r"refers to vnic\.VnicTemplate 't', which Intersight does not have"):
        await driver.create()
    await template(stand).create()
    with pytest.raises(ProviderError, match="its template gives it another EthQosPolicy; the template must have"):
        await driver.create()


async def test_another_owner_s_vnic_is_not_taken_off_its_template(stand: Stand) -> None:
    await objects(stand)
    await template(stand).create()
    driver = lan(stand, vnic())
    await driver.create()
    theirs = [{"Key": "podwright", "Value": "other/stack"}]
    stand.edit("vnic.EthIf", "eth0", {"Tags": theirs})
    with pytest.raises(ProviderError, match="belongs to the stack other/stack"):
        await driver.update(lambda spec: spec.update(children=[vnic(None)]))
    assert live(stand)["SrcTemplate"] is not None


@pytest.mark.parametrize("steps", [2, 6, *(pytest.param(each, marks=pytest.mark.rough) for each in range(9, 26, 4))])
async def test_killed_after_any_request_the_next_run_completes(stand: Stand, steps: int) -> None:
    await objects(stand)
    for source in (template(stand), template(stand, "u", "t-jumbo")):
        await source.create()
    driver = lan(stand, vnic())
    await driver.create()
    old = {"spec": dict(driver.spec)}
    driver.spec.update(children=[vnic("u", "t-jumbo")])
    task = asyncio.create_task(POLICY.update(driver.id, driver.inputs, old, driver.outputs, stand.context()))
    last = stand.side.gate.requests + steps
    await soon(lambda: stand.side.gate.requests >= last or task.done())
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await driver.update()
    assert (await driver.drift(), qos(stand)) == ([], "t-jumbo")
