"""Nodes in the graph: what they boot with, their taint, their labels, and what waits for them."""

import pytest

from tests.components.recording import Registered, register
from tests.components.test_graph import all_before, graph, of
from tests.design import goldens


@pytest.fixture(params=goldens.STACKS)
def seen(request: pytest.FixtureRequest) -> dict[str, Registered]:
    return graph(request.param)


def test_a_nodes_labels_go_with_its_server(seen: dict[str, Registered]) -> None:
    """Given up after the node, a server-side apply of nothing would make the node again."""
    patches = of(seen, "kubernetes:core/v1:NodePatch")
    assert patches
    for each in patches:
        machine = seen[each.deleted_with]
        assert machine.type in ("podwright:index:ServerProfile", "podwright:index:RedfishServer")
        assert machine.inputs["about"]["host"] == each.inputs["metadata"]["name"]


def pool_of(each: Registered) -> str:
    """Pool that a node patch, a pool's configuration or a roll-out is of."""
    if each.type == "podwright:openshift:Rollout":
        return str(each.inputs["spec"]["pool"])
    labels = each.inputs["metadata"]["labels"]
    labels = {**labels, **each.inputs.get("spec", {}).get("machineConfigPoolSelector", {}).get("matchLabels", {})}
    return str(labels.get("podwright.io/pool") or labels["machineconfiguration.openshift.io/role"])


def test_nodes_join_pools_that_know_what_they_boot_with(seen: dict[str, Registered]) -> None:
    nodes = of(seen, "kubernetes:core/v1:NodePatch")
    pools = [
        each
        for each in seen.values()
        if each.type.rpartition(":")[2] in {"MachineConfigPool", "MachineConfig", "KubeletConfig"}
    ]
    assert nodes
    assert pools
    for node in nodes:
        assert all_before(seen, node, [each for each in pools if pool_of(each) == pool_of(node)])


def test_nodes_are_tainted_before_they_have_the_label_that_pods_of_their_pool_find_them_by(
    seen: dict[str, Registered],
) -> None:
    taints = of(seen, "podwright:openshift:Taint")
    assert taints
    for node in of(seen, "kubernetes:core/v1:NodePatch"):
        assert "spec" not in node.inputs
        assert all_before(seen, node, [each for each in taints if each.inputs["spec"]["pool"] == pool_of(node)])


def test_nodes_are_in_their_pool_before_it_rolls_out_and_operators_start_after_it(seen: dict[str, Registered]) -> None:
    """A roll-out ends when nodes run their pool's configuration: it would wait for ever for nodes that join later."""
    rollouts = of(seen, "podwright:openshift:Rollout")
    nodes = of(seen, "kubernetes:core/v1:NodePatch")
    operators = of(seen, "podwright:openshift:OperatorInstall")
    assert rollouts
    assert nodes
    assert operators
    for each in rollouts:
        assert all_before(seen, each, [node for node in nodes if pool_of(node) == pool_of(each)]), each.urn
    for each in operators:
        assert all_before(seen, each, [*rollouts, *nodes]), each.urn


def test_a_job_in_a_pool_off_the_rails_asks_for_none_and_selects_no_leaf_group() -> None:
    """Its servers may be cabled: no node is labelled with the group then, and none offers a function."""
    lab = goldens.cluster("lab")
    pool = lab.pools["training"].model_copy(update={"rails": False})
    off = lab.model_copy(update={"pools": {**lab.pools, "training": pool}, "acceptance": None})
    (job,) = (each for each in register(off).values() if each.type == "kubernetes:batch/v1:Job")
    template = job.inputs["spec"]["template"]
    (container,) = template["spec"]["containers"]
    assert not [name for name in container["resources"]["requests"] if "rail" in name]
    assert "k8s.v1.cni.cncf.io/networks" not in template["metadata"].get("annotations", {})
    assert "podwright.io/leaf-group" not in template["spec"]["nodeSelector"]
