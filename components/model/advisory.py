"""What a coherent stack file leaves unchecked or unprotected: nothing stops a plan, and a person should know of it."""

from collections.abc import Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.fabric import Fabric

_NAMED = 3
"""Racks that a sentence names; the rest is counted."""


def findings(cluster: Cluster) -> tuple[str, ...]:
    """One sentence each: what is open, and what to write. From the file alone; no secret and no device is read."""
    return tuple(_findings(cluster))


def _findings(cluster: Cluster) -> Iterator[str]:
    if not cluster.protect:
        yield "`destroy` removes this cluster without a question: set protect: true"
    if cluster.fabric.stack is None:
        yield from _fabric(cluster.fabric)
    racks = [name for name, rack in cluster.site.racks.items() if rack.power_kw is None]
    if racks:
        more = f" and {len(racks) - _NAMED} more" if len(racks) > _NAMED else ""
        yield f"the power of rack {', '.join(racks[:_NAMED])}{more} is not checked: define its power_kw"
    if any(pool.rails for pool in cluster.pools.values()):
        if cluster.acceptance is None:
            yield "no update measures RoCE on the rails: define acceptance"
        elif not cluster.acceptance.enabled:
            yield "no update measures RoCE on the rails: set acceptance.enabled: true, or run `podwright accept`"
    if cluster.storage.volumes and cluster.storage.read is None:
        yield "whether storage feeds the GPUs is not checked: define storage.read"


def _fabric(fabric: Fabric) -> Iterator[str]:
    if fabric.rollout is None:
        yield "a change reaches switches without a soak between them: define fabric.rollout"
    if fabric.verification == "off":
        yield 'no update compares what switches show with the plan: set fabric.verification: "on"'
    if fabric.cables is None:
        yield "lengths of cables and what plugs into ports are not checked: define fabric.cables"
    for kind, pair in (("frontend", fabric.frontend), ("storage", fabric.storage)):
        if pair is not None and pair.routed and pair.vpc.backup is None:
            yield (
                f"a peer of the {kind} pair without a way out of its own drops what comes to it: define "
                f"fabric.{kind}.vpc.backup"
            )
    if fabric.survive is None:
        yield "no single failure stops a plan, whatever it takes down: define fabric.survive"
