"""What a cluster's audit log shows of its nodes and services, state by state, in the order of its API server's store.

An observer who asks again and again misses what happens between two looks. The log has every write, with the object as
it was then; `resourceVersion` is the store's own order (one counter for all objects of a cluster in one etcd,
https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Event = Mapping[str, Any]
NODES, SLICES = "nodes", "endpointslices"
SERVICE = "kubernetes.io/service-name"
"""Label of an EndpointSlice: its service."""
WRITES = ("create", "update", "patch", "delete")


@dataclass(frozen=True)
class State:
    """What a cluster is like from one write to the next."""

    revision: int
    time: str
    """Of the write, as the log has it."""
    cordoned: frozenset[str]
    unready: frozenset[str]
    ready: Mapping[str, int]
    """Ready endpoints by "namespace/service"; one on a node that is not ready does not count."""

    @property
    def away(self) -> frozenset[str]:
        """Nodes that take no pods."""
        return self.cordoned | self.unready


def read(log: Path) -> list[State]:
    """The states of a log file. Its last line may be half written."""
    lines = log.read_text(encoding="utf-8").split("\n")
    return list(states(lines[:-1]))


def states(lines: Iterable[str]) -> Iterator[State]:
    """A state for each accepted write of a node or an EndpointSlice."""
    nodes: dict[str, Event] = {}
    slices: dict[tuple[str, str], Event] = {}
    for revision, event in _ordered(lines):
        target, gone = event["objectRef"], event["verb"] == "delete"
        if target["resource"] == NODES:
            _put(nodes, str(target.get("name") or event["responseObject"]["metadata"]["name"]), event, gone)
        else:
            name = str(target.get("name") or event["responseObject"]["metadata"]["name"])
            _put(slices, (str(target["namespace"]), name), event, gone)
        unready = frozenset(name for name, node in nodes.items() if not _is_ready(node))
        cordoned = frozenset(name for name, node in nodes.items() if (node.get("spec") or {}).get("unschedulable"))
        yield State(revision, str(event["stageTimestamp"]), cordoned, unready, _endpoints(slices, unready))


def after(found: Iterable[State], revision: int) -> list[State]:
    """The state at a revision and all later ones."""
    every = list(found)
    begin = max((place for place, each in enumerate(every) if each.revision <= revision), default=0)
    return every[begin:]


def beyond(found: Iterable[State], nodes: Collection[str], budget: int) -> list[str]:
    """A sentence for each state in which more of these nodes are away than the budget allows."""
    lost = ((each, sorted(each.away & {*nodes})) for each in found)
    return [f"{each.time}: {len(names)} away, not {budget}: {', '.join(names)}" for each, names in lost
            if len(names) > budget]  # fmt: skip


def silent(found: Iterable[State], service: str) -> list[str]:
    """A sentence for each state in which a service has no ready endpoint."""
    return [f"{each.time}: no ready endpoint of {service}" for each in found if not each.ready.get(service)]


def taken(found: Iterable[State]) -> list[str]:
    """Nodes in the order in which they were cordoned, once for each time."""
    order: list[str] = []
    before: frozenset[str] | None = None
    for each in found:
        order += sorted(each.cordoned - (each.cordoned if before is None else before))
        before = each.cordoned
    return order


def _ordered(lines: Iterable[str]) -> list[tuple[int, Event]]:
    """Accepted writes by revision. Two writers' lines can stand in another order than their writes; a deletion's answer
    names no revision, so it stays behind the line before it."""
    rows: list[tuple[int, Event]] = []
    for line in lines:
        event = json.loads(line)
        target = event.get("objectRef") or {}
        accepted = event.get("stage") == "ResponseComplete" and event["responseStatus"]["code"] < 400
        wanted = target.get("resource") in (NODES, SLICES) and event["verb"] in WRITES
        if accepted and wanted and "dryRun=" not in event.get("requestURI", ""):
            version = ((event.get("responseObject") or {}).get("metadata") or {}).get("resourceVersion")
            gone = event["verb"] == "delete" and rows
            rows.append((rows[-1][0] if gone or not version else int(version), event))
    return sorted(rows, key=lambda row: row[0])


def _put(known: dict[Any, Event], key: Any, event: Event, gone: bool) -> None:
    if gone:
        known.pop(key, None)
    else:
        known[key] = event["responseObject"]


def _is_ready(node: Event) -> bool:
    rows = (node.get("status") or {}).get("conditions") or ()
    return any(row["type"] == "Ready" and row["status"] == "True" for row in rows)


def _endpoints(slices: Mapping[tuple[str, str], Event], unready: Collection[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for (namespace, _), each in slices.items():
        service = (each["metadata"].get("labels") or {}).get(SERVICE)
        rows = [
            row for row in each.get("endpoints") or ()
            if (row.get("conditions") or {}).get("ready") and row.get("nodeName") not in unready
        ]  # fmt: skip
        if service:
            found[f"{namespace}/{service}"] = found.get(f"{namespace}/{service}", 0) + len(rows)
    return found
