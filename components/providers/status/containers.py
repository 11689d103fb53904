"""Containers that do not come up, whatever their pod's phase is: kubelet's word for it, and why.

A pod one of whose containers ends again and again is Running to Kubernetes
(https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase).
"""

from typing import Any, Final

from podwright.components.providers.status.snapshot import Object

_UNWELL: Final = frozenset(
    {"CrashLoopBackOff", "CreateContainerConfigError", "CreateContainerError", "RunContainerError"}
)
"""Reasons of a container that waits for something to be put right (kubernetes/kubernetes, pkg/kubelet/container/
sync_result.go and pkg/kubelet/kuberuntime/kuberuntime_container.go). Images that are not pulled have reasons of their
own, and pods that are being started others."""
_LONGEST: Final = 300
"""Characters of a reason."""


def unwell(pod: Object) -> tuple[str, str] | None:
    """State and reason of the first container that does not come up; None where all do."""
    if "deletionTimestamp" in pod["metadata"]:
        return None
    for row in (pod.get("status") or {}).get("containerStatuses") or ():
        waits = (row.get("state") or {}).get("waiting") or {}
        if waits.get("reason") in _UNWELL:
            return str(waits["reason"]), _reason(row, waits)
    return None


def _reason(row: Object, waits: Any) -> str:
    """Why it ended, in its own last words where it left some; why it was not made."""
    last = (row.get("lastState") or {}).get("terminated") or {}
    if not last:
        return f"container {row['name']}: {waits.get('message') or 'it was not made'}"
    words = str(last.get("message") or "").strip().rpartition("\n")[2][:_LONGEST]
    times = f"container {row['name']} has ended {row.get('restartCount', 0)} times"
    return f"{times}, with exit code {last.get('exitCode')}" + (f": {words}" if words else "")
