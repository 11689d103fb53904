"""Pods that an object makes, whatever its kind: where each has its pod template, or a pod's fields beside its own.

After the definitions of JobSet, LeaderWorkerSet, KServe, NVIDIA's NIM operator, KubeRay, Kubeflow's trainer, Knative
and KubeVirt. A kind that is not known makes a pod of every part of it that has containers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from .resource import Resource, UnknownValueError
from .rule import Props, items, strings

Found = Iterator[Any]


@dataclass(frozen=True)
class Template:
    """A pod as an object has it."""

    spec: Props
    labels: Mapping[str, str]


def _of(*path: str) -> Callable[[Any], Found]:
    """Templates at a path inside the spec; a part in brackets is a list, a star every value of a map."""

    def found(spec: Any) -> Found:
        here = [spec]
        for part in path:
            here = [below for each in here for below in _below(each, part)]
        yield from here

    return found


def _below(value: Any, part: str) -> Found:
    if not isinstance(value, Mapping):
        return
    if part == "*":
        yield from value.values()
    elif part.startswith("*"):
        yield from (each for key, each in value.items() if str(key).endswith(part[1:]))
    elif part.endswith("[]"):
        yield from items(value.get(part[:-2]))
    elif value.get(part) is not None:
        yield value[part]


_TEMPLATE = (_of("template"),)
_RAY = (_of("headGroupSpec", "template"), _of("workerGroupSpecs[]", "template"))
_TRAINER = (_of("*ReplicaSpecs", "*", "template"),)
_TEMPLATES: Final[Mapping[str, tuple[Callable[[Any], Found], ...]]] = {
    **dict.fromkeys(
        ("DaemonSet", "Deployment", "DeploymentConfig", "Job", "Notebook", "ReplicaSet", "ReplicationController",
         "Rollout", "StatefulSet", "VirtualMachine", "VirtualMachineInstanceReplicaSet"),
        _TEMPLATE,
    ),
    "CronJob": (_of("jobTemplate", "spec", "template"),),
    "JobSet": (_of("replicatedJobs[]", "template", "spec", "template"),),
    **dict.fromkeys(
        ("ClusterTrainingRuntime", "TrainingRuntime"),
        (_of("template", "spec", "replicatedJobs[]", "template", "spec", "template"),),
    ),
    "TrainJob": (
        _of("runtimePatches[]", "trainingRuntimeSpec", "template", "spec", "replicatedJobs[]", "template", "spec",
            "template"),
        _of("podTemplateOverrides[]"),
    ),
    "LeaderWorkerSet": (
        _of("leaderWorkerTemplate", "leaderTemplate"), _of("leaderWorkerTemplate", "workerTemplate"),
    ),
    "RayCluster": _RAY,
    "RayJob": (
        _of("rayClusterSpec", "headGroupSpec", "template"), _of("rayClusterSpec", "workerGroupSpecs[]", "template"),
    ),
    "RayService": (
        _of("rayClusterConfig", "headGroupSpec", "template"), _of("rayClusterConfig", "workerGroupSpecs[]", "template"),
    ),
    **dict.fromkeys(("JAXJob", "MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), _TRAINER),
}  # fmt: skip
"""Where kinds have pod templates: metadata and spec. Those of a TrainJob are laid over its runtime's: runtimePatches of
Kubeflow Trainer since 2.2, podTemplateOverrides before."""
_SPECS: Final[Mapping[str, tuple[Callable[[Any], Found], ...]]] = {
    "Pod": (_of(),),
    "VirtualMachineInstance": (_of(),),
    "InferenceService": (
        _of("predictor"), _of("predictor", "workerSpec"), _of("transformer"), _of("explainer"),
    ),
    "LLMInferenceService": (
        _of("template"), _of("worker"), _of("prefill", "template"), _of("prefill", "worker"),
        _of("router", "scheduler", "template"),
    ),
    **dict.fromkeys(("ServingRuntime", "ClusterServingRuntime", "NIMService", "NIMCache"), (_of(),)),
    "NIMPipeline": (_of("services[]", "spec"),),
}  # fmt: skip
"""Where kinds have a pod's fields without metadata."""
_OWN: Final = ("CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet")
"""Kinds of Kubernetes, whose groups have no dot."""
_OTHERS: Final = (
    "cisco.com", "coreos.com", "k8s.io", "mellanox.com", "metallb.io", "netapp.io", "nmstate.io", "openshift.io",
    "sigs.k8s.io",
)  # fmt: skip
"""Ends of groups whose other kinds configure operators: what they make is their namespaces'."""
_NVIDIA: Final = ("nvidia.com", "configuration.net.nvidia.com", "maintenance.nvidia.com", "nv-ipam.nvidia.com")


def makes_pods(token: str) -> bool:
    """Whether objects of a type may make pods."""
    if not token.startswith("kubernetes:"):
        return False
    kind, group = _kind_and_group(token)
    return kind in _TEMPLATES or kind in _SPECS or _unknown(group)


def _kind_and_group(token: str) -> tuple[str, str]:
    _, group, kind = token.split(":")
    return kind.removesuffix("Patch"), group.partition("/")[0]


def of_another_project(token: str) -> bool:
    """Whether a kind is called as one of Kubernetes' own and is none, as Volcano's Job: where it has its pods, and
    whether these end, is not known by its name."""
    kind, group = _kind_and_group(token)
    return kind in _OWN and _unknown(group)


def _unknown(group: str) -> bool:
    return "." in group and group not in _NVIDIA and not group.endswith(_OTHERS)


def templates(resource: Resource) -> Iterator[Template]:
    """Every pod that an object makes, in the order of its definition."""
    kind, _ = _kind_and_group(resource.type)
    spec = resource.props.get("spec") or {}
    outer = strings((resource.props.get("metadata") or {}).get("labels"))
    if kind in _SPECS:
        yield from (Template(each, outer) for find in _SPECS[kind] for each in find(spec))
        return
    known = [each for find in _TEMPLATES.get(kind, ()) for each in find(spec)]
    for each in known:
        own = strings((each.get("metadata") or {}).get("labels"))
        yield Template(each.get("spec") or {}, {**outer, **own})
    if kind not in _TEMPLATES or (not known and of_another_project(resource.type)):
        yield from (Template(each, outer) for each in _containing(spec))


def _containing(value: Any) -> Iterator[Props]:
    """Parts that have containers, outermost first."""
    if isinstance(value, Mapping):
        if _is_list(value.get("containers")):
            yield value
            return
        yield from _within(value, value)
    elif _is_list(value):
        yield from _within(value, range(len(value)))


def _within(value: Any, keys: Iterable[Any]) -> Iterator[Props]:
    """A part that nobody knows yet hides none of those beside it; `up` shows it once it is known."""
    for key in keys:
        with suppress(UnknownValueError):
            yield from _containing(value[key])


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
