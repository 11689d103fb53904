"""Rules that the API server evaluates: a policy and a binding each, and nothing without the key."""

from typing import Any

from podwright.components.design.platform.admission_rules import RULES, name
from podwright.components.model import AdmissionRules, Cluster, Waiver
from tests.components.recording import register
from tests.components.test_graph_waivers import WAIVER
from tests.design import goldens

POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"


def _with(cluster: Cluster, section: AdmissionRules, rule: str = "") -> Cluster:
    assert cluster.openshift is not None
    openshift = cluster.openshift.model_copy(update={"admission_rules": section})
    waivers = (Waiver.model_validate({**WAIVER, "rule": rule}),) if rule else ()
    return cluster.model_copy(update={"openshift": openshift, "waivers": waivers})


def _bindings(found: Any) -> dict[str, list[str]]:
    bindings = [each.inputs for each in found.values() if each.type.endswith(f":{BINDING}")]
    return {each["metadata"]["name"]: each["spec"]["validationActions"] for each in bindings}


def test_the_key_adds_a_policy_and_a_binding_for_each_rule_and_changes_nothing_else() -> None:
    cluster = goldens.cluster("lab")
    before = register(cluster)
    after = register(_with(cluster, AdmissionRules(enforce="deny")))
    assert set(before) <= set(after)
    added = [after[urn] for urn in after.keys() - before.keys()]
    assert sorted(each.type.rpartition(":")[2] for each in added) == sorted([POLICY, BINDING] * len(RULES))
    assert {each.inputs["metadata"]["name"] for each in added} == {name(rule.id) for rule in RULES}
    changed = {before[urn].type for urn in before if before[urn].inputs != after[urn].inputs}
    assert changed <= {"podwright:index:Join"}, "what waits for the cluster waits for them too"


def test_a_waiver_of_the_file_makes_a_warning_of_a_refusal() -> None:
    rule = "workloads-image-by-digest"
    found = _bindings(register(_with(goldens.cluster("lab"), AdmissionRules(enforce="deny"), rule)))
    assert found[name(rule)] == ["Warn"]
    assert found[name("workloads-rdma-locks-memory")] == ["Deny"]
