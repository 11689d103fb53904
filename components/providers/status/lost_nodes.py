"""Nodes that are given up, or would be: what the checks of silent nodes say of them, and what such a node left."""

from collections.abc import Iterator

from podwright.components.providers.openshift.drain import EXCLUDED, is_excluded_by_us
from podwright.components.providers.status.snapshot import Object, Snapshot


def troubles(snapshot: Snapshot) -> Iterator[str]:
    """A sentence for each node that is given up, for those that are silent and are not, and for checks that are off."""
    for check in snapshot.of("NodeHealthCheck"):
        yield from _check(snapshot, check)
    if snapshot.of("NodeHealthCheck"):
        yield from _left_out(snapshot)


def _check(snapshot: Snapshot, check: Object) -> Iterator[str]:
    pool, status = check["metadata"]["name"], check.get("status") or {}
    phase = status.get("phase")
    if phase in {"Disabled", "Paused"}:
        yield f"no lost node of pool {pool} is given up: {status.get('reason') or phase}"
    silent: list[str] = []
    for row in status.get("unhealthyNodes") or []:
        under_way = row.get("remediations") or []
        if not under_way:
            silent.append(str(row["name"]))
            continue
        resource = under_way[-1].get("resource") or {}
        remediation = snapshot.named("SelfNodeRemediation", str(resource.get("name")), resource.get("namespace")) or {}
        about = remediation.get("status") or {}
        words = about.get("lastError") or about.get("phase") or snapshot.unseen("SelfNodeRemediation") or "it has begun"
        yield f"node {row['name']} is given up since {under_way[-1].get('started')}: {words}"
    excluded = {str(node["metadata"]["name"]) for node in snapshot.of("Node") if _excluded(node)}
    alone = [name for name in silent if name not in excluded]
    if len(alone) == 1:
        yield f"node {alone[0]} of pool {pool} is lost, and not given up yet"
    elif alone:
        names = " and ".join((", ".join(alone[:-1]), alone[-1]))
        most = check["spec"].get("maxUnhealthy")
        yield (
            f"nodes {names} of pool {pool} are lost together, and none is given up: at most {most} is "
            "(openshift.lost_nodes.max_lost)"
        )


def _left_out(snapshot: Snapshot) -> Iterator[str]:
    """Nodes that are never given up, of which no roll-out says so any more: whoever uncordons by hand leaves that."""
    for node in snapshot.of("Node"):
        cordoned = bool((node.get("spec") or {}).get("unschedulable"))
        if _excluded(node) and is_excluded_by_us(node) and not cordoned:
            name = node["metadata"]["name"]
            yield f"node {name} takes pods, and is never given up: `oc label node {name} {EXCLUDED}-` ends that"


def _excluded(node: Object) -> bool:
    return (node["metadata"].get("labels") or {}).get(EXCLUDED) == "true"
