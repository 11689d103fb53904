"""Rules about operators' pods and the taints that pools register their nodes with."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .kubernetes import kind, of_kind
from .resource import Resource
from .rule import Finding, NotApplicable, Props, StackRule, items, strings

_KUBELET: Final = "kubeletconfig.experimental"
"""Annotation of a PerformanceProfile: fields of the KubeletConfig that its operator makes."""
_OPERANDS: Final = ("ClusterPolicy", "NVIDIADriver", "NicClusterPolicy", "NicNodePolicy")


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
    if given.get("effect") not in (None, "", taint.get("effect")) or given.get("key") not in (
        None,
        "",
        taint.get("key"),
    ):
        return False
    return given.get("operator") == "Exists" or (given.get("value") or "") == (taint.get("value") or "")


def _reached(resources: Sequence[Resource]) -> Iterator[Finding]:
    taints = list(_taints(resources))
    operands = [each for each in resources if kind(each) in _OPERANDS]
    if not taints or not operands:
        raise NotApplicable("no pool registers a taint, or no operator runs pods on nodes")
    keys = ", ".join(sorted({str(each.get("key")) for each in taints}))
    for each in operands:
        if not any(_tolerates(given, taint) for given in _given(each) for taint in taints):
            name = (each.props.get("metadata") or {}).get("name") or each.name
            yield Finding(f"{kind(each)} {name} tolerates no taint of any pool ({keys})", each.urn)


TOLERATIONS: tuple[StackRule, ...] = (
    StackRule(
        id="operators-tolerate-pools",
        title="Operators' pods tolerate the taints of pools",
        why="Nodes register with their pool's taint: driver, device plugin and NIC daemons that do not tolerate it "
        "start on none of them, nothing reports an error, and no GPU or NIC is ever offered.",
        fix="Write {key: podwright.io/pool, operator: Exists, effect: NoSchedule} under tolerations (of a "
        "ClusterPolicy under daemonsets), or leave the object to the operators section.",
        reference="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
        severity="high",
        types=of_kind("KubeletConfig", "PerformanceProfile", *_OPERANDS),
        compare=_reached,
    ),
)
