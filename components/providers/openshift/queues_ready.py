"""Waits until Kueue looks after JobSets, and TrainJobs, so that no queue and no set is written before it does.

Its operator starts Kueue anew for another configuration, and says Available all the while: until the new process
answers, every write that Kueue's webhooks see is refused, and a set that the old one lets pass starts beside queues.
Kueue suspends a set that names a queue when it is made. Asking the API server, by dry run, for one tells whether it
does (kubernetes-sigs/kueue, pkg/controller/jobs/jobset/jobset_webhook.go, .../trainjob/trainjob_webhook.go).
"""

from __future__ import annotations

from collections.abc import Mapping

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.waited import Waited
from podwright.components.providers.openshift.waiting import step_patience
from podwright.components.providers.protocol.kind import Context, Values

REQUIRED: Mapping[str, type] = {"namespace": str, "queue": str, "configuration": dict}
PATIENCE = 600.0
"""Seconds for a new configuration to be in force: images are pulled, and two replicas follow one another."""
IN_A_ROW = 3
"""Answers that must be right one after another: the process that goes may still be asked in between."""


class QueuesReadyKind(Waited):
    """``podwright:openshift:QueuesReady``: ``{"schema": 1, "namespace", "queue", "configuration"}``; with ``runtime``,
    a ClusterTrainingRuntime, it asks about TrainJobs too. For another configuration Kueue starts anew."""

    token = "podwright:openshift:QueuesReady"
    required = REQUIRED
    optional: Mapping[str, type] = {"runtime": str}

    def called(self, inputs: Values) -> str:
        """One of a cluster."""
        del inputs
        return "queues"

    async def wait(self, inputs: Values, ctx: Context) -> Values:
        """Until a set of the namespace would be suspended."""
        await _until_answered(inputs, ctx)
        return inputs


async def _until_answered(inputs: Values, ctx: Context) -> None:
    patience, right, what = step_patience(ctx, PATIENCE), 0, ""
    while True:
        wrong = await why_not(inputs, ctx)
        right = 0 if wrong else right + 1
        if right == IN_A_ROW:
            return
        if wrong and wrong != what:
            ctx.log(f"waiting for Kueue to look after JobSets: {wrong}")
            what = wrong
        if not wrong:
            patience.hurry()
        await patience.wait(f"Kueue to look after JobSets{f' ({wrong})' if wrong else ''}")


async def why_not(inputs: Values, ctx: Context) -> str:
    """Why a set, or a TrainJob, would not wait; empty where both would."""
    spec = inputs["spec"]
    kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
    asked = [("a set", "jobset.x-k8s.io/v1alpha2", "jobsets", "JobSet", _set())]
    if runtime := spec.get("runtime"):
        asked.append(("a TrainJob", "trainer.kubeflow.org/v1alpha1", "trainjobs", "TrainJob", _train_job(str(runtime))))
    labels = {"kueue.x-k8s.io/queue-name": str(spec["queue"])}
    meta = {"name": "podwright-probe", "namespace": str(spec["namespace"]), "labels": labels}
    for what, version, plural, kind, own in asked:
        path = f"/apis/{version}/namespaces/{spec['namespace']}/{plural}?dryRun=All"
        try:
            made = await kube.request(
                "POST", path, {"apiVersion": version, "kind": kind, "metadata": meta, "spec": own}
            )
        except (KubeError, SilentError) as problem:
            return str(problem)
        if not made["spec"].get("suspend"):
            return f"{what} that names a queue would start at once"
    return ""


def _set() -> dict[str, object]:
    """A set that takes nothing; it is never made."""
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "probe", "image": "probe"}]}}
    return {"replicatedJobs": [{"name": "probe", "template": {"spec": {"template": template}}}]}


def _train_job(runtime: str) -> dict[str, object]:
    """A job of a runtime that is there; it is never made."""
    return {"runtimeRef": {"apiGroup": "trainer.kubeflow.org", "kind": "ClusterTrainingRuntime", "name": runtime}}
