"""What a person must see to on a running cluster: nodes that are given up, and jobs that do not go on by themselves."""

from __future__ import annotations

from collections.abc import Iterator

from podwright.components.providers.status import lost_nodes, placed, stops
from podwright.components.providers.status.snapshot import Snapshot


def troubles(snapshot: Snapshot) -> Iterator[str]:
    """A sentence for each: of nodes, of members that Kueue counts on other nodes, of jobs that it stops in turns."""
    for each in (lost_nodes, placed, stops):
        yield from each.troubles(snapshot)
