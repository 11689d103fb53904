"""Rules about jobs of pools whose jobs wait in queues, and about queues that lend to each other."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from .kubernetes import RUNTIMES, containers, kind, of_kind, selected_labels
from .resource import Resource
from .rule import Finding, NotApplicable, Props, StackRule, nothing, strings
from .train_jobs import names_runtime, started

_POOL: Final = "podwright.io/pool"
_QUEUE: Final = "kueue.x-k8s.io/queue-name"
_GPU: Final = "nvidia.com/gpu"
_SLICE: Final = "nvidia.com/mig-"
_JOBS: Final = ("Job", "CronJob", "JobSet", "TrainJob", "Pod")
_BATCH: Final = "podwright-batch"
_LEVELS: Final = "topologyName"
"""Of a ResourceFlavor, and nothing else, whose jobs Kueue puts on servers itself."""


def _queued(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Kueue counts what its own queues admitted: what starts beside them takes GPUs that it gives to others."""
    pools = {
        pool
        for each in resources
        if kind(each) == "ResourceFlavor"
        if (pool := strings((each.props.get("spec") or {}).get("nodeLabels")).get(_POOL))
    }
    if not pools:
        raise NotApplicable("no pool has queues")
    for each in resources:
        pods = started(each, resources) if kind(each) in _JOBS and not names_a_queue(each) else ()
        chosen = {pair for pod in pods if _takes_gpus(pod) for pair in selected_labels(pod)}
        for pool in sorted(pools & {value for key, value in chosen if key == _POOL}):
            message = f"{kind(each)} {each.name} takes GPUs of pool {pool}, whose jobs wait in queues, and names none"
            yield Finding(message, each.urn, (partial(names_runtime, each),))


def _stoppable(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Kueue stops a job with all of its pods; the scheduler takes the one that it finds."""
    jobs = [each for each in resources if kind(each) in _JOBS]
    found = [each for each in jobs if any(pod.get("priorityClassName") == _BATCH for pod in started(each, resources))]
    if not found:
        raise NotApplicable("nothing gives way to others")
    for each in found:
        if not names_a_queue(each):
            message = f"{kind(each)} {each.name} is of {_BATCH} and waits in no queue: nothing stops it whole"
            yield Finding(message, each.urn, (partial(names_runtime, each),))


def _taken_back(resources: Sequence[Resource]) -> Iterator[Finding]:
    """A queue that lends its GPUs stops whoever has them when its own jobs want them."""
    lending = [each for each in resources if kind(each) == "ClusterQueue" and _lends(each)]
    if not lending:
        raise NotApplicable("no queue lends GPUs to another")
    for each in lending:
        stops = ((each.props.get("spec") or {}).get("preemption") or {}).get("reclaimWithinCohort", "Never")
        if stops == "Never":
            yield Finding(f"queue {each.name} lends GPUs and does not take them back (reclaimWithinCohort)", each.urn)
        elif stops == "LowerPriority":
            message = f"queue {each.name} takes GPUs that it lent back from jobs of lower priority alone"
            yield Finding(message, each.urn)


def _lends(resource: Resource) -> bool:
    """Whether others of its cohort may take GPUs of its quota."""
    rows = [row for each in _flavors(resource) for row in each.get("resources") or () if row.get("name") == _GPU]
    own = [str(row.get("lendingLimit", row.get("nominalQuota", "0"))) for row in rows]
    return bool((resource.props.get("spec") or {}).get("cohortName")) and any(amount != "0" for amount in own)


def _looked_at_again(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Queues that place their jobs on the same servers are of one cohort, or of two below one."""
    placed = {each.name for each in resources if (each.props.get("spec") or {}).get(_LEVELS)}
    parents: dict[str | None, str] = {
        each.name: str((each.props.get("spec") or {}).get("parentName") or "")
        for each in resources
        if kind(each) == "Cohort"
    }
    queues = [each for each in resources if kind(each) == "ClusterQueue"]
    found = False
    for flavor in sorted(placed):
        those = [each for each in queues if flavor in {one.get("name") for one in _flavors(each)}]
        found = found or len(those) > 1
        for each in those:
            own = _root(each, parents)
            others = (one for one in those if one is not each and (own is None or _root(one, parents) != own))
            if (other := next(others, None)) is not None:
                beside = f"places jobs on servers of {flavor}, as queue {other.name} does"
                yield Finding(f"queue {each.name} {beside}, and is of no cohort with it", each.urn)
    if not found:
        raise NotApplicable("no two queues place jobs on the same servers")


def _flavors(queue: Resource) -> list[Props]:
    """The flavors that a queue has a quota of, each with its amounts."""
    groups: Any = (queue.props.get("spec") or {}).get("resourceGroups") or ()
    return [each for group in groups for each in group.get("flavors") or ()]


def _root(queue: Resource, parents: Mapping[str | None, str]) -> str | None:
    """The cohort above all others of a queue; None where it is of none."""
    name: str | None = (queue.props.get("spec") or {}).get("cohortName") or None
    passed: set[str | None] = set()
    while name not in passed and parents.get(name):
        passed.add(name)
        name = parents[name]
    return name


def _takes_gpus(pod: Props) -> bool:
    boxes = containers(pod)
    asked = {
        name
        for box in boxes
        for part in ("limits", "requests")
        for name in (box.get("resources") or {}).get(part) or {}
    }
    return any(name == _GPU or name.startswith(_SLICE) for name in asked)


def names_a_queue(resource: Resource) -> bool:
    """Whether an object has the label by which Kueue admits it with all that it makes."""
    holder: Any = resource.props
    if kind(resource) == "CronJob":
        holder = (resource.props.get("spec") or {}).get("jobTemplate") or {}
    return _QUEUE in strings((holder.get("metadata") or {}).get("labels"))


WAITING: tuple[StackRule, ...] = (
    StackRule(
        id="workloads-wait-in-queues",
        title="Jobs on a pool with queues name one",
        why="Kueue suspends jobs that name a queue and counts the GPUs of those it admitted. A job beside it takes "
        "GPUs that Kueue gives to a gang, which then starts in part and holds the rest of its servers.",
        fix="Add the label kueue.x-k8s.io/queue-name with the pool's name, or take another pool.",
        reference="https://kueue.sigs.k8s.io/docs/tasks/run/jobs/",
        severity="high",
        excused_by=nothing,
        types=of_kind("ResourceFlavor", *_JOBS, *RUNTIMES),
        compare=_queued,
    ),
    StackRule(
        id="workloads-batch-is-queued",
        title="What gives way to other jobs waits in a queue",
        why="Kueue stops a job of priority podwright-batch with all of its pods, and starts it again later. Beside the "
        "queues the scheduler pushes out one pod of it for a pod that is worth more, and the rest of the gang holds "
        "its servers for nothing.",
        fix="Add the label kueue.x-k8s.io/queue-name with the pool's name, or take the class podwright-training.",
        reference="https://kueue.sigs.k8s.io/docs/concepts/preemption/",
        severity="medium",
        excused_by=nothing,
        types=of_kind(*_JOBS, *RUNTIMES),
        compare=_stoppable,
    ),
    StackRule(
        id="workloads-queues-take-back",
        title="A queue that lends GPUs takes them back",
        why="A job of another team that borrowed runs for days. Without reclaimWithinCohort the owner's jobs wait for "
        "its end, on GPUs that are their own.",
        fix="Write preemption.reclaimWithinCohort: Any, or lendingLimit: 0.",
        reference="https://kueue.sigs.k8s.io/docs/concepts/preemption/",
        severity="medium",
        excused_by=nothing,
        types=of_kind("ClusterQueue"),
        compare=_taken_back,
    ),
    StackRule(
        id="workloads-queues-one-cohort",
        title="Queues that fill the same servers are of one cohort",
        why="When a job ends, Kueue looks again at what waits in its queue and in those of its cohort. A job in "
        "another one, which waits for room on the very servers, waits on beside idle ones until its own queue changes.",
        fix="Write one cohortName in all of them; with lendingLimit: 0 in each row nothing is lent.",
        reference="https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/",
        severity="medium",
        excused_by=of_kind("Cohort"),
        types=of_kind("ClusterQueue", "Cohort", "ResourceFlavor"),
        compare=_looked_at_again,
    ),
)
