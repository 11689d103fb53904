"""Training jobs that start with fewer members where there is no room for all: who starts them so, and what runs then.

Kueue alone does it, of a Job alone, and decides once (kubernetes-sigs/kueue, pkg/scheduler/scheduler.go,
getInitialAssignments; since 0.5, which is older than every Kueue that serves the API of queues). It first stops jobs
that give way, and takes back what others borrowed: fewer members are the last thing that it tries.
"""

from collections import Counter
from collections.abc import Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.platform import members
from podwright.components.model.coherence.workloads import TrainingOn
from podwright.components.model.launchers import TORCH, launch
from podwright.components.model.problems import Problem, counted
from podwright.components.model.queued import beside, most, nominal, queued, waits
from podwright.components.model.workloads import Training

_AT = ("min_nodes",)


def _fewer(given: TrainingOn) -> Iterator[Problem]:
    """What is started with fewer members: a Job of more, whose launcher takes as many as there are."""
    job = given.job
    if job.min_nodes is None:
        return
    if job.min_nodes >= job.nodes:
        message = f"{counted(job.min_nodes, 'server')} at least, and the job has {counted(job.nodes, 'server')}"
        hint = f"write {job.nodes - 1} at most, or remove it" if job.nodes > 1 else "remove it"
        yield Problem(_AT, message, hint)
    if job.kind != "job":
        message = f"Kueue starts a Job with fewer members than it has, and no {_KINDS[job.kind]}"
        yield Problem(_AT, message, "write kind: job, or remove min_nodes")
    found = launch(job.command)
    if job.rendezvous == "own" or found is None or found.launcher != TORCH:
        what = (
            "how many members there are stands in the command, whose rendezvous is its own"
            if job.rendezvous == "own"
            else f"`{' '.join(job.command[:2])}` is started with a number of members that is fixed"
        )
        hint = "write torchrun, or python -m torch.distributed.run, as the first words of the command"
        own = " and remove rendezvous" if job.rendezvous == "own" else ""
        yield Problem(_AT, what, f"{hint}{own}, or remove min_nodes")


_KINDS = {"jobset": "JobSet", "trainjob": "TrainJob"}


def _waits(cluster: Cluster) -> Iterator[Problem]:
    """Whoever starts a job with fewer members admits it: Kueue."""
    for name, job in cluster.workloads.training.items():
        if job.min_nodes is not None and not waits(cluster, job.pool):
            message = (
                f"jobs on pool {job.pool} wait in no queue, and without one nobody starts a job with fewer members"
            )
            hint = f"write openshift.queues: {{pool: {job.pool}}}"
            if queues := queued(cluster):
                hint = f"add {job.pool} to openshift.queues.pools, or take pool {' or '.join(queues.names)}"
            yield Problem(("workloads", "training", name, *_AT), message, f"{hint}, or remove min_nodes")


def unqueued(job: Training, queue: str | None) -> Iterator[Problem]:
    """One job by itself, and the LocalQueue that it was handed."""
    if job.min_nodes is not None and queue is None:
        hint = "hand over the name of its LocalQueue, or remove section.min_nodes"
        yield Problem(("queue",), "a job is started with fewer members by its queue alone", hint)


def uncertain(cluster: Cluster) -> Iterator[str]:
    """Sentences about jobs that there is never room for whole."""
    queues, shares = queued(cluster), nominal(cluster)
    for name, job in cluster.workloads.training.items():
        if job.min_nodes is None or queues is None:
            continue
        servers = members(cluster.servers, job.pool).values()
        groups = cluster.fabric.attachments != "fabric"
        alike = Counter((each.gpus, each.group if groups else None) for each in servers)
        room = most(queues, beside(cluster, shares, job.team, job.pool), job.team, job.pool) // job.gpus
        there = max(alike.values(), default=0)
        if min(room, there) >= job.nodes:
            continue
        why = (
            f"the queue of team {job.team} has room for {room}"
            if room <= there
            else f"pool {job.pool} has {there} alike{' in one leaf group' if groups else ''}"
        )
        yield (
            f"training job {name} never has all of its {job.nodes} members: {why}; write nodes: {min(room, there)} at "
            f"workloads.training.{name}, unless there will be more"
        )


TRAINING = (_fewer,)
CLUSTER = (_waits,)
