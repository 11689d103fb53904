"""Devices that are and that are not in the account: claims by serial number and code, and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.world.model import WorldError
from tests.lab.intersight.blades import WORLD, deployed, discovered, profile, summaries
from tests.lab.intersight.conftest import Bench
from tests.waiting import until


@pytest.fixture
def domain(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, WORLD)
    bench.world.fault({"kind": "intersight", "validate": 0.02, "configure": 0.02, "discovery": 0.05})
    yield bench
    bench.close()


def consoles(bench: Bench) -> Any:
    return bench.side.pages["/intersight/consoles"]()


def test_a_device_is_claimed_by_serial_number_and_code(domain: Bench) -> None:
    domain.world.fault({"kind": "intersight", "unclaim": "all"})
    for path in ("asset/DeviceRegistrations", "compute/PhysicalSummaries", "network/Elements", "ether/PhysicalPorts"):
        assert domain.client.list(path) == [], path
    shown = consoles(domain)["WZP00000021"]
    assert not shown["claimed"]
    claim = {"SerialNumber": "WZP00000021", "SecurityToken": shown["code"]}
    for wrong, error in (
        ({**claim, "SecurityToken": "000000000000"}, "lab_device_claim_invalid"),
        ({**claim, "SerialNumber": "WZP99999999"}, "lab_device_claim_invalid"),
        ({"SerialNumber": "WZP00000021"}, "barcelona_request_cannot_access_property_required"),
    ):
        assert domain.client.refused("POST", "asset/DeviceClaims", wrong) == (400, error)
    made = domain.client.create("asset/DeviceClaims", claim)
    (device,) = domain.client.list("asset/DeviceRegistrations")
    assert device["DeviceClaim"]["Moid"] == made["Moid"] and not made.get("SecurityToken")
    until(lambda: summaries(domain, "WZP00000021"))
    assert domain.client.refused("POST", "asset/DeviceClaims", claim) == (400, "lab_device_already_claimed")
    assert domain.client.raw("GET", "asset/DeviceClaims").status_code == 405


def test_a_pair_is_claimed_at_once_and_its_blades_follow_its_profile(domain: Bench) -> None:
    domain.world.fault({"kind": "intersight", "unclaim": ["x"]})
    assert domain.client.list("network/Elements") == []
    code = consoles(domain)["FDO000000A1&FDO000000B1"]["code"]
    body = {"SerialNumber": "FDO000000A1&FDO000000B1", "SecurityToken": code}
    domain.client.create("asset/DeviceClaims", body)
    assert len(domain.client.list("network/Elements")) == 2
    deployed(domain)
    discovered(domain, "FCH00000001")


def test_a_claim_that_is_deleted_takes_all_of_its_device_along(domain: Bench) -> None:
    deployed(domain)
    made = profile(domain)
    (device,) = domain.client.list("asset/DeviceRegistrations", filter="PlatformType eq 'UCSFIISM'")
    before = consoles(domain)["FDO000000A1&FDO000000B1"]["code"]
    domain.client.ok("DELETE", f"asset/DeviceClaims/{device['DeviceClaim']['Moid']}")
    assert domain.client.list("network/Elements") == domain.client.list("equipment/Chasses") == []
    assert summaries(domain, "FCH00000001") == [] and summaries(domain, "WZP00000021")
    left = domain.profile(made["Moid"])
    assert (left["AssignedServer"], left["ConfigContext"]["ConfigState"]) == (None, "Not-assigned")
    assert consoles(domain)["FDO000000A1&FDO000000B1"]["code"] != before


def test_unclaiming_what_is_not_there_is_named(domain: Bench) -> None:
    with pytest.raises(WorldError, match=r"no device 'y'; known are inf-01, x"):
        domain.world.fault({"kind": "intersight", "unclaim": "y"})


def test_a_world_may_begin_unclaimed(tmp_path: Path) -> None:
    from tests.lab.bench import make_world

    world, _ = make_world(tmp_path, WORLD + "unclaimed: true\n")
    assert world.unclaimed
    world.close()
