"""What leaves a plan, between two specs of a stack's `World`: the engine asks no provider about what it will delete."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from podwright.components.changes.impact import Impact
from podwright.components.changes.row import Row
from podwright.components.changes.table import COMPONENTS_GONE, DELETIONS

Spec = Mapping[str, Any]


def departures(old: Spec, new: Spec) -> tuple[Impact, ...]:
    """Switches, interconnect pairs, and what runs on the cluster, by the rows of their deletion.

    A switch that is still reached at its address has another name now.
    """
    known, planned = (dict(each.get("switches") or {}) for each in (old, new))
    reached = {switch.get("management") for switch in planned.values()}
    switches = {name for name in known if name not in planned and known[name].get("management") not in reached}
    pairs = set(old.get("domains") or {}) - set(new.get("domains") or {})
    return (
        *_gone("podwright:nxos:Switch", switches),
        *_gone("podwright:intersight:DomainProfile", pairs),
        *in_cluster(old, new),
    )


def in_cluster(old: Spec, new: Spec) -> Iterator[Impact]:
    """Of these, what is no resource of its own, or several: pools, operators, teams, volumes and workloads."""
    before, after = (each.get("contents") or {} for each in (old, new))
    for key, (token, row) in COMPONENTS_GONE.items():
        yield from _gone(token, set(before.get(key) or ()) - set(after.get(key) or ()), row)


def _gone(token: str, names: Collection[str], row: Row | None = None) -> Iterator[Impact]:
    row = row or DELETIONS[token]
    yield from (Impact(token, name, row, row.change, (), {}) for name in sorted(names))
