"""What becomes of a stack file's workloads, whatever `check` says of it: planned, and put before a real cluster.

Beside the scheduler and the quota there are two ways to end before the first instruction, which only a node shows: a
volume that one node has is attached to no second one, and the device plugin gives a container one share of a GPU
(failRequestsGreaterThanOne, https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-sharing.html).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from podwright.components import model
from podwright.components.design.workloads import placement
from podwright.components.model import as_pooled
from podwright.components.model.coherence.platform import members
from podwright.lab.openshift.api import Api
from tests.platforms import anyway, scheduled
from tests.platforms.nodes import nodes
from tests.platforms.placing import groups
from tests.platforms.planned import Object, of_kind

_SHARE: Final = ".shared"
_SOON: Final = 3.0
"""Seconds in which a scheduler that has the nodes already answers."""


def problems(file: dict[str, Any]) -> list[str]:
    """What `check` has against a file."""
    try:
        model.load(file)
    except model.SpecErrors as refused:
        return [f"{'.'.join(map(str, each.loc))}: {each.message}" for each in refused.problems]
    return []


def fate(api: Api, file: dict[str, Any], *, accepted: bool) -> list[str]:
    """Why pods of a file do not run; empty where all do. One that is accepted is given its time."""
    defined = anyway.cluster(file)
    if defined is None:
        return ["no stack file"]
    if nowhere := list(_nowhere(defined)):
        return nowhere
    found = anyway.planned(defined)
    failed = [*_attached(found), *_shared(found)]
    return failed or scheduled.waiting(api, found, nodes(file, found), scheduled.SECONDS if accepted else _SOON)


def _nowhere(defined: model.Cluster) -> Iterator[str]:
    """Jobs that select servers which there are not: of them there is no plan."""
    spans = defined.fabric.attachments == "fabric"
    for name, job in defined.workloads.training.items():
        pool = defined.pools[job.pool]
        servers = as_pooled(pool, members(defined.servers, job.pool))
        try:
            placement.training(servers, job.pool, job.nodes, spans=spans)
        except ValueError as problem:
            yield f"{name}: no plan: {problem}"


def _attached(found: list[Object]) -> Iterator[str]:
    single = {
        (each["metadata"]["namespace"], each["metadata"]["name"])
        for each in of_kind(found, "PersistentVolumeClaim")
        if each["spec"]["accessModes"] == ["ReadWriteOnce"]
    }
    pods: Counter[tuple[str, str]] = Counter()
    for each in (*of_kind(found, "Job"), *of_kind(found, "Deployment")):
        count = each["spec"].get("parallelism") or each["spec"].get("replicas", 1)
        volumes = each["spec"]["template"]["spec"].get("volumes", [])
        for claim in {one["persistentVolumeClaim"]["claimName"] for one in volumes if "persistentVolumeClaim" in one}:
            pods[each["metadata"]["namespace"], claim] += count
    for claim in single:
        if pods[claim] > 1:
            yield f"volume {claim[1]} is attached to one node, and {pods[claim]} pods have it"


def _shared(found: list[Object]) -> Iterator[str]:
    for each in groups(found):
        for name, count in each.asks.items():
            if name.endswith(_SHARE) and count > 1:
                yield f"{each.name}: {count} {name}, and the device plugin gives a container one"
