"""Looks at the jobs of a team's queue before the queue is deleted: those of others are named, and nothing is deleted.

Kueue lets a ClusterQueue go once none of its jobs has GPUs of it any more (finalizer `resource-in-use`;
kubernetes-sigs/kueue, pkg/controller/core/clusterqueue_controller.go, Reconcile). Jobs of the stack go with it; for one
that somebody else made a deletion would wait ten minutes for its end, and then fail without its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from podwright.components.providers.openshift.conditions import is_true
from podwright.components.providers.openshift.former_job import KINDS, OWN
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.waited import Waited
from podwright.components.providers.openshift.waiting import few
from podwright.components.providers.protocol.kind import Context, ProviderError, Values

REQUIRED: Mapping[str, type] = {"queue": str, "stack": str}
WORKLOADS: Final = "/apis/kueue.x-k8s.io/v1beta2/workloads"
"""What Kueue has of each job, in the job's namespace."""
Item = Mapping[str, Any]


class QueueInUseKind(Waited):
    """``podwright:openshift:QueueInUse``: ``{"schema": 1, "queue", "stack"}``. Only its deletion does anything."""

    token = "podwright:openshift:QueueInUse"
    required = REQUIRED
    optional: Mapping[str, type] = {}

    def called(self, inputs: Values) -> str:
        """One of a queue."""
        return str(inputs["spec"]["queue"])

    async def wait(self, inputs: Values, ctx: Context) -> Values:
        """A queue that stays may be used."""
        del ctx
        return inputs

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Raises ProviderError with the jobs that others run from the queue. An API that is silent names none: then
        the queue, which is deleted next, says so."""
        del outputs
        kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
        try:
            found = await _foreign(kube, inputs["spec"])
        except (KubeError, SilentError) as problem:
            ctx.warn(f"jobs of queue {id} cannot be read ({problem})")
            return
        if found:
            first = found[0]
            raise ProviderError(
                f"queue {id} cannot be deleted while jobs run from it that this stack did not make: {few(found)}. Wait "
                f"until they have ended, or delete them (`oc delete {first.partition(' ')[0]} -n "
                f"{first.partition(' of ')[2]}`), and run again"
            )


async def _foreign(kube: Kube, spec: Mapping[str, Any]) -> list[str]:
    """Jobs of the queue that others made and that have GPUs of it, in words: `job/mine of vision`."""
    found = []
    for each in await kube.items(WORKLOADS):
        admission = (each.get("status") or {}).get("admission") or {}
        if admission.get("clusterQueue") != spec["queue"] or is_true(each, "Finished") or _leaving(each):
            continue
        space = each["metadata"]["namespace"]
        kind, name, foreign = await _owner(kube, each, spec)
        if foreign:
            found.append(f"{kind}/{name} of {space}")
    return sorted(found)


async def _owner(kube: Kube, workload: Item, spec: Mapping[str, Any]) -> tuple[str, str, bool]:
    """Kind and name of what a workload stands for, and whether it is somebody else's and stays."""
    meta = workload["metadata"]
    owners = [each for each in meta.get("ownerReferences") or () if each.get("controller")]
    if not owners:
        return "workload", str(meta["name"]), True
    kind, name = str(owners[0]["kind"]).lower(), str(owners[0]["name"])
    if f"{kind}s" not in KINDS:
        return kind, name, True
    live = await kube.find(f"/apis/{KINDS[f'{kind}s']}/namespaces/{meta['namespace']}/{kind}s/{name}")
    if live is None or live["metadata"]["uid"] != owners[0]["uid"] or _leaving(live):
        return kind, name, False
    return kind, name, (live["metadata"].get("labels") or {}).get(OWN) != spec["stack"]


def _leaving(item: Item) -> bool:
    return "deletionTimestamp" in item["metadata"]
