"""A rule about checks that give silent nodes up: none may take a lost switch for lost machines."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .kubernetes import kind, of_kind
from .resource import Resource
from .rule import NotApplicable, Rule

_SOONEST: Final = 240.0
"""Seconds: pods of a silent node are Terminating after 300, and it is out of service no sooner than 120 s after it was
given up (medik8s/self-node-remediation, internal/reboot/calculator.go)."""
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PARTS: Final = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")


def _bounded(resource: Resource) -> Iterator[str]:
    if kind(resource) != "NodeHealthCheck":
        raise NotApplicable("gives no nodes up")
    spec: Mapping[str, Any] = resource.props.get("spec") or {}
    most, least = _share(spec.get("maxUnhealthy")), _share(spec.get("minHealthy"))
    if most is not None and most >= 50:
        yield f"NodeHealthCheck {resource.name} gives up half of its nodes and more: maxUnhealthy {most}%"
    if least is not None and least <= 50:
        yield f"NodeHealthCheck {resource.name} gives up half of its nodes and more: minHealthy {least}%"
    for row in spec.get("unhealthyConditions") or ():
        lasts = sum(float(number) * _UNITS[unit] for number, unit in _PARTS.findall(str(row.get("duration"))))
        if lasts < _SOONEST:
            state = f"{row.get('type')} {row.get('status')}"
            yield f"NodeHealthCheck {resource.name} gives a node up that is {state} for {lasts:g} s"


def _share(value: object) -> int | None:
    """A percentage; None for a number of nodes, of which nobody knows here how many there are."""
    return int(value[:-1]) if isinstance(value, str) and value.endswith("%") and value[:-1].isdigit() else None


LOST_NODES: tuple[Rule, ...] = (
    Rule(
        id="platform-lost-nodes-bounded",
        title="Nodes are given up one by one, and not too soon",
        why="A node that is given up is reset, whatever runs on it. When half of the nodes are silent, the network is "
        "lost. A node that is given up before its pods are Terminating is taken out of service and back again "
        "without any of them being deleted, and they stay for ever.",
        fix="Take openshift.lost_nodes, or write maxUnhealthy as a number or below 50%, and durations of 240s or more.",
        reference="https://docs.redhat.com/en/documentation/workload_availability_for_red_hat_openshift/latest/html/"
        "remediation_fencing_and_maintenance/node-health-check-operator",
        severity="high",
        types=of_kind("NodeHealthCheck"),
        check=_bounded,
    ),
)
