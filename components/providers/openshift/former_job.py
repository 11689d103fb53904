"""Ends the job that a changed one takes the name of, and waits until it is gone.

A Job, a JobSet and a TrainJob cannot change what their members run: the next one has the same name, and is made once
the one before is gone, which is when the last of its pods has stopped. The Kubernetes plugin deletes it in the
foreground and waits for that, but not where it is told not to wait for the end of training either
(`pulumi.com/skipAwait`, pulumi-kubernetes v4.25.0, provider/pkg/await/await.go, Deletion): server-side apply of the
next one would then be a change of the one that is being deleted, which the API server refuses.

One of another kind goes first as well: the engine takes it away at the end alone, so that both would train at once, and
the Service that JobSet made for a set has the name of a Job's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.waited import Waited
from podwright.components.providers.openshift.waiting import few, step_patience
from podwright.components.providers.protocol.kind import Context, ProviderError, Values

REQUIRED: Mapping[str, type] = {"namespace": str, "job": str, "api": str, "resource": str, "stack": str, "digest": str}
KINDS: Final[Mapping[str, str]] = {
    "jobs": "batch/v1", "jobsets": "jobset.x-k8s.io/v1alpha2", "trainjobs": "trainer.kubeflow.org/v1alpha1",
}  # fmt: skip
"""API by resource of what a training job may be. What a controller makes of one has no stack's label."""
BESIDE_GRACE_SECONDS = 300.0
"""More than the longest grace time of its pods: for an API server that is away, and for pods of a lost node, whose
kubelet confirms nothing: five minutes are what a pod tolerates such a node for, unless it says otherwise."""
OWN, MADE_OF = "podwright.io/stack", "podwright.io/made-of"
"""Label of whose a job is, and annotation of its digest (`components/manifests.py`, `design/workloads/former.py`)."""
_MEANWHILE: Final = ("NotFound", "Conflict")
"""Reasons of a refused deletion: somebody else ended it, or another one has its name now. The next look tells."""
Item = Mapping[str, Any]


class FormerJobEndedKind(Waited):
    """``podwright:openshift:FormerJobEnded``: ``{"schema": 1, "namespace", "job", "api": "batch/v1", "resource":
    "jobs", "stack", "digest"}``."""

    token = "podwright:openshift:FormerJobEnded"
    required = REQUIRED
    optional: Mapping[str, type] = {}

    def called(self, inputs: Values) -> str:
        """One of a job."""
        return str(inputs["spec"]["job"])

    async def wait(self, inputs: Values, ctx: Context) -> Values:
        """End what was made of another digest, and wait until it is gone. Raises ProviderError when time is up.

        A job without a digest on it is of a release whose jobs none of this one's can be a change of.
        """
        await _of_other_kinds(inputs, ctx)
        await _Former(inputs, ctx).gone(end=True)
        return inputs

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """The same where the digest is another one: without that the engine makes no next job."""
        del id, outputs
        changed = old_inputs["spec"].get("digest") != inputs["spec"]["digest"]
        await _of_other_kinds(inputs, ctx)
        await _Former(inputs, ctx).gone(end=changed)
        return inputs


async def _of_other_kinds(inputs: Values, ctx: Context) -> None:
    """End what the stack made of another kind, whatever it was made of, and with a Job the Service of its members:
    JobSet makes one for a set where there is none of that name, and would not look again once the engine took it."""
    spec = inputs["spec"]
    for resource, api in KINDS.items():
        if resource != spec["resource"]:
            other = _Former({**inputs, "spec": {**spec, "api": api, "resource": resource, "digest": ""}}, ctx)
            await other.gone(end=True)
    if spec["resource"] != "jobs":
        members = {**spec, "api": "v1", "resource": "services", "digest": ""}
        await _Former({**inputs, "spec": members}, ctx).gone(end=True)


class _Former:
    """What has the name of the next job."""

    def __init__(self, inputs: Values, ctx: Context) -> None:
        self._spec: Mapping[str, Any] = inputs["spec"]
        self._kube, self._ctx = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach)), ctx
        space = f"namespaces/{self._spec['namespace']}"
        self._name = f"{self._spec['namespace']}/{self._spec['job']}"
        root = "/api/v1" if self._spec["api"] == "v1" else f"/apis/{self._spec['api']}"
        self._path = f"{root}/{space}/{self._spec['resource']}/{self._spec['job']}"
        self._pods = f"/api/v1/{space}/pods?labelSelector=app.kubernetes.io%2Fname%3D{self._spec['job']}"

    async def gone(self, *, end: bool) -> None:
        """Wait for what is being deleted; `end`: delete first what is the stack's own and of another digest."""
        patience, grace, last, uid = step_patience(self._ctx, BESIDE_GRACE_SECONDS), 0, "", ""
        while True:
            try:
                job = await self._kube.find(self._path)
                uid = uid or _uid(job)
                if job is None or _uid(job) != uid or not (_leaving(job) or (end and self._is_former(job))):
                    return
                pods = await self._kube.items(self._pods)
                if not _leaving(job):
                    await self._delete(job)
                left = few(sorted(f"{each['metadata']['name']} on {_node(each)}" for each in pods))
                what = f"{left} to stop" if left else "the cluster to take it away"
                if (longest := max(map(_grace, pods), default=0)) > grace:
                    grace, patience = longest, step_patience(self._ctx, longest + BESIDE_GRACE_SECONDS)
            except (KubeError, SilentError) as problem:
                what = f"the cluster to answer ({problem})"
            text = f"the former {self._name} is being ended before the next is made, waiting for {what}"
            if text != last:
                self._ctx.log(text)
                patience.hurry()
                last = text
            await patience.wait(f"{what}: the former {self._name} has to be gone before the next is made")

    def _is_former(self, job: Item) -> bool:
        meta = job["metadata"]
        own = (meta.get("labels") or {}).get(OWN) == self._spec["stack"]
        return bool(own) and (meta.get("annotations") or {}).get(MADE_OF) != self._spec["digest"]

    async def _delete(self, job: Item) -> None:
        """With its pods, and only this one: another one that has its name meanwhile stays. Raises ProviderError."""
        body = {"propagationPolicy": "Foreground", "preconditions": {"uid": _uid(job)}}
        try:
            await self._kube.request("DELETE", self._path, body)
        except KubeError as refused:
            if refused.reason not in _MEANWHILE:
                raise ProviderError(f"{self._name} stays as it is, and runs on: {refused}") from None


def _uid(job: Item | None) -> str:
    return str(job["metadata"]["uid"]) if job else ""


def _leaving(job: Item) -> bool:
    return "deletionTimestamp" in job["metadata"]


def _node(pod: Item) -> str:
    return str((pod.get("spec") or {}).get("nodeName") or "no node")


def _grace(pod: Item) -> int:
    return int((pod.get("spec") or {}).get("terminationGracePeriodSeconds") or 0)
