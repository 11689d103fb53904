"""A training job as a TrainJob of Kubeflow Trainer: a runtime that has the whole set, and the job that names it.

Sources: kubeflow/trainer v2.3.0 (what the lab runs) and red-hat-data-services/trainer, branch rhoai-3.4, which is
Trainer 2.1.0: every field that is written here means the same in both. pkg/runtime/core/trainingruntime.go (what of a
runtime becomes the JobSet), pkg/webhooks (what a trainer's Job must have), pkg/runtime/framework/plugins (what they
add).

The runtime is a TrainingRuntime in the team's namespace: it names the team's claims, attachments and account, and a
ClusterTrainingRuntime would show them to everybody, and offer them to every team's TrainJobs. OpenShift AI's roles let
members read runtimes; changing one takes its role training-admin (manifests/rhoai/kubeflow-training-roles.yaml).

Its policy is `numNodes` alone, without `torch`: that plugin writes PET_MASTER_ADDR, PET_NODE_RANK and others into the
container, a second rendezvous beside the one that the command or the variables have, by a name that is asked of DNS.
"""

from collections.abc import Mapping
from typing import Any, Final

from podwright.components.design.compute import digest
from podwright.components.design.platform.names import QUEUE_LABEL, Manifest
from podwright.components.design.workloads import sets
from podwright.components.model.workloads import SETS

API: Final = "trainer.kubeflow.org/v1alpha1"
NODE: Final = SETS["trainjob"]
"""Name of the Job and of the container of what trains: what Trainer's webhook, its SDK and OpenShift AI look for."""
STEP: Final = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
"""Label of the Job that trains, beside those that would fetch data and a model."""


def planned(
    meta: Mapping[str, Any], waits: Mapping[str, str], labels: Mapping[str, str], job: Mapping[str, Any], restarts: int
) -> tuple[Manifest, Manifest]:
    """The runtime, then the job of it. `waits` are labels of the TrainJob, a queue's among them, `labels` and `job` the
    labels and the spec of the Job of all members.

    A runtime has another name when anything in it is another: a job that runs keeps what it was made of, and Kueue
    compares it with its runtime all the while (kueue, pkg/controller/jobs/trainjob: getChildJobSet); what a job is made
    of cannot change, so that it is made again.
    """
    own = sets.spec(str(meta["name"]), NODE, {**labels, **STEP}, job, restarts)
    spec = {"mlPolicy": {"numNodes": job["completions"]}, "template": {"spec": own}}
    name = f"{meta['name']}-{digest(spec)[:8]}"
    ref = {"apiGroup": API.partition("/")[0], "kind": "TrainingRuntime", "name": name}
    return (
        {
            "apiVersion": API,
            "kind": "TrainingRuntime",
            "metadata": {**meta, "name": name, "labels": labels},
            "spec": spec,
        },
        {"apiVersion": API, "kind": "TrainJob", "metadata": {**meta, "labels": waits}, "spec": {"runtimeRef": ref}},
    )


def known(runtime: Manifest, job: Manifest) -> dict[str, Any]:
    """Spec of `podwright:openshift:RuntimeKnown`: what Trainer is asked before the job is written."""
    queue = job["metadata"]["labels"].get(QUEUE_LABEL)
    meta = runtime["metadata"]
    return {"schema": 1, "namespace": meta["namespace"], "runtime": meta["name"], **({"queue": queue} if queue else {})}
