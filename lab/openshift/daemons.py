"""Operand DaemonSets: the real DaemonSet controller places them, so taints, selectors and power act for real."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.kinds import DAEMON_SETS, NODES, PODS
from podwright.lab.openshift.scc import accounts

HASH = "lab.podwright.io/spec"
UNPUBLISHED = "lab.podwright.io/unpublished"
"""Annotation of pods whose image no registry has: kwok starts none of them."""


def _mounted(maps: Mapping[str, str]) -> dict[str, Any]:
    return {"volumes": [{"name": name, "configMap": {"name": each}} for name, each in maps.items()]} if maps else {}


def ensure_daemon_set(  # noqa: PLR0913 - the parts of a DaemonSet that operators choose
    controller: Controller,
    namespace: str,
    name: str,
    image: str,
    *,
    owner: list[dict[str, Any]],
    selector: Mapping[str, str] | None = None,
    tolerations: Sequence[Mapping[str, Any]] = (),
    affinity: Mapping[str, Any] | None = None,
    component: str = "",
    marks: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
    beside: Mapping[str, str] | None = None,
    on_delete: bool = False,
    published: bool = True,
    mounted: Mapping[str, str] | None = None,
) -> None:
    """Create or update the DaemonSet so that its template says what is given here.

    `component` is its application label, `marks` are further ones, `environment` its container's, `beside` further
    containers' images. With `on_delete` a pod keeps the template that it was made with until somebody deletes it; an
    image that is not `published` is never pulled. `mounted` is ConfigMaps by the name of their volume.
    """
    pod: dict[str, Any] = _mounted(mounted or {}) | {
        "nodeSelector": dict(selector or {}),
        "tolerations": [dict(row) for row in tolerations],
        "priorityClassName": "system-node-critical",
        "serviceAccountName": name,
        "containers": _containers(name, image, environment or {}, beside or {}),
    }
    if affinity:
        pod["affinity"] = dict(affinity)
    mark = hashlib.sha256(json.dumps(pod, sort_keys=True).encode()).hexdigest()[:16]
    found = controller.cache.get(DAEMON_SETS, name, namespace)
    if found is not None and found["metadata"].get("annotations", {}).get(HASH) == mark:
        return
    labels = {"app": name}
    # A merge takes away what is null, and leaves what it does not name.
    gone = {} if found is None else {UNPUBLISHED: None}
    notes: dict[str, str | None] = {HASH: mark, **(gone if published else {UNPUBLISHED: "true"})} if on_delete else {}
    parts = {**({"app.kubernetes.io/component": component} if component else {}), **(marks or {})}
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}}
    body = {
        "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": {
            "name": name, "namespace": namespace, "labels": labels, "annotations": {HASH: mark},
            "ownerReferences": owner,
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "updateStrategy": {"type": "OnDelete", "rollingUpdate": None} if on_delete else rolling,
            "template": {"metadata": {"labels": {**labels, **parts}, "annotations": notes}, "spec": pod},
        },
    }  # fmt: skip
    if found is None:
        accounts.ensure(controller.api, namespace, name, owner)
        controller.api.ensure(DAEMON_SETS.path(namespace), body)
    else:
        controller.api.merge(DAEMON_SETS.path(namespace, name), body)


def _containers(
    name: str, image: str, environment: Mapping[str, str], beside: Mapping[str, str]
) -> list[dict[str, Any]]:
    small = {"requests": {"cpu": "5m", "memory": "64Mi"}}
    rights = {"securityContext": {"privileged": True}}
    main = {"name": name.replace(".", "-"), "image": _pulled(image), "resources": small, **rights}
    given = {"env": [{"name": key, "value": value} for key, value in environment.items()]} if environment else {}
    return [{**main, **given}, *({"name": each, "image": _pulled(of), **rights} for each, of in beside.items())]


def _pulled(image: str) -> str:
    """An image by its tag where it has one, else by a digest."""
    tagged = ":" in image.rpartition("/")[2]
    return image if tagged else f"{image}@sha256:{hashlib.sha256(image.encode()).hexdigest()}"


def current(cache: Cache, namespace: str, name: str, node: str) -> bool:
    """True when the pod of an OnDelete DaemonSet on a node was made from the template that it has now."""
    daemons = cache.get(DAEMON_SETS, name, namespace)
    mark = (daemons or {"metadata": {}})["metadata"].get("annotations", {}).get(HASH)
    return any(
        pod["metadata"].get("annotations", {}).get(HASH) == mark
        for pod in cache.list(PODS, namespace)
        if pod["metadata"].get("labels", {}).get("app") == name and pod["spec"].get("nodeName") == node
    )


def works_on(cache: Cache, namespace: str, name: str) -> set[str]:
    """Nodes on which this DaemonSet's pod is ready right now."""
    alive = {node["metadata"]["name"] for node in cache.list(NODES) if node_ready(node)}
    found = set()
    for pod in cache.list(PODS, namespace):
        if pod["metadata"].get("labels", {}).get("app") == name and pod_ready(pod):
            found.add(pod["spec"].get("nodeName", ""))
    return found & alive


def node_ready(node: Object) -> bool:
    """True when the Ready condition is True."""
    return any(c["type"] == "Ready" and c["status"] == "True" for c in node.get("status", {}).get("conditions", []))


def pod_ready(pod: Object) -> bool:
    """True when the pod runs, is ready and is not being deleted."""
    status = pod.get("status", {})
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in status.get("conditions", []))
    return ready and status.get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
