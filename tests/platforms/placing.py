"""Whether every pod of a plan finds a node: requests and selectors against nodes, by trying every placement."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tests.platforms.nodes import Node
from tests.platforms.planned import Object

_UNITS: Final = {"Ki": 1 / 1024, "Mi": 1, "Gi": 1024, "Ti": 1024 * 1024}
IN_MIB: Final = ("memory", "hugepages-1Gi", "ephemeral-storage")
"""Resources that are counted in MiB here."""


@dataclass(frozen=True)
class Group:
    """Pods that are alike: members of a job, replicas of a service."""

    name: str
    count: int
    asks: Counter[str]
    spec: dict[str, Any]
    apart: bool
    """No two on one node."""
    waits: bool
    """In a queue, until all of them have room: they need it beside no other job."""

    def takes(self, node: Node) -> bool:
        """Whether selector and tolerations let one of them onto the node."""
        tolerated = self.spec.get("tolerations", [])
        selected = self.spec.get("nodeSelector", {}).items() <= node.labels.items()
        return selected and all(any(_tolerates(each, taint) for each in tolerated) for taint in node.taints)

    def most(self, free: Counter[str]) -> int:
        """How many fit where so much is free."""
        room = min((free[name] // amount for name, amount in self.asks.items() if amount), default=self.count)
        return min(self.count, max(0, room), 1 if self.apart else self.count)


def _tolerates(toleration: dict[str, str], taint: dict[str, str]) -> bool:
    if toleration.get("effect") not in (None, taint["effect"]) or toleration.get("key") not in (None, taint["key"]):
        return False
    return toleration.get("operator", "Equal") == "Exists" or toleration.get("value", "") == taint.get("value", "")


def groups(found: list[Object]) -> list[Group]:
    """Everything of the plan that makes pods."""
    made = []
    for each in found:
        kind, spec = each["kind"], each.get("spec", {})
        if kind == "Job":
            made.append(_group(each, spec["parallelism"], spec["template"]["spec"]))
        elif kind == "Deployment":
            made.append(_group(each, spec["replicas"], spec["template"]["spec"]))
        elif kind == "CronJob":
            made.append(_group(each, 1, spec["jobTemplate"]["spec"]["template"]["spec"]))
    return made


def _group(found: Object, count: int, spec: dict[str, Any]) -> Group:
    asks: Counter[str] = Counter({"pods": 1})
    for container in spec["containers"]:
        for name, amount in container.get("resources", {}).get("requests", {}).items():
            asks[name] += quantity(name, amount)
    apart = "podAntiAffinity" in spec.get("affinity", {})
    waits = "kueue.x-k8s.io/queue-name" in found["metadata"].get("labels", {})
    return Group(f"{found['kind']} {found['metadata']['name']}", count, asks, spec, apart, waits)


def quantity(name: str, amount: Any) -> int:
    """A quantity as Kubernetes writes it: milli-cores of cpu, MiB of memory and huge pages, else a number."""
    parts = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", str(amount))
    assert parts, amount
    number, unit = float(parts[1]), parts[2]
    if name == "cpu":
        return round(number if unit == "m" else number * 1000)
    if name in IN_MIB:
        return round(number * _UNITS[unit])
    assert not unit, amount
    return int(number)


def pending(found: list[Group], nodes: list[Node]) -> list[str]:
    """What finds no place: by itself, and then together with the others of the same nodes."""
    alone = [_named(group) for group in found if not _placed([group], [node for node in nodes if group.takes(node)])]
    if alone:
        return [f"{each}, by itself" for each in alone]
    return [
        " and ".join(map(_named, part))
        for part in _sharing([group for group in found if not group.waits], nodes)
        if not _placed(part, [node for node in nodes if any(group.takes(node) for group in part)])
    ]


def _named(group: Group) -> str:
    return f"{group.name}: {group.count} pods of {dict(group.asks)}"


def _sharing(found: list[Group], nodes: list[Node]) -> Iterator[list[Group]]:
    """Groups that may meet on a node, directly or through others."""
    rest = list(found)
    while rest:
        part = [rest.pop(0)]
        for one in part:
            met = [other for other in rest if any(one.takes(node) and other.takes(node) for node in nodes)]
            part += met
            rest = [each for each in rest if each not in met]
        yield part


def _placed(part: list[Group], nodes: list[Node]) -> bool:
    """Whether there is a placement of all pods of these groups."""
    return _search(part, 0, nodes, [Counter(node.free) for node in nodes])


def _search(part: list[Group], at: int, nodes: list[Node], free: list[Counter[str]]) -> bool:
    if at == len(part):
        return True
    group = part[at]
    room = [group.most(left) if group.takes(node) else 0 for node, left in zip(nodes, free, strict=True)]
    for counts in _shared_out(group.count, room):
        after = [_less(left, group.asks, count) for left, count in zip(free, counts, strict=True)]
        if _search(part, at + 1, nodes, after):
            return True
    return False


def _less(free: Counter[str], asks: Counter[str], count: int) -> Counter[str]:
    return Counter({name: free[name] - asks[name] * count for name in {*free, *asks}}) if count else free


def _shared_out(count: int, room: list[int]) -> Iterator[tuple[int, ...]]:
    """Every way to put so many pods on nodes with room for so many each."""
    if not room:
        if count == 0:
            yield ()
        return
    behind = sum(room[1:])
    for here in range(max(0, count - behind), min(room[0], count) + 1):
        for others in _shared_out(count - here, room[1:]):
            yield (here, *others)
