"""AdminNetworkPolicies that some node does not enforce: what OVN-Kubernetes reports of each node."""

from collections.abc import Iterator

from podwright.components.providers.status.snapshot import Object, Snapshot

_ZONE = "Ready-In-Zone-"
"""Beginning of a condition's type; the rest is a node (ovn-org/ovn-kubernetes, go-controller, admin_network_policy,
status.go)."""
_NAMED = 3


def unenforced(snapshot: Snapshot, name: str) -> Iterator[str]:
    """A sentence for each reason why a policy is not in force; nothing where it is not there, which is the plan's
    matter."""
    policy = snapshot.named("AdminNetworkPolicy", name)
    if policy is None:
        return
    title = f"AdminNetworkPolicy {name}"
    rows = [row for row in (policy.get("status") or {}).get("conditions") or [] if row["type"].startswith(_ZONE)]
    if not rows:
        yield f"{title} is in force on no node: none has reported it"
    wrong: dict[str, list[str]] = {}
    for row in rows:
        if row.get("status") != "True":
            wrong.setdefault(_reason(row), []).append(str(row["type"]).removeprefix(_ZONE))
    for reason, nodes in sorted(wrong.items()):
        more = f" and {len(nodes) - _NAMED} more" if len(nodes) > _NAMED else ""
        yield f"{title} is not in force on {', '.join(sorted(nodes)[:_NAMED])}{more}{f': {reason}' if reason else ''}"


def _reason(row: Object) -> str:
    return ": ".join(str(row[key]) for key in ("reason", "message") if row.get(key))
