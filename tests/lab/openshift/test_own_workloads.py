"""OpenShift's own pods on a cluster of the lab: where the planned objects place them, and when they wait."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podwright.components.design.platform import infrastructure
from podwright.components.model import Infrastructure
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough
SHAPE = {"workers": ("", "", "NVIDIA-H200"), "own_workloads": True}
NODES = ("gpu-1", "gpu-2")
TAINT = "podwright.io/pool=infra:NoSchedule"
PLANNED = Infrastructure(pool="infra")
PLACES = (
    ("openshift-ingress", "ingresscontroller.operator.openshift.io/deployment-ingresscontroller=default", 2),
    ("openshift-monitoring", "app.kubernetes.io/name", 16),
)


def _pods(cluster: Rack, namespace: str, selector: str) -> list[Any]:
    found = cluster.items("pods", "-n", namespace, "-l", selector)
    return [each for each in found if "deletionTimestamp" not in each["metadata"]]


def _on(cluster: Rack, nodes: set[str]) -> bool:
    return all(
        [pod["spec"].get("nodeName", "").split(".")[0] in nodes for pod in _pods(cluster, namespace, selector)]
        == [True] * count
        for namespace, selector, count in PLACES
    )


def _condition(item: Any, kind: str) -> tuple[str, str]:
    rows = {row["type"]: row for row in item["status"]["conditions"]}
    return rows[kind]["status"], rows[kind].get("message", "")


def test_they_run_where_the_objects_place_them_and_wait_where_the_taint_is_not_tolerated(cluster: Rack) -> None:
    cluster.wait("they run somewhere", lambda: _on(cluster, {*NODES, "gpu-3"}), 90)
    for name in NODES:
        node = f"{name}.lab.example.com"
        cluster.kubectl("label", "node", node, f"{infrastructure.ROLE}=", "podwright.io/pool=infra")
        cluster.kubectl("taint", "node", node, TAINT)

    ingress, registry = infrastructure.owned(PLANNED)
    placement = ingress["spec"]["nodePlacement"]
    untolerated = {**ingress, "spec": {"nodePlacement": {**placement, "tolerations": []}}}
    cluster.apply(untolerated)

    def waits() -> bool:
        found = cluster.get("ingresscontroller", "default", "-n", "openshift-ingress-operator")
        return _condition(found, "PodsScheduled")[0] == "False"

    cluster.wait("a router waits", waits)
    cluster.wait(
        "the operator reports it",
        lambda: "cannot be scheduled" in _condition(cluster.get("clusteroperator", "ingress"), "Degraded")[1],
    )

    cluster.apply(ingress, registry, infrastructure.monitoring(PLANNED, users=False))
    cluster.wait("all are on the pool", lambda: _on(cluster, set(NODES)), 90)
    assert not waits()
    (first, second) = _pods(cluster, *PLACES[0][:2])
    assert first["spec"]["nodeName"] != second["spec"]["nodeName"]
    assert not cluster.items("pods", "-n", "openshift-image-registry")

    managed = ["patch", "configs.imageregistry.operator.openshift.io", "cluster", "--type=merge"]
    cluster.kubectl(*managed, "-p", '{"spec": {"managementState": "Managed"}}')
    selector = ("openshift-image-registry", "docker-registry=default")
    cluster.wait(
        "the registry is there too",
        lambda: [pod["spec"]["nodeName"].split(".")[0] in NODES for pod in _pods(cluster, *selector)] == [True],
    )


def test_what_monitoring_cannot_read_moves_nothing_and_makes_it_degraded(cluster: Rack) -> None:
    made = infrastructure.monitoring(PLANNED, users=False)
    wrong = {**made, "data": {"config.yaml": "prometheusk8s: {nodeSelector: {a: b}}"}}
    cluster.apply(wrong)

    def degraded() -> tuple[str, str]:
        return _condition(cluster.get("clusteroperator", "monitoring"), "Degraded")

    cluster.wait("Degraded", lambda: degraded()[0] == "True")
    assert 'unknown field "prometheusk8s"' in degraded()[1]
    cluster.apply(infrastructure.monitoring(PLANNED, users=True))
    cluster.wait("well again", lambda: degraded()[0] == "False")
    cluster.apply(infrastructure.monitoring(None, users=True))
    assert degraded()[0] == "False"
    cluster.apply(made)


def test_the_number_of_routers_is_the_operators_until_it_is_taken_and_one_too_many_waits(cluster: Rack) -> None:
    (routers,) = infrastructure.scaled(Infrastructure(pool="infra", routers=3))
    text = json.dumps(routers)
    asked = ("apply", "--server-side", "--field-manager=routers", "-f", "-")
    assert "conflict" in cluster.kubectl(*asked, stdin=text, check=False)
    cluster.kubectl(*asked, "--force-conflicts", stdin=text)

    def waiting() -> list[str]:
        found = cluster.kubectl(
            "get", "pods", "-n", PLACES[0][0], "--field-selector=status.phase=Pending", "-o", "name"
        )
        return found.split()

    cluster.wait("the third waits", lambda: len(waiting()) == 1)
    kept = cluster.get("ingresscontroller", "default", "-n", "openshift-ingress-operator")["spec"]
    assert kept["nodePlacement"] == infrastructure.owned(PLANNED)[0]["spec"]["nodePlacement"]
