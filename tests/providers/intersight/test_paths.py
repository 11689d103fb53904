"""A domain is deployed one fabric after the other: the next one only when the first carries every server again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.providers.intersight import account as accounts
from podwright.components.providers.intersight import paths
from podwright.components.providers.protocol.kind import Incomplete
from podwright.lab.intersight.side import start
from tests.lab.bench import make_world
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand
from tests.waiting import soon

POLICY, POOL, DOMAIN, PROFILE = (BY_TOKEN[each] for each in ("Policy", "Pool", "DomainProfile", "ServerProfile"))
BLADES = 6
BOXES = {"box-1": 9, "box-2": 10}
"""Server port of each chassis, on both interconnects."""


def world() -> dict[str, Any]:
    """Six blades in two chassis. An uplink ends at a spare module port, which stands for a switch port that is up."""
    names = [f"b-{number}" for number in range(1, BLADES + 1)]
    halves = dict(zip(BOXES, (names[: BLADES // 2], names[BLADES // 2 :]), strict=True))
    cables = [
        [f"x-{fabric}:Ethernet1/{port}", f"{box}:{fabric.upper()}1", 100]
        for fabric in "ab"
        for box, port in BOXES.items()
    ]
    cables += [[f"x-{fabric}:Ethernet1/1", f"box-1:{fabric.upper()}8", 100] for fabric in "ab"]
    return {
        "name": "x",
        "servers": {
            name: {
                "model": "UCSX-210C-M7", "serial": f"FCH000000{number:02}",
                "uuid": f"00000000-0000-4000-8000-0000000000{number:02}", "bmc": f"192.0.2.{number}",
                "boot_mac": f"02:25:b5:00:00:{number:02}", "intersight": True,
                "cpu": {"vendor": "intel", "sockets": 2, "cores": 32},
            }
            for number, name in enumerate(names, 1)
        },
        "domains": {
            "x": {
                "model": "UCS-FI-6536", "serials": {"A": "FDO000000A1", "B": "FDO000000B1"},
                "chassis": {
                    box: {"serial": f"FOX0000000{box[-1]}", "slots": dict(enumerate(blades, 1))}
                    for box, blades in halves.items()
                },
            }
        },
        "cables": cables,
        "timing": {"post_seconds": 0.02},
        "credentials": {"intersight": {"key_id": "a/b/c", "secret": "intersight-key"}},
    }  # fmt: skip


def ports() -> dict[str, Any]:
    roles = [
        {"object_type": "fabric.ServerRole", "name": f"1-{port}", "properties": {"SlotId": 1, "PortId": port}}
        for port in BOXES.values()
    ]
    roles.append({"object_type": "fabric.UplinkRole", "name": "1-1", "properties": {"SlotId": 1, "PortId": 1}})
    return specs.policy("fabric.PortPolicy", "t-ports", {"DeviceModel": "UCS-FI-6536"}, children=roles)


def vlans() -> dict[str, Any]:
    multicast = {"MulticastPolicy": {"object_type": "fabric.MulticastPolicy", "name": "t-multicast"}}
    vlan = {"object_type": "fabric.Vlan", "name": "machine", "properties": {"VlanId": 10}, "references": multicast}
    return specs.policy("fabric.EthNetworkPolicy", "t-domain-vlans", {}, children=[vlan])


def lan(number: int) -> dict[str, Any]:
    children = [
        {
            "object_type": "vnic.EthIf",
            "name": f"eth{order}",
            "properties": {
                "Order": order, "Placement": {"Id": "MLOM", "SwitchId": fabric, "Uplink": 0}, "FailoverEnabled": False,
                "MacAddressType": "STATIC", "StaticMacAddress": f"00:25:B5:00:{order:02}:{number:02}",
            },
            "references": {
                "EthQosPolicy": {"object_type": "vnic.EthQosPolicy", "name": "t-qos"},
                "FabricEthNetworkGroupPolicy": [{"object_type": "fabric.EthNetworkGroupPolicy", "name": "t-group"}],
            },
        }
        for order, fabric in enumerate("AB")
    ]  # fmt: skip
    said = {"TargetPlatform": "FIAttached", "PlacementMode": "custom"}
    return specs.policy("vnic.LanConnectivityPolicy", f"t-lan-{number}", said, children=children)


async def blade(stand: Stand, number: int) -> None:
    """One blade with its vNICs in force."""
    await Driver(stand, POLICY, lan(number)).create()
    policies = [{"object_type": "vnic.LanConnectivityPolicy", "name": f"t-lan-{number}"}]
    spec = specs.profile(
        name=f"b-{number}", serial=f"FCH000000{number:02}", model="UCSX-210C-M7", target_platform="FIAttached",
        action="deploy", approved_disruptions=["Reboot"],
    )  # fmt: skip
    await Driver(stand, PROFILE, {**spec, "policies": policies}).create()


@pytest.fixture
async def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Stand, Driver, Driver]]:
    """Six blades that run over both fabrics: the stand, the domain, and its NTP policy."""
    monkeypatch.setattr(paths, "PATH_SECONDS", 0.6)
    made, lab = make_world(tmp_path, yaml.safe_dump(world()))
    side = start(made, lab)
    side.fault({"validate": 0.02, "configure": 0.02, "discovery": 0.02})
    accounts._clients.clear()
    stand = Stand(side, made, lab)
    ntp = Driver(stand, POLICY, specs.ntp())
    group = specs.policy(
        "fabric.EthNetworkGroupPolicy", "t-group", {"VlanSettings": {"AllowedVlans": "10", "NativeVlan": 10}}
    )
    multicast = specs.policy("fabric.MulticastPolicy", "t-multicast", {"SnoopingState": "Enabled"})
    for driver in (ntp, *(Driver(stand, POLICY, each) for each in (ports(), multicast, vlans(), group, specs.qos()))):
        await driver.create()
    bucket = [
        {"object_type": kind, "name": name}
        for kind, name in (
            ("ntp.Policy", "t-ntp"),
            ("fabric.PortPolicy", "t-ports"),
            ("fabric.EthNetworkPolicy", "t-domain-vlans"),
        )
    ]
    spec = {
        "schema": 1, "name": "x", "organization": "default", "serials": {"A": "FDO000000A1", "B": "FDO000000B1"},
        "policies": {"A": bucket, "B": bucket}, "action": "deploy", "approved_disruptions": [], "digest": "1",
    }  # fmt: skip
    domain = Driver(stand, DOMAIN, spec)
    await domain.create()
    await asyncio.gather(*(blade(stand, number) for number in range(1, BLADES + 1)))
    yield stand, domain, ntp
    side.stop()
    made.close()


def states(stand: Stand) -> dict[str, str]:
    return {
        fabric: stand.live("fabric.SwitchProfile", f"x-{fabric}")["ConfigContext"]["ConfigState"] for fabric in "AB"
    }


def deploys(stand: Stand, fabric: str) -> int:
    """Workflows that were ever started for an interconnect."""
    profile = stand.live("fabric.SwitchProfile", f"x-{fabric}")
    return sum(mo["AssociatedObject"]["Moid"] == profile["Moid"] for mo in stand.store.of("workflow.WorkflowInfo"))


async def changed(stand: Stand, ntp: Driver) -> None:
    """Something for both interconnects to take."""
    await ntp.update(lambda spec: spec["properties"].update(NtpServers=["192.0.2.77"]))
    await soon(lambda: states(stand) == {"A": "Pending-changes", "B": "Pending-changes"})


async def test_a_fault_on_a_path_through_a_leaves_b_alone(site: tuple[Stand, Driver, Driver]) -> None:
    stand, domain, ntp = site
    await changed(stand, ntp)
    stand.world.cut.add(("x-a", "Ethernet1/10"))
    for _ in range(2):
        with pytest.raises(Incomplete) as stopped:
            await domain.update(lambda spec: spec.update(digest="2"))
        (reason,) = stopped.value.reasons
        assert reason == (
            "switch profile B of domain 'x' was left alone: through fabric A these are not up, and would lose their "
            "last path: b-4 eth0, b-5 eth0, b-6 eth0; ports of A without a link: 1/10 (server). Mend fabric A, then "
            "run again"
        )
        assert states(stand) == {"A": "Associated", "B": "Pending-changes"}
        assert (deploys(stand, "A"), deploys(stand, "B")) == (2, 1)
    stand.world.cut.clear()
    assert (await domain.update())["config_states"] == {"A": "Associated", "B": "Associated"}


async def test_what_else_leaves_the_other_fabric_alone(site: tuple[Stand, Driver, Driver]) -> None:
    stand, domain, ntp = site
    await changed(stand, ntp)
    # B carries nobody: A is all they have.
    stand.world.cut.add(("x-b", "Ethernet1/1"))
    with pytest.raises(
        Incomplete, match=r"switch profile A of domain 'x' was left alone: through fabric B .* b-1 eth1"
    ):
        await domain.update(lambda spec: spec.update(digest="2"))
    assert deploys(stand, "A") == 1
    stand.world.cut.clear()
    # A's deployment fails.
    stand.side.fault({"fail_next": "The port is out of range."})
    with pytest.raises(Incomplete, match=r"profile A of domain 'x'.* failed: The port is out of range.*run again"):
        await domain.update()
    assert (states(stand)["A"], deploys(stand, "B")) == ("Failed", 1)
    # A blade without power has no path to lose.
    stand.world.power("b-6", "ForceOff")
    assert (await domain.update())["config_states"] == {"A": "Associated", "B": "Associated"}


@pytest.mark.parametrize("form", ["restart", "running"])
async def test_an_interconnect_that_restarts_for_other_ports_is_back_before_the_next_one_goes(
    site: tuple[Stand, Driver, Driver], form: str
) -> None:
    stand, domain, _ = site
    stand.world.variants["port-mode"] = form
    stand.fault(interconnect_restart=0.2)
    views = stand.world.interconnect_views
    alive: list[tuple[bool, bool]] = []
    stand.side.deployer.in_force.append(lambda _: alive.append((views["x-a"].alive, views["x-b"].alive)))
    broken_out = {"SlotId": 1, "PortIdStart": 33, "PortIdEnd": 33, "CustomMode": "BreakoutFibreChannel32G"}
    changed = ports()
    changed["children"].append({"object_type": "fabric.PortMode", "name": "mode-33", "properties": broken_out})
    policy = Driver(stand, POLICY, ports())
    policy.outputs = dict(policy.inputs)
    await policy.update(lambda spec: spec.update(changed))
    await soon(lambda: states(stand) == {"A": "Pending-changes", "B": "Pending-changes"})
    assert (await domain.update(lambda spec: spec.update(digest="2")))["config_states"]["B"] == "Associated"
    # Of the two interconnects one at most is away, whichever is deployed.
    assert alive == ([(False, True), (True, False)] if form == "restart" else [(True, True)] * 2)
    assert {view.configured.modes for view in views.values()} == {frozenset({(33, "BreakoutFibreChannel32G")})}
    assert await policy.drift() == []
