"""Pods whose node refuses their image: why, as CRI-O has it, and what decides about it."""

from collections.abc import Iterator

from podwright.components.providers.status.snapshot import Object

REFUSED = "SignatureValidationFailed"
"""What CRI-O calls each refusal by policy, and kubelet a container that waits for one
(https://github.com/kubernetes/cri-api/blob/v0.33.0/pkg/errors/errors.go)."""
_BY_LIST = "is rejected by policy"
"""Of an image that no scope of policy.json has (containers/image, signature/policy_eval_simple.go)."""
_REASON = "Source image rejected: "


def refused(pod: Object) -> Iterator[str]:
    """One phrase for each image that the pod's node does not run; right after a try, and while it backs off."""
    status = pod.get("status") or {}
    rows = [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]
    for image, text in dict.fromkeys(found for row in rows if (found := _waiting(row))):
        if _BY_LIST in text:
            yield f"{image} is of no registry in openshift.images.allowed_registries"
        else:
            _, marked, why = text.partition(_REASON)
            yield f"no signature of {image} is accepted (openshift.images.signatures): {why if marked else text}"


def _waiting(row: Object) -> tuple[str, str] | None:
    waiting = ((row.get("state") or {}).get("waiting")) or {}
    text = str(waiting.get("message") or "")
    by_policy = waiting.get("reason") == REFUSED or REFUSED in text
    return (str(row.get("image") or row.get("name")), text or REFUSED) if by_policy else None
