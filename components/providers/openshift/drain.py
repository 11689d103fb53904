"""Cordon, drain, uncordon: emptying a node the way `kubectl drain` does, without breaking a disruption budget.

The annotation on a cordoned node says that the cordon is ours; a person's cordon is respected and left in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.openshift.homeless import Homeless
from podwright.components.providers.openshift.kube import Kube, KubeError
from podwright.components.providers.openshift.waiting import NODES, step_patience
from podwright.components.providers.protocol.kind import Context, ProviderError

CORDONED = "podwright.io/cordoned"
DRAIN_SECONDS = 1800.0
EXCLUDED = "remediation.medik8s.io/exclude-from-remediation"
"""Label of a node that the Node Health Check Operator gives up in no case, however long it is away
(medik8s/node-healthcheck-operator, isNodeRemediationExcluded)."""
_EXCLUDES = "podwright.io/excluded-from-remediation"
"""Annotation beside the label: it is ours, and goes with the cordon."""
_CHECKS = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks"
MIRROR = "kubernetes.io/config.mirror"
"""Annotation of static pods: the API cannot evict them."""


async def cordon(kube: Kube, name: str) -> None:
    """Take no new pods. A node that somebody else cordoned is left to them.

    It may be away for half an hour from now on: where silent nodes are given up, this one is not.
    """
    node = await kube.get(f"{NODES}/{name}")
    if (node.get("spec") or {}).get("unschedulable"):
        return
    change: dict[str, Any] = {"metadata": {"annotations": {CORDONED: "yes"}}, "spec": {"unschedulable": True}}
    if EXCLUDED not in ((node.get("metadata") or {}).get("labels") or {}) and await kube.find(_CHECKS) is not None:
        change["metadata"]["annotations"][_EXCLUDES] = "yes"
        change["metadata"]["labels"] = {EXCLUDED: "true"}
    await kube.merge(f"{NODES}/{name}", change)


async def uncordon(kube: Kube, name: str, annotations: Mapping[str, str | None] | None = None) -> None:
    """Take pods again, if the cordon is ours; `annotations` are set in the same write."""
    node = await kube.get(f"{NODES}/{name}")
    existing: Mapping[str, Any] = (node.get("metadata") or {}).get("annotations") or {}
    change: dict[str, Any] = {"metadata": {"annotations": dict(annotations or {})}}
    if CORDONED in existing:
        change["metadata"]["annotations"][CORDONED] = None
        change["spec"] = {"unschedulable": None}
    if _EXCLUDES in existing:
        change["metadata"]["annotations"][_EXCLUDES] = None
        change["metadata"]["labels"] = {EXCLUDED: None}
    await kube.merge(f"{NODES}/{name}", change)


def is_excluded_by_us(node: Mapping[str, Any]) -> bool:
    """Whether a cordon of this program put the label `EXCLUDED` on a node."""
    return _EXCLUDES in ((node.get("metadata") or {}).get("annotations") or {})


async def drain(
    kube: Kube, name: str, ctx: Context, seconds: float = DRAIN_SECONDS, homeless: Homeless | None = None
) -> None:
    """Evict every pod that can go and wait until it is gone.

    DaemonSet and static pods stay. Budgets are honoured, but for pods that `homeless` says can run nowhere. Raises
    ProviderError after `seconds`, naming the pods that are left and the PodDisruptionBudget that holds them.
    """
    patience = step_patience(ctx, seconds)
    while True:
        left = await _evictable(kube, name)
        if not left:
            return
        blocking = [(pod, holder) for pod in left if (holder := await _evict(kube, pod)) is not None]
        reasons = await homeless.why([pod for pod, _ in blocking]) if homeless is not None else [""] * len(blocking)
        blocked = []
        for (pod, holder), why in zip(blocking, reasons, strict=True):
            if not why:
                blocked.append(holder)
                continue
            meta = pod["metadata"]
            ctx.warn(f"{meta['namespace']}/{meta['name']} goes although held by {holder}: it {why}")
            await kube.remove(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}")
        names = ", ".join(f"{p['metadata']['namespace']}/{p['metadata']['name']}" for p in left[:3])
        note = f"{len(left)} pods left ({names}{' …' if len(left) > 3 else ''})"
        if blocked:
            note += f"; held by {blocked[0]}"
        ctx.log(f"{name}: draining, {note}")
        await patience.wait(f"{name} to drain: {note}")


async def _evictable(kube: Kube, name: str) -> list[dict[str, Any]]:
    listed = await kube.get(f"/api/v1/pods?fieldSelector=spec.nodeName%3D{name}")
    return [pod for pod in listed.get("items") or [] if not _stays(pod)]


def _stays(pod: Mapping[str, Any]) -> bool:
    meta = pod["metadata"]
    owners = meta.get("ownerReferences") or []
    done = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    daemon = any(owner.get("kind") in ("DaemonSet", "Node") for owner in owners)
    return done or daemon or MIRROR in (meta.get("annotations") or {})


async def _evict(kube: Kube, pod: Mapping[str, Any]) -> str | None:
    """Ask for an eviction. Returns who holds the pod, None when it is on its way."""
    meta = pod["metadata"]
    if meta.get("deletionTimestamp"):
        return None
    path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}/eviction"
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": meta["name"], "namespace": meta["namespace"]},
        # Without this a pod of the same name that took its place would be evicted too.
        "deleteOptions": {"preconditions": {"uid": meta.get("uid")}},
    }
    try:
        await kube.request("POST", path, body)
    except KubeError as refused:
        if refused.status in (404, 409):
            return None
        if refused.status == 429:
            return await _holder(kube, meta, refused)
        raise ProviderError(f"{meta['namespace']}/{meta['name']} cannot be evicted: {refused.message}") from None
    return None


async def _holder(kube: Kube, meta: Mapping[str, Any], refused: KubeError) -> str:
    """The budget that covers a pod, by name; the server's own words where none can be found."""
    listed = await kube.find(f"/apis/policy/v1/namespaces/{meta['namespace']}/poddisruptionbudgets")
    labels: Mapping[str, str] = meta.get("labels") or {}
    for budget in (listed or {}).get("items") or []:
        wanted = ((budget.get("spec") or {}).get("selector") or {}).get("matchLabels") or {}
        spare = (budget.get("status") or {}).get("disruptionsAllowed", 0)
        if wanted and not spare and all(labels.get(key) == value for key, value in wanted.items()):
            return f"PodDisruptionBudget {meta['namespace']}/{budget['metadata']['name']}"
    return refused.message
