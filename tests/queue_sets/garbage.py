"""What becomes of the pods of a node that is gone."""

import time
from contextlib import suppress
from typing import Any

from podwright.lab.openshift.api import Api, ApiError, path_of


def collect_pods(api: Api, node: str) -> None:
    """Do as the pod garbage collector does at once, where remediation has marked the node out of service: pods are
    failed and disrupted before they are deleted (kubernetes, pkg/controller/podgc, markFailedAndDeletePod). A Job with
    a failure policy waits for one that is deleted and not failed.
    """
    found = api.get(f"/api/v1/pods?fieldSelector=spec.nodeName%3D{node}") or {"items": []}
    for pod in found["items"]:
        path = path_of("v1", "pods", pod["metadata"]["namespace"], pod["metadata"]["name"])
        if pod["status"].get("phase") in ("Pending", "Running"):
            with suppress(ApiError):  # it went meanwhile
                api.merge(path, {"status": {"phase": "Failed", "conditions": _disrupted(pod)}}, "status")
        api.delete(f"{path}?gracePeriodSeconds=0")


def _disrupted(pod: dict[str, Any]) -> list[dict[str, Any]]:
    """Its conditions with the one by which a Job's failure policy knows that it is not to blame."""
    kept = [row for row in pod["status"].get("conditions", ()) if row["type"] != "DisruptionTarget"]
    target = {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC", "message": "its node is gone"}
    return [*kept, {**target, "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}]
