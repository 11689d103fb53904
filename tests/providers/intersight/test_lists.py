"""Lists: which of them have an order, and what belongs together where they have none; null inside a nested value."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.intersight.compare import as_live, merged, same
from podwright.components.providers.intersight.table import rules_of
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand

TOKENS = [{"ObjectType": f"bios.{name}C845BiosToken", "Value": name} for name in ("Pcid002", "Cpu005")]
PORTS = [{"SlotId": 1, "PortId": 7}, {"SlotId": 1, "PortId": 8}]
DEVICES = [{"ObjectType": "boot.Nvme", "Name": "disk"}, {"ObjectType": "boot.VirtualMedia", "Name": "image"}]
IN_ANY_ORDER: list[tuple[str, str, list[Any]]] = [
    ("fabric.UplinkPcRole", "Ports", PORTS),
    ("adapter.ConfigPolicy", "Settings", [{"SlotId": "MLOM"}, {"SlotId": "1"}]),
    ("compute.ScrubPolicy", "ScrubTargets", ["Disk", "BIOS"]),
    ("fabric.SystemQosPolicy", "Classes", [{"Name": "Gold", "Cos": 4}, {"Name": "Bronze", "Cos": 1}]),
    ("vmedia.Policy", "Mappings", [{"VolumeName": "a", "MountProtocol": "nfs"}, {"VolumeName": "b"}]),
]


@pytest.mark.parametrize(("object_type", "name", "said"), IN_ANY_ORDER)
def test_a_list_without_an_order_is_the_same_in_any(object_type: str, name: str, said: list[Any]) -> None:
    rule = rules_of(object_type)[name]
    assert same(said, said[::-1], rule)
    assert as_live(said, said[::-1], rule) == said
    assert not same(said, [said[0], said[0]], rule)
    assert not same(said, said[:1], rule)


def test_tokens_of_a_c845a_are_told_apart_by_their_type() -> None:
    rule = rules_of("bios.Policy")["BiosConfigurations"]
    kind = {"ObjectType": "bios.C845ServerBiosConfiguration"}
    said, live = [{**kind, "BiosTokens": TOKENS}], [{**kind, "BiosTokens": TOKENS[::-1]}]
    assert same(said, live, rule)
    live[0]["BiosTokens"] = [{**TOKENS[1], "Value": "other"}, TOKENS[0]]
    assert as_live(said, live, rule)[0]["BiosTokens"] == [TOKENS[0], {**TOKENS[1], "Value": "other"}]


def test_boot_devices_have_an_order() -> None:
    rule = rules_of("boot.PrecisionPolicy")["BootDevices"]
    assert not same(DEVICES, DEVICES[::-1], rule)
    assert as_live(DEVICES, [{**each, "Enabled": True} for each in DEVICES[::-1]], rule) == DEVICES[::-1]
    sent = merged(DEVICES, [{**each, "Enabled": False} for each in DEVICES[::-1]], rule)
    assert [(each["Name"], each["Enabled"]) for each in sent] == [("disk", False), ("image", False)]


async def test_another_boot_order_is_found_and_put_back(stand: Stand) -> None:
    driver = Driver(stand, BY_TOKEN["Policy"], specs.policy("boot.PrecisionPolicy", "b", {"BootDevices": DEVICES}))
    await driver.create()
    live = stand.live("boot.PrecisionPolicy", "b")["BootDevices"]
    stand.edit("boot.PrecisionPolicy", "b", {"BootDevices": live[::-1]})
    assert await driver.drift() == [f"spec.properties.BootDevices.{at}.{key}" for at in (0, 1)
                                    for key in ("Name", "ObjectType")]  # fmt: skip
    await driver.update()
    assert [each["Name"] for each in stand.live("boot.PrecisionPolicy", "b")["BootDevices"]] == ["disk", "image"]
    await driver.update(lambda spec: spec["properties"]["BootDevices"].reverse())
    assert [each["Name"] for each in stand.live("boot.PrecisionPolicy", "b")["BootDevices"]] == ["image", "disk"]
    assert await driver.drift() == []


def test_null_inside_a_nested_value_is_sent_as_what_it_stands_for() -> None:
    rule = rules_of("vnic.EthNetworkPolicy")["VlanSettings"]
    sent = merged({"Mode": None, "AllowedVlans": "5"}, {"Mode": "TRUNK", "DefaultVlan": 7}, rule)
    assert (sent["Mode"], sent["AllowedVlans"], sent["DefaultVlan"]) == ("ACCESS", "5", 7)
    blocks = rules_of("macpool.Pool")["MacBlocks"]
    assert "Size" not in merged([{"From": "00:25:B5:00:00:00", "Size": None}], None, blocks)[0]
