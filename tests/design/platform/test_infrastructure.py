"""OpenShift's own pods on one pool: the objects, what the file is refused for, and what the nodes carry."""

import copy
from typing import Any

import pytest
import yaml

from podwright.components.design.platform import infrastructure, node_pool
from podwright.components.model import Cluster, Infrastructure, Pool
from podwright.components.model.advisory import findings
from podwright.components.model.coherence import infrastructure as coherence
from podwright.components.model.load import load
from tests.design import whole
from tests.design.goldens import cluster
from tools.generated import ROOT

EXAMPLE = ROOT / "tests/examples/platform/Pulumi.platform.yaml"
STACK: dict[str, Any] = load(EXAMPLE).model_dump(mode="json")
TOLERATIONS = [{"key": "podwright.io/pool", "operator": "Equal", "value": "infra", "effect": "NoSchedule"}]
DEFINED = Infrastructure(pool="infra", routers=3)


def _changed(**changes: Any) -> Cluster:
    """The example with another pool of OpenShift's own pods."""
    edited = copy.deepcopy(STACK)
    edited["openshift"]["infrastructure"] |= changes.pop("section", {})
    edited["pools"]["infra"] |= changes.pop("pool", {})
    for name in changes.pop("without", ()):
        del edited["servers"][name]
    return Cluster.model_validate(edited)


def _problems(stack: Cluster) -> list[tuple[str, str]]:
    found = [problem for check in coherence.CLUSTER for problem in check(stack)]
    return [(".".join(map(str, each.loc)), each.message) for each in found]


def test_routers_and_registry_select_the_label_and_tolerate_the_taint_and_nothing_else_of_them_is_ours() -> None:
    ingress, registry = infrastructure.owned(DEFINED)
    placement = {"nodeSelector": {"matchLabels": {infrastructure.ROLE: ""}}, "tolerations": TOLERATIONS}
    assert ingress["metadata"] == {"name": "default", "namespace": "openshift-ingress-operator"}
    assert ingress["spec"] == {"nodePlacement": placement}
    assert registry["metadata"] == {"name": "cluster"}
    assert registry["spec"] == {"nodeSelector": {infrastructure.ROLE: ""}, "tolerations": TOLERATIONS}


def test_only_another_number_of_routers_than_the_operators_is_taken_from_it() -> None:
    """The operator wrote the field: without force the API server reports a conflict, and with it the rest is forced."""
    (routers,) = infrastructure.scaled(DEFINED)
    assert routers["spec"] == {"replicas": 3}
    assert routers["metadata"]["annotations"]["pulumi.com/patchForce"] == "true"
    assert infrastructure.scaled(Infrastructure(pool="infra")) == ()
    assert not any("annotations" in each["metadata"] for each in infrastructure.owned(DEFINED))


@pytest.mark.parametrize("pool", ["infra", "no", "e1"])
def test_every_part_of_monitoring_that_can_be_placed_is_whatever_the_pool_is_called(pool: str) -> None:
    made = infrastructure.monitoring(Infrastructure(pool=pool), users=False)
    (taint,) = TOLERATIONS
    placed = {"nodeSelector": {infrastructure.ROLE: ""}, "tolerations": [{**taint, "value": pool}]}
    assert yaml.safe_load(made["data"]["config.yaml"]) == dict.fromkeys(infrastructure.MONITORING, placed)


def test_monitoring_of_user_projects_is_a_line_of_the_one_object() -> None:
    placed = infrastructure.monitoring(DEFINED, users=False)["data"]["config.yaml"]
    both = infrastructure.monitoring(DEFINED, users=True)
    assert both["data"] == {"config.yaml": f"enableUserWorkload: true\n{placed}"}
    alone = infrastructure.monitoring(None, users=True)
    assert alone == {**both, "data": {"config.yaml": "enableUserWorkload: true\n"}}


def test_nodes_carry_the_label_where_the_file_asks_and_no_object_is_made_where_it_does_not() -> None:
    labels = {node["metadata"]["name"]: node["metadata"]["labels"] for node in whole.platform(_changed()).nodes}
    assert {name for name, each in labels.items() if infrastructure.ROLE in each} == {"infra-01", "infra-02"}
    kinds = {each["kind"] for each in whole.platform(cluster("lab")).manifests}
    assert not kinds & {"IngressController", "Config"}


def test_a_pool_of_another_name_has_the_label_too() -> None:
    """By it Red Hat counts subscriptions, and the objects select; the pool's own role is named after the pool."""
    pool = Pool(purpose="infrastructure")
    (server,) = (each for name, each in cluster("lab").servers.items() if name == "cp-01")
    servers = {"s-01": server.model_copy(update={"pool": "services"})}
    plain, marked = (
        node_pool("services", pool, servers, None, None, own=Infrastructure(pool=name))
        for name in ("others", "services")
    )
    extra = set(marked.nodes[0]["metadata"]["labels"]) - set(plain.nodes[0]["metadata"]["labels"])
    assert extra == {infrastructure.ROLE}


@pytest.mark.parametrize(
    ("changes", "loc", "words"),
    [
        ({"section": {"pool": "infrared"}}, "openshift.infrastructure.pool", 'no pool "infrared"'),
        ({"section": {"pool": "training"}}, "openshift.infrastructure.pool", "is for training"),
        ({"without": ["infra-02"]}, "openshift.infrastructure.pool", "has 1 server; two routers, two Prometheus"),
        ({"without": ["infra-01", "infra-02"]}, "openshift.infrastructure.pool", "has no servers"),
        ({"section": {"routers": 3}}, "openshift.infrastructure.routers", "has 2 servers, and no node has two routers"),
        ({"pool": {"max_unavailable": 2}}, "pools.infra.max_unavailable", "every router could be away at once"),
    ],
)
def test_what_cannot_run_is_refused_with_its_figure(changes: dict[str, Any], loc: str, words: str) -> None:
    ((where, message),) = _problems(_changed(**changes))
    assert where == loc and words in message


def test_two_servers_are_taken_and_three_recommended() -> None:
    assert _problems(_changed()) == []
    assert any("there is one router and one Prometheus" in each for each in findings(_changed()))
    assert not any("Prometheus" in each for each in findings(cluster("lab")))
