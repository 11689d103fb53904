"""The sum of a plan in one line a person reads first, and the same as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from podwright.components.changes.impact import Gpu, Impact
from podwright.components.changes.row import ChangeClass

_SUBJECTS: Final[Mapping[str, tuple[str, str]]] = {
    "switch": ("switch", "switches"),
    "port": ("switch", "switches"),
    "cage": ("switch", "switches"),
    "nodes": ("node", "nodes"),
    "server": ("server", "servers"),
    "interconnects": ("interconnect pair", "interconnect pairs"),
    "cluster": ("cluster", "clusters"),
    "pool": ("node pool", "node pools"),
    "operator": ("operator", "operators"),
    "team": ("team", "teams"),
    "volume": ("volume", "volumes"),
    "workload": ("workload", "workloads"),
    "nothing": ("object", "objects"),
}
"""What a scope counts, one and many."""
_HISSING: Final = ("s", "x", "ch", "sh")
_FEW: Final = 3
"""Devices that a sum names; of more, the first."""


def felt(found: Iterable[Impact]) -> tuple[Impact, ...]:
    """Impacts that somebody notices, now or at a reload, the worst first."""
    noticed = [each for each in found if each.change_class >= ChangeClass.DISRUPTIVE or each.row.at_reload]
    return tuple(sorted(noticed, key=lambda each: -each.change_class))


def sentences(
    found: Iterable[Impact], gpus_of: Mapping[str, int], jobs_of: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """One clause for each thing that happens: how many devices, on how many ports, GPUs and jobs.

    `gpus_of` and `jobs_of` give, by server, the number of its GPUs and the jobs that may run there.
    """
    groups: dict[tuple[str, str, ChangeClass], list[Impact]] = {}
    for each in felt(found):
        verb = each.row.verb or "be replaced"
        groups.setdefault((each.row.scope, verb, each.change_class), []).append(each)
    merged: dict[tuple[tuple[str, str], str, ChangeClass], list[Impact]] = {}
    for (scope, verb, kind), impacts in groups.items():
        merged.setdefault((_SUBJECTS[scope], verb, kind), []).extend(impacts)
    return tuple(
        _sentence(subject, verb, kind, impacts, gpus_of, jobs_of) for (subject, verb, kind), impacts in merged.items()
    )


def _sentence(
    subject: tuple[str, str],
    verb: str,
    kind: ChangeClass,
    found: Sequence[Impact],
    gpus_of: Mapping[str, int],
    jobs_of: Mapping[str, Sequence[str]],
) -> str:
    nodes = {node for each in found for node in each.nodes}
    devices = nodes if subject[0] in ("node", "server") else {each.device for each in found}
    count = len(devices)
    happens = f"{count} {subject[count != 1]} {_conjugated(verb) if count == 1 else verb.replace('be ', 'are ', 1)}"
    ports = {(each.device, port) for each in found for port in each.links}
    touched = gpus_behind(found, gpus_of)
    jobs = sorted({job for server in {*nodes, *(server for server, _ in touched)} for job in jobs_of.get(server, ())})
    parts = [
        f"{len(ports)} port{'s' * (len(ports) != 1)}" if ports else "",
        f"{len(touched)} GPU{'s' * (len(touched) != 1)}" if touched else "",
        f"job{'s' * (len(jobs) != 1)} {', '.join(jobs)}" if jobs else "",
    ]
    where = ", ".join(part for part in parts if part)
    ends = f" ({kind.word})" if kind > ChangeClass.DISRUPTIVE else ""
    named = ", ".join(sorted(devices)[:_FEW]) + (" …" if count > _FEW else "")
    listed = f": {named}" if any(each.row.named for each in found) else ""
    return f"{happens}{f' on {where}' if where else ''}{ends}{listed}"


def gpus_behind(found: Iterable[Impact], gpus_of: Mapping[str, int]) -> frozenset[Gpu]:
    """GPUs behind ports, and all of a node or server that is away as a whole."""
    return frozenset(
        gpu
        for each in found
        for gpu in (*each.gpus, *((node, number) for node in each.nodes for number in range(gpus_of.get(node, 0))))
    )


def _conjugated(verb: str) -> str:
    first, _, rest = verb.partition(" ")
    third = "is" if first == "be" else f"{first}es" if first.endswith(_HISSING) else f"{first}s"
    return f"{third} {rest}".replace("their", "its").strip()


def document(impact: Impact) -> dict[str, Any]:
    """An impact as plain data."""
    return {
        "resource": impact.token,
        "device": impact.device,
        "class": impact.change_class.word,
        "properties": list(impact.properties),
        "reason": impact.row.reason,
        "lasts": impact.row.lasts,
        "at_reload": impact.row.at_reload,
        "ports": sorted(impact.links),
        "gpus": [f"{server} {number}" for server, number in sorted(impact.gpus)],
        "nodes": list(impact.nodes),
    }
