"""TrainJobs of Kubeflow Trainer: pods that they make of a runtime."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .kubernetes import kind
from .resource import Resource
from .rule import strings
from .templates import Template, templates


def runtime_of(resource: Resource, resources: Iterable[Resource]) -> Resource | None:
    """The runtime that a TrainJob names, where it is among others; None for anything else."""
    if kind(resource) != "TrainJob":
        return None
    return next((each for each in resources if names_runtime(resource, each)), None)


def names_runtime(resource: Resource, other: Resource) -> bool:
    """Whether an object is a TrainJob, and another one the runtime that it names."""
    ref: Any = (resource.props.get("spec") or {}).get("runtimeRef") if kind(resource) == "TrainJob" else None
    if not ref or kind(other) != (what := ref.get("kind", "ClusterTrainingRuntime")):
        return False
    near = what == "ClusterTrainingRuntime" or _namespace(other) == _namespace(resource)
    return near and bool((other.props.get("metadata") or {}).get("name") == ref.get("name"))


def _namespace(resource: Resource) -> Any:
    return (resource.props.get("metadata") or {}).get("namespace")


def made(resource: Resource, resources: Sequence[Resource]) -> Iterator[Template]:
    """Pods that an object makes. What a TrainJob has of them is laid over its runtime's, where that is known."""
    runtime = runtime_of(resource, resources)
    below = [*templates(runtime)] if runtime is not None else []
    for each in templates(resource):
        yield from (_laid(each, under) for under in below) if below else (each,)


def _laid(patch: Template, under: Template) -> Template:
    selector = {**strings(under.spec.get("nodeSelector")), **strings(patch.spec.get("nodeSelector"))}
    return Template({**under.spec, **patch.spec, "nodeSelector": selector}, {**under.labels, **patch.labels})
