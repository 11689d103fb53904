"""The life of a server profile, over the wire, with the world looking on."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from podwright.lab.world.power import PowerPlant
from tests.lab.intersight.conftest import Bench
from tests.waiting import until

SERIAL = "WZP00000021"
BOTH = [
    {"ObjectType": "policy.ScheduledAction", "Action": "Deploy"},
    {"ObjectType": "policy.ScheduledAction", "Action": "Activate", "ProceedOnReboot": True},
]


def ref(mo: Any) -> dict[str, str]:
    return {"ObjectType": mo["ObjectType"], "Moid": mo["Moid"]}


def policy(bench: Bench, path: str, **properties: Any) -> Any:
    return bench.client.create(path, bench.named("p", **properties))


def profile(bench: Bench, *policies: Any, **properties: Any) -> str:
    """A profile of that bucket on the rack server; returns its Moid."""
    summary = bench.server(SERIAL)
    server = {"ObjectType": summary["SourceObjectType"], "Moid": summary["Moid"]}
    body = {"PolicyBucket": [ref(p) for p in policies], "AssignedServer": server, "TargetPlatform": "Standalone"}
    made: str = bench.client.create("server/Profiles", bench.named("inf-01", **{**body, **properties}))["Moid"]
    return made


def send(bench: Bench, moid: str, **body: Any) -> Any:
    return bench.client.ok("PATCH", f"server/Profiles/{moid}", body)


def host(bench: Bench) -> Any:
    return bench.world.host("inf-01")


def deployed(bench: Bench, *policies: Any) -> str:
    moid = profile(bench, *policies)
    send(bench, moid, Action="Deploy", ScheduledActions=BOTH)
    bench.wait(moid, "Associated")
    return moid


def test_assignment_names_the_source_object_type(bench: Bench) -> None:
    summary = bench.server(SERIAL)
    wrong = bench.named("n", AssignedServer={"ObjectType": "compute.PhysicalSummary", "Moid": summary["Moid"]})
    assert bench.client.refused("POST", "server/Profiles", wrong)[0] in (400, 404)
    moid = profile(bench)
    assert bench.profile(moid)["ConfigContext"]["ConfigState"] == "Assigned"
    second = bench.named("n", AssignedServer=ref(bench.profile(moid)["AssignedServer"]))
    assert bench.client.refused("POST", "server/Profiles", second)[1] == "lab_server_already_assigned"
    unassigned = bench.client.create("server/Profiles", bench.named("u"))
    assert unassigned["ConfigContext"]["ConfigState"] == "Not-assigned"
    assert bench.client.refused("PATCH", f"server/Profiles/{unassigned['Moid']}", {"Action": "Deploy"}) == (
        400,
        "gershwin_user_action_is_not_allowed",
    )


def test_assignment_by_serial_number(bench: Bench) -> None:
    made = bench.client.create("server/Profiles", bench.named("n", ServerPreAssignBySerial=SERIAL))
    assert made["AssignedServer"]["Moid"] == bench.server(SERIAL)["Moid"]


def test_platforms_that_take_no_profile_and_wrong_platforms(bench: Bench) -> None:
    hgx, blade = bench.server("WZP00000001"), bench.server("FCH00000011")
    body = bench.named("n", AssignedServer={"ObjectType": hgx["SourceObjectType"], "Moid": hgx["Moid"]})
    assert bench.client.refused("POST", "server/Profiles", body)[1] == "lab_platform_takes_no_profile"
    body["AssignedServer"] = {"ObjectType": "compute.Blade", "Moid": blade["Moid"]}
    assert bench.client.refused("POST", "server/Profiles", body)[1] == "invalid_server_family_for_platform_type"
    bench.client.create("server/Profiles", body | {"TargetPlatform": "FIAttached"})


def test_a_deploy_without_disruption_associates(bench: Bench) -> None:
    moid = profile(bench, policy(bench, "ntp/Policies", NtpServers=["192.0.2.1"]))
    reply = send(bench, moid, Action="Deploy")
    assert reply["ConfigContext"]["ConfigState"] == "Validating"
    assert reply["ConfigContext"]["ControlAction"] == "Deploy"
    workflow = bench.client.get(
        f"workflow/WorkflowInfos/{reply['RunningWorkflows'][0]['Moid']}?$expand=TaskInfos($select=Name,Status)"
    )
    assert (workflow["WorkflowStatus"], workflow["Status"]) == ("InProgress", "RUNNING")
    assert {t["Name"] for t in workflow["TaskInfos"]} == {"Validate", "Configure", "Activate"}
    done = bench.wait(moid, "Associated")
    assert (done["Action"], done["RunningWorkflows"]) == ("No-op", [])
    over = bench.client.get(f"workflow/WorkflowInfos/{workflow['Moid']}")
    assert (over["WorkflowStatus"], over["Progress"]) == ("Completed", 100)
    assert host(bench).boots == 0


def test_bios_waits_for_activation_and_activation_reboots(bench: Bench) -> None:
    bios = policy(bench, "bios/Policies", SmtMode="Off", CbsDfCmnDramNps="NPS4", IntelHyperThreadingTech="disabled")
    moid = profile(bench, bios)
    assert (
        bench.client.refused("PATCH", f"server/Profiles/{moid}", {"Action": "Activate"})[1]
        == "gershwin_user_action_is_not_allowed"
    )
    send(bench, moid, Action="Deploy")
    staged = bench.wait(moid, "Pending-changes")
    assert staged["ConfigChanges"]["Disruptions"] == ["Reboot"]
    assert staged["ConfigContext"]["ConfigStateSummary"] == "Inconsistent"
    assert host(bench).bios_pending["SmtMode"] == "Off"
    assert "IntelHyperThreadingTech" not in host(bench).bios_pending
    assert host(bench).boots == 0
    send(bench, moid, ScheduledActions=BOTH[1:])
    done = bench.wait(moid, "Associated")
    assert done["ConfigChanges"]["Disruptions"] == []
    assert host(bench).boots == 1
    assert (host(bench).bios["SmtMode"], host(bench).bios["CbsDfCmnDramNps"]) == ("Off", "NPS4")


def test_deploy_with_reboot_approved_goes_through_in_one(bench: Bench) -> None:
    deployed(bench, policy(bench, "bios/Policies", SmtMode="Off"))
    assert host(bench).boots == 1
    assert host(bench).bios["SmtMode"] == "Off"
    assert bench.server(SERIAL)["OperPowerState"] == "on"


def test_scheduled_actions_alone_deploy(bench: Bench) -> None:
    moid = profile(bench, policy(bench, "ntp/Policies"))
    send(bench, moid, ScheduledActions=BOTH)
    bench.wait(moid, "Associated")


def test_a_reboot_from_elsewhere_activates_too(bench: Bench) -> None:
    moid = profile(bench, policy(bench, "bios/Policies", SmtMode="Off"))
    send(bench, moid, Action="Deploy")
    bench.wait(moid, "Pending-changes")
    bench.world.power("inf-01", "On")
    bench.wait(moid, "Associated")


def test_a_policy_edit_makes_pending_changes_and_tells_the_cost(bench: Bench) -> None:
    bios, ntp = policy(bench, "bios/Policies", SmtMode="Off"), policy(bench, "ntp/Policies", NtpServers=["192.0.2.1"])
    moid = deployed(bench, bios, ntp)
    bench.client.ok("PATCH", f"ntp/Policies/{ntp['Moid']}", {"NtpServers": ["192.0.2.2"]})
    assert bench.profile(moid)["ConfigContext"]["ConfigState"] == "Validating"
    pending = bench.wait(moid, "Pending-changes")
    assert (pending["ConfigChanges"]["Changes"], pending["ConfigChanges"]["Disruptions"]) == (["ntp.Policy"], [])
    bench.client.ok("PATCH", f"bios/Policies/{bios['Moid']}", {"SmtMode": "Auto"})
    pending = until(lambda: (p := bench.wait(moid, "Pending-changes"))["ConfigChanges"]["Disruptions"] and p)
    assert pending["ConfigChanges"]["Changes"] == ["bios.Policy", "ntp.Policy"]
    details = bench.client.list("server/ConfigChangeDetails", filter=f"Profile.Moid eq '{moid}'")
    assert {d["Changes"][0] for d in details} == {"bios.Policy", "ntp.Policy"}
    assert bench.client.refused("PATCH", f"server/Profiles/{moid}", {"Action": "Activate"})[0] == 400
    assert host(bench).bios["SmtMode"] == "Off"


def test_an_edit_taken_back_leaves_nothing_pending(bench: Bench) -> None:
    ntp = policy(bench, "ntp/Policies", NtpServers=["192.0.2.1"])
    moid = deployed(bench, ntp)
    bench.client.ok("PATCH", f"ntp/Policies/{ntp['Moid']}", {"NtpServers": ["192.0.2.2"]})
    bench.wait(moid, "Pending-changes")
    bench.client.ok("PATCH", f"ntp/Policies/{ntp['Moid']}", {"NtpServers": ["192.0.2.1"]})
    bench.wait(moid, "Associated")


def test_an_edit_of_a_vnic_is_an_edit_of_its_policy(bench: Bench) -> None:
    lan, qos = policy(bench, "vnic/LanConnectivityPolicies"), policy(bench, "vnic/EthQosPolicies", Mtu=9000)
    body = {"Name": "eth0", "LanConnectivityPolicy": ref(lan), "EthQosPolicy": ref(qos), "Order": 0}
    bench.client.create("vnic/EthIfs", body)
    moid = deployed(bench, lan)
    bench.client.ok("PATCH", f"vnic/EthQosPolicies/{qos['Moid']}", {"Mtu": 1500})
    pending = bench.wait(moid, "Pending-changes")
    assert pending["ConfigChanges"]["Changes"] == ["vnic.LanConnectivityPolicy"]


def test_writes_while_validating_are_refused(bench: Bench) -> None:
    bench.world.fault({"kind": "intersight", "validate": 0.6})
    ntp = policy(bench, "ntp/Policies")
    moid = profile(bench, ntp)
    send(bench, moid, Action="Deploy")
    path = f"server/Profiles/{moid}"
    assert bench.client.refused("PATCH", path, {"Action": "Deploy"}) == (400, "gershwin_user_action_is_not_allowed")
    assert bench.client.refused("PATCH", path, {"UserLabel": "x"})[0] == 400
    assert bench.client.refused("PATCH", f"ntp/Policies/{ntp['Moid']}", {"Enabled": False})[0] == 400
    other = policy(bench, "kvm/Policies")
    attach = {"Profiles": [{"ObjectType": "server.Profile", "Moid": moid}]}
    assert bench.client.refused("PATCH", f"kvm/Policies/{other['Moid']}", attach)[0] == 400
    bench.wait(moid, "Associated")
    send(bench, moid, UserLabel="x")


def test_delete_needs_unassign_first(bench: Bench) -> None:
    moid = deployed(bench, policy(bench, "ntp/Policies"))
    path = f"server/Profiles/{moid}"
    assert bench.client.refused("DELETE", path) == (403, "gershwin_cannot_delete_server_profile")
    send(bench, moid, Action="Unassign")
    free = bench.wait(moid, "Not-assigned")
    assert free["AssignedServer"] is None
    bench.client.ok("DELETE", path)
    assert bench.client.refused("GET", path)[0] == 404


def test_a_disconnected_server_is_not_deployed(bench: Bench) -> None:
    moid = profile(bench, policy(bench, "ntp/Policies"))
    bench.world.fault({"kind": "intersight", "connected": {"inf-01": False}})
    assert (
        bench.client.refused("PATCH", f"server/Profiles/{moid}", {"Action": "Deploy"})[1]
        == "gershwin_server_is_not_connected"
    )
    bench.world.fault({"kind": "intersight", "connected": {"inf-01": True}})
    send(bench, moid, Action="Deploy")


def test_a_failed_deploy_says_why_and_can_be_repeated(bench: Bench) -> None:
    moid = profile(bench, policy(bench, "ntp/Policies"))
    bench.world.fault({"kind": "intersight", "fail_next": "The endpoint rejected the configuration."})
    workflow = send(bench, moid, Action="Deploy")["RunningWorkflows"][0]["Moid"]
    failed = bench.wait(moid, "Failed")
    assert failed["ConfigContext"]["ErrorState"] == "Config-error"
    info = bench.client.get(f"workflow/WorkflowInfos/{workflow}?$expand=TaskInfos")
    assert info["WorkflowStatus"] == "Failed"
    assert [t["FailureReason"] for t in info["TaskInfos"] if t["Status"] == "FAILED"] == [
        "The endpoint rejected the configuration."
    ]
    result = bench.client.get(f"server/ConfigResults/{failed['ConfigResult']['Moid']}?$expand=ResultEntries")
    assert result["ResultEntries"][0]["Message"] == "The endpoint rejected the configuration."
    send(bench, moid, Action="Deploy")
    bench.wait(moid, "Associated")


def test_bios_changed_behind_its_back_is_out_of_sync(bench: Bench) -> None:
    moid = deployed(bench, policy(bench, "bios/Policies", SmtMode="Off"))
    bench.world.stage_bios("inf-01", {"SmtMode": "Auto"})
    bench.world.power("inf-01", "ForceRestart")
    drifted = bench.wait(moid, "Out-of-sync")
    assert drifted["ConfigChanges"]["Changes"] == ["bios.Policy"]
    send(bench, moid, Action="Deploy", ScheduledActions=BOTH)
    bench.wait(moid, "Associated")
    assert host(bench).bios["SmtMode"] == "Off"


@pytest.mark.parametrize(("power", "state"), [("stays", "Associated"), ("cut", "Failed")])
def test_a_restart_is_late_only_while_the_world_runs_it(
    bench: Bench, power: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without power never comes up; one whose self-test got no processor time comes up later."""
    turn, boot = threading.Event(), PowerPlant._boot

    def late(plant: PowerPlant, server: str, generation: int) -> None:
        turn.wait(10)
        boot(plant, server, generation)

    monkeypatch.setattr(PowerPlant, "_boot", late)
    bench.side.fault({"activate_timeout": 0.1})
    moid = profile(bench, policy(bench, "bios/Policies", SmtMode="Off"))
    send(bench, moid, Action="Deploy", ScheduledActions=BOTH)
    until(lambda: host(bench).state == "post")
    if power == "cut":
        bench.world.power("inf-01", "ForceOff")
    time.sleep(1.2)
    assert (bench.profile(moid)["ConfigContext"]["ConfigState"] == "Failed") is (power == "cut")
    turn.set()
    bench.wait(moid, state)
