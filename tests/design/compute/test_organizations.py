"""Servers of a role in an organization of its own: their profiles, policies and pools are there, and nobody else's."""

from typing import Any

import pytest
import yaml

from podwright.components.model import Cluster, SpecErrors, load
from podwright.components.model.problems import dotted
from tests.components.recording import register
from tests.design import whole
from tools.generated import ROOT

TEXT = (ROOT / "tests/examples/roles/Pulumi.roles.yaml").read_text()


def stack(**account: Any) -> Cluster:
    """The example of roles with one of its rack servers in another organization."""
    said = yaml.safe_load(TEXT)["config"]["podwright:cluster"]
    said["intersight"] |= account
    said["compute"]["roles"]["late"] = {"organization": "serving"}
    said["servers"]["cp-3"]["role"] = "late"
    return load(said)


def planned(cluster: Cluster) -> Any:
    return whole.compute(cluster)


def test_profiles_policies_and_pools_of_a_role_are_in_its_organization() -> None:
    plan = planned(stack())
    homes = {each.name: each.spec["organization"] for each in plan.profiles}
    assert homes == {"cp-1": "default", "cp-2": "default", "cp-3": "serving"}
    objects = {(each.organization or "default", each.name): each for each in (*plan.pools, *plan.policies)}
    for profile in plan.profiles:
        for reference in profile.spec["policies"]:
            found = objects[homes[profile.name], reference["name"]]
            assert found.spec("default")["organization"] == homes[profile.name]
            ours = [other for other in found.needs if other.startswith("roles-")]
            assert all((homes[profile.name], other) in objects for other in ours)
    assert {name for where, name in objects if where == "serving"} > {"roles-serving-ntp", "roles-serving-kvm"}
    assert len({each.label for each in objects.values()}) == len(objects)


def test_the_order_of_profiles_is_the_files() -> None:
    assert [each.name for each in planned(stack()).profiles] == ["cp-1", "cp-2", "cp-3"]


def test_users_of_controllers_have_one_name_in_each_organization_and_a_resource_each() -> None:
    user = {"role": "admin", "password": "bmc-ops"}
    plan = planned(stack(management={"users": {"ops": user}}))
    users = [each for each in plan.policies if each.object_type == "iam.EndPointUser"]
    assert [(each.name, each.label, each.organization) for each in users] == [
        ("ops", "ops", ""),
        ("ops", "serving-ops", "serving"),
    ]


def test_the_program_registers_each_object_after_what_it_refers_to_there() -> None:
    seen = register(stack(management={"users": {"ops": {"role": "admin", "password": "bmc-ops"}}}))
    made = [each for each in seen.values() if each.type == "podwright:intersight:Policy"]
    places = {(each.inputs["spec"]["organization"], each.inputs["spec"]["name"]) for each in made}
    assert {("default", "ops"), ("serving", "ops"), ("serving", "roles-serving-ntp")} < places
    assert len({each.name for each in made}) == len(made)


def test_a_role_that_names_the_accounts_own_organization_changes_nothing() -> None:
    said = yaml.safe_load(TEXT)["config"]["podwright:cluster"]
    before = planned(load(said))
    said["compute"]["roles"]["rack"]["organization"] = "default"
    assert planned(load(said)).policies == before.policies


def test_blades_stay_where_the_pool_of_their_controllers_addresses_is() -> None:
    said = load(ROOT / "Pulumi.prod.yaml").model_dump(mode="json")
    said["compute"]["roles"] = {"serving": {"pools": ["inference"], "organization": "serving"}}
    with pytest.raises(SpecErrors) as wrong:
        load(said)
    (problem,) = wrong.value.problems
    assert dotted(problem.loc) == "compute.roles.serving.organization"
    assert "inf-01 takes an address of intersight.management.addresses, a pool of ai-pod" in problem.message


def test_a_resource_group_has_the_servers_of_its_organization_alone() -> None:
    plan = planned(stack(resource_groups={"serving": "serving-servers", "default": "our-servers"}))
    racks = "/api/v1/compute/RackUnits?$filter=Serial in "
    expected = {"organization": "serving", "selectors": [f"{racks}('WZP00000003')"]}
    assert {each.name: dict(each.spec) for each in plan.groups} == {
        "serving-servers": {"schema": 1, "name": "serving-servers", **expected},
        "our-servers": {
            "schema": 1,
            "name": "our-servers",
            "organization": "default",
            "selectors": [f"{racks}('WZP00000001','WZP00000002')"],
        },
    }
    assert [each.spec.get("adopt") for each in planned(stack(**ADOPTED)).groups] == [True]
    assert planned(stack(resource_groups={})).groups == ()


ADOPTED = {"resource_groups": {"serving": "serving-servers"}, "adopt": ["serving-servers"]}


def test_blades_and_rack_servers_are_of_two_collections() -> None:
    said = load(ROOT / "Pulumi.prod.yaml").model_dump(mode="json")
    said["intersight"]["resource_groups"] = {"ai-pod": "ai-pod-servers"}
    (group,) = planned(load(said)).groups
    cluster = load(said)
    found = {}
    for selector in group.spec["selectors"]:
        collection, _, listed = selector.partition("?$filter=Serial in ")
        found[collection] = listed.strip("()").replace("'", "").split(",")
    blades = sorted(each.serial for each in cluster.servers.values() if each.model.startswith("UCSX-"))
    assert blades and found["/api/v1/compute/Blades"] == blades
    assert not any(each.serial in str(found) for each in cluster.servers.values() if each.model == "UCSC-885A-M8")


def test_every_profile_waits_for_the_groups() -> None:
    seen = register(stack(resource_groups={"serving": "serving-servers"}))
    (group,) = [each for each in seen.values() if each.type == "podwright:intersight:ResourceGroup"]
    assert group.inputs["spec"]["organization"] == "serving"
    joins = [each for each in seen.values() if each.type == "podwright:index:Join" and "role" in each.urn]
    assert any(group.urn in each.dependencies for each in joins)
