"""Workloads with fewer pods than asked for: what stands between the owner and its pods, from live objects."""

from collections.abc import Iterator
from typing import Final

from podwright.components.providers.openshift.conditions import conditions, is_true
from podwright.components.providers.status import constraints, moments, queues, sets
from podwright.components.providers.status.snapshot import Object, Snapshot
from podwright.components.providers.status.verdict import Expected, Verdict

_CHAINS: Final = {
    "Deployment": ("Deployment", "ReplicaSet"),
    "Job": ("Job",),
    "JobSet": ("JobSet", "Job"),
    "TrainJob": ("TrainJob", "JobSet", "Job"),
}
"""Kinds between a workload and its pods, by the kind of the workload."""


def missing(snapshot: Snapshot, wanted: Expected) -> Iterator[Verdict]:
    """One verdict where pods are missing; none otherwise, and none where nobody can say whose the pods are."""
    place = f"{wanted.namespace}/{wanted.name}"
    if snapshot.named("Namespace", wanted.namespace) is None:
        yield _absent(wanted, f"there is no namespace {wanted.namespace}")
        return
    if snapshot.unseen(*_CHAINS[wanted.kind]):
        return
    owner = snapshot.named(wanted.kind, wanted.name, wanted.namespace)
    if owner is None:
        yield _absent(wanted, f"there is no {wanted.kind} {place}")
        return
    done = is_true(owner, "Complete") or is_true(owner, "Completed")
    if wanted.kind in ("Job", "JobSet", "TrainJob") and (found := queues.waiting(snapshot, owner)) is not None:
        yield found
        return
    if is_true(owner, "Failed"):
        yield Verdict(wanted.namespace, wanted.name, "Failed", None, f"it was given up: {_failed(snapshot, owner)}")
        return
    own = next(snapshot.owned("JobSet", owner), None) if wanted.kind == "TrainJob" else owner
    if own is None:
        yield _absent(wanted, sets.not_made(snapshot, owner))
        return
    kind = "JobSet" if wanted.kind == "TrainJob" else wanted.kind
    kinds = {"JobSet": "Job", "Deployment": "ReplicaSet"}
    makers = list(snapshot.owned(kinds[kind], own)) if kind in kinds else [own]
    pods = [pod for maker in makers for pod in snapshot.owned("Pod", maker) if _counts(pod)]
    asked = queues.admitted(owner, wanted.pods)
    again = sets.again(own) if kind == "JobSet" else _fewer(asked, wanted.pods)
    if done or len(pods) >= asked:
        if again:
            yield Verdict(wanted.namespace, wanted.name, "Succeeded" if done else "Running", None, again)
        return
    short = f"{asked - len(pods)} of {asked} pods do not exist: "
    why = _why(snapshot, wanted, makers, own) or "their controller has not made them yet"
    yield _absent(wanted, "; ".join(filter(None, (short + why, again))))


def _fewer(asked: int, nodes: int) -> str:
    """That a job was started with fewer members than it has; empty where it has all."""
    room = "its queue had room for no more when it started, and it gets no more until it starts anew"
    return f"runs with {asked} of {nodes} members: {room}" if asked < nodes else ""


def _failed(snapshot: Snapshot, job: Object) -> str:
    """Why Kubernetes has ended a job, and which members had failed by then."""
    if "replicatedJobs" in job["spec"] or "runtimeRef" in job["spec"]:
        return sets.failed(snapshot, job)
    words = str(conditions(job)["Failed"].get("message") or "its controller gives no reason")
    indexes = job["status"].get("failedIndexes")
    return f"{words} (members that failed: {indexes})" if indexes else words


def _absent(wanted: Expected, reason: str) -> Verdict:
    return Verdict(wanted.namespace, wanted.name, "Absent", None, reason)


def _counts(pod: Object) -> bool:
    return "deletionTimestamp" not in pod["metadata"] and pod.get("status", {}).get("phase") != "Failed"


def _why(snapshot: Snapshot, wanted: Expected, makers: list[Object], owner: Object) -> str | None:
    accounts = [maker["spec"]["template"]["spec"].get("serviceAccountName", "default") for maker in makers]
    for account in accounts:
        known = snapshot.named("ServiceAccount", account, wanted.namespace) is not None
        if not known and not snapshot.unseen("ServiceAccount"):
            return f"there is no ServiceAccount {wanted.namespace}/{account}"
    quotas = [each for each in snapshot.of("ResourceQuota") if each["metadata"].get("namespace") == wanted.namespace]
    # A quota that was raised since, or an owner that was changed, is what its controller has not tried with yet.
    since = max((moments.changed(each) for each in (*makers, *quotas)), default=moments.NEVER)
    about = {
        maker["metadata"].get("uid") for maker in (*makers, *([owner] if wanted.kind in ("JobSet", "TrainJob") else []))
    }
    event = moments.last((each for each in snapshot.of("Event") if _warns(each, about)), since)
    if event is None:
        return None
    words = str(event["message"])
    return constraints.refusal(words, f"{wanted.namespace}/{accounts[0]}") or _quota(words)


def _warns(event: Object, about: set[object]) -> bool:
    return event["involvedObject"].get("uid") in about and event.get("type") == "Warning"


def _quota(message: str) -> str:
    """The controller's words without the pod's generated name in front."""
    _, found, rest = message.partition(" is forbidden: ")
    return rest if found else message
