"""Jobs that wait in a queue: what Kueue says of them."""

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.status.snapshot import Object, Snapshot
from podwright.components.providers.status.verdict import WAITS, Verdict

QUEUE = "kueue.x-k8s.io/queue-name"
NEVER = frozenset({"Inadmissible", "Misconfigured", "NoMatchingFlavor", "ExceedsMaxQuota", "Suspended"})
"""Reasons of a workload that no waiting helps: the first is 0.19's, the others are those that come with the gate
UnadmittedWorkloadsObservability (kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2/workload_types.go)."""


def waiting(snapshot: Snapshot, job: Object) -> Verdict | None:
    """The verdict about a job that is suspended in its queue; None for one that is not.

    A job that waits is as planned. One that its queue cannot admit is not.
    """
    meta = job["metadata"]
    queue = (meta.get("labels") or {}).get(QUEUE)
    if queue is None or not job["spec"].get("suspend"):
        return None
    place = f"{meta['namespace']}/{queue}"
    workload = next(snapshot.owned("Workload", job), None)
    if workload is None:
        return Verdict(meta["namespace"], meta["name"], "Absent", None, f"in queue {place}, and Kueue has not seen it")
    reserved = conditions(workload).get("QuotaReserved") or {}
    words = str(reserved.get("message") or "Kueue has not looked at it yet")
    if reserved.get("reason") in NEVER:
        return Verdict(meta["namespace"], meta["name"], "Absent", None, f"queue {place} cannot admit it: {words}")
    return Verdict(meta["namespace"], meta["name"], WAITS, None, f"waits in queue {place}: {words}")
