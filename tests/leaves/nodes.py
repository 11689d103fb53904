"""What finds nodes: pools, configurations, profiles, taints, and everything that tolerates them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from podwright.lab.openshift.gpu.operator import DEFAULT_TOLERATIONS
from tests.leaves.reading import Labels, at, entries, labels, matched, pods, pools, space, title
from tests.platforms.planned import Object, of_kind

_ROLE: Final = "machineconfiguration.openshift.io/role"
_NODE: Final = "node-role.kubernetes.io/"
_TUNED: Final = "openshift-cluster-node-tuning-operator"
_OPERANDS: Final = (
    ("ClusterPolicy", ("spec", "daemonsets", "tolerations")),
    ("NicClusterPolicy", ("spec", "tolerations")),
    ("NicNodePolicy", ("spec", "tolerations")),
)
"""Where operators read what their pods tolerate. Of NFD the worker tolerates every NoSchedule anyway."""


def pooled(found: list[Object]) -> Iterator[str]:
    """A pool's machine configuration pool selects its nodes, the workers' configurations and its own."""
    for each in of_kind(found, "MachineConfigPool"):
        name = each["metadata"]["name"]
        selected = [node for node in of_kind(found, "Node") if matched(at(each, "spec", "nodeSelector"), labels(node))]
        members = pools(found)[name]
        if not members or [labels(node) for node in selected] != members:
            yield f"{title(each)} has other nodes than pool {name}"
        if labels(each).get("podwright.io/pool") != name:
            yield f"{title(each)}: no configuration of kubelets finds it"
        if not at(each, "spec", "nodeSelector", "matchLabels"):
            yield f"{title(each)} claims every node"
        for role in ("worker", name):
            if not matched(at(each, "spec", "machineConfigSelector"), {_ROLE: role}):
                yield f"{title(each)} leaves out configurations of {role}"
        purposes = {node.get("podwright.io/purpose") for node in members}
        if purposes != {labels(each).get("podwright.io/purpose")} or None in purposes:
            yield f"pool {name} and its nodes are for {purposes}: no rule finds a service on a training pool"


def ignited(found: list[Object]) -> Iterator[str]:
    """Configurations of machines reach a pool, and what Ignition writes is whole.

    https://coreos.github.io/ignition/configuration-v3_4/
    """
    made = {each["metadata"]["name"]: labels(each) for each in of_kind(found, "MachineConfigPool")}
    for each in of_kind(found, "MachineConfig"):
        if labels(each).get(_ROLE) not in {"master", "worker", *made}:
            yield f"{title(each)} is selected by no pool"
        if not at(each, "spec", "config", "ignition", "version"):
            yield f"{title(each)} is of no version of Ignition"
        for file in entries(each, "spec", "config", "storage", "files"):
            if not at(file, "path") or not at(file, "contents", "source"):
                yield f"{title(each)} writes no file"
            if at(file, "overwrite") is not True:
                yield f"{title(each)}: a new host stops at a file that its image has already"


def configured(found: list[Object]) -> Iterator[str]:
    """Kubelets' configurations and profiles of performance are for one pool each, with the pages that pods ask for."""
    made = {each["metadata"]["name"]: labels(each) for each in of_kind(found, "MachineConfigPool")}
    for each in of_kind(found, "KubeletConfig"):
        if not _selects(at(each, "spec", "machineConfigPoolSelector", "matchLabels"), made):
            yield f"{title(each)} is for no pool, or for every one"
    for each in of_kind(found, "PerformanceProfile"):
        if not _selects(at(each, "spec", "machineConfigPoolSelector"), made):
            yield f"{title(each)} is for no pool, or for every one"
        if not at(each, "spec", "nodeSelector"):
            yield f"{title(each)} is for every node"
        for page in entries(each, "spec", "hugepages", "pages"):
            if page.get("size") != "1G" or not page.get("count"):
                yield f"{title(each)} reserves {page}, and pods ask for pages of 1 GiB"


def tuned(found: list[Object]) -> Iterator[str]:
    """Kernel settings are in the namespace that their operator reads, and for one pool."""
    made = {each["metadata"]["name"]: labels(each) for each in of_kind(found, "MachineConfigPool")}
    for each in of_kind(found, "Tuned"):
        if space(each) != _TUNED:
            yield f"{title(each)} is in {space(each)}, where its operator reads nothing"
        for row in entries(each, "spec", "recommend"):
            if not _selects(at(row, "machineConfigLabels"), made) and not at(row, "match"):
                yield f"{title(each)} is recommended for every node"


def _selects(wanted: Labels | None, made: dict[str, Labels]) -> bool:
    return bool(wanted) and sum((wanted or {}).items() <= each.items() for each in made.values()) == 1


def taints(found: list[Object]) -> dict[str, list[Any]]:
    """Taints that kubelets of each pool register their nodes with."""
    made: dict[str, list[Any]] = {name: [] for name in pools(found)}
    known = {each["metadata"]["name"]: labels(each) for each in of_kind(found, "MachineConfigPool")}
    for each in of_kind(found, "KubeletConfig"):
        wanted = at(each, "spec", "machineConfigPoolSelector", "matchLabels") or {}
        for name in (name for name, given in known.items() if wanted.items() <= given.items()):
            made[name] += entries(each, "spec", "kubeletConfig", "registerWithTaints")
    for each in of_kind(found, "PerformanceProfile"):
        text = at(each, "metadata", "annotations", "kubeletconfig.experimental")
        for name, given in known.items():
            if (at(each, "spec", "machineConfigPoolSelector") or {}).items() <= given.items():
                made[name] += json.loads(text or "{}").get("registerWithTaints", [])
    return made


def tolerated(found: list[Object]) -> Iterator[str]:
    """A pool keeps foreign pods away from its first moment; its own pods and the operators' are let in.

    https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
    """
    every = taints(found)
    for pool, rows in every.items():
        if [(row.get("key"), row.get("value"), row.get("effect")) for row in rows] != [
            ("podwright.io/pool", pool, "NoSchedule")
        ]:
            yield f"pool {pool} is tainted {rows}"
    for run in pods(found):
        pool = at(run.spec, "nodeSelector", "podwright.io/pool")
        for row in every.get(pool, []):
            if not any(tolerates(given, row) for given in entries(run.spec, "tolerations")):
                yield f"{run.name} is kept away from pool {pool}"


def operated(found: list[Object]) -> Iterator[str]:
    """Operators' pods reach every pool, and nodes that are tainted as the vendor's guide writes.

    https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/getting-started.html
    """
    every = taints(found)
    for kind, path in _OPERANDS:
        for each in of_kind(found, kind):
            for pool, row in ((pool, row) for pool, rows in every.items() for row in rows):
                if not any(tolerates(given, row) for given in entries(each, *path)):
                    yield f"{title(each)}: its pods stay away from pool {pool}"
    for each in of_kind(found, "ClusterPolicy"):
        # What is written replaces the operator's own list.
        for row in DEFAULT_TOLERATIONS:
            if row not in entries(each, "spec", "daemonsets", "tolerations"):
                yield f"{title(each)}: its pods stay away from nodes that are tainted as its guide says"


def narrow(found: list[Object]) -> Iterator[str]:
    """Tolerations name key and effect: without one, pods stay on nodes that somebody taints for another reason."""
    given = [(each, row) for kind, path in _OPERANDS for each in of_kind(found, kind) for row in entries(each, *path)]
    given += [(each.owner, row) for each in pods(found) for row in entries(each.spec, "tolerations")]
    workers = ("spec", "operand", "workerTolerations")
    given += [(each, row) for each in of_kind(found, "NodeFeatureDiscovery") for row in entries(each, *workers)]
    for each, row in given:
        if not row.get("key") or not row.get("effect"):
            yield f"{title(each)} tolerates {row}, whatever it is for"


def tolerates(given: dict[str, Any], taint: dict[str, Any]) -> bool:
    """Whether a toleration lets a pod onto a node with a taint."""
    if given.get("effect") not in (None, taint.get("effect")) or given.get("key") not in (None, taint.get("key")):
        return False
    return bool(given.get("operator", "Equal") == "Exists") or given.get("value", "") == taint.get("value", "")


def chosen(found: list[Object]) -> Iterator[str]:
    """Pods with devices choose their pool, and there are nodes with all the labels that they ask for."""
    nodes = [labels(each) for each in of_kind(found, "Node")]
    spread = {node["podwright.io/leaf-group"] for node in nodes if "podwright.io/leaf-group" in node}
    for run in pods(found):
        wanted = {key: value for key, value in (at(run.spec, "nodeSelector") or {}).items() if "nvidia.com/" not in key}
        if run.devices() and "podwright.io/pool" not in wanted:
            yield f"{run.name} chooses no pool"
        if run.devices() and not at(run.spec, "nodeSelector", "nvidia.com/gpu.product"):
            yield f"{run.name} takes any GPU of its pool, which may have several products"
        if not any(wanted.items() <= node.items() for node in nodes):
            yield f"{run.name} asks for nodes that are not there"
        railed = spread and any(name.startswith("openshift.io/") for name in run.devices())
        if railed and "podwright.io/leaf-group" not in wanted:
            yield f"{run.name}: its networks are of one leaf group, and its nodes of any"
    for pool, members in pools(found).items():
        cabled = [node for node in members if "podwright.io/leaf-group" in node]
        if cabled and len(cabled) != len(members):
            yield f"pool {pool}: {len(members) - len(cabled)} nodes are in no leaf group"
