"""Nodes that are not admitted, and stragglers, as their pool's controller left it on them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from podwright.components.providers.openshift import admission
from podwright.components.providers.status.snapshot import Object, Snapshot

MEASURED = 3
"""Nodes of which a median says something."""


def unadmitted(snapshot: Snapshot, names: Sequence[str]) -> Iterator[str]:
    """A phrase for each node that its checks keep from taking pods, with the reason."""
    for name in names:
        node = snapshot.named("Node", name)
        if node is not None and (why := admission.lacks(node)):
            yield f"{name} {why}"


def stragglers(snapshot: Snapshot, names: Sequence[str], percent: int) -> Iterator[str]:
    """A phrase for each admitted node whose last all-reduce is below so many percent of the pool's median.

    The median moves with every node that is measured: one that was admitted early may turn out to be slow.
    """
    nodes = {name: node for name in names if (node := snapshot.named("Node", name)) is not None}
    rates = {name: rate for name, node in nodes.items() if (rate := _gbytes(node)) > 0}
    if len(rates) < MEASURED:
        return
    usual = statistics.median(rates.values())
    for name, rate in rates.items():
        if rate < usual * percent / 100 and not admission.lacks(nodes[name]):
            share = f"{100 * rate / usual:.0f} % of the pool's median of {usual:g}"
            yield f"{name} is a straggler: its all-reduce reached {rate:g} GB/s, {share}, and {percent} % are asked"


def _gbytes(node: Object) -> float:
    found = admission.known(node).get("gbytes")
    return float(found) if isinstance(found, int | float) else 0.0
