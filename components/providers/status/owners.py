"""Workloads with fewer pods than asked for: what stands between the owner and its pods, from live objects."""

from collections.abc import Iterator

from podwright.components.providers.status.snapshot import Object, Snapshot
from podwright.components.providers.status.verdict import Expected, Verdict


def missing(snapshot: Snapshot, wanted: Expected) -> Iterator[Verdict]:
    """One verdict where pods are missing, none otherwise."""
    place = f"{wanted.namespace}/{wanted.name}"
    if snapshot.named("Namespace", wanted.namespace) is None:
        yield _absent(wanted, f"there is no namespace {wanted.namespace}")
        return
    owner = snapshot.named(wanted.kind, wanted.name, wanted.namespace)
    if owner is None:
        yield _absent(wanted, f"there is no {wanted.kind} {place}")
        return
    done = any(c["type"] == "Complete" and c["status"] == "True" for c in owner.get("status", {}).get("conditions", ()))
    makers = [owner] if wanted.kind == "Job" else list(snapshot.owned("ReplicaSet", owner))
    pods = [pod for maker in makers for pod in snapshot.owned("Pod", maker) if _counts(pod)]
    if done or len(pods) >= wanted.pods:
        return
    short = f"{wanted.pods - len(pods)} of {wanted.pods} pods do not exist: "
    yield _absent(wanted, short + (_why(snapshot, wanted, makers) or "their controller has not made them yet"))


def _absent(wanted: Expected, reason: str) -> Verdict:
    return Verdict(wanted.namespace, wanted.name, "Absent", None, reason)


def _counts(pod: Object) -> bool:
    return "deletionTimestamp" not in pod["metadata"] and pod.get("status", {}).get("phase") != "Failed"


def _why(snapshot: Snapshot, wanted: Expected, makers: list[Object]) -> str | None:
    for maker in makers:
        account = maker["spec"]["template"]["spec"].get("serviceAccountName", "default")
        if snapshot.named("ServiceAccount", account, wanted.namespace) is None:
            return f"there is no ServiceAccount {wanted.namespace}/{account}"
    events = [event for maker in makers if (event := _last_event(snapshot, maker))]
    return _quota(events[-1]) if events else None


def _last_event(snapshot: Snapshot, owner: Object) -> str | None:
    """What the controller last complained about."""
    about = [
        event
        for event in snapshot.of("Event")
        if event["involvedObject"].get("uid") == owner["metadata"].get("uid") and event["type"] == "Warning"
    ]
    about.sort(key=lambda event: str(event.get("lastTimestamp") or event.get("eventTime") or ""))
    return str(about[-1]["message"]) if about else None


def _quota(message: str) -> str:
    """The controller's words without the pod's generated name in front."""
    _, found, rest = message.partition(" is forbidden: ")
    return rest if found else message
