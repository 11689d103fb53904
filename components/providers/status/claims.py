"""Claims that a pod waits for: one that is not there, has no volume yet, or whose volume does not come to its node."""

from collections.abc import Iterator

from podwright.components.providers.status import moments
from podwright.components.providers.status.snapshot import Object, Snapshot

_SELECTED = "volume.kubernetes.io/selected-node"
"""Set by the scheduler where a class waits for the first pod: from then on its provisioner has to act."""
_MOUNTING = ("FailedAttachVolume", "FailedMount")
"""Reasons of events by the attach-detach controller and by kubelet (kubernetes/kubernetes, pkg/kubelet/events)."""


def waiting(snapshot: Snapshot, pod: Object) -> Iterator[str]:
    """A sentence for each claim that holds a pod up."""
    meta, spec = pod["metadata"], pod["spec"]
    bound = True
    for volume in spec.get("volumes") or ():
        name = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if name is None:
            continue
        place = f"{meta['namespace']}/{name}"
        claim = snapshot.named("PersistentVolumeClaim", name, meta["namespace"])
        if claim is None:
            yield snapshot.unseen("PersistentVolumeClaim") or f"there is no claim {place}"
        elif (phase := claim.get("status", {}).get("phase", "Pending")) == "Lost":
            yield f"claim {place} is Lost: its volume is gone"
        elif phase != "Bound":
            if reason := _unbound(snapshot, claim):
                yield f"claim {place} is Pending: {reason}"
        else:
            continue
        bound = False
    if bound and spec.get("nodeName") and (event := _last(snapshot, meta.get("uid"), _MOUNTING)):
        yield str(event["message"])


def _unbound(snapshot: Snapshot, claim: Object) -> str | None:
    """Why a claim has no volume; None where it waits for its first pod, which something else holds up."""
    wanted = claim["spec"].get("storageClassName") or ""
    of = snapshot.named("StorageClass", wanted)
    if of is None:
        gone = snapshot.unseen("StorageClass") or f"there is no StorageClass {wanted}"
        return gone if wanted else "it names no StorageClass"
    first = of.get("volumeBindingMode") == "WaitForFirstConsumer"
    if first and _SELECTED not in (claim["metadata"].get("annotations") or {}):
        return None
    event = _last(snapshot, claim["metadata"].get("uid"))
    provisioner = of.get("provisioner")
    return str(event["message"]) if event else f"provisioner {provisioner} of class {wanted} has not made its volume"


def _last(snapshot: Snapshot, uid: object, reasons: tuple[str, ...] = ()) -> Object | None:
    """The last warning about an object."""
    about = (
        each
        for each in snapshot.of("Event")
        if each["involvedObject"].get("uid") == uid
        and each.get("type") == "Warning"
        and (not reasons or each.get("reason") in reasons)
    )
    return moments.last(about, moments.NEVER)
