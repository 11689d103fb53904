"""Waits until Kubeflow Trainer and Kueue know a runtime, so that no TrainJob of it is refused.

The webhooks of both look a job's runtime up in what their processes have watched so far, and refuse a job whose runtime
they have not heard of yet (kubeflow/trainer v2.3.0, pkg/runtime/core/trainingruntime.go, ValidateObjects, 2.1.0 alike;
kubernetes-sigs/kueue v0.19.2, pkg/controller/jobs/trainjob, validateTopologyRequest). A job that is applied right
behind its runtime may come too early. By dry run the API server is asked for such a job.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.waited import Waited
from podwright.components.providers.openshift.waiting import step_patience
from podwright.components.providers.protocol.kind import Context, Values

REQUIRED: Mapping[str, type] = {"namespace": str, "runtime": str}
PATIENCE = 120.0
"""Seconds: a watch brings an object within one; a Trainer that starts anew takes up to a minute."""
_NOT_YET: Final = ('"{}" not found', "runtime '{}' not found", "failed calling webhook")
"""Words of a refusal that time mends, of Trainer, of Kueue, of the API server; `{}` is the runtime's name."""


class RuntimeKnownKind(Waited):
    """``podwright:openshift:RuntimeKnown``: ``{"schema": 1, "namespace", "runtime"}``; with ``queue``, the LocalQueue
    that its jobs wait in."""

    token = "podwright:openshift:RuntimeKnown"
    required = REQUIRED
    optional: Mapping[str, type] = {"queue": str}

    def called(self, inputs: Values) -> str:
        """The runtime."""
        return str(inputs["spec"]["runtime"])

    async def wait(self, inputs: Values, ctx: Context) -> Values:
        """Until no job is refused for its runtime."""
        patience = step_patience(ctx, PATIENCE)
        while why := await unknown(inputs, ctx):
            await patience.wait(f"runtime {self.called(inputs)} to be known to all webhooks of TrainJobs ({why})")
        return inputs


async def unknown(inputs: Values, ctx: Context) -> str:
    """Why a job would be refused for its runtime; empty where it would not. Whatever else is refused in it, the job's
    own write tells."""
    spec = inputs["spec"]
    kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
    labels = {"kueue.x-k8s.io/queue-name": str(spec["queue"])} if "queue" in spec else {}
    job = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "podwright-probe", "namespace": str(spec["namespace"]), "labels": labels},
        "spec": {
            "runtimeRef": {"apiGroup": "trainer.kubeflow.org", "kind": "TrainingRuntime", "name": str(spec["runtime"])}
        },
    }
    path = f"/apis/{job['apiVersion']}/namespaces/{spec['namespace']}/trainjobs?dryRun=All"
    try:
        await kube.request("POST", path, job)
    except SilentError as problem:
        return str(problem)
    except KubeError as problem:
        return str(problem) if any(each.format(spec["runtime"]) in str(problem) for each in _NOT_YET) else ""
    return ""
