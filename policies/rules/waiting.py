"""A rule about jobs of a pool whose jobs wait in queues."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from .kubernetes import containers, kind, of_kind, pod_spec, selected_labels
from .resource import Resource
from .rule import Finding, NotApplicable, StackRule, strings

_POOL: Final = "podwright.io/pool"
_QUEUE: Final = "kueue.x-k8s.io/queue-name"
_GPU: Final = "nvidia.com/gpu"
_JOBS: Final = ("Job", "CronJob", "Pod")


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
        if kind(each) not in _JOBS or not _takes_gpus(each) or _names_a_queue(each):
            continue
        for pool in sorted(pools & {value for key, value in selected_labels(pod_spec(each)) if key == _POOL}):
            message = f"{kind(each)} {each.name} takes GPUs of pool {pool}, whose jobs wait in queues, and names none"
            yield Finding(message, each.urn)


def _takes_gpus(resource: Resource) -> bool:
    boxes = containers(pod_spec(resource))
    return any(
        _GPU in ((box.get("resources") or {}).get(part) or {}) for box in boxes for part in ("limits", "requests")
    )


def _names_a_queue(resource: Resource) -> bool:
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
        types=of_kind("ResourceFlavor", *_JOBS),
        compare=_queued,
    ),
)
