"""Reads Kubernetes objects: which are pods, on which nodes they may land, what they ask for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from .resource import Resource, UnknownValueError
from .rule import NotApplicable, Props, items, strings

SERVICE: Final = "InferenceService"
"""A service that KServe runs: its pods are those of its predictor."""
RUNTIMES: Final = ("TrainingRuntime", "ClusterTrainingRuntime")
"""What Kubeflow Trainer makes the JobSet of a TrainJob of."""
_SETS = ("JobSet", *RUNTIMES)
_POD_KINDS = {"Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", *_SETS, SERVICE}


def kind(resource: Resource) -> str:
    """Kind of a Kubernetes object (a patch counts as its kind); empty for anything else."""
    return _kind(resource.type)


def called(resource: Resource) -> str:
    """Name of an object as a sentence has it: that of its resource, where it has none of its own or none is known."""
    try:
        return str((resource.props.get("metadata") or {}).get("name") or resource.name)
    except UnknownValueError:
        return resource.name


def _kind(token: str) -> str:
    return token.rsplit(":", 1)[-1].removesuffix("Patch") if token.startswith("kubernetes:") else ""


def of_kind(*kinds: str) -> Callable[[str], bool]:
    """The test of a type token for being one of these kinds."""
    return lambda token: _kind(token) in kinds


def runs_pods(token: str) -> bool:
    """Whether objects of a type run pods."""
    return _kind(token) in _POD_KINDS


def pod_spec(resource: Resource) -> Props:
    """The pod specification an object carries; of a JobSet, or a runtime of TrainJobs, the first one, with
    the containers of all of them.

    Raises NotApplicable for objects that carry none.
    """
    if kind(resource) not in _POD_KINDS:
        raise NotApplicable("the object runs no pods")
    spec: Any = _spec(resource)
    if kind(resource) in _SETS:
        return _of_set(spec)
    if kind(resource) == SERVICE:
        return predictor(resource)
    if kind(resource) == "CronJob":
        spec = (spec.get("jobTemplate") or {}).get("spec") or {}
    return spec if kind(resource) == "Pod" else (spec.get("template") or {}).get("spec") or {}


def job_spec(resource: Resource) -> Props:
    """The spec of a Job, or of the first one that a JobSet makes."""
    spec: Any = _spec(resource)
    return next(_jobs(spec), {}) if kind(resource) in _SETS else spec


def _spec(resource: Resource) -> Any:
    """The spec of an object; of a runtime that of its JobSet."""
    spec: Any = resource.props.get("spec") or {}
    return (spec.get("template") or {}).get("spec") or {} if kind(resource) in RUNTIMES else spec


def _jobs(spec: Props) -> Iterator[Props]:
    """Specs of the Jobs of a set."""
    for each in items(spec.get("replicatedJobs")):
        yield (each.get("template") or {}).get("spec") or {}


def _of_set(spec: Props) -> Props:
    pods = [(job.get("template") or {}).get("spec") or {} for job in _jobs(spec)]
    return _Together(pods) if pods else {}


class _Together(Mapping[str, Any]):
    """The first of some pods, with the containers of all of them; each part is read when it is asked for."""

    _ALL: Final = ("containers", "initContainers")

    def __init__(self, pods: Sequence[Props]) -> None:
        self._pods = pods

    def __getitem__(self, key: str) -> Any:
        if key in self._ALL:
            return [box for pod in self._pods for box in items(pod.get(key))]
        return self._pods[0][key]

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys((*self._pods[0], *self._ALL))

    def __len__(self) -> int:
        return len([*iter(self)])


def predictor(resource: Resource) -> Props:
    """The pod of an InferenceService: the container of its model among those that are written."""
    found: Any = (resource.props.get("spec") or {}).get("predictor") or {}
    model = [{"name": "kserve-container", **found["model"]}] if found.get("model") else []
    return {**found, "containers": [*model, *items(found.get("containers"))]}


def pod_labels(resource: Resource) -> Mapping[str, str]:
    """Labels of the pods an object makes."""
    spec: Any = resource.props.get("spec") or {}
    if kind(resource) == "CronJob":
        spec = (spec.get("jobTemplate") or {}).get("spec") or {}
    elif kind(resource) in _SETS:
        spec = job_spec(resource)
    elif kind(resource) == SERVICE:
        own = (resource.props.get("metadata") or {}).get("labels")
        return {**strings(own), **strings(predictor(resource).get("labels"))}
    meta = resource.props.get("metadata") if kind(resource) == "Pod" else (spec.get("template") or {}).get("metadata")
    return strings((meta or {}).get("labels"))


def containers(pod: Props) -> Iterator[Props]:
    """Every container of a pod, init containers included."""
    yield from items(pod.get("initContainers"))
    yield from items(pod.get("containers"))


def selected_labels(pod: Props) -> Iterator[tuple[str, str]]:
    """Node labels a pod asks for, by nodeSelector or by required affinity."""
    yield from strings(pod.get("nodeSelector")).items()
    required = ((pod.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    ) or {}
    for term in items(required.get("nodeSelectorTerms")):
        for expression in items(term.get("matchExpressions")):
            if expression.get("operator") == "In":
                yield from ((str(expression.get("key")), str(value)) for value in items(expression.get("values")))
