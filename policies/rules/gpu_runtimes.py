"""The rule about RuntimeClasses under which a container comes by GPUs that its pod did not ask for."""

from collections.abc import Iterator
from typing import Final

from .kubernetes import called, kind
from .law import SYSTEM
from .resource import Resource
from .rule import NotApplicable, Rule
from .templates import makes_pods, templates

CLASSES: Final = ("nvidia", "nvidia-cdi", "nvidia-legacy")
_OPERATORS: Final = ("gpu-operator", "nvidia-gpu-operator")
"""Namespaces of the operator by NVIDIA's guides, for Helm and for OLM."""


def _past_the_plugin(resource: Resource) -> Iterator[str]:
    if not makes_pods(resource.type):
        raise NotApplicable("it makes no pods")
    named = {str(pod.spec["runtimeClassName"]): None for pod in templates(resource) if pod.spec.get("runtimeClassName")}
    if not named:
        raise NotApplicable("no pod names a RuntimeClass")
    space = (resource.props.get("metadata") or {}).get("namespace") or ""
    for each in () if space in _OPERATORS or space.startswith(SYSTEM) else named:
        if each in CLASSES:
            yield f"{kind(resource)} {called(resource)} runs under RuntimeClass {each}, past quotas and queues"


GPU_RUNTIMES: tuple[Rule, ...] = (
    Rule(
        id="workloads-gpus-by-resource",
        title="GPUs come by resources, not by a RuntimeClass",
        why="Under a RuntimeClass of the GPU operator a container has every GPU of its node that its variable "
        "NVIDIA_VISIBLE_DEVICES names, whatever the pod asked for: those of another team's gang too, and no quota or "
        "queue counts them.",
        fix="Leave runtimeClassName out, and ask for GPUs under resources.limits.",
        reference="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/cdi.html",
        severity="high",
        types=makes_pods,
        check=_past_the_plugin,
    ),
)
