"""Members of jobs in queues that run on another node than Kueue counts them on, so that two jobs are put on one node.

Kueue replaces a node that falls silent in a job's placement. Where the node comes back within seconds, 0.19.2 looks for
a replacement twice, the second time from what it knew before the first, and the placement that it keeps has the node
again that no member is on (kubernetes-sigs/kueue#15658). A job that is then let in beside waits for a node that is
taken: its pods are Pending, and where it is stopped for that it is put there again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from podwright.components.providers.status.snapshot import Object, Snapshot

HOST: Final = "kubernetes.io/hostname"
_WORKLOAD: Final = "kueue.x-k8s.io/workload"
"""Annotation of a pod that Kueue places: its Workload."""


def troubles(snapshot: Snapshot) -> Iterator[str]:
    """A sentence for each such member."""
    names = {str((each["metadata"].get("labels") or {}).get(HOST)): _name(each) for each in snapshot.of("Node")}
    members = _members(snapshot)
    for workload in snapshot.of("Workload"):
        counted = {names.get(host, host) for host in assigned(workload)}
        bound = members.get((str(workload["metadata"]["namespace"]), _name(workload)), ()) if counted else ()
        free = ", ".join(sorted(counted - {str(each["spec"]["nodeName"]) for each in bound}))
        for pod in bound:
            if (node := str(pod["spec"]["nodeName"])) in counted:
                continue
            space = pod["metadata"]["namespace"]
            yield (
                f"pod {space}/{_name(pod)} runs on {node}, and Kueue counts it on {free or 'none of its nodes'}: a job "
                f"that it puts on {node} waits for ever. `oc patch workload -n {space} {_name(workload)} --type=merge "
                '-p \'{"spec":{"active":false}}\'`, then the same with true, starts its job anew where it is counted'
            )


def assigned(workload: Object) -> Iterator[str]:
    """Host names that Kueue has put members of an admitted workload on; none where it places no hosts."""
    admission = (workload.get("status") or {}).get("admission") or {}
    for each in admission.get("podSetAssignments") or ():
        placed = each.get("topologyAssignment") or {}
        if (placed.get("levels") or [""])[-1] != HOST:
            continue
        for part in placed.get("slices") or ():
            values = part["valuesPerLevel"][-1]
            if values.get("universal") is not None:
                yield str(values["universal"])
                continue
            some = values.get("individual") or {}
            yield from (f"{some.get('prefix') or ''}{root}{some.get('suffix') or ''}" for root in some.get("roots", ()))


def _members(snapshot: Snapshot) -> dict[tuple[str, str], list[Object]]:
    """Pods with a node that have not ended and do not go, by namespace and name of their Workload."""
    found: dict[tuple[str, str], list[Object]] = {}
    for pod in snapshot.of("Pod"):
        meta = pod["metadata"]
        own = (meta.get("annotations") or {}).get(_WORKLOAD)
        going = "deletionTimestamp" in meta or (pod.get("status") or {}).get("phase") not in ("Pending", "Running")
        if own and not going and pod["spec"].get("nodeName"):
            found.setdefault((str(meta["namespace"]), str(own)), []).append(pod)
    return found


def _name(item: Object) -> str:
    return str(item["metadata"]["name"])
