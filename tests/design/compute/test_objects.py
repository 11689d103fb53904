"""Boot order, disks, vNICs and further policies of roles and servers in the plan."""

from typing import Any

import pytest

from podwright.components.model import Cluster, load
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.protocol.kind import CheckContext
from tests.design import whole
from tools.generated import ROOT

BY_TOKEN = {kind.token: kind for kind in KINDS}
PXE = {"ObjectType": "boot.Pxe", "Name": "net", "InterfaceName": "eth0", "Slot": "MLOM"}
SAN = {
    "type": "vnic.SanConnectivityPolicy",
    "properties": {"TargetPlatform": "FIAttached"},
    "children": {
        "fc0": {
            "type": "vnic.FcIf",
            "properties": {"Order": 2},
            "references": {"FcNetworkPolicy": "vsan", "WwpnPool": "wwpn"},
        }
    },
}
SERVING: dict[str, Any] = {
    "pools": ["inference"],
    "boot": {"EnforceUefiSecureBoot": True, "BootDevices": [{"ObjectType": "boot.Nvme", "Name": "disk"}, PXE]},
    "disks": {"M2VirtualDrive": {"Enable": True}, "UseJbodForVdCreation": None},
    "vnics": {"eth1": {"properties": {"Placement": {"SwitchId": "A"}}}, "storage": {"vlans": [20]}},
    "policies": {
        "ipmi": {"type": "ipmioverlan.Policy", "properties": {"Enabled": True, "Privilege": "read-only"}},
        "feed": {"type": "power.Policy", "properties": {"PowerRestoreState": "AlwaysOn"}},
        "vsan": {"type": "vnic.FcNetworkPolicy", "properties": {"VsanSettings": {"Id": 10}}},
        "wwpn": {
            "type": "fcpool.Pool",
            "properties": {"IdBlocks": [{"From": "20:00:00:25:B5:00:00:00", "Size": 64}], "PoolPurpose": "WWPN"},
        },
        "san": SAN,
    },
}


def planned(**servers: dict[str, Any]) -> tuple[Cluster, Any]:
    said = load(ROOT / "Pulumi.prod.yaml").model_dump(mode="json")
    said["compute"]["roles"] = {"serving": SERVING}
    for name, settings in servers.items():
        said["servers"][name.replace("_", "-")] |= settings
    cluster = load(said)
    return cluster, whole.compute(cluster)


def policies_of(plan: Any, host: str) -> dict[str, Any]:
    """A server's policies by type; each type once."""
    (profile,) = [each for each in plan.profiles if each.name == host]
    found = {each.object_type: each for each in profile.policies}
    assert len(found) == len(profile.policies)
    return found


def test_everything_that_is_defined_passes_the_providers_check() -> None:
    cluster, plan = planned(inf_02={"boot": {"EnforceUefiSecureBoot": False}})
    assert cluster.intersight
    specs = [("Policy", each) for each in plan.policies] + [("Pool", each) for each in plan.pools]
    wrong = [
        f"{each.name} {failure.path}: {failure.message}"
        for token, each in specs
        for failure in BY_TOKEN[f"podwright:intersight:{token}"].check({"spec": each.spec("x")}, CheckContext())
    ]
    assert wrong == []
    assert [each.name for each in plan.pools] == ["prod-mac-b", "prod-management", "prod-wwpn-serving"]


def test_properties_stand_over_the_designs_and_null_gives_one_up() -> None:
    _, plan = planned(inf_02={"boot": {"EnforceUefiSecureBoot": False}})
    found = policies_of(plan, "inf-01")
    boot = found["boot.PrecisionPolicy"]
    assert (boot.name, boot.properties["EnforceUefiSecureBoot"]) == ("prod-boot-nvme-serving", True)
    assert [each["ClassId"] for each in boot.properties["BootDevices"]] == ["boot.Nvme", "boot.Pxe"]
    assert boot.properties["ConfiguredBootMode"] == "Uefi"
    own = policies_of(plan, "inf-02")["boot.PrecisionPolicy"]
    assert (own.name, own.properties["EnforceUefiSecureBoot"]) == ("prod-boot-inf-02", False)
    disks = found["storage.StoragePolicy"]
    assert disks.properties == {"UnusedDisksState": "NoChange", "M2VirtualDrive": {"Enable": True}}


def test_a_vnic_is_said_over_or_added_with_an_address_and_vlans_of_its_own() -> None:
    _, plan = planned()
    lan = policies_of(plan, "inf-01")["vnic.LanConnectivityPolicy"]
    eth0, eth1, storage = lan.children
    assert [each.name for each in lan.children] == ["eth0", "eth1", "storage"]
    assert eth0.properties["StaticMacAddress"] == "02:25:B5:00:02:01"
    assert eth1.properties["Placement"] == {**eth0.properties["Placement"], "SwitchId": "A"}
    assert (storage.properties["Order"], storage.properties["MacAddressType"]) == (2, "POOL")
    group = storage.references["FabricEthNetworkGroupPolicy"][0]["name"]
    assert group == "prod-vlan-group-serving-storage"
    (narrowed,) = [each for each in plan.policies if each.name == group]
    assert narrowed.properties["VlanSettings"] == {"AllowedVlans": "20", "NativeVlan": 0}
    assert len(policies_of(plan, "cp-01")["vnic.LanConnectivityPolicy"].children) == 2


def test_a_further_policy_joins_the_profile_and_one_of_a_designed_type_takes_its_place() -> None:
    cluster, plan = planned(inf_02={"policies": {"vsan": {"type": "vnic.FcNetworkPolicy"}}})
    found = policies_of(plan, "inf-01")
    assert {"ipmioverlan.Policy", "vnic.SanConnectivityPolicy"} <= set(found)
    assert found["power.Policy"].name == "prod-feed-serving"
    assert "vnic.FcNetworkPolicy" not in found, "a profile takes the SAN policy that refers to it"
    san, own = (policies_of(plan, host)["vnic.SanConnectivityPolicy"] for host in ("inf-01", "inf-02"))
    assert san.children[0].references["FcNetworkPolicy"]["name"] == "prod-vsan-serving"
    assert (own.name, own.children[0].references["FcNetworkPolicy"]["name"]) == ("prod-san-inf-02", "prod-vsan-inf-02")
    assert set(policies_of(plan, "cp-01")) == set(policies_of(whole.compute(load(ROOT / "Pulumi.prod.yaml")), "cp-01"))
    seen = {each.name for each in plan.pools}
    for each in plan.policies:
        assert each.needs <= seen, f"{each.name} stands before what it refers to"
        seen.add(each.name)
    assert cluster.compute.roles["serving"].policies["san"].type == "vnic.SanConnectivityPolicy"


def test_tags_are_the_profiles_and_restart_nothing() -> None:
    before = whole.compute(load(ROOT / "Pulumi.prod.yaml")).digests
    said = load(ROOT / "Pulumi.prod.yaml").model_dump(mode="json")
    said["compute"]["roles"] = {"serving": {"pools": ["inference"], "tags": {"cost-centre": "4711", "row": "1"}}}
    said["servers"]["inf-02"]["tags"] = {"row": "2"}
    plan = whole.compute(load(said))
    found = {each.name: each.spec.get("tags") for each in plan.profiles}
    assert (found["inf-01"], found["inf-02"]) == (
        {"cost-centre": "4711", "row": "1"},
        {"cost-centre": "4711", "row": "2"},
    )
    assert found["cp-01"] is None
    assert plan.digests == before


@pytest.mark.parametrize("setting", ["boot", "vnics", "policies"])
def test_what_a_restart_brings_is_in_the_digest(setting: str) -> None:
    before = whole.compute(load(ROOT / "Pulumi.prod.yaml")).digests
    said = load(ROOT / "Pulumi.prod.yaml").model_dump(mode="json")
    said["compute"]["roles"] = {"serving": {"pools": ["inference"], setting: SERVING[setting]}}
    after = whole.compute(load(said)).digests
    assert {name for name in before if before[name] != after[name]} == {"inf-01", "inf-02", "inf-03"}


def test_secrets_of_further_policies_are_named_and_lists_of_references_resolved() -> None:
    policies = {
        "snmp": {
            "type": "snmp.Policy",
            "properties": {"SnmpUsers": [{"Name": "x", "AuthPassword": {"secret": "snmp-auth", "generation": 3}}]},
        },
        "gpus": {"type": "resourcepool.Pool", "references": {"QualificationPolicies": ["with", "large"]}},
        "with": {"type": "resourcepool.QualificationPolicy"},
        "large": {"type": "resourcepool.QualificationPolicy"},
    }
    keys = {"KeySetting": {"KeyType": "Manual", "ManualKey": {"NewKey": {"secret": "drives"}}}}
    _, plan = planned(inf_02={"policies": policies, "drive_security": keys})
    own = policies_of(plan, "inf-02")
    assert own["snmp.Policy"].properties["SnmpUsers"] == [{"Name": "x", "AuthPassword": "{{secret:snmp-auth#3}}"}]
    key = own["storage.DriveSecurityPolicy"].properties["KeySetting"]
    assert key == {"KeyType": "Manual", "ManualKey": {"NewKey": "{{secret:drives#1}}"}}
    (pool,) = [each for each in plan.pools if each.object_type == "resourcepool.Pool"]
    names = [f"prod-{name}-inf-02" for name in ("with", "large")]
    kind = "resourcepool.QualificationPolicy"
    assert pool.spec("x")["references"] == {
        "QualificationPolicies": [{"object_type": kind, "name": name} for name in names]
    }
    assert set(names) <= pool.needs
    assert BY_TOKEN["podwright:intersight:Pool"].check({"spec": pool.spec("x")}, CheckContext()) == []


def test_drive_groups_live_in_the_disks_policy_and_added_fields_make_policies_of_their_own() -> None:
    group = {
        "RaidLevel": "Raid1",
        "ManualDriveGroup": {"SpanGroups": [{"Slots": "1-2"}]},
        "VirtualDrives": [{"Name": "data", "ExpandToAvailable": True}],
    }
    memory = {"EnableDimmBlocklisting": True}
    _, plan = planned(inf_02={"drive_groups": {"data": group}, "memory": memory, "scrub": {"ScrubTargets": ["Disk"]}})
    own, others = policies_of(plan, "inf-02"), policies_of(plan, "inf-01")
    (child,) = own["storage.StoragePolicy"].children
    assert (child.object_type, child.name, child.properties) == ("storage.DriveGroup", "data", group)
    assert own["storage.StoragePolicy"].name == "prod-storage-inf-02"
    assert (own["memory.Policy"].name, own["memory.Policy"].properties) == ("prod-memory-inf-02", memory)
    assert own["compute.ScrubPolicy"].properties == {"ScrubTargets": ["Disk"]}
    assert not others["storage.StoragePolicy"].children
    assert {"memory.Policy", "compute.ScrubPolicy"}.isdisjoint(others)
