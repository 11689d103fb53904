from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from podwright.components.providers.intersight.table import rules_of
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand

POLICY, POOL = BY_TOKEN["Policy"], BY_TOKEN["Pool"]


async def made(stand: Stand, *all_specs: dict[str, Any]) -> list[Driver]:
    drivers = [Driver(stand, POOL if spec["object_type"].endswith(".Pool") else POLICY, spec) for spec in all_specs]
    for driver in drivers:
        await driver.create()
    return drivers


async def test_a_policy_is_made_once_and_read_back_as_said(stand: Stand) -> None:
    (driver,) = await made(stand, specs.ntp())
    assert driver.id == "ntp.Policy/default/t-ntp"
    assert stand.live("ntp.Policy", "t-ntp")["NtpServers"] == ["192.0.2.1"]
    assert await driver.drift() == []
    writes = stand.side.writes
    await driver.update()
    await driver.create()
    assert stand.side.writes == writes == 1


async def test_everything_the_server_rewrites_enriches_or_shuffles_is_no_drift(stand: Stand) -> None:
    drivers = await made(stand, specs.ntp(), specs.qos(), specs.vlans(), specs.lan(), specs.macs(), specs.bios())
    assert stand.live("vnic.EthNetworkPolicy", "t-vlans")["VlanSettings"]["AllowedVlans"] == "5-7,10"
    writes = stand.side.writes
    for driver in drivers:
        assert (driver.id, await driver.drift()) == (driver.id, [])
        await driver.update()
    assert stand.side.writes == writes


async def test_twenty_properties_changed_behind_our_back_are_found_and_repaired(stand: Stand) -> None:
    rules = rules_of("bios.Policy")
    tokens = sorted(n for n, r in rules.items() if "platform-default" in r.get("one_of", ()) and len(r["one_of"]) > 2)
    chosen = random.Random(3).sample(tokens, 20)
    (driver,) = await made(stand, specs.bios(**{name: rules[name]["one_of"][1] for name in chosen}))
    assert await driver.drift() == []
    for name in chosen:
        stand.edit("bios.Policy", "t-bios", {name: rules[name]["one_of"][2]})
        assert await driver.drift() == [f"spec.properties.{name}"]
        await driver.update()
        assert await driver.drift() == []
        assert stand.live("bios.Policy", "t-bios")[name] == rules[name]["one_of"][1]


async def test_edits_to_what_we_do_not_own_are_neither_reported_nor_touched(stand: Stand) -> None:
    (driver,) = await made(stand, specs.bios())
    stand.edit("bios.Policy", "t-bios", {"Description": "by hand", "TpmControl": "enabled"})
    assert await driver.drift() == []
    stand.edit("bios.Policy", "t-bios", {"SmtMode": "Auto"})
    await driver.update()
    live = stand.live("bios.Policy", "t-bios")
    assert (live["SmtMode"], live["Description"], live["TpmControl"]) == ("Off", "by hand", "enabled")


async def test_a_property_no_longer_said_goes_back_to_the_platforms_default(stand: Stand) -> None:
    (driver,) = await made(stand, specs.bios())
    await driver.update(lambda spec: spec["properties"].pop("SmtMode"))
    assert stand.live("bios.Policy", "t-bios")["SmtMode"] == "platform-default"
    assert await driver.drift() == []


async def test_saying_the_platforms_default_is_saying_nothing(stand: Stand) -> None:
    (driver,) = await made(stand, specs.bios(SmtMode="platform-default"))
    with stand.side.service.lock:
        stand.live("bios.Policy", "t-bios").pop("SmtMode")
    assert await driver.drift() == []


async def test_a_nested_value_keeps_what_we_do_not_own_inside_it(stand: Stand) -> None:
    (driver,) = await made(stand, specs.vlans())
    live = stand.live("vnic.EthNetworkPolicy", "t-vlans")
    stand.edit("vnic.EthNetworkPolicy", "t-vlans", {"VlanSettings": {**live["VlanSettings"], "DefaultVlan": 10}})
    assert await driver.drift() == []
    await driver.update(lambda spec: spec["properties"]["VlanSettings"].update(AllowedVlans="5,10"))
    settings = stand.live("vnic.EthNetworkPolicy", "t-vlans")["VlanSettings"]
    assert (settings["AllowedVlans"], settings["DefaultVlan"]) == ("5,10", 10)


async def test_children_come_change_and_go_with_their_policy(stand: Stand) -> None:
    *_, driver = await made(stand, specs.qos(), specs.vlans(), specs.lan())
    assert {mo["Name"] for mo in stand.store.of("vnic.EthIf")} == {"eth0", "eth1"}
    stand.edit("vnic.EthIf", "eth1", {"Order": 5})
    assert await driver.drift() == ["spec.children.1.properties.Order"]
    await driver.update(lambda spec: spec["children"].pop(0))
    assert [mo["Name"] for mo in stand.store.of("vnic.EthIf")] == ["eth1"]
    assert stand.live("vnic.EthIf", "eth1")["Order"] == 1
    with stand.side.service.lock:
        stand.store.remove(stand.live("vnic.EthIf", "eth1"))
    assert any(path.startswith("spec.children.0") for path in await driver.drift())
    await driver.update()
    assert await driver.drift() == []
    await driver.delete()
    assert stand.store.of("vnic.EthIf") == []


async def test_a_childs_reference_moved_elsewhere_is_found_and_put_back(stand: Stand) -> None:
    *_, driver = await made(stand, specs.qos(), specs.qos("other-qos"), specs.vlans(), specs.lan())
    other = stand.live("vnic.EthQosPolicy", "other-qos")
    stand.edit("vnic.EthIf", "eth0", {"EthQosPolicy": {"ObjectType": other["ObjectType"], "Moid": other["Moid"]}})
    assert await driver.drift() == ["spec.children.0.references.EthQosPolicy.name"]
    await driver.update()
    assert await driver.drift() == []


async def test_a_strangers_child_is_not_ours_to_change_and_stops_a_delete(stand: Stand) -> None:
    *_, driver = await made(stand, specs.qos(), specs.vlans(), specs.lan(vnics=1))
    parent = stand.live("vnic.LanConnectivityPolicy", "t-lan")
    with stand.side.service.lock:
        link = {"ObjectType": parent["ObjectType"], "Moid": parent["Moid"]}
        stand.store.create("vnic.EthIf", {"Name": "theirs", "LanConnectivityPolicy": link, "Order": 7})
    await driver.update()
    assert await driver.drift() == []
    with pytest.raises(ProviderError, match=r"holds vnic.EthIf 'theirs', which is not ours and would go with it"):
        await driver.delete()
    assert stand.live("vnic.EthIf", "theirs") is not None


async def test_a_foreign_object_of_our_name_is_refused_with_both_ways_out(stand: Stand) -> None:
    with stand.side.service.lock:
        home = stand.live("organization.Organization", "default")
        where = {"ObjectType": home["ObjectType"], "Moid": home["Moid"]}
        values = {"Name": "t-ntp", "Organization": where, "NtpServers": ["192.0.2.7"], "Tags": []}
        before = copy.deepcopy(stand.store.create("ntp.Policy", values))
    driver = Driver(stand, POLICY, specs.ntp())
    with pytest.raises(
        ProviderError, match=r"not made by this stack.*intersight: \{adopt: \[t-ntp\]\}.*adopt: true.*another name"
    ):
        await driver.create()
    assert stand.side.writes == 0
    assert stand.live("ntp.Policy", "t-ntp") == before


async def test_an_adopted_object_is_brought_to_the_spec_and_kept_on_destroy(stand: Stand) -> None:
    (theirs,) = await made(stand, specs.ntp())
    stand.edit("ntp.Policy", "t-ntp", {"Tags": [{"Key": "site", "Value": "a"}], "NtpServers": ["192.0.2.7"]})
    driver = Driver(stand, POLICY, {**specs.ntp(), "adopt": True})
    outputs = await driver.create()
    assert outputs["adopted"] is True
    assert stand.live("ntp.Policy", "t-ntp")["NtpServers"] == ["192.0.2.1"]
    again = Driver(stand, POLICY, {**specs.ntp(), "adopt": True})
    assert (await again.create())["adopted"] is True, "an adoption survives the loss of the state"
    await driver.delete()
    assert [tag["Key"] for tag in stand.live("ntp.Policy", "t-ntp")["Tags"]] == ["site"]
    assert "was kept" in stand.warned[-1]
    assert theirs.id == driver.id


async def test_another_stacks_object_cannot_be_adopted(stand: Stand) -> None:
    await made(stand, specs.ntp())
    driver = Driver(stand, POLICY, {**specs.ntp(), "adopt": True}, identity="podwright/other")
    with pytest.raises(ProviderError, match="belongs to the stack podwright/bench: destroy it there") as told:
        await driver.create()
    assert "adopt" not in str(told.value), "that would not help"


async def test_what_was_replaced_by_a_stranger_is_gone_and_spared(stand: Stand) -> None:
    (driver,) = await made(stand, specs.ntp())
    with stand.side.service.lock:
        old = stand.live("ntp.Policy", "t-ntp")
        where = old["Organization"]
        stand.store.remove(old)
        stand.store.create("ntp.Policy", {"Name": "t-ntp", "Organization": where, "Tags": []})
    assert await driver.gone()
    await driver.delete()
    assert stand.live("ntp.Policy", "t-ntp") is not None
    assert "was left alone" in stand.warned[-1]


async def test_wiped_tags_do_not_make_our_own_object_foreign(stand: Stand) -> None:
    (driver,) = await made(stand, specs.ntp())
    stand.edit("ntp.Policy", "t-ntp", {"Tags": []})
    assert await driver.drift() == []
    await driver.update()
    assert stand.live("ntp.Policy", "t-ntp")["Tags"] == [{"Key": "podwright", "Value": "podwright/bench"}]
    await driver.delete()
    assert await driver.gone()


async def test_a_deleted_object_reads_as_gone_and_deletes_in_peace(stand: Stand) -> None:
    (driver,) = await made(stand, specs.ntp())
    with stand.side.service.lock:
        stand.store.remove(stand.live("ntp.Policy", "t-ntp"))
    assert await driver.gone()
    await driver.delete()


async def test_a_policy_in_use_is_kept_and_the_servers_reason_told(stand: Stand) -> None:
    qos, *_ = await made(stand, specs.qos(), specs.vlans(), specs.lan())
    with pytest.raises(ProviderError, match=r"refused to delete vnic.EthQosPolicy 't-qos'.*associated with vNICs"):
        await qos.delete()


async def test_a_reference_to_nothing_is_named(stand: Stand) -> None:
    driver = Driver(stand, POLICY, specs.lan())
    with pytest.raises(
        ProviderError, match=r"t-lan/eth0 refers to vnic.EthQosPolicy 't-qos', which Intersight does not"
    ):
        await driver.create()
    await made(stand, specs.qos(), specs.vlans())
    await driver.create()
    assert await driver.drift() == []


async def test_an_unknown_organization_is_named(stand: Stand) -> None:
    driver = Driver(stand, POLICY, {**specs.ntp(), "organization": "nowhere"})
    with pytest.raises(ProviderError, match="shows no organization 'nowhere' to this API key"):
        await driver.create()


async def test_an_import_says_what_is_not_at_its_default(stand: Stand) -> None:
    (driver,) = await made(stand, specs.bios())
    seen = await POLICY.import_("bios.Policy/default/t-bios", stand.context())
    assert seen.inputs["spec"]["properties"] == driver.spec["properties"]
    with pytest.raises(ProviderError, match="an id has the form"):
        await POLICY.import_("t-bios", stand.context())
    with pytest.raises(ProviderError, match=r"has no bios.Policy 'absent'"):
        await POLICY.import_("bios.Policy/default/absent", stand.context())


def pool(first: str, name: str = "t-macs", **more: Any) -> dict[str, Any]:
    spec = specs.macs(name)
    spec["properties"]["MacBlocks"][0]["From"] = first
    return {**spec, **more}


def first_of(stand: Stand, name: str = "t-macs") -> str:
    return str(stand.live("macpool.Pool", name)["MacBlocks"][0]["From"]).upper()


async def test_a_pool_keeps_the_block_that_a_new_one_would_not_be_given(stand: Stand) -> None:
    """Another release chooses another block: nothing of it in the preview, nothing of it in Intersight."""
    driver = Driver(stand, POOL, pool("00:25:B5:B0:00:00"))
    await driver.create()
    later = {"spec": pool("00:25:B5:17:2A:00", initial=["MacBlocks"])}
    assert POOL.diff(driver.inputs, later, driver.outputs).changes == {}
    driver.inputs = later  # the engine keeps the inputs of a step that changes nothing
    assert await driver.drift() == []
    await driver.update(lambda spec: spec["properties"].update(AssignmentOrder="default"))
    assert (first_of(stand), stand.live("macpool.Pool", "t-macs")["AssignmentOrder"]) == (
        "00:25:B5:B0:00:00",
        "default",
    )
    assert await driver.drift() == []
    stand.edit("macpool.Pool", "t-macs", {"MacBlocks": []})
    assert any("MacBlocks" in path for path in await driver.drift()), "an empty pool is made whole"
    await driver.update()
    assert first_of(stand) == "00:25:B5:17:2A:00"


async def test_a_block_that_the_file_names_is_owned(stand: Stand) -> None:
    driver = Driver(stand, POOL, pool("00:25:B5:B0:00:00", initial=["MacBlocks"]))
    await driver.create()
    named = {"spec": pool("00:25:B5:17:2A:00")}
    assert POOL.diff(driver.inputs, named, driver.outputs).changes != {}


def given(object_type: str, name: str, begin: str, **more: object) -> dict[str, Any]:
    key = {"ippool.Pool": "IpV4Blocks", "uuidpool.Pool": "UuidSuffixBlocks"}[object_type]
    return specs.policy(object_type, name, {key: [{"From": begin, "Size": 16}], **more})


async def test_addresses_of_controllers_and_numbers_of_servers_are_given_out_once(stand: Stand) -> None:
    await Driver(stand, POOL, given("ippool.Pool", "one", "192.0.2.16")).create()
    with pytest.raises(
        ProviderError, match=r"192\.0\.2\.24 to 192\.0\.2\.31 .*the pool 'one' too; .*addresses: <first>"
    ):
        await Driver(stand, POOL, given("ippool.Pool", "two", "192.0.2.24")).create()
    await Driver(stand, POOL, given("ippool.Pool", "two", "192.0.2.32")).create()
    suffix = "0000-000000000000"
    await Driver(stand, POOL, given("uuidpool.Pool", "one", suffix, Prefix="11111111-2222-3333")).create()
    with pytest.raises(ProviderError, match=r"11111111-2222-3333-0000-000000000000 to .*-00000000000F"):
        await Driver(stand, POOL, given("uuidpool.Pool", "two", suffix, Prefix="11111111-2222-3333")).create()
    await Driver(stand, POOL, given("uuidpool.Pool", "two", suffix, Prefix="11111111-2222-4444")).create()


async def test_two_pools_never_give_out_the_same_addresses(stand: Stand) -> None:
    await Driver(stand, POOL, pool("00:25:B5:B0:00:00")).create()
    with pytest.raises(ProviderError, match=r"00:25:B5:B0:00:08 to 00:25:B5:B0:00:0F .*pool 't-macs' too.*mac_block"):
        await Driver(stand, POOL, pool("00:25:B5:B0:00:08", "other")).create()
    assert stand.live("macpool.Pool", "other") is None
    await Driver(stand, POOL, pool("00:25:B5:B0:00:10", "other")).create()
