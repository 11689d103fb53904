"""From the operator's object to the configuration that Kueue starts with.

After openshift/kueue-operator release-1.3, pkg/configmap/configmap.go. What differs is how the process is reached: its
ports, its certificate, and no election among one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

NAMESPACE = "openshift-kueue-operator"
FRAMEWORKS = {
    "BatchJob": "batch/job",
    "JobSet": "jobset.x-k8s.io/jobset",
    "TrainJob": "trainer.kubeflow.org/trainjob",
}
"""Those that the lab has the kinds and webhooks of, by the operator's word."""
READY_SECONDS = 300
"""`waitForPodsReady.timeout`: the operator's own figure, which nothing in its object changes. A world's
`timing.kueue_ready_seconds` is the lab's, for drills that cannot wait for it. So is `timing.kueue_requeue_seconds`, for
which a job waits that was stopped for that, twice as long each time; Kueue's own figure is 60."""


def frameworks(config: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Kueue's names of the integrations, and those of the object that the lab does not have."""
    asked = list((config.get("integrations") or {}).get("frameworks") or ())
    known = [FRAMEWORKS[each] for each in asked if each in FRAMEWORKS]
    return known, [each for each in asked if each not in FRAMEWORKS]


def configuration(
    config: Mapping[str, Any], certificates: Path, ports: Mapping[str, int], timing: Mapping[str, float]
) -> dict[str, Any]:
    """Kueue's Configuration of `spec.config`; `ports` of `health` and `webhook`, `timing` of the world."""
    policy = (config.get("gangScheduling") or {}).get("policy")
    by_workload = (config.get("gangScheduling") or {}).get("byWorkload") or {}
    seconds = timing.get("kueue_ready_seconds", READY_SECONDS)
    waits: dict[str, Any] = {
        "timeout": f"{seconds:.0f}s", "blockAdmission": by_workload.get("admission") == "Sequential",
    }  # fmt: skip
    if "kueue_requeue_seconds" in timing:
        waits["requeuingStrategy"] = {"backoffBaseSeconds": int(timing["kueue_requeue_seconds"])}
    fair = (config.get("preemption") or {}).get("preemptionPolicy") == "FairSharing"
    strategies = {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "namespace": NAMESPACE,
        "health": {"healthProbeBindAddress": f"127.0.0.1:{ports['health']}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": ports["webhook"], "certDir": str(certificates)},
        "leaderElection": {"leaderElect": False},
        "clientConnection": {"qps": 300, "burst": 500},
        "integrations": {"frameworks": frameworks(config)[0]},
        "managedJobsNamespaceSelector": {"matchLabels": {"kueue.openshift.io/managed": "true"}},
        "manageJobsWithoutQueueName": (config.get("workloadManagement") or {}).get("labelPolicy") == "None",
        **({"waitForPodsReady": waits} if policy == "ByWorkload" else {}),
        **({"fairSharing": strategies} if fair else {}),
    }
