"""The server at which members of a training job meet, under the real API server, controllers and scheduler."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from podwright.components.design.platform import training_pools
from podwright.components.design.platform.names import POOL_LABEL
from podwright.components.model import Cluster
from tests.design import whole
from tests.lab.openshift.rack import Rack
from tests.model.changes import LAB, both, put
from tests.model.queue_cases import TRAIN
from tests.model.store_cases import STORE

pytestmark = pytest.mark.rough
SHAPE = {"workers": ("", "", "")}
NAME, SPACE = "pretrain-rendezvous", "research"
Manifest = dict[str, Any]


def _stack() -> Cluster:
    written = copy.deepcopy(LAB)
    both(STORE, put(f"{TRAIN}/nodes", 2))(written)
    return Cluster.model_validate(written)


STACK = _stack()


def _planned(kind: str, name: str) -> Manifest:
    (found,) = (
        each
        for each in whole.workloads(STACK)
        if (each["kind"], each["metadata"]["name"], each["metadata"]["namespace"]) == (kind, name, SPACE)
    )
    return copy.deepcopy(found)


def _job() -> Manifest:
    """The planned job, without GPUs, rails and their labels, which these nodes do not have."""
    job = _planned("Job", "pretrain")
    template = job["spec"]["template"]
    template["metadata"].pop("annotations", None)
    template["spec"]["nodeSelector"] = {POOL_LABEL: "training"}
    template["spec"].pop("volumes")
    (box,) = template["spec"]["containers"]
    for key in ("resources", "volumeMounts"):
        box.pop(key, None)
    return job


def _prepare(cluster: Rack) -> None:
    """Two nodes of the training pool, one for inference; the team, and the law of training pools."""
    workers = [
        each["metadata"]["name"]
        for each in cluster.items("nodes")
        if "node-role.kubernetes.io/control-plane" not in each["metadata"]["labels"]
    ]
    assert len(workers) == 3
    for node, pool in zip(workers, ("training", "training", "inference"), strict=True):
        cluster.kubectl("label", "node", node, f"{POOL_LABEL}={pool}", f"podwright.io/purpose={pool}")
        cluster.kubectl("taint", "node", node, f"{POOL_LABEL}={pool}:NoSchedule")
    kinds = ("Namespace", "ServiceAccount", "PriorityClass", "SecurityContextConstraints", "Role", "RoleBinding")
    planned = [each for each in whole.platform(STACK).manifests if each["kind"] in (*kinds, "ResourceQuota")]
    cluster.apply(*(each for each in planned if each["metadata"].get("namespace", SPACE) == SPACE))
    lawful = training_pools.lawful(STACK.pools, {}, STACK.teams, None, rdma=True)
    cluster.apply(*training_pools.policies(lawful))


def _pods(cluster: Rack, name: str) -> dict[str, Manifest]:
    """Those of a workload that run, by UID."""
    found = cluster.items("pods", "-n", SPACE, "-l", f"app.kubernetes.io/name={name}")
    return {
        each["metadata"]["uid"]: each
        for each in found
        if each["status"]["phase"] == "Running" and "deletionTimestamp" not in each["metadata"]
    }


def _member(pods: dict[str, Manifest], number: str) -> str:
    """UID of a member's pod."""
    label = "batch.kubernetes.io/job-completion-index"
    (found,) = (uid for uid, pod in pods.items() if pod["metadata"]["labels"][label] == number)
    return found


def _leads_to(cluster: Rack) -> list[str]:
    """UIDs of the ready pods behind the Service."""
    slices = cluster.items("endpointslices", "-n", SPACE, "-l", f"kubernetes.io/service-name={NAME}")
    ends = [end for each in slices for end in each.get("endpoints") or ()]
    return [str(end["targetRef"]["uid"]) for end in ends if end["conditions"]["ready"]]


def _refused(cluster: Rack, deployment: Manifest) -> bool:
    """Whether the API server makes no pod of it."""
    pod = {"apiVersion": "v1", "kind": "Pod", **deployment["spec"]["template"]}
    pod["metadata"] = {"name": "store", "namespace": SPACE}
    words = cluster.kubectl("create", "--dry-run=server", "-f", "-", stdin=json.dumps(pod), check=False)
    return "may run on nodes of training pool training" in words


def test_it_stands_apart_from_the_members_and_no_member_takes_it_along(cluster: Rack) -> None:
    _prepare(cluster)
    wrong = _planned("Deployment", NAME)
    wrong["spec"]["template"]["spec"] |= {"nodeSelector": {POOL_LABEL: "training"}}
    wrong["spec"]["template"]["spec"]["tolerations"][0]["value"] = "training"
    cluster.wait("the cluster refuses it on a training pool", lambda: _refused(cluster, wrong), 5)
    cluster.apply(_planned("Deployment", NAME), _planned("Service", NAME))
    cluster.wait("it is ready", lambda: len(_leads_to(cluster)) == 1 and len(_pods(cluster, NAME)) == 1, 60)
    ((store, pod),) = _pods(cluster, NAME).items()
    assert _leads_to(cluster) == [store]
    node = cluster.get("node", pod["spec"]["nodeName"])
    assert node["metadata"]["labels"][POOL_LABEL] == "inference"
    assert pod["metadata"]["annotations"]["openshift.io/scc"] == "restricted-v2"
    address = cluster.get("service", NAME, "-n", SPACE)["spec"]["clusterIP"]
    cluster.apply(_planned("Service", "pretrain"), _job())
    cluster.wait("both members run", lambda: len(_pods(cluster, "pretrain")) == 2, 60)
    before = _pods(cluster, "pretrain")
    first = _member(before, "0")
    cluster.kubectl("delete", "pod", before[first]["metadata"]["name"], "-n", SPACE, "--wait=false")
    cluster.wait("another member 0", lambda: len(_pods(cluster, "pretrain").keys() - {first}) == 2, 60)
    after = _pods(cluster, "pretrain")
    assert _member(after, "1") == _member(before, "1")
    assert _leads_to(cluster) == [store]
    cluster.kubectl("delete", "pod", pod["metadata"]["name"], "-n", SPACE, "--wait=false")
    cluster.wait(
        "another one at the same address", lambda: bool(_leads_to(cluster)) and store not in _leads_to(cluster)
    )
    assert cluster.get("service", NAME, "-n", SPACE)["spec"]["clusterIP"] == address
    assert _pods(cluster, "pretrain").keys() == after.keys(), "its loss is the launchers' matter, and not the cluster's"
