"""Objects that hang together: children and parents, buckets and profiles, pools and their blocks."""

from __future__ import annotations

from tests.lab.intersight.conftest import Bench
from tests.lab.intersight.test_rest import ntp


def test_children_go_with_their_parent_and_used_policies_stay(bench: Bench) -> None:
    client = bench.client
    lan = client.create("vnic/LanConnectivityPolicies", bench.named("lan"))
    qos = client.create("vnic/EthQosPolicies", bench.named("qos", Mtu=9000))
    body = {"Name": "eth0", "LanConnectivityPolicy": {"Moid": lan["Moid"]}, "EthQosPolicy": {"Moid": qos["Moid"]}}
    client.create("vnic/EthIfs", body)
    assert client.refused("DELETE", f"vnic/EthQosPolicies/{qos['Moid']}") == (
        400,
        "gobi_fabric_delete_associated_policy",
    )
    client.ok("DELETE", f"vnic/LanConnectivityPolicies/{lan['Moid']}")
    assert not client.list("vnic/EthIfs")
    client.ok("DELETE", f"vnic/EthQosPolicies/{qos['Moid']}")
    assert client.refused("DELETE", f"vnic/EthQosPolicies/{qos['Moid']}")[0] == 404


def test_vlans_are_told_apart_by_their_number(bench: Bench) -> None:
    client = bench.client
    policy = {"Moid": client.create("fabric/EthNetworkPolicies", bench.named("vlans"))["Moid"]}
    first = client.create("fabric/Vlans", {"Name": "gpu", "VlanId": 100, "EthNetworkPolicy": policy})
    second = client.create("fabric/Vlans", {"Name": "gpu", "VlanId": 101, "EthNetworkPolicy": policy})
    renamed = client.ok("POST", "fabric/Vlans", {"Name": "new", "VlanId": 100, "EthNetworkPolicy": policy})
    assert first["Moid"] == renamed["Moid"] != second["Moid"]


def test_bucket_and_profiles_are_one_fact(bench: Bench) -> None:
    client, policy = bench.client, ntp(bench)
    reference = {"ObjectType": "ntp.Policy", "Moid": policy["Moid"]}
    names = ("snmp/Policies", "kvm/Policies", "ssh/Policies", "sol/Policies", "thermal/Policies", "power/Policies")
    others = [
        {"ObjectType": p["ObjectType"], "Moid": p["Moid"]} for n in names for p in [client.create(n, bench.named("x"))]
    ]
    profile = client.create("server/Profiles", bench.named("node", PolicyBucket=[reference, *others]))
    order = [r["Moid"] for r in profile["PolicyBucket"]]
    assert sorted(order) == sorted(r["Moid"] for r in [reference, *others])
    assert order != [r["Moid"] for r in [reference, *others]], "the server does not keep the bucket's order"
    assert [r["Moid"] for r in client.get(f"ntp/Policies/{policy['Moid']}")["Profiles"]] == [profile["Moid"]]
    found = client.list("ntp/Policies", filter=f"Profiles/any(t: t/Moid eq '{profile['Moid']}')")
    assert [p["Name"] for p in found] == ["site"]
    second = ntp(bench, "second")
    client.ok(
        "PATCH",
        f"ntp/Policies/{second['Moid']}",
        {"Profiles": [{"ObjectType": "server.Profile", "Moid": profile["Moid"]}]},
    )
    held = {r["Moid"] for r in bench.profile(profile["Moid"])["PolicyBucket"]}
    assert second["Moid"] in held
    assert policy["Moid"] not in held, "a policy replaces the one of its type"
    assert client.refused("DELETE", f"ntp/Policies/{second['Moid']}")[0] == 400
    twice = {"PolicyBucket": [reference, reference]}
    assert (
        client.refused("PATCH", f"server/Profiles/{profile['Moid']}", twice)[1]
        == "barcelona_request_duplicate_relationship_id"
    )


def test_relationship_sub_resources_as_ansible_uses_them(bench: Bench) -> None:
    client, policy = bench.client, ntp(bench)
    profile = client.create("server/Profiles", bench.named("node"))
    path = f"ntp/Policies/{policy['Moid']}/Profiles"
    client.ok("POST", path, [{"ObjectType": "server.Profile", "Moid": profile["Moid"]}])
    assert [r["Moid"] for r in bench.profile(profile["Moid"])["PolicyBucket"]] == [policy["Moid"]]
    assert [p["Name"] for p in client.get(path)] == ["node"]
    client.ok("DELETE", f"{path}/{profile['Moid']}")
    assert bench.profile(profile["Moid"])["PolicyBucket"] == []


def test_pools_count_and_refuse_overlaps(bench: Bench) -> None:
    blocks = [{"From": "00:25:B5:00:00:00", "To": "00:25:B5:00:00:0F"}, {"From": "00:25:B5:01:00:00", "Size": 4}]
    made = bench.client.create("macpool/Pools", bench.named("m", MacBlocks=blocks))
    assert (made["Size"], made["Assigned"]) == (20, 0)
    overlap = bench.named("n", MacBlocks=[*blocks, {"From": "00:25:B5:00:00:08", "Size": 1}])
    assert bench.client.refused("POST", "macpool/Pools", overlap)[0] == 400
