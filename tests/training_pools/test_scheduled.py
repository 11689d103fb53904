"""The real controllers and the real scheduler on nodes of the table's cluster: what comes to run on training nodes.

Nodes are objects alone. Drawn pods are made by what makes them on a cluster: a Deployment by an administrator, the pods
of it by its controller.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from podwright.lab.openshift.api import Api, ApiError, path_of
from tests.platforms.nodes import Node
from tests.platforms.planned import Object
from tests.platforms.scheduled import join
from tests.training_pools import cluster as clusters
from tests.training_pools import placed, spelled
from tests.training_pools.cluster import Cluster
from tests.training_pools.drawn import SPACES, drawn
from tests.waiting import until

pytestmark = pytest.mark.rough
SEED = os.environ.get("PODWRIGHT_PODS_SEED", "")
COUNT = 400 if SEED else 40
_PLURALS: Final = {
    "Pod": "pods", "Deployment": "deployments", "ReplicaSet": "replicasets", "StatefulSet": "statefulsets",
    "DaemonSet": "daemonsets", "Job": "jobs",
}  # fmt: skip
_MARK: Final = "drawn"
_ROOM: Final = {"pods": 1000, "cpu": 1_000_000, "memory": 1_000_000, "nvidia.com/gpu": 10_000}


def _rows() -> list[tuple[str, spelled.Row]]:
    """Pods of kinds that the lab's control plane makes, and training as the table has it, each under its own name."""
    found = (drawn(f"{SEED}/scheduled/{number}") for number in range(COUNT * 10))
    by_lot = [each for each in found if each.kind in _PLURALS][:COUNT]
    written = [each for each in spelled.rows() if each.kind == "Job" and each.verdict == "lawful"]
    return [(f"row-{at}", row) for at, row in enumerate([*by_lot, *written])]


def _object(name: str, row: spelled.Row) -> Object:
    made = spelled.planned(row)
    made["metadata"] |= {"name": name, "labels": {_MARK: name}}
    if row.kind == "Pod":
        return made
    template = made["spec"]["template"]
    template["metadata"] = {"labels": {_MARK: name}}
    if row.kind == "Job":
        template["spec"] = {**template["spec"], "restartPolicy": "Never"}
        return made
    made["spec"] |= {"selector": {"matchLabels": {_MARK: name}}}
    return made


def _make(running: Cluster, name: str, row: spelled.Row) -> bool:
    """Whether the API server takes the object; of a bare pod a tenant makes it."""
    made = _object(name, row)
    api = running.of(spelled.TENANT) if row.kind == "Pod" else running.api
    try:
        api.create(path_of(made["apiVersion"], _PLURALS[row.kind], row.namespace), made)
    except ApiError as problem:
        assert any(words in str(problem) for words in clusters.WORDS), (row, problem)
        return False
    return True


def _pods(api: Api) -> dict[str, list[Object]]:
    found: dict[str, list[Object]] = {}
    for each in (api.get(f"/api/v1/pods?labelSelector={_MARK}") or {"items": []})["items"]:
        found.setdefault(each["metadata"]["labels"][_MARK], []).append(each)
    return found


def _refused(api: Api, names: set[str]) -> set[str]:
    """Objects whose controller could make no pod, by its events."""
    events = (api.get("/api/v1/events?fieldSelector=reason%3DFailedCreate") or {"items": []})["items"]
    about = {str(each["involvedObject"]["name"]) for each in events}
    return {name for name in names if any(each == name or each.startswith(f"{name}-") for each in about)}


def _settled(api: Api, names: set[str]) -> bool:
    pods = _pods(api)
    waiting = names - pods.keys() - _refused(api, names)
    looked = all(
        each["spec"].get("nodeName")
        or any(row["type"] == "PodScheduled" for row in each["status"].get("conditions", []))
        for rows in pods.values()
        for each in rows
    )
    return not waiting and looked


def test_no_pod_by_lot_is_bound_to_a_training_node_unlawfully_and_training_is(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    with clusters.running(tmp_path / "rack", set(SPACES)) as running:
        for node in placed.NODES:
            taints = [{"key": key, "value": value, "effect": "NoSchedule"} for key, value in node.taints]
            join(running.api, Node(node.name, node.labels, taints, Counter(_ROOM)))
        rows = dict(_rows())
        made = {name for name, row in rows.items() if _make(running, name, row)}
        # A DaemonSet may want a pod on no node, and does not report it.
        awaited = {name for name in made if rows[name].kind != "DaemonSet"}
        until(lambda: _settled(running.api, awaited), 60, "every pod is bound, waits or was refused", pause=0.5)
        pods = _pods(running.api)
        for name, row in rows.items():
            nodes = {str(each["spec"].get("nodeName") or "") for each in pods.get(name, [])}
            there = bool(nodes & placed.TRAINING)
            assert not there or placed.may_train_there(row), (row, nodes)
            right = placed.class_is_right(row) and placed.names_its_purpose(row)
            if placed.trains(row) and right and placed.nodes(row.pod) & placed.TRAINING:
                assert there, (row, pods.get(name))
                counts["training"] += 1
            counts["there"] += there
            counts["refused"] += name not in pods
    assert counts["training"] and counts["there"] and counts["refused"] > COUNT / 5, counts
