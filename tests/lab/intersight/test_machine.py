"""What a deployed profile and a server setting do to the machine: leases, power, boot, media, alarms."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lab.intersight.conftest import Bench
from tests.lab.intersight.test_deploy import BOTH, SERIAL, deployed, host, policy, ref, send
from tests.waiting import until


def test_pools_lease_to_deployed_profiles_and_run_dry(bench: Bench) -> None:
    client = bench.client
    macs = policy(bench, "macpool/Pools", MacBlocks=[{"From": "00:25:B5:00:00:00", "Size": 1}])
    uuids = policy(
        bench,
        "uuidpool/Pools",
        Prefix="AAAAAAAA-BBBB-CCCC",
        UuidSuffixBlocks=[{"From": "0000-000000000001", "Size": 4}],
    )
    lan = policy(bench, "vnic/LanConnectivityPolicies", TargetPlatform="FIAttached")
    vnic = {"LanConnectivityPolicy": ref(lan), "MacPool": ref(macs)}
    client.create("vnic/EthIfs", {"Name": "eth0", "Order": 0, **vnic})
    blade = bench.server("FCH00000011")
    body: dict[str, Any] = {
        "TargetPlatform": "FIAttached",
        "AssignedServer": {"ObjectType": "compute.Blade", "Moid": blade["Moid"]},
    }
    body |= {"PolicyBucket": [ref(lan)], "UuidPool": ref(uuids), "UuidAddressType": "POOL"}
    moid = client.create("server/Profiles", bench.named("cp-01", **body))["Moid"]
    send(bench, moid, ScheduledActions=BOTH)
    done = bench.wait(moid, "Associated")
    assert done["Uuid"] == "AAAAAAAA-BBBB-CCCC-0000-000000000001"
    assert client.get(f"macpool/Pools/{macs['Moid']}")["Assigned"] == 1
    assert client.list("macpool/Leases")[0]["MacAddress"] == "00:25:B5:00:00:00"
    client.create("vnic/EthIfs", {"Name": "eth1", "Order": 1, **vnic})
    bench.wait(moid, "Pending-changes")
    send(bench, moid, Action="Deploy")
    assert bench.wait(moid, "Failed")["ConfigContext"]["ErrorState"] == "Validation-error"
    assert client.refused("DELETE", f"macpool/Pools/{macs['Moid']}")[0] == 400
    send(bench, moid, Action="Unassign")
    bench.wait(moid, "Not-assigned")
    assert client.get(f"macpool/Pools/{macs['Moid']}")["Assigned"] == 0


def setting(bench: Bench) -> str:
    found: str = bench.client.list("compute/ServerSettings", filter=f"Server.Moid eq '{bench.server(SERIAL)['Moid']}'")[
        0
    ]["Moid"]
    return f"compute/ServerSettings/{found}"


@pytest.mark.parametrize(("order", "power"), [("PowerOn", "On"), ("HardReset", "On"), ("PowerOff", "Off")])
def test_power_through_server_settings(bench: Bench, order: str, power: str) -> None:
    bench.world.power("inf-01", "ForceOff" if power == "On" else "On")
    reply = bench.client.ok("PATCH", setting(bench), {"AdminPowerState": order})
    assert reply["ConfigState"] == "Applying"
    until(lambda: host(bench).power == power)
    done = until(lambda: (s := bench.client.get(setting(bench)))["ConfigState"] == "Applied" and s)
    assert done["AdminPowerState"] == "Policy"


def test_virtual_media_and_one_time_boot_through_intersight(bench: Bench) -> None:
    image = bench.lab.dir / "agent.iso"
    image.write_bytes(b"install me")
    boots: list[Any] = []
    bench.world.on_boot.append(lambda *event: boots.append(event))
    devices = [
        {"ClassId": "boot.Nvme", "Name": "disk", "Enabled": True},
        {"ClassId": "boot.VirtualMedia", "Name": "cd", "Enabled": True, "Subtype": "cimc-mapped-dvd"},
    ]
    boot = policy(bench, "boot/PrecisionPolicies", BootDevices=devices)
    mapping = {
        "VolumeName": "agent",
        "MountProtocol": "http",
        "DeviceType": "cdd",
        "FileLocation": "http://192.0.2.2:8080/agent.iso",
    }
    media = policy(bench, "vmedia/Policies", Mappings=[mapping])
    deployed(bench, boot, media)
    assert boots[-1][1] == "Hdd"
    assert host(bench).media_url == "http://192.0.2.2:8080/agent.iso"
    bench.world.insert_media("inf-01", "http://192.0.2.2:8080/agent.iso", image)
    assert bench.client.refused("PATCH", setting(bench), {"OneTimeBootDevice": "floppy"})[0] == 400
    bench.client.ok("PATCH", setting(bench), {"OneTimeBootDevice": "cd", "AdminPowerState": "PowerCycle"})
    until(lambda: len(boots) == 2)
    assert boots[-1][1:] == ("Cd", image)


def test_platform_change_with_policies_attached_is_refused(bench: Bench) -> None:
    lan = policy(bench, "vnic/LanConnectivityPolicies", TargetPlatform="FIAttached")
    made = bench.client.create(
        "server/Profiles", bench.named("n", TargetPlatform="FIAttached", PolicyBucket=[ref(lan)])
    )
    status = bench.client.refused("PATCH", f"server/Profiles/{made['Moid']}", {"TargetPlatform": "Standalone"})
    assert status == (400, "invalid_server_family_for_platform_type")


def test_alarms_show_in_the_summary(bench: Bench) -> None:
    alarm = {
        "server": "inf-01",
        "severity": "Critical",
        "code": "EquipmentChassisPsuInputLost",
        "text": "PSU 1 lost input",
    }
    bench.world.fault({"kind": "intersight", "alarm": alarm})
    assert bench.server(SERIAL)["AlarmSummary"]["Critical"] == 1
    moid = bench.server(SERIAL)["Moid"]
    standing = bench.client.list("cond/Alarms", filter=f"Severity ne 'Cleared' and AncestorMoId eq '{moid}'")
    assert [a["Code"] for a in standing] == ["EquipmentChassisPsuInputLost"]
    bench.client.ok("PATCH", f"cond/Alarms/{standing[0]['Moid']}", {"Acknowledge": "Acknowledge"})
    bench.world.fault({"kind": "intersight", "alarm": {**alarm, "severity": "Cleared"}})
    assert bench.server(SERIAL)["AlarmSummary"]["Health"] == "Healthy"
    assert len(bench.client.list("cond/Alarms")) == 1


def test_the_c845a_takes_its_own_bios_tokens(bench: Bench) -> None:
    kinds = {"CbsDfCmnDramNps": "NPS1", "CbsCmnGnbNbIommu": "Enabled", "CbsCmnDeterminismEnable": "Performance"}
    tokens = [{"ClassId": f"bios.{name}C845BiosToken", "Value": value} for name, value in kinds.items()]
    configuration = {"ClassId": "bios.C845ServerBiosConfiguration", "BiosTokens": tokens}
    deployed(bench, policy(bench, "bios/Policies", BiosConfigurations=[configuration]))
    assert {name: host(bench).bios[name] for name in kinds} == kinds
    wrong = {**configuration, "BiosTokens": [{"ClassId": "bios.CbsDfCmnDramNpsC845BiosToken", "Value": "NPS9"}]}
    assert bench.client.refused("POST", "bios/Policies", bench.named("w", BiosConfigurations=[wrong]))[0] == 400
