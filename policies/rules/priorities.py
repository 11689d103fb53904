"""Rules about priority classes that are the system's."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from .kubernetes import kind, namespace, of_kind
from .law import SYSTEM
from .resource import Resource
from .rule import Finding, NotApplicable, StackRule, items
from .templates import makes_pods
from .train_jobs import names_runtime, started

_CLASSES: Final = ("openshift-user-critical", "system-cluster-critical", "system-node-critical")
"""Every cluster has the last two (kubernetes, pkg/apis/scheduling); OpenShift has the first one for its monitoring."""
_QUOTA: Final = "ResourceQuota"
_BY_CLASS: Final = "PriorityClass"


def _concerned(token: str) -> bool:
    return makes_pods(token) or of_kind(_QUOTA)(token)


def _taken(resources: Sequence[Resource]) -> Iterator[Finding]:
    quotas = [each for each in resources if kind(each) == _QUOTA and not _by_class(each)]
    teams = {space for each in quotas if not (space := namespace(each)).startswith(SYSTEM)}
    jobs = [each for each in resources if makes_pods(each.type) and namespace(each) in teams]
    if not jobs:
        raise NotApplicable("nothing makes pods in a namespace with a quota")
    for each in jobs:
        for pod in started(each, resources):
            if (named := str(pod.get("priorityClassName"))) in _CLASSES:
                where = f"in namespace {namespace(each)}, which has a quota"
                message = f"{kind(each)} {each.name} takes priority class {named} {where}"
                # Over the class of a TrainJob's runtime its own may be laid.
                yield Finding(message, each.urn, (partial(names_runtime, each),))


def _by_class(quota: Resource) -> bool:
    """Whether a quota counts pods of some priority classes alone: one of an operator's namespace lets it have them."""
    spec = quota.props.get("spec") or {}
    selected = [each.get("scopeName") for each in items((spec.get("scopeSelector") or {}).get("matchExpressions"))]
    return _BY_CLASS in (*selected, *items(spec.get("scopes")))


PRIORITIES: tuple[StackRule, ...] = (
    StackRule(
        id="workloads-no-system-priority",
        title="Teams take no priority class of the system",
        why="Pods of system-node-critical, system-cluster-critical and openshift-user-critical end whatever else is on "
        "a node to make room, replicas of other teams' services among it, and nothing ends them.",
        fix="Leave priorityClassName out, or write podwright-inference for a service and podwright-training for a job. "
        "A daemon that every node needs belongs in a namespace of its administrator, without a quota.",
        reference="https://kubernetes.io/docs/tasks/administer-cluster/guaranteed-scheduling-critical-addon-pods/",
        severity="high",
        types=_concerned,
        compare=_taken,
    ),
)
