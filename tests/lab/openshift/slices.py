"""A team's Jobs on MIG slices under the real Kueue: they wait when those of their queue are used up."""

from __future__ import annotations

import json
from typing import Any

from podwright.components.design.operators import Operator
from podwright.components.design.platform.names import POOL_LABEL
from podwright.components.model import Cluster
from tests.design import whole
from tests.lab.openshift.gangs import conditions, placed
from tests.lab.openshift.rack import Rack

POOL, LAYOUT, SLICE = "tuning", "all-1g.18gb", "nvidia.com/mig-1g.18gb"
EACH = 56
"""Slices of a server: eight GPUs of seven."""


def _job(name: str, slices: int, resource: str = SLICE) -> dict[str, Any]:
    labels = {"app.kubernetes.io/name": name}
    amounts = {"cpu": "1", "memory": "1Gi", resource: str(slices)}
    box = {"name": "main", "image": "x", "resources": {"requests": amounts, "limits": amounts}}
    template = {"metadata": {"labels": labels}, "spec": {"restartPolicy": "Never", "containers": [box]}}
    meta = {"name": name, "namespace": "research", "labels": {**labels, "kueue.x-k8s.io/queue-name": POOL}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": {"template": template}}


def _cut(cluster: Rack, stack: Cluster, kueue: Operator) -> None:
    """Two servers are of a pool of their own and have slices; queues and quota are the plan's."""
    for kind in ("trainjobs", "jobsets", "jobs"):
        cluster.kubectl("delete", kind, "--all", "-n", "research", check=False)
    cluster.wait("servers are free", lambda: not cluster.items("pods", "-n", "research"), 90)
    for server in ("gpu-4", "gpu-5"):
        node = f"{server}.lab.example.com"
        labels = (f"{POOL_LABEL}={POOL}", f"nvidia.com/mig.config={LAYOUT}", "podwright.io/rack=r2")
        cluster.kubectl("label", "node", node, "--overwrite", *labels)
        cluster.wait("slices", lambda: cluster.allocatable(server, SLICE) == EACH, 90)  # noqa: B023
    planned = (each for each in whole.platform(stack).manifests if each["kind"] == "ResourceQuota")
    cluster.apply(*(each for each in planned if each["metadata"]["namespace"] == "research"))
    kinds = ("Topology", "ResourceFlavor", "ClusterQueue", "LocalQueue")
    own = [each for each in kueue.settings if each["kind"] in kinds and "vision" not in json.dumps(each["metadata"])]
    cluster.apply(*own)
    cluster.wait("queue", lambda: conditions(cluster, "clusterqueue", "research")["Active"]["status"] == "True")


def _waits(cluster: Rack, job: str) -> str:
    """What Kueue says of a job that waits."""
    (workload,) = (
        each
        for each in cluster.items("workloads.kueue.x-k8s.io", "-n", "research")
        if each["metadata"]["ownerReferences"][0]["name"] == job
    )
    rows = {row["type"]: row for row in workload.get("status", {}).get("conditions", [])}
    reserved = rows.get("QuotaReserved") or {}
    return str(reserved.get("message") or "") if reserved.get("status") != "True" else ""


def in_turn(cluster: Rack, stack: Cluster, kueue: Operator) -> None:
    """60 slices of the team's, of 112 on the servers: 40 and 20 are all, and one more waits for them."""
    _cut(cluster, stack, kueue)
    cluster.apply(_job("first", 40), _job("second-part", 20))
    cluster.wait("they run", lambda: bool(placed(cluster, "first") and placed(cluster, "second-part")))
    cluster.apply(_job("one-more", 1), _job("of-none", 1, "nvidia.com/mig-2g.35gb"))
    cluster.wait("it waits", lambda: f"insufficient unused quota for {SLICE}" in _waits(cluster, "one-more"))
    cluster.wait("it never starts", lambda: "nvidia.com/mig-2g.35gb" in _waits(cluster, "of-none"))
    assert placed(cluster, "one-more") == placed(cluster, "of-none") == []
    cluster.kubectl("delete", "job", "second-part", "-n", "research")
    cluster.wait("it starts", lambda: len(placed(cluster, "one-more")) == 1)
