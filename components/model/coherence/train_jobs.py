"""Training jobs of kind trainjob: Kubeflow Trainer is switched on for them, and Kueue writes what it reads."""

from collections.abc import Iterator

from podwright.components.model.asked import trainer
from podwright.components.model.catalogue import RELEASE_SETS, kueue
from podwright.components.model.cluster import Cluster
from podwright.components.model.problems import Problem
from podwright.components.model.queued import waiting_sets

TRAINER = "2.1"
"""Kubeflow Trainer of Red Hat OpenShift AI 3.4 (red-hat-data-services/rhods-operator, branch rhoai-3.4,
prefetched-manifests/trainer/component_metadata.yaml)."""


def _made(cluster: Cluster) -> Iterator[Problem]:
    """A TrainJob that nobody makes anything of stays as it is, for ever and without a word."""
    if cluster.openshift is None or trainer(cluster.openshift):
        return
    tools = cluster.openshift.data_science
    for name, job in cluster.workloads.training.items():
        if job.kind == "trainjob":
            words = ", ".join(("trainer", *(tools.components if tools else ())))
            instead = f"openshift.data_science.components: [{words}]"
            if tools is None:
                instead = f"openshift.data_science: {{components: [trainer], teams: [{job.team}]}}"
            message = "nobody makes a JobSet of a TrainJob: Kubeflow Trainer is not switched on"
            yield Problem(("workloads", "training", name, "kind"), message, f"write {instead}, or take kind jobset")


def _placed(cluster: Cluster) -> Iterator[Problem]:
    """Kueue writes a job's place where the Trainer that runs looks for it: else it is admitted and never starts."""
    sets, operators = waiting_sets(cluster), cluster.operators
    if sets is None or not sets.train_jobs or operators is None:
        return
    pin = operators.pins.get("kueue-operator")
    channel = pin.channel if pin is not None else RELEASE_SETS[operators.release].kueue.channel
    version = kueue.operand(channel)
    if version is None or not kueue.fields(version):
        return
    found = kueue.places_train_jobs(version)
    if found is not None and found[1] == TRAINER:
        return
    good = [
        each
        for each in kueue.serving()
        if (kueue.places_train_jobs(kueue.operand(each) or "0") or ("", ""))[1] == TRAINER
    ]
    why = (
        "looks after no TrainJobs"
        if found is None
        else f"places TrainJobs by {found[0]}, which Trainer has since {found[1]}"
    )
    message = f"it brings Kueue {version}, which {why}: OpenShift AI 3.4 brings Trainer {TRAINER}"
    loc = ("operators", "pins", "kueue-operator", "channel") if pin is not None else ("operators", "release")
    yield Problem(loc, message, f"take {' or '.join(good)}, or kind jobset for the jobs of kind trainjob")


CLUSTER = (_made, _placed)
