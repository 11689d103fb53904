from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.protocol.kind import CheckContext, Incomplete, ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand

POLICY, DOMAIN = BY_TOKEN["Policy"], BY_TOKEN["DomainProfile"]
BUCKET = [("ntp.Policy", "t-ntp"), ("fabric.SystemQosPolicy", "t-system"), ("fabric.PortPolicy", "t-ports")]


def system_qos() -> dict[str, Any]:
    names = ("Best Effort", "FC", "Platinum", "Gold", "Silver", "Bronze")
    classes = [
        {"Name": name, "AdminState": "Enabled", "Cos": cos, "Mtu": 2240 if name == "FC" else 9216}
        for name, cos in zip(names, (255, 3, 5, 4, 2, 1), strict=True)
    ]
    return specs.policy("fabric.SystemQosPolicy", "t-system", {"Classes": classes})


def ports() -> dict[str, Any]:
    roles = [
        {"object_type": "fabric.ServerRole", "name": f"1-{port}", "properties": {"SlotId": 1, "PortId": port}}
        for port in (9, 10)
    ]
    return specs.policy("fabric.PortPolicy", "t-ports", {"DeviceModel": "UCS-FI-6536"}, children=roles)


async def made(stand: Stand, **change: Any) -> Driver:
    for spec in (specs.ntp(), system_qos(), ports()):
        await Driver(stand, POLICY, spec).create()
    policies = [{"object_type": kind, "name": name} for kind, name in BUCKET]
    spec = {
        "schema": 1,
        "name": "domain-1",
        "organization": "default",
        "serials": {"A": "FDO000000A1", "B": "FDO000000B1"},
        "policies": {"A": policies, "B": policies},
        "action": "deploy",
        "approved_disruptions": [],
        **change,
    }
    return Driver(stand, DOMAIN, spec)


async def test_a_pair_of_interconnects_is_profiled_and_deployed(stand: Stand) -> None:
    driver = await made(stand)
    outputs = await driver.create()
    assert driver.id == "fabric.SwitchClusterProfile/default/domain-1"
    assert outputs["config_states"] == {"A": "Associated", "B": "Associated"}
    assert {mo["SwitchId"] for mo in stand.store.of("fabric.SwitchProfile")} == {"A", "B"}
    assert await driver.drift() == []
    writes = stand.side.writes
    await driver.update()
    assert stand.side.writes == writes


async def test_ports_and_classes_changed_by_hand_are_found_and_put_back(stand: Stand) -> None:
    await (await made(stand)).create()
    qos = Driver(stand, POLICY, system_qos())
    await qos.create()
    live = stand.live("fabric.SystemQosPolicy", "t-system")["Classes"]
    stand.edit(
        "fabric.SystemQosPolicy",
        "t-system",
        {"Classes": [{**c, "Mtu": 1500} if c["Name"] == "Gold" else c for c in live]},
    )
    assert await qos.drift() == ["spec.properties.Classes.3.Mtu"]
    await qos.update()
    assert await qos.drift() == []
    port = Driver(stand, POLICY, ports())
    await port.create()
    role = next(mo for mo in stand.store.of("fabric.ServerRole") if mo["PortId"] == 9)
    with stand.side.service.lock:
        stand.store.remove(role)
    assert any(path.startswith("spec.children") for path in await port.drift())
    await port.update()
    assert await port.drift() == []


async def test_an_interconnect_nobody_claimed_is_told(stand: Stand) -> None:
    driver = await made(stand, serials={"A": "FDO000000A1", "B": "FDO000000B9"})
    with pytest.raises(Incomplete, match="knows no Fabric Interconnect with serial number FDO000000B9; claim it first"):
        await driver.create()


async def test_destroy_takes_the_profiles_off_and_away(stand: Stand) -> None:
    driver = await made(stand)
    await driver.create()
    await driver.delete()
    assert await driver.gone()
    assert stand.store.of("fabric.SwitchProfile") == []


async def test_a_switch_profile_of_somebody_else_stays_on_its_interconnect(stand: Stand) -> None:
    driver = await made(stand)
    await driver.create()
    stand.edit("fabric.SwitchProfile", "domain-1-B", {"Tags": [{"Key": "podwright", "Value": "another/stack"}]})
    with pytest.raises(ProviderError, match="switch profile B of domain 'domain-1' does not carry this stack's mark"):
        await driver.delete()
    for fabric in "AB":
        assert stand.live("fabric.SwitchProfile", f"domain-1-{fabric}")["AssignedSwitch"]
    assert stand.live("fabric.SwitchClusterProfile", "domain-1")


@pytest.mark.parametrize("key", ["serials", "policies"])
def test_a_domain_is_said_for_both_interconnects(key: str) -> None:
    whole: dict[str, Any] = {
        "schema": 1, "name": "domain-1", "organization": "default",
        "serials": {"A": "FDO000000A1", "B": "FDO000000B1"}, "policies": {"A": [], "B": []},
    }  # fmt: skip
    assert DOMAIN.check({"spec": whole}, CheckContext()) == []
    (one,) = DOMAIN.check({"spec": {**whole, key: {"A": whole[key]["A"]}}}, CheckContext())
    assert (one.path, one.message) == (("spec", key, "B"), "fabric B is missing")
    (other,) = DOMAIN.check({"spec": {**whole, key: {**whole[key], "C": whole[key]["A"]}}}, CheckContext())
    assert (other.path, other.message) == (("spec", key, "C"), "there is no fabric 'C'")
