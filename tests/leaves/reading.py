"""Objects of which any leaf may be missing: what stands at a place, and what the pods of a plan are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.platforms.planned import Object

Labels = dict[str, Any]


def at(value: Any, *steps: str | int) -> Any:
    """What stands behind the steps, None where one of them is missing."""
    for step in steps:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def entries(value: Any, *steps: str | int) -> list[Any]:
    """The list behind the steps, empty where there is none."""
    found = at(value, *steps)
    return found if isinstance(found, list) else []


def labels(found: Object) -> Labels:
    """Labels of an object."""
    return at(found, "metadata", "labels") or {}


def notes(found: Object) -> Labels:
    """Annotations of an object."""
    return at(found, "metadata", "annotations") or {}


def space(found: Object) -> str:
    """Namespace of an object, empty where it has none."""
    return at(found, "metadata", "namespace") or ""


def title(found: Object) -> str:
    """Kind and name."""
    return f"{found['kind']} {at(found, 'metadata', 'name')}"


def matched(selector: Mapping[str, Any] | None, given: Mapping[str, Any]) -> bool:
    """Whether a label selector with both of its notations selects these labels; an empty one selects everything."""
    wanted = selector or {}
    exact = (at(wanted, "matchLabels") or {}).items() <= given.items()
    return exact and all(
        given.get(each.get("key")) in entries(each, "values") if each.get("operator") == "In" else each["key"] in given
        for each in entries(wanted, "matchExpressions")
    )


@dataclass(frozen=True)
class Pods:
    """Pods that one object makes."""

    owner: Object
    count: int
    template: dict[str, Any]

    @property
    def name(self) -> str:
        """Kind and name of what makes them."""
        return title(self.owner)

    @property
    def space(self) -> str:
        """Their namespace."""
        return space(self.owner)

    @property
    def labels(self) -> Labels:
        """Their labels."""
        return at(self.template, "metadata", "labels") or {}

    @property
    def spec(self) -> dict[str, Any]:
        """Their specification."""
        return at(self.template, "spec") or {}

    def containers(self) -> Iterator[dict[str, Any]]:
        """Every container."""
        yield from (each for each in entries(self.spec, "containers") if isinstance(each, dict))

    def devices(self) -> dict[str, str]:
        """Extended resources that they ask for, by limits: requests follow from these."""
        found: dict[str, str] = {}
        for each in self.containers():
            limits = at(each, "resources", "limits") or {}
            found |= {name: str(count) for name, count in limits.items() if "/" in name}
        return found


def pods(found: list[Object]) -> list[Pods]:
    """Everything in the plan that makes pods for a team."""
    made = []
    for each in found:
        if each["kind"] in ("Job", "Deployment"):
            key = "parallelism" if each["kind"] == "Job" else "replicas"
            made.append(Pods(each, int(at(each, "spec", key) or 1), at(each, "spec", "template") or {}))
    return made


def pools(found: list[Object]) -> dict[str, list[Labels]]:
    """Labels of the nodes of each pool that has a MachineConfigPool of its own name."""
    nodes = [each for each in found if each["kind"] == "Node"]
    return {
        each["metadata"]["name"]: [
            labels(node) for node in nodes if labels(node).get("podwright.io/pool") == each["metadata"]["name"]
        ]
        for each in found
        if each["kind"] == "MachineConfigPool"
    }
