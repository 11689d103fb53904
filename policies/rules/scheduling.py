"""Where the scheduler may put a pod: its selectors and tolerations against labels and taint of a pool's nodes.

After kubernetes, staging/src/k8s.io/component-helpers/scheduling/corev1 (nodeaffinity, TolerationsTolerateTaint). What
is not known of a node may have any value: a pod is kept off it only by what is known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .rule import Props, items, strings

HOST: Final = "kubernetes.io/hostname"
NAME: Final = "metadata.name"
"""The field of a node that a term may be about beside labels."""


@dataclass(frozen=True)
class Nodes:
    """What is known of every node of a pool."""

    labels: Mapping[str, str]
    absent: Sequence[str] = ()
    """Labels that none of them has."""
    elsewhere: Sequence[str] = ()
    """Names of nodes that are none of them. Others may be, today or when they have joined."""
    taint: tuple[str, str] | None = None
    """Key and value of what keeps pods away (NoSchedule). None: nothing does."""


def tolerates(pod: Props, taint: tuple[str, str] | None) -> bool:
    """Whether some toleration is one of the taint; operators that compare numbers may match."""
    if taint is None:
        return True
    key, value = taint
    for each in items(pod.get("tolerations")):
        if str(each.get("effect") or "") not in ("", "NoSchedule"):
            continue
        named, exact = str(each.get("key") or ""), str(each.get("operator") or "Equal") == "Equal"
        if (named == key and (not exact or str(each.get("value") or "") == value)) or (not named and not exact):
            return True
    return False


def asked(pod: Props) -> set[str]:
    """Labels, and fields of a node, that node selector and required affinity are about."""
    affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    terms = items((affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms"))
    rows = [row for term in terms for part in ("matchExpressions", "matchFields") for row in items(term.get(part))]
    return {*(pod.get("nodeSelector") or ()), *(str(row.get("key")) for row in rows)}


def selects(pod: Props, nodes: Nodes) -> bool:
    """Whether node selector and required affinity may match one of the nodes; what is preferred keeps nobody off."""
    if not all(_may(nodes, key, "In", [value]) for key, value in strings(pod.get("nodeSelector")).items()):
        return False
    affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return required is None or any(_matches(term, nodes) for term in items(required.get("nodeSelectorTerms")))


def _matches(term: Props, nodes: Nodes) -> bool:
    """Of a term every row; an empty one matches no node."""
    rows, fields = list(items(term.get("matchExpressions"))), list(items(term.get("matchFields")))
    return bool(rows or fields) and all(
        [
            *(_may(nodes, str(each.get("key")), str(each.get("operator")), _values(each)) for each in rows),
            *(_named(nodes, str(each.get("operator")), _values(each)) for each in fields),
        ]
    )


def _values(row: Props) -> list[str]:
    return [str(each) for each in items(row.get("values"))]


def _may(nodes: Nodes, key: str, operator: str, values: Sequence[str]) -> bool:
    """Whether a node may match an expression over a label."""
    if key in nodes.labels:
        known = nodes.labels[key]
        return {"In": known in values, "NotIn": known not in values, "Exists": True}.get(operator, False)
    if key in nodes.absent:
        return operator in ("NotIn", "DoesNotExist")
    return _named(nodes, operator, values) if key == HOST else True


def _named(nodes: Nodes, operator: str, values: Sequence[str]) -> bool:
    """The same over its name."""
    return not set(values) <= set(nodes.elsewhere) if operator == "In" else operator != "DoesNotExist"
