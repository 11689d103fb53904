"""Pods by lot: any kind, namespace, selector and toleration, sensible or not."""

from __future__ import annotations

import random
from typing import Any, Final

from tests.platforms.planned import Object
from tests.training_pools import spelled
from tests.training_pools.spelled import Row

KINDS: Final = (
    "Pod", "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "JobSet", "LeaderWorkerSet",
    "InferenceService", "NIMService", "RayCluster", "PyTorchJob", "Chat",
)  # fmt: skip
SPACES: Final = ("chat", "research", "default", "elsewhere", "logs", "openshift-monitoring", "nvidia-gpu-operator")
_LABELS: Final = {
    "podwright.io/pool": ("training", "inference", "none"),
    "podwright.io/purpose": ("training", "inference"),
    "node-role.kubernetes.io/training": ("",),
    "node-role.kubernetes.io/inference": ("",),
    "node-role.kubernetes.io/worker": ("",),
    "node-role.kubernetes.io/master": ("",),
    "kubernetes.io/hostname": ("gpu-01", "gpu-02", "inf-01"),
    "nvidia.com/gpu.product": ("NVIDIA-H200", "NVIDIA-L40S"),
    "nvidia.com/gpu.count": ("4", "8"),
    "podwright.io/leaf-group": ("1",),
    "example.com/disk": ("fast",),
}
_CLASSES: Final = ("", "", "podwright-training", "podwright-batch", "podwright-inference", "system-node-critical")


def drawn(seed: str) -> Row:
    """The pod of this seed."""
    lot = random.Random(seed)
    pod: Object = {"containers": [spelled.container(lot.choice((0, 1, 8)))]}
    if lot.random() < 0.85:
        pod["tolerations"] = [_toleration(lot) for _ in range(lot.randint(1, 2))]
    if lot.random() < 0.45:
        keys = lot.sample(sorted(_LABELS), lot.choice((1, 1, 2)))
        pod["nodeSelector"] = {key: lot.choice(_LABELS[key]) for key in keys}
    if lot.random() < 0.45:
        pod["affinity"] = {"nodeAffinity": _affinity(lot)}
    if lot.random() < 0.08:
        pod["nodeName"] = lot.choice(("gpu-01", "inf-01", "plain-01"))
    if named := lot.choice(_CLASSES):
        pod["priorityClassName"] = named
    # Half of all is meant as training, in one way or another.
    if lot.random() < 0.3:
        pod["priorityClassName"] = lot.choice(("podwright-training", "podwright-batch"))
        pod.setdefault("nodeSelector", {})["podwright.io/pool"] = "training"
    space = lot.choice(SPACES)
    if str(pod.get("priorityClassName")).startswith("system-") and not space.startswith(("openshift-", "kube-")):
        del pod["priorityClassName"]
    return Row(
        seed,
        lot.choice(KINDS),
        space,
        pod,
        {"app": "drawn"},
        "",
        spelled.GATES,
        "",
        "",
        "",
        [],
        debugged=False,
        mirror="",
    )


def _toleration(lot: random.Random) -> Object:
    key = lot.choice(("podwright.io/pool", "podwright.io/pool", "", "nvidia.com/gpu"))
    if not key or lot.random() < 0.3:
        row: Object = {"operator": "Exists", **({"key": key} if key else {})}
    else:
        row = {"key": key, "value": lot.choice(("training", "training", "inference"))}
        row |= {"operator": "Equal"} if lot.random() < 0.5 else {}
    return {**row, **({"effect": lot.choice(("NoSchedule", "NoSchedule", "NoExecute"))} if lot.random() < 0.6 else {})}


def _affinity(lot: random.Random) -> Object:
    terms = [_term(lot) for _ in range(lot.choice((1, 1, 2)))]
    if lot.random() < 0.15:
        preference = {"weight": 1, "preference": terms[0]}
        return {"preferredDuringSchedulingIgnoredDuringExecution": [preference]}
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}


def _term(lot: random.Random) -> Object:
    if lot.random() < 0.15:
        row: dict[str, Any] = {"key": "metadata.name", "operator": lot.choice(("In", "NotIn"))}
        return {"matchFields": [{**row, "values": [lot.choice(("gpu-01", "inf-01", "plain-01"))]}]}
    return {"matchExpressions": [_expression(lot) for _ in range(lot.choice((1, 1, 2)))]}


def _expression(lot: random.Random) -> Object:
    key = lot.choice(sorted(_LABELS))
    operator = lot.choice(("In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
    if operator in ("Exists", "DoesNotExist"):
        return {"key": key, "operator": operator}
    if operator in ("Gt", "Lt"):
        return {"key": key, "operator": operator, "values": [lot.choice(("2", "6", "9"))]}
    values = lot.sample(_LABELS[key], lot.randint(1, min(2, len(_LABELS[key]))))
    return {"key": key, "operator": operator, "values": values}
