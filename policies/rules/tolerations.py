"""Rules about operators' pods and the taints that pools register their nodes with."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .kubernetes import called, containers, kind, of_kind, pod_specs, runs_pods
from .resource import Resource
from .rule import Finding, NotApplicable, Props, Rule, StackRule, items, once, strings

_KUBELET: Final = "kubeletconfig.experimental"
"""Annotation of a PerformanceProfile: fields of the KubeletConfig that its operator makes."""
_NOT_ADMITTED: Final = "podwright.io/not-admitted"
_OPERANDS: Final = ("ClusterPolicy", "NVIDIADriver", "NicClusterPolicy", "NicNodePolicy")
_GROUPS: Final = (":nvidia.com/", ":mellanox.com/")
"""Other operators have a ClusterPolicy too, Kyverno among them."""


def _taints(resources: Sequence[Resource]) -> Iterator[Props]:
    for each in resources:
        spec: Any = each.props.get("spec") or {}
        if kind(each) == "KubeletConfig":
            yield from items((spec.get("kubeletConfig") or {}).get("registerWithTaints"))
        elif kind(each) == "PerformanceProfile":
            notes = strings((each.props.get("metadata") or {}).get("annotations"))
            yield from items(json.loads(notes.get(_KUBELET) or "{}").get("registerWithTaints"))


def _given(resource: Resource) -> list[Props]:
    spec: Any = resource.props.get("spec") or {}
    return list(items((spec.get("daemonsets") or {} if kind(resource) == "ClusterPolicy" else spec).get("tolerations")))


def _tolerates(given: Mapping[str, Any], taint: Props) -> bool:
    if given.get("key") not in (None, "") and given["key"] != taint.get("key"):
        return False
    if given.get("operator") != "Exists" and (given.get("value") or "") != (taint.get("value") or ""):
        return False
    return given.get("effect") in (None, "") or bool(given["effect"] == taint.get("effect"))


def _reached(resources: Sequence[Resource]) -> Iterator[Finding]:
    taints = list(_taints(resources))
    operands = [each for each in resources if kind(each) in _OPERANDS and any(group in each.type for group in _GROUPS)]
    if not taints or not operands:
        raise NotApplicable("no pool registers a taint, or no operator runs pods on nodes")
    keys = sorted({str(each.get("key")) for each in taints})
    for each in operands:
        tolerated = {str(taint.get("key")) for given in _given(each) for taint in taints if _tolerates(given, taint)}
        if missed := [key for key in keys if key not in tolerated]:
            yield Finding(f"{kind(each)} {called(each)} tolerates no taint of any pool ({', '.join(missed)})", each.urn)


def _early(resource: Resource) -> Iterator[str]:
    """A pod that asks for GPUs and tolerates everything is one as well; a daemon that asks for none is not."""
    yield from once(each for pod in pod_specs(resource) for each in _tolerated(resource, pod))


def _tolerated(resource: Resource, pod: Props) -> Iterator[str]:
    asks = any(
        name.startswith("nvidia.com/")
        for box in containers(pod)
        for name in strings((box.get("resources") or {}).get("limits"))
    )
    for given in items(pod.get("tolerations")):
        named = given.get("key") == _NOT_ADMITTED and kind(resource) != "DaemonSet"
        if _tolerates(given, {"key": _NOT_ADMITTED, "effect": "NoSchedule"}) and (named or asks):
            what = f"tolerates {_NOT_ADMITTED}" if given.get("key") else "tolerates every taint"
            yield f"{kind(resource)} {(resource.props.get('metadata') or {}).get('name') or resource.name} {what}"


TOLERATIONS: tuple[Rule | StackRule, ...] = (
    StackRule(
        id="operators-tolerate-pools",
        title="Operators' pods tolerate the taints of pools",
        why="Nodes register with their pool's taint: driver, device plugin and NIC daemons that do not tolerate it "
        "start on none of them, nothing reports an error, and no GPU or NIC is ever offered.",
        fix="Write {key: podwright.io/pool, operator: Exists, effect: NoSchedule} under tolerations (of a "
        "ClusterPolicy under daemonsets), or leave the object to the operators section.",
        reference="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
        severity="high",
        excused_by=of_kind("KubeletConfig", "PerformanceProfile"),
        types=of_kind("KubeletConfig", "PerformanceProfile", *_OPERANDS),
        compare=_reached,
    ),
    Rule(
        id="workloads-wait-for-admission",
        title="Workloads run on nodes whose checks have passed",
        why="A node that is not admitted has a GPU missing, hot or slow, or has not been looked at since it booted: a "
        "gang with one such member fails, or runs at its speed.",
        fix="Take the toleration away: checks and operators' daemons are the only pods that need it.",
        reference="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
        severity="high",
        types=runs_pods,
        check=_early,
    ),
)
