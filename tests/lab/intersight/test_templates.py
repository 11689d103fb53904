"""Templates and bulk calls; domain profiles over a pair of fabric interconnects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.intersight.conftest import WORLD, Bench
from tests.lab.intersight.test_deploy import deployed, policy, ref, send
from tests.waiting import until


def template(bench: Bench, *policies: Any) -> Any:
    body = bench.named("t", PolicyBucket=[ref(p) for p in policies], TargetPlatform="Standalone")
    return bench.client.create("server/ProfileTemplates", body)


def test_derive_sync_and_detach(bench: Bench) -> None:
    client, ntp, bios = bench.client, policy(bench, "ntp/Policies"), policy(bench, "bios/Policies")
    source = template(bench, ntp)
    targets = [{"ObjectType": "server.Profile", "Name": n, "Organization": {"Moid": bench.org}} for n in ("a", "b")]
    cloned = client.ok("POST", "bulk/MoCloners", {"Sources": [ref(source)], "Targets": targets})
    assert [r["Status"] for r in cloned["Responses"]] == [201, 201]
    moid = cloned["Responses"][0]["Body"]["Moid"]
    derived = bench.profile(moid)
    assert derived["SrcTemplate"]["Moid"] == source["Moid"]
    assert [r["Moid"] for r in derived["PolicyBucket"]] == [ntp["Moid"]]
    path = f"server/Profiles/{moid}"
    assert client.refused("PATCH", path, {"PolicyBucket": []}) == (403, "gershwin_cannot_edit_derived_sp")
    client.ok("PATCH", path, {"UserLabel": "rack 1"})
    other = client.create("server/ProfileTemplates", bench.named("other"))
    assert client.refused("PATCH", path, {"SrcTemplate": ref(other)}) == (403, "gershwin_derived_sp_invalid_src")
    client.ok("PATCH", f"server/ProfileTemplates/{source['Moid']}", {"PolicyBucket": [ref(ntp), ref(bios)]})
    assert len(bench.profile(moid)["PolicyBucket"]) == 1, "a template's change does not reach profiles by itself"
    merge = {
        "Sources": [ref(source)],
        "Targets": [{"ObjectType": "server.Profile", "Moid": moid}],
        "MergeAction": "Replace",
    }
    assert client.ok("POST", "bulk/MoMergers", merge)["Responses"][0]["Body"]["Moid"] == moid
    assert {r["Moid"] for r in bench.profile(moid)["PolicyBucket"]} == {ntp["Moid"], bios["Moid"]}
    client.ok("PATCH", path, {"SrcTemplate": None})
    client.ok("PATCH", path, {"PolicyBucket": []})


def test_source_template_alone_copies_nothing(bench: Bench) -> None:
    source = template(bench, policy(bench, "ntp/Policies"))
    made = bench.client.create("server/Profiles", bench.named("n", SrcTemplate=ref(source)))
    assert made["PolicyBucket"] == []


def merge(bench: Bench, source: Any, moid: str, action: str = "Replace") -> Any:
    """What the one target of a merge is answered."""
    targets = [{"ObjectType": "server.Profile", "Moid": moid}]
    body = {"Sources": [ref(source)], "Targets": targets, "MergeAction": action}
    return bench.client.ok("POST", "bulk/MoMergers", body)["Responses"][0]


def status(bench: Bench, moid: str, source: Any) -> tuple[str, str, int]:
    live = bench.client.get(f"server/ProfileTemplates/{source['Moid']}")
    return bench.profile(moid)["TemplateSyncStatus"], live["UpdateStatus"], live["UsageCount"]


def test_a_deployed_profile_is_attached_and_keeps_its_server(bench: Bench) -> None:
    ntp = policy(bench, "ntp/Policies")
    moid = deployed(bench, ntp)
    source = template(bench, ntp)
    assert status(bench, moid, source) == ("None", "None", 0)
    send(bench, moid, SrcTemplate=ref(source))
    assert status(bench, moid, source) == ("OK", "OK", 1)
    assert merge(bench, source, moid)["Status"] == 200
    live = bench.profile(moid)
    assert (live["ConfigContext"]["ConfigState"], live["AssignedServer"]["Moid"]) == (
        "Associated", live["AssociatedServer"]["Moid"]
    )  # fmt: skip
    assert bench.client.refused("DELETE", f"server/ProfileTemplates/{source['Moid']}")[0] == 400
    send(bench, moid, SrcTemplate=None)
    bench.client.ok("DELETE", f"server/ProfileTemplates/{source['Moid']}")
    assert [r["Moid"] for r in bench.profile(moid)["PolicyBucket"]] == [ntp["Moid"]]


def test_what_a_template_owns_is_refused_from_every_side(bench: Bench) -> None:
    client, bios = bench.client, policy(bench, "bios/Policies")
    source = template(bench, policy(bench, "ntp/Policies"))
    made = client.create("server/Profiles", bench.named("n", SrcTemplate=ref(source)))
    path = f"server/Profiles/{made['Moid']}"
    for change in ({"PolicyBucket": [ref(bios)]}, {"UuidAddressType": "POOL"}, {"ServerFamily": "UCSC845A"}):
        assert client.refused("PATCH", path, change) == (403, "gershwin_cannot_edit_derived_sp")
    holders = f"bios/Policies/{bios['Moid']}"
    assert client.refused("PATCH", holders, {"Profiles": [ref(made)]}) == (403, "gershwin_cannot_edit_derived_sp")
    assert client.refused("POST", f"{holders}/Profiles", [ref(made)])[1] == "gershwin_cannot_edit_derived_sp"
    blades = client.create("server/ProfileTemplates", bench.named("blades", TargetPlatform="FIAttached"))
    client.ok("PATCH", path, {"SrcTemplate": None})
    assert client.refused("PATCH", path, {"SrcTemplate": ref(blades)})[1] == "lab_template_platform"
    orders = [{"ClassId": "motemplate.ActionEntry", "ObjectType": "motemplate.ActionEntry", "Type": "Sync"}]
    there = f"server/ProfileTemplates/{source['Moid']}"
    assert client.refused("PATCH", there, {"TemplateActions": orders})[0] == 400
    assert client.ok("PATCH", path, {"TemplateActions": orders})["TemplateActions"] == []


def test_a_changed_template_leaves_its_profiles_out_of_sync(bench: Bench) -> None:
    ntp, bios = policy(bench, "ntp/Policies"), policy(bench, "bios/Policies", SrIov="enabled")
    moid, source = deployed(bench, ntp), template(bench, ntp)
    send(bench, moid, SrcTemplate=ref(source))
    bench.client.ok("PATCH", f"server/ProfileTemplates/{source['Moid']}", {"PolicyBucket": [ref(bios)]})
    assert status(bench, moid, source) == ("OutOfSync", "OutOfSync", 1)
    assert bench.profile(moid)["ConfigContext"]["ConfigState"] == "Associated"
    assert merge(bench, source, moid)["Status"] == 200
    assert merge(bench, source, moid)["Status"] == 400, "it is being validated"
    assert bench.profile(moid)["SrcTemplate"]["Moid"] == source["Moid"]
    live = bench.wait(moid, "Pending-changes")
    assert set(live["ConfigChanges"]["Changes"]) == {"ntp.Policy", "bios.Policy"}
    assert status(bench, moid, source) == ("OK", "OK", 1)


@pytest.mark.parametrize("form", ["configuration", "all-common"])
def test_what_a_merge_takes_along(tmp_path: Path, form: str) -> None:
    bench = Bench(tmp_path, WORLD + f"variants: {{merge: {form}}}\n")
    try:
        made = bench.client.create("server/Profiles", bench.named("n", Tags=[{"Key": "rack", "Value": "1"}]))
        ntp = policy(bench, "ntp/Policies")
        source = template(bench, ntp)
        assert merge(bench, source, made["Moid"])["Status"] == 200
        live = bench.profile(made["Moid"])
        assert [r["Moid"] for r in live["PolicyBucket"]] == [ntp["Moid"]]
        tags = [tag["Key"] for tag in live["Tags"] if not tag["Key"].startswith("cisco.meta.")]
        assert (bool(live["SrcTemplate"]), tags) == ((True, []) if form == "all-common" else (False, ["rack"]))
    finally:
        bench.close()


def test_profiles_follow_their_template_by_themselves_in_one_form(tmp_path: Path) -> None:
    bench = Bench(tmp_path, WORLD + "variants: {template-sync: automatic}\n")
    try:
        bench.world.fault({"kind": "intersight", "validate": 0.4, "configure": 0.01})
        ntp, kvm = policy(bench, "ntp/Policies"), policy(bench, "kvm/Policies")
        moid, source = deployed(bench, ntp), template(bench, ntp)
        send(bench, moid, SrcTemplate=ref(source))
        path = f"server/ProfileTemplates/{source['Moid']}"
        bench.client.ok("PATCH", path, {"PolicyBucket": [ref(ntp), ref(kvm)]})
        assert status(bench, moid, source)[0] == "Scheduled"
        until(lambda: status(bench, moid, source)[0] == "OK")
        # While the change is validated, another one finds the profile busy, and is tried again.
        bench.client.ok("PATCH", path, {"PolicyBucket": [ref(ntp)]})
        until(lambda: bench.profile(moid)["TemplateSyncErrors"] != [])
        assert bench.profile(moid)["TemplateSyncErrors"][0]["Type"] == "Transient"
        until(lambda: status(bench, moid, source)[0] == "OK")
        assert (len(bench.profile(moid)["PolicyBucket"]), bench.profile(moid)["TemplateSyncErrors"]) == (1, [])
    finally:
        bench.close()


def test_bulk_requests_run_in_order_and_stop_at_an_error(bench: Bench) -> None:
    policy_ref = {"Moid": policy(bench, "fabric/EthNetworkPolicies")["Moid"]}
    parts = [
        {"ObjectType": "bulk.RestSubRequest", "Body": {"Name": f"v{n}", "VlanId": n, "EthNetworkPolicy": policy_ref}}
        for n in (100, 5000, 102)
    ]
    bulk = {"Verb": "POST", "Uri": "/v1/fabric/Vlans", "Requests": parts}
    assert [r["Status"] for r in bench.client.ok("POST", "bulk/Requests", bulk)["Results"]] == [201, 400]
    bulk["ActionOnError"] = "Proceed"
    assert [r["Status"] for r in bench.client.ok("POST", "bulk/Requests", bulk)["Results"]] == [200, 400, 201]
    assert len(bench.client.list("fabric/Vlans")) == 2
    assert bench.client.refused("POST", "bulk/Requests", {**bulk, "Requests": parts * 40})[0] == 400


@pytest.fixture
def domain(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, WORLD + "domains: {x: {model: UCS-FI-6536, serials: {A: FDO00000031, B: FDO00000032}}}\n")
    bench.world.fault({"kind": "intersight", "validate": 0.05, "configure": 0.05})
    yield bench
    bench.close()


def test_a_domain_profile_deploys_per_interconnect(domain: Bench) -> None:
    client = domain.client
    cluster = client.create("fabric/SwitchClusterProfiles", domain.named("pod"))
    classes = [
        {"ClassId": "fabric.QosClass", "Name": "Platinum", "AdminState": "Enabled", "Cos": 5, "PacketDrop": False}
    ]
    qos = policy(domain, "fabric/SystemQosPolicies", Classes=classes)
    for side, serial in (("A", "FDO00000031"), ("B", "FDO00000032")):
        element = client.list("network/Elements", filter=f"Serial eq '{serial}'")[0]
        assert element["SwitchId"] == side
        body = {
            "Name": f"pod-{side}",
            "SwitchId": side,
            "SwitchClusterProfile": ref(cluster),
            "PolicyBucket": [ref(qos)],
        }
        made = client.create("fabric/SwitchProfiles", body | {"AssignedSwitch": ref(element)})
        path = f"fabric/SwitchProfiles/{made['Moid']}"
        client.ok("PATCH", path, {"Action": "Deploy"})
        domain.until_state(path, "Associated")
        assert client.refused("DELETE", path)[0] == 403
    assert len(client.get(f"fabric/SwitchClusterProfiles/{cluster['Moid']}")["SwitchProfiles"]) == 2
    classes[0]["PacketDrop"] = True
    client.ok("PATCH", f"fabric/SystemQosPolicies/{qos['Moid']}", {"Classes": classes})
    for profile in client.list("fabric/SwitchProfiles"):
        changed = domain.until_state(f"fabric/SwitchProfiles/{profile['Moid']}", "Pending-changes")
        assert changed["ConfigChanges"]["Changes"] == ["fabric.SystemQosPolicy"]
        client.ok("PATCH", f"fabric/SwitchProfiles/{profile['Moid']}", {"Action": "Unassign"})
        domain.until_state(f"fabric/SwitchProfiles/{profile['Moid']}", "Not-assigned")
    client.ok("DELETE", f"fabric/SwitchClusterProfiles/{cluster['Moid']}")
    assert not client.list("fabric/SwitchProfiles")
