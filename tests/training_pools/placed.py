"""Where the scheduler puts a pod, worked out over whole nodes: every label and every taint is known.

Written from Kubernetes' pages on assigning pods to nodes and on taints, apart from the rules that are tested by it
(https://kubernetes.io/docs/concepts/scheduling-eviction/).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tests.platforms.planned import Object
from tests.training_pools.spelled import Row


@dataclass(frozen=True)
class Node:
    """One node."""

    name: str
    labels: dict[str, str]
    taints: tuple[tuple[str, str], ...] = ()
    """Keys and values; the effect of each is NoSchedule."""


def _gpu(name: str, pool: str, product: str, count: str) -> Node:
    labels = {
        "podwright.io/pool": pool,
        "podwright.io/purpose": pool,
        f"node-role.kubernetes.io/{pool}": "",
        "node-role.kubernetes.io/worker": "",
        "kubernetes.io/hostname": name,
        "nvidia.com/gpu.product": product,
        "nvidia.com/gpu.count": count,
    }
    labels |= {"podwright.io/leaf-group": "1"} if pool == "training" else {}
    return Node(name, labels, (("podwright.io/pool", pool),))


NODES: Final = (
    _gpu("gpu-01", "training", "NVIDIA-H200", "8"),
    _gpu("gpu-02", "training", "NVIDIA-H200", "8"),
    _gpu("inf-01", "inference", "NVIDIA-L40S", "8"),
    Node("plain-01", {"kubernetes.io/hostname": "plain-01", "node-role.kubernetes.io/worker": ""}),
)
TRAINING: Final = frozenset({"gpu-01", "gpu-02"})


def nodes(pod: Object) -> set[str]:
    """Names of nodes that a pod may be put on; one that names its node is there."""
    if name := pod.get("nodeName"):
        return {name}
    return {node.name for node in NODES if _selected(pod, node) and _tolerated(pod, node)}


def _tolerated(pod: Object, node: Node) -> bool:
    return all(any(_of_taint(row, key, value) for row in pod.get("tolerations", ())) for key, value in node.taints)


def _of_taint(row: dict[str, str], key: str, value: str) -> bool:
    if row.get("effect") and row["effect"] != "NoSchedule":
        return False
    if row.get("operator") == "Exists":
        return row.get("key", key) == key
    return row.get("key") == key and row.get("value", "") == value


def _selected(pod: Object, node: Node) -> bool:
    if any(node.labels.get(key) != value for key, value in pod.get("nodeSelector", {}).items()):
        return False
    required = (
        pod.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    )  # fmt: skip
    return required is None or any(_term(term, node) for term in required["nodeSelectorTerms"])


def _term(term: Object, node: Node) -> bool:
    named = [_row(row, {"metadata.name": node.name}) for row in term.get("matchFields", ())]
    rows = [_row(row, node.labels) for row in term.get("matchExpressions", ())]
    return bool(named or rows) and all(named) and all(rows)


def _row(row: dict[str, Any], labels: dict[str, str]) -> bool:
    has, value = row["key"] in labels, labels.get(row["key"], "")
    match row["operator"]:
        case "In":
            return has and value in row["values"]
        case "NotIn":
            return not has or value not in row["values"]
        case "Exists":
            return has
        case "DoesNotExist":
            return not has
        case "Gt":
            return value.isdigit() and int(value) > int(row["values"][0])
        case _:
            return value.isdigit() and int(value) < int(row["values"][0])


_ENDS: Final = ("Job", "CronJob", "JobSet", "PyTorchJob")
_STAYS: Final = ("ReplicaSet", "Deployment", "StatefulSet", "LeaderWorkerSet", "InferenceService", "NIMService", "Chat")
TEAMS: Final = ("chat", "research")
_CLASSES: Final = ("podwright-training", "podwright-batch")


def trains(row: Row) -> bool:
    """Whether it is training of a team."""
    return row.kind in _ENDS and row.namespace in TEAMS and row.pod.get("priorityClassName") in _CLASSES


def may_train_there(row: Row) -> bool:
    """Whether it may be on a training pool's nodes."""
    gpus = "limits" in row.pod["containers"][0]["resources"]
    if row.namespace.startswith("openshift-") or row.namespace == "nvidia-gpu-operator":
        return not gpus or row.kind not in _STAYS
    return trains(row) or (row.namespace in ("logs", "default") and row.kind == "DaemonSet" and not gpus)


def class_is_right(row: Row) -> bool:
    """Whether a class of the teams is on a pod of a team that only nodes of its purpose take, tolerations aside."""
    named = row.pod.get("priorityClassName", "")
    if not named.startswith("podwright-"):
        return True
    anywhere = {key: value for key, value in row.pod.items() if key != "nodeName"}
    found = {node.name for node in NODES if _selected(anywhere, node)}
    wanted = set(TRAINING) if named in _CLASSES else {"inf-01"}
    return row.namespace in TEAMS and found <= wanted


_PURPOSE: Final = ("podwright.io/pool", "podwright.io/purpose", "node-role.kubernetes.io/training")


def names_its_purpose(row: Row) -> bool:
    """Whether it selects nodes by pool, purpose or role, whatever else it selects by and in each term of an affinity:
    docs/how-to/keep-training-pools.md asks this of a class. A leaf group, a host or a node's name is not enough."""
    if set(row.pod.get("nodeSelector", {})) & set(_PURPOSE):
        return True
    node = row.pod.get("affinity", {}).get("nodeAffinity", {})
    terms = node.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [])
    return bool(terms) and all(
        any(
            each["key"] in _PURPOSE and each["operator"] in ("In", "Exists")
            for each in term.get("matchExpressions", ())
        )
        for term in terms
    )
