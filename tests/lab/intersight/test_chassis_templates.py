"""Templates of chassis profiles: what Intersight's client merges, what it may not change, what chassis take."""

from __future__ import annotations

from typing import Any

from tests.lab.intersight.conftest import Bench
from tests.lab.intersight.test_deploy import policy, ref

PROFILES, TEMPLATES = "chassis/Profiles", "chassis/ProfileTemplates"


def template(bench: Bench, *policies: Any, name: str = "t") -> Any:
    return bench.client.create(TEMPLATES, bench.named(name, PolicyBucket=[ref(each) for each in policies]))


def bucket(bench: Bench, moid: str) -> set[str]:
    return {each["ObjectType"] for each in bench.client.get(f"{PROFILES}/{moid}")["PolicyBucket"]}


def merge(bench: Bench, source: Any, moid: str) -> Any:
    targets = [{"ObjectType": "chassis.Profile", "Moid": moid}]
    body = {"Sources": [ref(source)], "Targets": targets, "MergeAction": "Replace"}
    return bench.client.ok("POST", "bulk/MoMergers", body)["Responses"][0]


def test_a_profile_is_cloned_follows_a_merge_alone_and_is_let_go(bench: Bench) -> None:
    client, power, fans = bench.client, policy(bench, "power/Policies"), policy(bench, "thermal/Policies")
    source = template(bench, power)
    target = {"ObjectType": "chassis.Profile", "Name": "x-1", "Organization": {"Moid": bench.org}}
    cloned = client.ok("POST", "bulk/MoCloners", {"Sources": [ref(source)], "Targets": [target]})
    moid = cloned["Responses"][0]["Body"]["Moid"]
    assert (cloned["Responses"][0]["Status"], bucket(bench, moid)) == (201, {"power.Policy"})
    client.ok("PATCH", f"{TEMPLATES}/{source['Moid']}", {"PolicyBucket": [ref(power), ref(fans)]})
    assert bucket(bench, moid) == {"power.Policy"}
    assert merge(bench, source, moid)["Status"] == 200
    assert bucket(bench, moid) == {"power.Policy", "thermal.Policy"}
    live = client.get(f"{PROFILES}/{moid}")
    assert "TemplateSyncStatus" not in live, "the published type has no such property"
    assert client.get(f"{TEMPLATES}/{source['Moid']}")["Usage"] == 1
    assert client.refused("DELETE", f"{TEMPLATES}/{source['Moid']}")[0] == 400
    client.ok("PATCH", f"{PROFILES}/{moid}", {"SrcTemplate": None})
    assert bucket(bench, moid) == {"power.Policy", "thermal.Policy"}
    client.ok("DELETE", f"{TEMPLATES}/{source['Moid']}")


def test_what_a_template_owns_another_template_and_another_type_are_refused(bench: Bench) -> None:
    client, power, fans = bench.client, policy(bench, "power/Policies"), policy(bench, "thermal/Policies")
    source, other = template(bench, power), template(bench, power, name="u")
    path = f"{PROFILES}/{client.create(PROFILES, bench.named('x-1', SrcTemplate=ref(source)))['Moid']}"
    assert client.refused("PATCH", path, {"PolicyBucket": [ref(fans)]}) == (403, "gershwin_cannot_edit_derived_sp")
    assert client.refused("PATCH", path, {"SrcTemplate": ref(other)}) == (403, "gershwin_derived_sp_invalid_src")
    client.ok("PATCH", path, {"SrcTemplate": None})
    servers = client.create("server/ProfileTemplates", bench.named("s", TargetPlatform="FIAttached"))
    assert client.refused("PATCH", path, {"SrcTemplate": ref(servers)})[0] == 400
    bios = policy(bench, "bios/Policies")
    refused = client.refused("POST", TEMPLATES, bench.named("v", PolicyBucket=[ref(bios)]))
    assert refused == (400, "lab_policy_of_other_platform")
