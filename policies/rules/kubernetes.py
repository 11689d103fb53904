"""Reads Kubernetes objects: which are pods, on which nodes they may land, what they ask for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from .overlays import laid, own_jobs
from .resource import Resource, UnknownValueError
from .rule import NotApplicable, Props, items, strings
from .templates import of_another_project

SERVICE: Final = "InferenceService"
"""A service that KServe runs: its pods are those of its predictor."""
RUNTIMES: Final = ("TrainingRuntime", "ClusterTrainingRuntime")
"""What Kubeflow Trainer makes the JobSet of a TrainJob of."""
SETS: Final = ("JobSet", *RUNTIMES)
"""What makes several jobs."""
TRAIN_JOB: Final = "TrainJob"
"""What Kubeflow Trainer makes pods of by a runtime, which an object alone does not show."""
_ROLE: Final = "node-role.kubernetes.io/"
_BARE: Final = ("Pod", "ServingRuntime", "ClusterServingRuntime")
"""What has a pod's fields in its own spec: a pod, and what KServe makes pods of models of."""
_TEMPLATED: Final = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob")
_POD_KINDS: Final = {*_BARE, *_TEMPLATED, *SETS, SERVICE, TRAIN_JOB}


def kind(resource: Resource) -> str:
    """Kind of a Kubernetes object (a patch counts as its kind); empty for anything else."""
    return _kind(resource.type)


def called(resource: Resource) -> str:
    """Name of an object as a sentence has it: that of its resource, where it has none of its own or none is known."""
    try:
        return str((resource.props.get("metadata") or {}).get("name") or resource.name)
    except UnknownValueError:
        return resource.name


def namespace(resource: Resource) -> str:
    """Namespace of an object; `default` where it names none."""
    return str((resource.props.get("metadata") or {}).get("namespace") or "default")


def _kind(token: str) -> str:
    return token.rsplit(":", 1)[-1].removesuffix("Patch") if token.startswith("kubernetes:") else ""


def of_kind(*kinds: str) -> Callable[[str], bool]:
    """The test of a type token for being one of these kinds."""
    return lambda token: _kind(token) in kinds


def runs_pods(token: str) -> bool:
    """Whether objects of a type run pods, where Kubernetes, KServe, JobSet and Kubeflow Trainer have them."""
    return _kind(token) in _POD_KINDS and not of_another_project(token)


def pod_spec(resource: Resource) -> Props:
    """The pod specification an object carries; of one that makes several, as a JobSet or a runtime of TrainJobs does,
    the containers of all of them, and nothing else: `pod_specs` has each.

    Raises NotApplicable for objects that carry none.
    """
    pods = [*pod_specs(resource)]
    return _Together(pods) if kind(resource) in (*SETS, TRAIN_JOB) else pods[0]


def pod_specs(resource: Resource) -> Iterator[Props]:
    """The specification of each pod an object makes: of a set one for each of its jobs; of a TrainJob, for
    each job that it says something of, what it says; of other kinds one.

    Raises NotApplicable for objects that make none.
    """
    if not runs_pods(resource.type):
        raise NotApplicable("the object runs no pods")
    if kind(resource) == SERVICE:
        yield predictor(resource)
    elif kind(resource) in _BARE:
        yield _spec(resource)
    elif kind(resource) == TRAIN_JOB:
        yield from (laid(_spec(resource), job) for job in own_jobs(_spec(resource)))
    else:
        yield from ((job.get("template") or {}).get("spec") or {} for job in job_specs(resource))


def job_specs(resource: Resource) -> Iterator[Props]:
    """What has the pod template: the spec of each Job that a set makes, of other kinds their own."""
    if kind(resource) in SETS:
        yield from ((each.get("template") or {}).get("spec") or {} for each in replicated_jobs(resource))
    elif kind(resource) == "CronJob":
        yield (_spec(resource).get("jobTemplate") or {}).get("spec") or {}
    else:
        yield _spec(resource)


def replicated_jobs(resource: Resource) -> Iterator[Props]:
    """The jobs of a set, or of the one that a runtime makes: each with its template, and how many there are of it."""
    yield from items(_spec(resource).get("replicatedJobs"))


def _spec(resource: Resource) -> Any:
    """The spec of an object; of a runtime that of its JobSet."""
    spec: Any = resource.props.get("spec") or {}
    return (spec.get("template") or {}).get("spec") or {} if kind(resource) in RUNTIMES else spec


class _Together(Mapping[str, Any]):
    """The containers of some pods, read when they are asked for."""

    _ALL: Final = ("containers", "initContainers")

    def __init__(self, pods: Sequence[Props]) -> None:
        self._pods = pods

    def __getitem__(self, key: str) -> Any:
        if key in self._ALL:
            return [box for pod in self._pods for box in items(pod.get(key))]
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        yield from self._ALL

    def __len__(self) -> int:
        return len(self._ALL)


def predictor(resource: Resource) -> Props:
    """The pod of an InferenceService: the container of its model among those that are written."""
    found: Any = (resource.props.get("spec") or {}).get("predictor") or {}
    model = [{"name": "kserve-container", **found["model"]}] if found.get("model") else []
    return {**found, "containers": [*model, *items(found.get("containers"))]}


def leaves_image_out(resource: Resource) -> bool:
    """Whether containers of an object may lack an image, since its runtime has one: of a TrainJob, or of an
    InferenceService with a model, as the dashboard of OpenShift AI writes it."""
    if kind(resource) == SERVICE:
        return bool(((resource.props.get("spec") or {}).get("predictor") or {}).get("model"))
    return kind(resource) == TRAIN_JOB


def pod_labels(resource: Resource) -> Iterator[Mapping[str, str]]:
    """Labels of each pod an object makes, in the order of `pod_specs`; of a TrainJob none, whose runtime has them."""
    if kind(resource) == SERVICE:
        yield {**_own_labels(resource), **strings(predictor(resource).get("labels"))}
    elif kind(resource) == "Pod":
        yield _own_labels(resource)
    elif kind(resource) != TRAIN_JOB:
        for job in job_specs(resource):
            yield strings(((job.get("template") or {}).get("metadata") or {}).get("labels"))


def _own_labels(resource: Resource) -> Mapping[str, str]:
    return strings((resource.props.get("metadata") or {}).get("labels"))


def containers(pod: Props) -> Iterator[Props]:
    """Every container of a pod, init containers included."""
    yield from items(pod.get("initContainers"))
    yield from items(pod.get("containers"))


def selected_labels(pod: Props) -> Iterator[tuple[str, str]]:
    """Node labels a pod asks for, by nodeSelector or by required affinity; that of a role is empty, so that a pod which
    asks for its being there asks for its value."""
    yield from strings(pod.get("nodeSelector")).items()
    required = ((pod.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    ) or {}
    for term in items(required.get("nodeSelectorTerms")):
        for expression in items(term.get("matchExpressions")):
            if expression.get("operator") == "In":
                yield from ((str(expression.get("key")), str(value)) for value in items(expression.get("values")))
            elif expression.get("operator") == "Exists" and str(expression.get("key")).startswith(_ROLE):
                yield str(expression.get("key")), ""
