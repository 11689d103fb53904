"""Firmware upgrades, compatibility, keys that may only read, machines without a connection or an address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from podwright.lab.intersight.firmware import VERSIONS
from tests.lab.intersight.conftest import WORLD, Bench
from tests.waiting import until


def bundle(bench: Bench, model: str, version: str) -> dict[str, str]:
    found = [
        each
        for each in bench.client.list("firmware/Distributables", filter=f"Version eq '{version}'")
        if model in each["SupportedModels"]
    ]
    assert len(found) == 1
    return {"ObjectType": "firmware.Distributable", "Moid": found[0]["Moid"]}


def upgrade(bench: Bench, version: str, serial: str = "WZP00000021", model: str = "UCSC-845A-M8") -> dict[str, Any]:
    unit = bench.server(serial)
    download = {"ClassId": "firmware.DirectDownload", "Upgradeoption": "upgrade_full"}
    return {
        "Server": {"ObjectType": unit["SourceObjectType"], "Moid": unit["Moid"]},
        "Distributable": bundle(bench, model, version),
        "DirectDownload": download,
        "UpgradeType": "direct_upgrade",
    }


def test_an_upgrade_is_a_workflow_that_restarts_the_machine(bench: Bench) -> None:
    bench.world.fault({"kind": "intersight", "upgrade": 0.1})
    made = bench.client.create("firmware/Upgrades", upgrade(bench, VERSIONS[2]))
    assert made["Status"] == "IN_PROGRESS"
    assert bench.server("WZP00000021")["Lifecycle"] == "FirmwareUpgradeInProgress"
    setting = bench.client.list("compute/ServerSettings", filter="Name eq '845A-WZP00000021'")[0]
    order = ("PATCH", f"compute/ServerSettings/{setting['Moid']}", {"AdminPowerState": "PowerOff"})
    assert bench.client.refused(*order) == (400, "action_not_allowed_firmware_upgrade_in_progress")
    assert bench.client.refused("POST", "firmware/Upgrades", upgrade(bench, VERSIONS[1]))[0] == 400
    done = until(lambda: (u := bench.client.get(f"firmware/Upgrades/{made['Moid']}"))["Status"] != "IN_PROGRESS" and u)
    status = bench.client.get(f"firmware/UpgradeStatuses/{done['UpgradeStatus']['Moid']}")
    assert (done["Status"], status["Overallstatus"], status["OverallPercentage"]) == ("SUCCESSFUL", "success", 100)
    workflow = bench.client.get(f"workflow/WorkflowInfos/{status['Workflow']['Moid']}")
    assert workflow["WorkflowStatus"] == "Completed"
    server = bench.server("WZP00000021")
    assert (server["Firmware"], server["Lifecycle"]) == (VERSIONS[2], "Active")
    assert until(lambda: bench.world.host("inf-01").boots == 1)


def test_an_upgrade_that_fails_leaves_the_version(bench: Bench) -> None:
    bench.world.fault({"kind": "intersight", "upgrade": 0.01, "fail_upgrade": "The image is damaged."})
    before = bench.server("WZP00000021")["Firmware"]
    made = bench.client.create("firmware/Upgrades", upgrade(bench, VERSIONS[2]))
    done = until(lambda: (u := bench.client.get(f"firmware/Upgrades/{made['Moid']}"))["Status"] == "FAILED" and u)
    status = bench.client.get(f"firmware/UpgradeStatuses/{done['UpgradeStatus']['Moid']}")
    assert (status["Overallstatus"], status["OverallError"]) == ("failed", "The image is damaged.")
    assert (bench.server("WZP00000021")["Firmware"], bench.world.host("inf-01").boots) == (before, 0)


def test_a_bundle_of_another_model_is_refused(bench: Bench) -> None:
    wrong = upgrade(bench, VERSIONS[2]) | {"Distributable": bundle(bench, "UCSX-210C-M7", VERSIONS[2])}
    assert bench.client.refused("POST", "firmware/Upgrades", wrong) == (400, "lab_property_value_invalid")


def test_a_profile_brings_its_firmware_policy_s_version(bench: Bench) -> None:
    combination = {"ClassId": "firmware.ModelBundleVersion", "ModelFamily": "CAI-845A-M8", "BundleVersion": VERSIONS[1]}
    policy = bench.client.create("firmware/Policies", bench.named("fw", ModelBundleCombo=[combination]))
    unit = bench.server("WZP00000021")
    made = bench.client.create(
        "server/Profiles",
        bench.named(
            "inf-01",
            ServerFamily="UCSC845A",
            AssignedServer={"ObjectType": unit["SourceObjectType"], "Moid": unit["Moid"]},
            PolicyBucket=[{"ObjectType": "firmware.Policy", "Moid": policy["Moid"]}],
            ScheduledActions=[
                {"ClassId": "policy.ScheduledAction", "Action": "Deploy"},
                {"ClassId": "policy.ScheduledAction", "Action": "Activate", "ProceedOnReboot": True},
            ],
        ),
    )
    bench.wait(made["Moid"], "Associated")
    assert bench.server("WZP00000021")["Firmware"] == VERSIONS[1]


def test_compatibility_is_judged_once_the_operating_system_is_known(bench: Bench) -> None:
    def status() -> tuple[str, str]:
        (found,) = bench.client.list("cond/HclStatuses", filter="InvModel eq 'UCSC-845A-M8'")
        return found["Status"], found["Reason"]

    assert status() == ("Incomplete", "Missing-Os-Info")
    unit = bench.server("WZP00000021")
    tags = [{"Key": "intersight.hcl.osName", "Value": "RHCOS 4.22"}]
    bench.client.ok("PATCH", f"compute/RackUnits/{unit['Moid']}", {"Tags": tags})
    assert status() == ("Validated", "Compatible")
    bench.world.fault({"kind": "intersight", "hcl": {"inf-01": "Not-Listed"}})
    assert status() == ("Not-Listed", "Incompatible-Components")


def test_a_key_that_may_only_read_writes_nothing(bench: Bench) -> None:
    bench.world.fault({"kind": "intersight", "read_only": True})
    writes = bench.side.writes
    for verb, path, body in (
        ("POST", "ntp/Policies", bench.named("a", NtpServers=["192.0.2.1"])),
        ("PATCH", f"organization/Organizations/{bench.org}", {"Description": "x"}),
        ("DELETE", f"organization/Organizations/{bench.org}", None),
        ("POST", "bulk/Requests", {"Requests": []}),
    ):
        assert bench.client.refused(verb, path, body) == (403, "lab_operation_not_authorized")
    assert bench.side.writes == writes and bench.client.list("organization/Organizations")
    bench.world.fault({"kind": "intersight", "read_only": False})
    bench.client.create("ntp/Policies", bench.named("a", NtpServers=["192.0.2.1"]))


@pytest.mark.parametrize(("form", "refused"), [("connected", True), ("anyhow", False)])
def test_unassign_of_a_machine_that_is_not_connected(tmp_path: Path, form: str, refused: bool) -> None:
    bench = Bench(tmp_path, WORLD + f"variants: {{unassign: {form}}}\n")
    try:
        unit = bench.server("WZP00000021")
        assigned = {"ObjectType": unit["SourceObjectType"], "Moid": unit["Moid"]}
        made = bench.client.create(
            "server/Profiles", bench.named("p", ServerFamily="UCSC845A", AssignedServer=assigned)
        )
        bench.world.fault({"kind": "intersight", "connected": {"inf-01": False}})
        path, order = f"server/Profiles/{made['Moid']}", {"Action": "Unassign"}
        if refused:
            assert bench.client.refused("PATCH", path, order) == (400, "gershwin_server_is_not_connected")
        else:
            bench.client.ok("PATCH", path, order)
            bench.wait(made["Moid"], "Not-assigned")
    finally:
        bench.close()


@pytest.mark.parametrize(
    ("form", "access", "mounted"),
    [("need-access", False, False), ("need-access", True, True), ("mounted", False, True)],
)
def test_media_of_a_blade_need_an_address_of_its_controller(
    tmp_path: Path, form: str, access: bool, mounted: bool
) -> None:
    bench = Bench(tmp_path, WORLD + f"variants: {{media: {form}}}\n")
    try:
        bench.world.fault({"kind": "intersight", "validate": 0.02, "configure": 0.02})
        mapping = {"ClassId": "vmedia.Mapping", "VolumeName": "i", "MountProtocol": "https", "DeviceType": "cdd"}
        image = {**mapping, "FileLocation": "https://192.0.2.9/a.iso"}
        media = bench.client.create("vmedia/Policies", bench.named("m", Mappings=[image]))
        block = {"ClassId": "ippool.IpV4Block", "From": "192.0.2.50", "Size": 2}
        pool = bench.client.create("ippool/Pools", bench.named("imc", IpV4Blocks=[block]))
        imc = bench.client.create(
            "access/Policies", bench.named("a", InbandVlan=10, InbandIpPool={"Moid": pool["Moid"]})
        )
        bucket = [{"ObjectType": "vmedia.Policy", "Moid": media["Moid"]}]
        bucket += [{"ObjectType": "access.Policy", "Moid": imc["Moid"]}] if access else []
        unit = bench.server("FCH00000011")
        assigned = {"ObjectType": unit["SourceObjectType"], "Moid": unit["Moid"]}
        profile = bench.named("b", TargetPlatform="FIAttached", AssignedServer=assigned, PolicyBucket=bucket)
        made = bench.client.create("server/Profiles", profile | {"Action": "Deploy"})
        bench.wait(made["Moid"], "Associated")
        assert (bench.world.host("cp-01").media_url is not None) == mounted
        leases = [lease["IpV4Address"] for lease in bench.client.list("ippool/IpLeases")]
        assert leases == (["192.0.2.50"] if access else [])
    finally:
        bench.close()
