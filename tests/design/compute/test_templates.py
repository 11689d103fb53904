"""Which templates a plan has, and which profiles are derived from them."""

from typing import Any

from podwright.components.model import Cluster, SpecErrors, load
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.protocol.kind import CheckContext
from tests.design import whole
from tools.generated import ROOT

KIND = {kind.token: kind for kind in KINDS}["podwright:intersight:ServerProfileTemplate"]


def planned(stack: str, roles: dict[str, Any], **servers: dict[str, Any]) -> tuple[Cluster, Any]:
    said = load(ROOT / stack).model_dump(mode="json")
    said["compute"]["roles"] = roles
    for name, settings in servers.items():
        said["servers"][name.replace("_", "-")] |= settings
    cluster = load(said)
    return cluster, whole.compute(cluster)


def derived(plan: Any) -> dict[str, list[str]]:
    """Hosts by the template that their profile names."""
    found: dict[str, list[str]] = {each.name: [] for each in plan.templates}
    for each in plan.profiles:
        if "template" in each.spec:
            found[each.spec["template"]].append(each.name)
    return found


def test_the_example_has_one_template_for_servers_alike_and_one_for_a_server_with_a_value_of_its_own() -> None:
    plan = whole.compute(load(ROOT / "tests/examples/roles/Pulumi.roles.yaml"))
    shared = "roles-template-ucsc-c245-m8sx-disk-rack"
    assert derived(plan) == {shared: ["cp-1", "cp-2"], "roles-template-cp-3": ["cp-3"]}
    specs = {each.spec["name"]: each.spec for each in plan.profiles}
    for each in plan.templates:
        assert KIND.check({"spec": each.spec}, CheckContext()) == []
        profiles = [spec for spec in specs.values() if spec["template"] == each.name]
        assert all(spec["policies"] == each.spec["policies"] for spec in profiles)
        assert {spec["target_platform"] for spec in profiles} == {each.spec["target_platform"]}


def test_nothing_is_derived_that_the_file_does_not_want_derived() -> None:
    for stack in ("Pulumi.lab.yaml", "Pulumi.prod.yaml"):
        plan = whole.compute(load(ROOT / stack))
        assert plan.templates == ()
        assert not any("template" in each.spec for each in plan.profiles)


def test_a_profile_that_joins_a_template_changes_in_that_alone() -> None:
    roles = {"serving": {"pools": ["inference"], "bios": {"Snc": "SNC2"}}}
    _, before = planned("Pulumi.prod.yaml", roles)
    _, after = planned("Pulumi.prod.yaml", {"serving": {**roles["serving"], "profile": "derived"}})
    assert (after.policies, after.digests) == (before.policies, before.digests), "nobody restarts for it"
    former = {each.name: each.spec for each in before.profiles}
    changed = [each for each in after.profiles if each.spec != former[each.name]]
    assert {each.name for each in changed} == {name for names in derived(after).values() for name in names} != set()
    assert all({**former[each.name], "template": each.spec["template"]} == each.spec for each in changed)


def test_one_server_may_leave_or_join_alone() -> None:
    roles = {"serving": {"pools": ["inference"], "profile": "derived"}}
    _, plan = planned("Pulumi.prod.yaml", roles, inf_01={"profile": "rendered"}, cp_01={"profile": "derived"})
    found = {host: name for name, hosts in derived(plan).items() for host in hosts}
    assert "inf-01" not in found
    assert {"cp-01", "inf-02"} <= set(found)
    assert found["cp-01"] != found["inf-02"]


def test_a_template_has_the_family_of_its_servers_and_is_taken_on_where_the_file_lists_it() -> None:
    cluster, plan = planned("Pulumi.lab.yaml", {"all": {"models": ["UCSC-845A-M8"], "profile": "derived"}})
    (template,) = plan.templates
    assert template.spec["server_family"] == "UCSC845A"
    assert cluster.intersight
    account = cluster.intersight.model_copy(update={"adopt": (template.name,)})
    (adopted,) = whole.compute(cluster.model_copy(update={"intersight": account})).templates
    assert (adopted.name, adopted.spec["adopt"]) == (template.name, True)


def test_a_server_that_its_own_controller_configures_has_no_profile_to_derive() -> None:
    said = load(ROOT / "Pulumi.prod.yaml").model_dump(mode="json")
    said["servers"]["gpu-01"]["profile"] = "derived"
    try:
        load(said)
    except SpecErrors as wrong:
        (problem,) = wrong.problems
        assert problem.loc == ("servers", "gpu-01", "profile")
        assert "has no server profile: it is configured through its own controller" in problem.message
    else:
        raise AssertionError("it is taken")
