"""Gangs of a rack: where their members run, what ends one, what is seen of all."""

from __future__ import annotations

import json
from typing import Any

from podwright.components.providers.status.snapshot import Snapshot
from tests.lab.openshift.rack import Rack


def conditions(cluster: Rack, *what: str) -> dict[str, dict[str, Any]]:
    """Conditions of an object by type."""
    return {row["type"]: row for row in (cluster.get(*what) or {}).get("status", {}).get("conditions", [])}


def placed(cluster: Rack, job: str) -> list[str]:
    """Nodes of the job's pods that run."""
    pods = cluster.items("pods", "-n", "research", "-l", f"app.kubernetes.io/name={job}")
    return sorted(pod["spec"]["nodeName"] for pod in pods if pod.get("status", {}).get("phase") == "Running")


def seen(cluster: Rack) -> Snapshot:
    """What `podwright status` reads of gangs."""
    kinds = {"Job": "jobs", "Workload": "workloads.kueue.x-k8s.io", "Pod": "pods", "Namespace": "namespaces",
             "ServiceAccount": "serviceaccounts", "JobSet": "jobsets", "Event": "events",
             "TrainJob": "trainjobs"}  # fmt: skip
    served = cluster.kubectl("api-resources", "-o", "name")
    return Snapshot({kind: tuple(cluster.items(plural, "-A")) for kind, plural in kinds.items() if plural in served})


def members(cluster: Rack, job: str) -> dict[str, str]:
    """Nodes of the pods that run and are not about to go, by their names."""
    pods = cluster.items("pods", "-n", "research", "-l", f"app.kubernetes.io/name={job}")
    kept = (pod for pod in pods if "deletionTimestamp" not in pod["metadata"])
    return {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in kept if pod["status"]["phase"] == "Running"}


def ends_with(cluster: Rack, pod: str, code: int, box: str = "train") -> None:
    """End the program of a container."""
    ended = {"terminated": {"exitCode": code, "reason": "Error", "startedAt": None, "finishedAt": None}}
    state = {"name": box, "image": "x", "imageID": "x", "ready": False, "restartCount": 0, "state": ended}
    status = json.dumps({"status": {"phase": "Failed", "reason": "Error", "containerStatuses": [state]}})
    cluster.kubectl("patch", "pod", pod, "-n", "research", "--subresource=status", "--type=merge", "-p", status)
