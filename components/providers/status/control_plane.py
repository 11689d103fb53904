"""Whether the control plane is whole: operators, members and size of etcd, its nodes, and pools that do not get on."""

from collections.abc import Iterator

from podwright.components.providers.openshift.conditions import conditions, is_true
from podwright.components.providers.openshift.health import impaired
from podwright.components.providers.status.snapshot import Object, Snapshot

MASTER = "node-role.kubernetes.io/master"
QUOTA_GIB = 8
"""etcd's limit where nobody has raised it (openshift/api, operator/v1/types_etcd.go: backendQuotaGiB). Past it etcd
takes no writes any more."""
FULL = 0.75
"""Share of the limit from which on it is reported: enough is left to find out what fills it."""
_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure")
_GIB = 1 << 30


def troubles(snapshot: Snapshot) -> Iterator[str]:
    """One sentence for each thing that is not as it should be, and for each kind that the API server could not show."""
    yield from filter(None, map(snapshot.unseen, snapshot.unread))
    yield from (text for _, text in impaired(snapshot.of("ClusterOperator"), snapshot.of("Etcd")))
    for node in snapshot.of("Node"):
        if MASTER in (node["metadata"].get("labels") or {}):
            yield from _node(node)
    for pool in snapshot.of("MachineConfigPool"):
        if is_true(pool, "Degraded"):
            row = conditions(pool)["Degraded"]
            why = str(row.get("message") or row.get("reason") or "it gives no reason")
            yield f"MachineConfigPool {pool['metadata']['name']} is degraded: {why}"
    if (size := _largest(snapshot)) > FULL * quota_bytes(snapshot):
        yield f"{_size(size, snapshot)}; find what fills it before it takes no writes any more"


def store(snapshot: Snapshot) -> str:
    """How large etcd's store is, at its largest member; empty where the API server does not report it."""
    size = _largest(snapshot)
    return _size(size, snapshot) if size else ""


def _largest(snapshot: Snapshot) -> int:
    """Bytes of the largest member's store; 0 where nobody reports it, or its limit."""
    return 0 if snapshot.unseen("Etcd") else max(snapshot.stored.values(), default=0)


def quota_bytes(snapshot: Snapshot) -> int:
    """etcd's limit."""
    etcd = next(iter(snapshot.of("Etcd")), {})
    return int((etcd.get("spec") or {}).get("backendQuotaGiB") or QUOTA_GIB) * _GIB


def _size(size: int, snapshot: Snapshot) -> str:
    return f"etcd's store has {size / (1 << 20):.0f} MiB of {quota_bytes(snapshot) // _GIB} GiB"


def _node(node: Object) -> Iterator[str]:
    for kind, row in conditions(node).items():
        if kind in _PRESSURES and row.get("status") == "True":
            yield f"control-plane node {node['metadata']['name']} has {kind}: {row.get('message', '')}"
