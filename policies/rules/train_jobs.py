"""TrainJobs of Kubeflow Trainer: pods that they make of a runtime."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .kubernetes import TRAIN_JOB, kind, namespace, replicated_jobs
from .overlays import labels_over, laid, own_jobs
from .resource import Resource
from .rule import Props, strings
from .templates import Template, templates


def runtime_of(resource: Resource, resources: Iterable[Resource]) -> Resource | None:
    """The runtime that a TrainJob names, where it is among others; None for anything else."""
    if kind(resource) != TRAIN_JOB:
        return None
    return next((each for each in resources if names_runtime(resource, each)), None)


def names_runtime(resource: Resource, other: Resource) -> bool:
    """Whether an object is a TrainJob, and another one the runtime that it names."""
    ref: Any = (resource.props.get("spec") or {}).get("runtimeRef") if kind(resource) == TRAIN_JOB else None
    if not ref or kind(other) != (what := ref.get("kind", "ClusterTrainingRuntime")):
        return False
    near = what == "ClusterTrainingRuntime" or namespace(other) == namespace(resource)
    return near and bool((other.props.get("metadata") or {}).get("name") == ref.get("name"))


def started(resource: Resource, resources: Sequence[Resource]) -> Iterator[Props]:
    """Specifications of the pods that an object makes. Those of a TrainJob are its runtime's, with what it says of them
    itself laid over; where the runtime is not known, what it says alone."""
    if kind(resource) == TRAIN_JOB:
        spec = resource.props.get("spec") or {}
        yield from (laid(spec, job) for job in _jobs(resource, resources))
    else:
        yield from (each.spec for each in templates(resource))


def made(resource: Resource, resources: Sequence[Resource]) -> Iterator[Template]:
    """The same with labels, those of the runtime and of the TrainJob among them."""
    if kind(resource) != TRAIN_JOB:
        yield from templates(resource)
        return
    spec, runtime = resource.props.get("spec") or {}, runtime_of(resource, resources)
    outer = {**(_labels(runtime) if runtime is not None else {}), **_labels(resource)}
    for job in _jobs(resource, resources):
        yield Template(laid(spec, job), {**outer, **labels_over(spec, job)})


def _jobs(resource: Resource, resources: Sequence[Resource]) -> Iterator[Props]:
    runtime = runtime_of(resource, resources)
    yield from own_jobs(resource.props.get("spec") or {}) if runtime is None else replicated_jobs(runtime)


def _labels(resource: Resource) -> Mapping[str, str]:
    return strings((resource.props.get("metadata") or {}).get("labels"))
