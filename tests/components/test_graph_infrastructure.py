"""OpenShift's own pods in the graph: nodes carry the label first, and what OpenShift owns outlives our fields."""

from ipaddress import IPv4Address

import pytest

from podwright.components.model import load
from tests.components.recording import Registered, register
from tests.components.test_graph import all_before, of
from tests.components.test_graph_nodes import pool_of
from tools.generated import ROOT

INGRESS = "kubernetes:operator.openshift.io/v1:IngressControllerPatch"
REGISTRY = "kubernetes:imageregistry.operator.openshift.io/v1:ConfigPatch"


def _registered(routers: int) -> dict[str, Registered]:
    stack = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
    assert stack.openshift and stack.openshift.infrastructure
    placed = stack.openshift.infrastructure.model_copy(update={"routers": routers})
    shift = stack.openshift.model_copy(update={"infrastructure": placed})
    servers = {**stack.servers}
    if routers > 2:
        first = servers["infra-01"]
        more = {"index": 33, "serial": "WZP00000099", "boot_mac": "02:00:00:00:04:03"}
        addresses = {"address": IPv4Address("192.0.2.163"), "bmc": IPv4Address("192.0.2.106")}
        servers["infra-03"] = first.model_copy(update={**more, **addresses})
    return register(stack.model_copy(update={"openshift": shift, "servers": servers}))


@pytest.mark.parametrize("routers", [2, 3])
def test_they_are_placed_once_nodes_carry_the_label_and_go_with_the_cluster(routers: int) -> None:
    seen = _registered(routers)
    nodes = [each for each in of(seen, "kubernetes:core/v1:NodePatch") if pool_of(each) == "infra"]
    (config,) = (each for each in of(seen, "kubernetes:core/v1:ConfigMap") if "monitoring" in each.name)
    ingress, registry = of(seen, INGRESS), of(seen, REGISTRY)
    assert len(nodes) == routers and len(ingress) == routers - 1 and len(registry) == 1
    for each in (config, *ingress, *registry):
        assert all_before(seen, each, nodes)
    for patch in (*ingress, *registry):
        assert seen[patch.deleted_with].type == "podwright:index:OpenShiftCluster"
    # The guard compares the mark of objects that are made: a ConfigMap of somebody's is not taken over.
    assert config.inputs["metadata"]["labels"]["podwright.io/stack"]
    forced = [each.name for each in ingress if "pulumi.com/patchForce" in each.inputs["metadata"]["annotations"]]
    assert [name.endswith("default-routers") for name in forced] == [True] * (routers - 2)


def test_monitoring_of_user_projects_is_one_object_wherever_it_stands() -> None:
    """With the cluster, or with the pool of OpenShift's own pods: what moves is the same object, and is never away."""
    stack = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
    assert stack.openshift and stack.openshift.infrastructure and stack.openshift.user_workload_monitoring
    alone = stack.model_copy(update={"openshift": stack.openshift.model_copy(update={"infrastructure": None})})
    ours, theirs = (_config(register(each)) for each in (alone, stack))
    assert (ours.layer, theirs.layer) == ("podwright:index:OpenShiftCluster", "podwright:index:NodePool")
    assert ours.inputs["data"] == {"config.yaml": "enableUserWorkload: true\n"}
    assert theirs.inputs["data"]["config.yaml"].startswith("enableUserWorkload: true\nalertmanagerMain:")
    assert ours.urn in theirs.aliases and theirs.urn in ours.aliases


def _config(seen: dict[str, Registered]) -> Registered:
    (found,) = (each for each in of(seen, "kubernetes:core/v1:ConfigMap") if "cluster-monitoring" in each.name)
    return found
