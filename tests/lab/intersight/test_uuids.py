"""UUIDs from a pool: leased by a profile, in force at the next start, and the server's own again afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.openshift import nodes
from tests.lab.intersight.blades import WORLD, deployed, discovered, summaries
from tests.lab.intersight.conftest import Bench
from tests.waiting import until

OWN = "00000000-0000-4000-8000-000000000001"


@pytest.fixture
def domain(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, WORLD)
    bench.world.fault({"kind": "intersight", "validate": 0.02, "configure": 0.02, "discovery": 0.05})
    deployed(bench)
    discovered(bench, "FCH00000001")
    yield bench
    bench.close()


def profile(bench: Bench, **more: Any) -> Any:
    blade = summaries(bench, "FCH00000001")[0]
    target = {"ObjectType": blade["SourceObjectType"], "Moid": blade["Moid"]}
    return bench.client.create(
        "server/Profiles", bench.named("b-1", TargetPlatform="FIAttached", AssignedServer=target, **more)
    )


def pool(bench: Bench) -> Any:
    block = {"ClassId": "uuidpool.UuidBlock", "From": "0000-000000000001", "Size": 1}
    return bench.client.create(
        "uuidpool/Pools", bench.named("uuids", Prefix="000025B5-0A1B-0001", UuidSuffixBlocks=[block])
    )


def test_the_server_has_the_uuid_of_its_profile_from_its_next_start_on(domain: Bench) -> None:
    client, leased = domain.client, "000025B5-0A1B-0001-0000-000000000001"
    made = profile(domain, UuidAddressType="POOL", UuidPool={"Moid": pool(domain)["Moid"]}, Action="Deploy")
    domain.wait(made["Moid"], "Pending-changes")
    live = client.get(f"server/Profiles/{made['Moid']}")
    assert (live["Uuid"], live["ConfigChanges"]["Disruptions"]) == (leased, ["Reboot"])
    assert summaries(domain, "FCH00000001")[0]["Uuid"] == domain.world.system_uuid("b-1") == OWN
    client.ok("PATCH", f"server/Profiles/{made['Moid']}", {"Action": "Activate"})
    domain.wait(made["Moid"], "Associated")
    blade = summaries(domain, "FCH00000001")[0]
    assert (blade["Uuid"], blade["HardwareUuid"]) == (leased, OWN)
    assert domain.world.system_uuid("b-1") == leased
    server = domain.world.servers["b-1"]
    booted = nodes.Boot(1, domain.world.bios("b-1"), (), domain.world.system_uuid("b-1"))
    assert nodes.status(server, "b-1", "192.0.2.11", booted)["nodeInfo"]["systemUUID"] == leased
    assert client.list("uuidpool/Pools")[0]["Assigned"] == 1
    boots = domain.world.host("b-1").boots
    client.ok("PATCH", f"server/Profiles/{made['Moid']}", {"Action": "Deploy"})
    domain.wait(made["Moid"], "Associated")
    assert domain.world.host("b-1").boots == boots
    client.ok("PATCH", f"server/Profiles/{made['Moid']}", {"Action": "Unassign"})
    domain.wait(made["Moid"], "Not-assigned")
    assert domain.world.system_uuid("b-1") == leased
    domain.world.power("b-1", "ForceRestart")
    until(lambda: domain.world.system_uuid("b-1") == OWN)


def test_a_profile_that_names_no_pool_fails_and_one_without_a_lease_changes_nothing(domain: Bench) -> None:
    made = profile(domain, UuidAddressType="POOL", Action="Deploy")
    domain.wait(made["Moid"], "Failed")
    domain.client.ok("PATCH", f"server/Profiles/{made['Moid']}", {"UuidAddressType": "NONE", "Action": "Deploy"})
    domain.wait(made["Moid"], "Associated")
    assert domain.world.system_uuid("b-1") == OWN and domain.world.host("b-1").boots == 0
