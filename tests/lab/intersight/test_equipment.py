"""Machines behind interconnects that leave: decommissioned, replaced in their slot, removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.world.model import WorldError
from tests.lab.bench import make_world
from tests.lab.intersight.blades import WORLD, deployed, discovered, profile, summaries
from tests.lab.intersight.conftest import Bench
from tests.waiting import until

OLD, NEW = "FCH00000001", "FCH00000077"


@pytest.fixture
def domain(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, WORLD)
    bench.world.fault({"kind": "intersight", "validate": 0.02, "configure": 0.02, "discovery": 0.05})
    deployed(bench, (9, 20, 21))
    discovered(bench, OLD)
    yield bench
    bench.close()


def identity(bench: Bench, serial: str, kind: str = "Blade") -> Any:
    found = bench.client.list(f"compute/{kind}Identities", filter=f"Serial eq '{serial}'")
    return found[0] if found else None


def act(bench: Bench, serial: str, action: str, kind: str = "Blade") -> Any:
    return bench.client.ok("PATCH", place(bench, serial, kind), {"AdminAction": action})


def place(bench: Bench, serial: str, kind: str = "Blade") -> str:
    return f"compute/{kind}Identities/{identity(bench, serial, kind)['Moid']}"


def life(bench: Bench, serial: str, wanted: str) -> Any:
    return until(lambda: (found := identity(bench, serial)) and found["Lifecycle"] == wanted and found)


def test_an_identity_says_where_a_machine_is_and_what_its_life_is(domain: Bench) -> None:
    found = identity(domain, OLD)
    assert (found["ChassisId"], found["SlotId"], found["Lifecycle"], found["Presence"]) == (1, 3, "Active", "Equipped")
    manager = domain.client.get(f"asset/DeviceRegistrations/{found['RegisteredDevice']['Moid']}")
    assert manager["PlatformType"] == "UCSFIISM"
    assert found["PhysicalDeviceRegistration"]["Moid"] == summaries(domain, OLD)[0]["RegisteredDevice"]["Moid"]


def test_a_machine_is_taken_out_of_service_and_back(domain: Bench) -> None:
    assert act(domain, OLD, "Decommission")["Lifecycle"] == "DecommissionInProgress"
    life(domain, OLD, "Decommissioned")
    assert summaries(domain, OLD)[0]["Lifecycle"] == "Decommissioned"
    act(domain, OLD, "Recommission")
    life(domain, OLD, "Active")


@pytest.mark.parametrize("action", ["Remove", "Recommission", "Replace"])
def test_what_is_there_and_in_service_is_neither_removed_nor_taken_back(domain: Bench, action: str) -> None:
    refused = domain.client.refused("PATCH", place(domain, OLD), {"AdminAction": action})
    assert refused == (400, "lab_equipment_action_not_allowed")


def test_a_decommissioned_machine_can_be_removed_and_its_profile_is_free(domain: Bench) -> None:
    mine = profile(domain)
    domain.world.fault({"kind": "intersight", "connected": {"b-1": False}})
    act(domain, OLD, "Decommission")
    life(domain, OLD, "Decommissioned")
    act(domain, OLD, "Remove")
    until(lambda: identity(domain, OLD) is None)
    assert summaries(domain, OLD) == []
    found = domain.client.get(f"server/Profiles/{mine['Moid']}")
    assert found["AssignedServer"] is None and found["ConfigContext"]["ConfigState"] == "Not-assigned"


@pytest.mark.parametrize("action", ["Remove", "Reack"])
def test_a_new_blade_waits_until_the_old_one_of_its_slot_is_removed(domain: Bench, action: str) -> None:
    mine = profile(domain)
    domain.world.fault({"kind": "replace", "server": "b-1", "serial": NEW})
    assert identity(domain, OLD)["Lifecycle"] == "Replaced"
    waits = identity(domain, NEW)
    assert (waits["Lifecycle"], waits["ChassisId"], waits["SlotId"]) == ("ReplacementPendingUserAction", 1, 3)
    assert waits["DiscoveredBladeIdInCurrLocation"][0]["Moid"] == identity(domain, OLD)["Moid"]
    assert summaries(domain, NEW) == [] and summaries(domain, OLD)[0]["Lifecycle"] == "Replaced"
    assert domain.client.get(f"server/Profiles/{mine['Moid']}")["AssignedServer"]
    act(domain, OLD, action)
    found = discovered(domain, NEW)
    assert (found["Name"], found["SlotId"]) == ("x-1-3", 3)
    assert identity(domain, NEW)["Moid"] == waits["Moid"] and identity(domain, OLD) is None
    assert domain.client.get(f"server/Profiles/{mine['Moid']}")["AssignedServer"] is None


def test_a_machine_that_was_announced_to_leave_needs_nobody_when_it_is_pulled(domain: Bench) -> None:
    act(domain, OLD, "DecommissionAndRemove")
    life(domain, OLD, "DecommissionedForRemove")
    domain.world.fault({"kind": "replace", "server": "b-1", "serial": NEW})
    discovered(domain, NEW)
    assert identity(domain, OLD) is None


def test_a_rack_server_in_the_place_of_another_is_found_beside_it(domain: Bench) -> None:
    discovered(domain, "WZP00000031")
    domain.world.fault({"kind": "replace", "server": "r-1", "serial": "WZP00000099"})
    assert discovered(domain, "WZP00000099")["Name"] == "x-2"
    act(domain, "WZP00000031", "Remove", "RackUnit")
    until(lambda: identity(domain, "WZP00000031", "RackUnit") is None)
    assert summaries(domain, "WZP00000031") == []


def test_a_machine_by_itself_is_claimed_beside_the_one_that_left(domain: Bench) -> None:
    domain.world.fault({"kind": "replace", "server": "inf-01", "serial": "WZP00000098"})
    assert summaries(domain, "WZP00000098") == []
    code = domain.side.pages["/intersight/consoles"]()["WZP00000098"]["code"]
    domain.client.create("asset/DeviceClaims", {"SerialNumber": "WZP00000098", "SecurityToken": code})
    discovered(domain, "WZP00000098")
    device = summaries(domain, "WZP00000021")[0]["RegisteredDevice"]["Moid"]
    assert domain.client.get(f"asset/DeviceRegistrations/{device}")["ConnectionStatus"] == "NotConnected"


def test_the_machine_is_another_one_in_every_respect(tmp_path: Path) -> None:
    world, _ = make_world(tmp_path, WORLD)
    uuid, mac = world.servers["r-1"].uuid, world.servers["r-1"].boot_mac
    world.stage_bios("r-1", {"SmtMode": "Disabled"})
    told = world.fault({"kind": "replace", "server": "r-1", "serial": "WZP00000099"})
    now, host = world.servers["r-1"], world.host("r-1")
    assert (now.serial, now.uuid) == ("WZP00000099", told["uuid"]) and now.uuid != uuid and now.boot_mac != mac
    assert (host.power, host.disk_image, host.bios_pending, host.boots) == ("Off", None, {}, 0)
    with pytest.raises(WorldError, match="has a serial number of its own"):
        world.fault({"kind": "replace", "server": "r-1", "serial": "FCH00000002"})
    world.close()
