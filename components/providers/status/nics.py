"""Rail NICs of a pool's nodes, as the live objects show them."""

from collections.abc import Mapping, Sequence
from typing import Any

from podwright.components.providers.openshift.nics import unset, waiting
from podwright.components.providers.status.snapshot import Snapshot


def out_of_class(snapshot: Snapshot, nodes: Sequence[str], expected: Mapping[str, Any]) -> tuple[str, ...]:
    """A phrase for each rail of `nodes` that is not set as `expected`, in their order."""
    if snapshot.unseen("NicDevice"):
        return ()
    devices = snapshot.of("NicDevice")
    return tuple(phrase for node in nodes for phrase in unset(node, devices, expected))


def pending(snapshot: Snapshot, nodes: Sequence[str]) -> tuple[str, ...]:
    """Those of `nodes` that are there and whose NICs the operator still works on."""
    return tuple(node for node in nodes if (live := snapshot.named("Node", node)) is not None and waiting(live))
