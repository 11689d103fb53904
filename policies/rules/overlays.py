"""What a TrainJob says of the pods that its runtime makes: fields that Kubeflow Trainer lays over them.

After kubeflow/trainer 2.3.0: pkg/runtime/core/trainingruntime.go has patches and resources,
pkg/runtime/framework/plugins/jobset/builder.go the rest of `trainer` and of `initializer`. Patches were called
podTemplateOverrides before 2.2.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .rule import Props, items, strings

TRAINER: Final = "node"
"""Container that trains, and the job that has it (pkg/constants, Node)."""
_FIELDS: Final = {
    TRAINER: ("trainer",),
    "dataset-initializer": ("initializer", "dataset"),
    "model-initializer": ("initializer", "model"),
}
"""Containers that a TrainJob has fields of its own for, each in a job of the same name, and where these are."""
_PARTS: Final = ("trainer", "initializer")


@dataclass(frozen=True)
class _Patch:
    jobs: tuple[Any, ...]
    template: Props

    def is_for(self, job: Props) -> bool:
        return not self.jobs or job.get("name") in (None, *self.jobs)


class _Over(Mapping[str, Any]):
    """A part of an object with another one laid over it, each value read when it is asked for."""

    def __init__(self, under: Props, over: Props, joined: Mapping[str, Callable[[Any, Any], Any]]) -> None:
        self._under, self._over, self._joined = under, over, joined

    def __getitem__(self, key: str) -> Any:
        if key not in self._over:
            return self._under[key]
        if key in self._under and key in self._joined:
            return self._joined[key](self._under[key], self._over[key])
        return self._over[key]

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys((*self._under, *self._over))

    def __len__(self) -> int:
        return len([*iter(self)])


def _maps(under: Any, over: Any) -> Props:
    return _Over(strings(under), strings(over), {})


def _named(under: Any, over: Any) -> list[Any]:
    names = {each.get("name") for each in items(over)}
    return [*(each for each in items(under) if each.get("name") not in names), *items(over)]


def _boxes(under: Any, over: Any) -> list[Any]:
    patches = {each.get("name"): each for each in items(over)}
    names = {each.get("name") for each in items(under)}
    patched = (_Over(each, patches.get(each.get("name"), {}), _BOX) for each in items(under))
    return [*patched, *(each for name, each in patches.items() if name not in names)]


def _resources(under: Any, over: Any) -> Props:
    return _Over(under or {}, over or {}, {"limits": _maps, "requests": _maps})


_BOX: Final = {"env": _named, "resources": _resources}
_POD: Final = {"containers": _boxes, "initContainers": _boxes, "nodeSelector": _maps, "volumes": _named}
"""Fields that are merged, by the key of their kind; every other one is replaced."""


def _patches(spec: Props) -> Iterator[_Patch]:
    for each in filter(None, items(spec.get("podTemplateOverrides"))):
        yield _Patch(tuple(job.get("name") for job in filter(None, items(each.get("targetJobs")))), each)
    for each in filter(None, items(spec.get("runtimePatches"))):
        jobs: Any = ((each.get("trainingRuntimeSpec") or {}).get("template") or {}).get("spec") or {}
        for job in filter(None, items(jobs.get("replicatedJobs"))):
            template = ((job.get("template") or {}).get("spec") or {}).get("template") or {}
            yield _Patch(tuple(filter(None, [job.get("name")])), template)


def _box(spec: Props, name: str) -> Props:
    """A container as a TrainJob's own fields have it; empty where it has none for it."""
    given: Any = spec
    for part in _FIELDS[name]:
        given = given.get(part) or {}
    found = {key: given[key] for key in ("image", "command", "args", "env") if given.get(key) is not None}
    if given.get("resourcesPerNode"):
        found["resources"] = given["resourcesPerNode"]
    return {"name": name, **found} if found else {}


def own_jobs(spec: Props) -> Iterator[Props]:
    """Jobs that a TrainJob says something of, each with the pod as far as it says itself what that is."""
    boxes = [name for name in _FIELDS if _box(spec, name)]
    jobs = [job for patch in _patches(spec) for job in patch.jobs or (TRAINER,)]
    for job in dict.fromkeys((*boxes, *jobs)):
        pod: Props = {"containers": [{"name": job}]} if job in boxes else {}
        yield {"name": job, "template": {"spec": {"template": {"spec": pod}}}}


def template_of(job: Props) -> Props:
    """The pod template of a job of a set."""
    found: Any = (job.get("template") or {}).get("spec") or {}
    return found.get("template") or {}


def laid(spec: Props, job: Props) -> Props:
    """The pod of a job of a runtime with all over it that the spec of a TrainJob has for that job."""
    pod: Props = template_of(job).get("spec") or {}
    for patch in _patches(spec):
        if patch.is_for(job):
            pod = _Over(pod, patch.template.get("spec") or {}, _POD)
    names = {each.get("name") for each in items(pod.get("containers"))} if any(map(spec.get, _PARTS)) else set()
    own = [box for name in _FIELDS if name in names and (box := _box(spec, name))]
    return _Over(pod, {"containers": own}, _POD) if own else pod


def labels_over(spec: Props, job: Props) -> Mapping[str, str]:
    """Labels of the pod of a job of a runtime, and over them those of a TrainJob's patches."""
    over = [patch.template for patch in _patches(spec) if patch.is_for(job)]
    found = [strings((each.get("metadata") or {}).get("labels")) for each in (template_of(job), *over)]
    return {key: value for labels in found for key, value in labels.items()}
