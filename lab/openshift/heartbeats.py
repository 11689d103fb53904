"""A node's life as its host has it: registered when it boots, kept by kwok, given up when the host is dead.

The real node controller counts seconds between heartbeats and cannot tell a dead host from a busy machine on which
kubelets' stand-in got no turn. So its own patience is long (`controlplane.GRACE_SECONDS`), and what it would write
after a site's grace period is written here, for hosts that the world knows to be silent. Taints, and what follows
from them, stay its own business.
"""

from __future__ import annotations

import logging

from podwright.lab.openshift.api import Api, ApiError, Object
from podwright.lab.openshift.controller import now
from podwright.lab.openshift.controlplane import POWERED_LABEL
from podwright.lab.openshift.kinds import MACHINE_CONFIGS, NODES, PODS
from podwright.lab.openshift.mco import DESIRED

log = logging.getLogger("lab.openshift")
SILENT_SECONDS = 11.0
"""From a host's end to its node's `Unknown`; 50 s on a site (the node controller's default grace period)."""
AGAIN_SECONDS = 2.0
"""Between two looks at the pods of a node that is given up."""
KILLED = 137
GONE = "The container could not be located when the pod was terminated"
HEARTBEATS = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")


def kernel_arguments(api: Api, hostname: str) -> list[str]:
    """What the machine config daemon left in the boot loader: the arguments of the node's desired configuration."""
    node = api.get(NODES.path(None, hostname))
    name = ((node or {}).get("metadata", {}).get("annotations") or {}).get(DESIRED)
    config = api.get(MACHINE_CONFIGS.path(None, name)) if name else None
    return list((config or {}).get("spec", {}).get("kernelArguments") or [])


def mark(api: Api, hostname: str, powered: str | None) -> None:
    """Tell kwok whether this node's kubelet runs; somebody may have deleted the node. Raises ApiError."""
    try:
        api.merge(NODES.path(None, hostname), {"metadata": {"labels": {POWERED_LABEL: powered}}})
    except ApiError as problem:
        if problem.code != 404:
            raise


def give_up(api: Api, hostname: str) -> None:
    """Set a silent node's conditions to Unknown and its pods to not ready. Raises ApiError.

    Reasons and message are those of kube-controller-manager (pkg/controller/nodelifecycle, `tryUpdateNodeHealth`). It
    also looks at each pod of such a node that changes later (`processPod`): a kubelet's last word may arrive late.
    """
    path = NODES.path(None, hostname)
    node = api.get(path)
    if node is None:
        return
    known = {row["type"]: row for row in node["status"].get("conditions", [])}
    if known.get("Ready", {}).get("status") == "Unknown":
        _pods_not_ready(api, hostname)
        return
    rows = [row for kind, row in known.items() if kind not in HEARTBEATS]
    for kind in HEARTBEATS:
        row = {"status": "Unknown", "lastTransitionTime": now()}
        if kind in known:
            row |= {"reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
        else:
            row |= {"reason": "NodeStatusNeverUpdated", "message": "Kubelet never posted node status."}
            row["lastHeartbeatTime"] = node["metadata"]["creationTimestamp"]
        rows.append({**known.get(kind, {"type": kind}), **row})
    if _write(api, path, node, rows):
        _pods_not_ready(api, hostname)
        log.info("%s is silent: its node is given up", hostname)


def restarted(api: Api, hostname: str) -> None:
    """A host came up from its disk: what ran on it has ended, and pods that are never started again have failed.

    A kubelet that finds no container where there was one says so (pkg/kubelet/kubelet_pods.go,
    `convertToAPIContainerStatuses`). Pods that are about to go are left to their end. Raises ApiError.
    """
    for pod in _pods(api, hostname):
        meta, status = pod["metadata"], pod.get("status", {})
        if pod["spec"].get("restartPolicy") != "Never" or status.get("phase") != "Running":
            continue
        if "deletionTimestamp" not in meta:
            ended = {"exitCode": KILLED, "reason": "ContainerStatusUnknown", "message": GONE,
                     "startedAt": None, "finishedAt": None}  # fmt: skip
            boxes = [{**box, "ready": False, "started": False, "state": {"terminated": ended}}
                     for box in status.get("containerStatuses", ())]  # fmt: skip
            rows = [{**row, "status": "False"} if row["type"] in ("Ready", "ContainersReady") else row
                    for row in status.get("conditions", ())]  # fmt: skip
            change = {"status": {"phase": "Failed", "conditions": rows, "containerStatuses": boxes}}
            try:
                api.merge(PODS.path(meta["namespace"], meta["name"]), change, "status")
            except ApiError as problem:
                if problem.code != 404:
                    raise


def _pods(api: Api, hostname: str) -> list[Object]:
    return list(api.request("GET", f"{PODS.path()}?fieldSelector=spec.nodeName%3D{hostname}")["items"])


def _pods_not_ready(api: Api, hostname: str) -> None:
    """A service must not send work to a pod on a dead host (`MarkPodsNotReady` of the node controller)."""
    for pod in _pods(api, hostname):
        rows = pod.get("status", {}).get("conditions", [])
        if not any(row["type"] == "Ready" and row["status"] == "True" for row in rows):
            continue
        down = [
            {**row, "status": "False", "lastTransitionTime": now()} if row["type"] == "Ready" else row for row in rows
        ]
        _write(api, PODS.path(pod["metadata"]["namespace"], pod["metadata"]["name"]), pod, down)


def _write(api: Api, path: str, seen: Object, rows: list[Object]) -> bool:
    """Whether all conditions are written. Of an object that somebody has changed since it was seen none are, as the
    node controller's update is refused: a condition that was added in between would be lost. The next look is soon.
    """
    version = {"resourceVersion": seen["metadata"]["resourceVersion"]}
    try:
        api.merge(path, {"metadata": version, "status": {"conditions": rows}}, "status")
    except ApiError as problem:
        if problem.code not in {404, 409}:
            raise
        return False
    return True
