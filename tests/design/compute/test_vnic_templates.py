"""Which vNIC templates a plan has, and which vNICs are derived from them."""

from typing import Any

from podwright.components.design.compute.explain import explain
from podwright.components.design.compute.model import IntersightObject
from podwright.components.model import effective, load
from podwright.components.providers.intersight import vnics
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.protocol.kind import CheckContext
from tests.design import whole
from tools.generated import ROOT

STACK = ROOT / "tests/examples/chassis/Pulumi.chassis.yaml"
KIND = {kind.token: kind for kind in KINDS}["podwright:intersight:Policy"]
BLADES = ["big-14", "inf-11", "inf-12"]


def planned(wanted: dict[str, Any] | None = None, **servers: dict[str, Any]) -> Any:
    """The example, its role with these vNICs and its servers with these settings."""
    stack = load(STACK).model_dump(mode="json")
    if wanted is not None:
        stack["compute"]["roles"]["blades"]["vnics"] = wanted
    for name, settings in servers.items():
        stack["servers"][name.replace("_", "-")] |= settings
    return whole.compute(load(stack))


def templates(plan: Any) -> dict[str, IntersightObject]:
    return {each.name: each for each in plan.policies if each.object_type == "vnic.VnicTemplate"}


def derived(plan: Any) -> dict[str, list[str]]:
    """LAN connectivity policies by the template that one of their vNICs names."""
    found: dict[str, list[str]] = {}
    for each in plan.policies:
        for child in each.children:
            if (source := child.references.get("SrcTemplate")) is not None:
                assert isinstance(source, dict)
                found.setdefault(source["name"], []).append(each.name.removeprefix("chassis-lan-"))
    return {name: sorted(hosts) for name, hosts in sorted(found.items())}


def test_blades_of_a_role_share_a_template_for_each_vnic_which_has_what_they_list() -> None:
    plan = planned()
    assert derived(plan) == {"chassis-nic-eth0-blades": BLADES, "chassis-nic-eth1-blades": BLADES}
    made = templates(plan)
    assert {name: each.properties["SwitchId"] for name, each in made.items()} == {
        "chassis-nic-eth0-blades": "A", "chassis-nic-eth1-blades": "B",
    }  # fmt: skip
    assert all(KIND.check({"spec": each.spec("default")}, CheckContext()) == [] for each in made.values())
    assert all(each.properties["EnableOverride"] is False and "MacPool" in each.references for each in made.values())
    lans = [each for each in plan.policies if each.object_type == "vnic.LanConnectivityPolicy" and each.children]
    for child in (child for lan in lans for child in lan.children if "SrcTemplate" in child.references):
        source = made[child.spec()["references"]["SrcTemplate"]["name"]]
        listed = {**child.properties, **child.references}
        shared = {name: value for name, value in listed.items() if name in vnics.INHERITED}
        assert shared.items() <= {**source.properties, **source.references}.items()
        assert child.properties["Placement"]["SwitchId"] == source.properties["SwitchId"]


def test_a_vnic_that_joins_a_template_changes_in_that_alone_and_nothing_restarts() -> None:
    before, after = planned({"eth0": {}, "eth1": {}}), planned()
    assert templates(before) == {}
    assert after.digests == before.digests, "nobody restarts for it"
    former = {each.name: each for each in before.policies}
    for each in after.policies:
        if each.object_type == "vnic.VnicTemplate":
            continue
        children = [
            {**child.spec(), "references": {k: v for k, v in child.spec()["references"].items() if k != "SrcTemplate"}}
            for child in each.children
        ]
        assert {**each.spec("default"), "children": children} == former[each.name].spec("default")


def test_a_changed_value_of_a_template_restarts_the_servers_whose_vnics_list_it() -> None:
    failover = {"eth0": {"derived": True}, "eth1": {"derived": True, "properties": {"FailoverEnabled": True}}}
    before, after = planned(), planned(failover)
    assert templates(after)["chassis-nic-eth1-blades"].properties["FailoverEnabled"] is True
    assert {host for host, digest in after.digests.items() if digest != before.digests[host]} == set(BLADES)


def test_a_server_that_sets_a_vnic_itself_has_a_template_of_its_own_or_none() -> None:
    own = {"eth1": {"derived": True, "properties": {"PinGroupName": "pin"}}}
    plan = planned(inf_11={"vnics": own}, inf_12={"vnics": {"eth1": {"derived": False}}})
    assert derived(plan) == {
        "chassis-nic-eth0-blades": BLADES,
        "chassis-nic-eth1-blades": ["big-14"],
        "chassis-nic-eth1-inf-11": ["inf-11"],
    }
    assert templates(plan)["chassis-nic-eth1-inf-11"].properties["PinGroupName"] == "pin"


def test_the_template_of_a_vnic_is_explained_by_the_line_that_wants_it() -> None:
    cluster = load(STACK)
    settings = effective("inf-11", cluster.servers["inf-11"], cluster.compute.roles)
    (profile,) = (each for each in whole.compute(cluster).profiles if each.name == "inf-11")
    found = {
        each.key: (each.value, each.place)
        for each in explain(cluster.servers["inf-11"], settings, profile)
        if each.key.endswith("SrcTemplate")
    }
    assert found["eth0.SrcTemplate"] == (
        "chassis-nic-eth0-blades", ("roles", "blades", "vnics", "eth0", "derived"),
    )  # fmt: skip


def test_a_long_name_is_cut_and_stays_its_own() -> None:
    names = ["a" * 20 + str(number) for number in range(2)]
    plan = planned({name: {"derived": True} for name in names})
    found = set(templates(plan))
    assert len(found) == 2 and all(len(name) == 31 for name in found)
