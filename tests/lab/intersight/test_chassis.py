"""Chassis profiles: found behind its domain, bound by reference or serial number, deployed, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.intersight.blades import WORLD, deployed, discovered
from tests.lab.intersight.conftest import Bench
from tests.waiting import until


@pytest.fixture
def domain(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, WORLD)
    bench.world.fault({"kind": "intersight", "validate": 0.02, "configure": 0.02, "discovery": 0.05})
    yield bench
    bench.close()


def bucket(bench: Bench) -> list[dict[str, str]]:
    """One policy of each type that a chassis takes."""
    client = bench.client
    block = {"From": "192.0.2.64", "Size": 1}
    pool = client.create("ippool/Pools", bench.named("management", IpV4Blocks=[block]))
    made = [
        client.create("power/Policies", bench.named("power", RedundancyMode="Grid")),
        client.create("thermal/Policies", bench.named("fans", FanControlMode="HighPower")),
        client.create("snmp/Policies", bench.named("snmp", Enabled=False)),
        client.create("access/Policies", bench.named("access", OutOfBandIpPool={"Moid": pool["Moid"]})),
    ]
    return [{"ObjectType": each["ObjectType"], "Moid": each["Moid"]} for each in made]


def state(bench: Bench, moid: str) -> str:
    return str(bench.client.get(f"chassis/Profiles/{moid}")["ConfigContext"]["ConfigState"])


def profiled(bench: Bench, **more: Any) -> Any:
    body = bench.named("box-1", PolicyBucket=bucket(bench), TargetPlatform="FIAttached", **more)
    return bench.client.create("chassis/Profiles", body)


def test_a_profile_by_serial_number_waits_for_its_chassis_and_is_deployed(domain: Bench) -> None:
    made = profiled(domain, ChassisPreAssignBySerial="FOX00000001", ChassisAssignmentMode="None")
    assert made["AssignedChassis"] is None
    assert domain.client.refused("PATCH", f"chassis/Profiles/{made['Moid']}", {"Action": "Deploy"})[0] == 400
    deployed(domain)
    until(lambda: state(domain, made["Moid"]) == "Assigned")
    domain.client.ok("PATCH", f"chassis/Profiles/{made['Moid']}", {"Action": "Deploy"})
    until(lambda: state(domain, made["Moid"]) == "Associated")
    live = domain.client.get(f"chassis/Profiles/{made['Moid']}")
    assert live["AssociatedChassis"]["Moid"] == live["AssignedChassis"]["Moid"]
    assert live["ConfigChanges"]["Disruptions"] == []
    (lease,) = domain.client.list("ippool/IpLeases")
    assert lease["AssignedToEntity"]["Moid"] == made["Moid"]
    names = [each["Name"] for each in domain.client.list("workflow/WorkflowInfos")]
    assert "Deploy Chassis Profile" in names
    domain.client.ok("PATCH", f"chassis/Profiles/{made['Moid']}", {"Action": "Unassign"})
    until(lambda: state(domain, made["Moid"]) == "Not-assigned")
    left = domain.client.get(f"chassis/Profiles/{made['Moid']}")
    assert (left["AssignedChassis"], left["ChassisPreAssignBySerial"]) == (None, "")
    assert domain.client.list("ippool/IpLeases") == []


def test_no_blade_restarts_for_what_its_chassis_is_told(domain: Bench) -> None:
    deployed(domain)
    discovered(domain, "FCH00000001")
    domain.world.power("b-1", "On")
    until(lambda: domain.world.host("b-1").boots)
    (chassis,) = domain.client.list("equipment/Chasses")
    made = profiled(domain, AssignedChassis={"Moid": chassis["Moid"]}, Action="Deploy")
    until(lambda: state(domain, made["Moid"]) == "Associated")
    power = domain.client.list("power/Policies")[0]
    domain.client.ok("PATCH", f"power/Policies/{power['Moid']}", {"RedundancyMode": "N+1"})
    until(lambda: state(domain, made["Moid"]) == "Pending-changes")
    pending = domain.client.get(f"chassis/Profiles/{made['Moid']}")["ConfigChanges"]
    assert (pending["Changes"], pending["Disruptions"]) == (["power.Policy"], [])
    domain.client.ok("PATCH", f"chassis/Profiles/{made['Moid']}", {"Action": "Deploy"})
    until(lambda: state(domain, made["Moid"]) == "Associated")
    assert domain.world.host("b-1").boots == 1


def test_policies_of_servers_and_a_second_profile_are_refused(domain: Bench) -> None:
    deployed(domain)
    discovered(domain, "FCH00000001")
    (chassis,) = domain.client.list("equipment/Chasses")
    made = profiled(domain, AssignedChassis={"Moid": chassis["Moid"]})
    ntp = domain.client.create("ntp/Policies", domain.named("ntp", Enabled=False))
    taken = [*made["PolicyBucket"], {"ObjectType": "ntp.Policy", "Moid": ntp["Moid"]}]
    refused = domain.client.refused("PATCH", f"chassis/Profiles/{made['Moid']}", {"PolicyBucket": taken})
    assert refused == (400, "lab_policy_of_other_platform")
    profiles = [{"ObjectType": "chassis.Profile", "Moid": made["Moid"]}]
    refused = domain.client.refused("PATCH", f"ntp/Policies/{ntp['Moid']}", {"Profiles": profiles})
    assert refused == (400, "lab_policy_of_other_platform")
    second = domain.named("second", AssignedChassis={"Moid": chassis["Moid"]})
    assert domain.client.refused("POST", "chassis/Profiles", second) == (400, "lab_chassis_already_assigned")
    assert domain.client.refused("DELETE", f"chassis/Profiles/{made['Moid']}")[0] == 403
