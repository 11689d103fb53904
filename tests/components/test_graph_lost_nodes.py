"""Nodes that are given up in the graph: agents first, then what decides that one is lost; both behind all operators."""

from podwright.components.model import load
from tests.components.recording import register
from tests.components.test_graph import all_before, named, of
from tests.design import whole
from tools.generated import ROOT

AGENTS = "kubernetes:self-node-remediation.medik8s.io/v1alpha1"


def test_checks_come_behind_their_agents_and_fields_go_with_the_operators_namespace() -> None:
    cluster = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
    seen = register(cluster)
    agents, checks = (named(seen, f"{name}-install") for name in ("self-node-remediation", "node-health-check"))
    (config,) = of(seen, f"{AGENTS}:SelfNodeRemediationConfigPatch")
    (template,) = of(seen, f"{AGENTS}:SelfNodeRemediationTemplate")
    (check,) = of(seen, "kubernetes:remediation.medik8s.io/v1alpha1:NodeHealthCheck")
    for before, after in ((agents, config), (config, template), (template, checks), (checks, check)):
        assert all_before(seen, after, [before])
    assert all_before(seen, agents, of(seen, "kubernetes:nvidia.com/v1:ClusterPolicy"))
    owner = seen[config.deleted_with]
    assert owner.type == "kubernetes:core/v1:Namespace"
    assert owner.inputs["metadata"]["name"] == config.inputs["metadata"]["namespace"]
    assert "podwright.io/stack" not in config.inputs["metadata"].get("labels", {}), "the object is the operator's"
    (planned,) = (each for each in whole.operators(cluster) if each.name == "self-node-remediation")
    assert agents.inputs["spec"]["brings"] == list((planned.approval or {})["brings"]) != []
    world = next(each for each in seen.values() if each.type == "podwright:index:World")
    assert {"self-node-remediation", "node-healthcheck-operator"} <= set(world.inputs["spec"]["contents"]["operators"])
