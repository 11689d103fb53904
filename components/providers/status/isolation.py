"""Teams that are not kept apart: AdminNetworkPolicies that some node does not enforce, as OVN-Kubernetes reports it of
each node, and pods on rails of another tenant of the fabric.
"""

from collections.abc import Iterator, Mapping

from podwright.components.providers.status.snapshot import Object, Snapshot

_ZONE = "Ready-In-Zone-"
"""Beginning of a condition's type; the rest is a node (ovn-org/ovn-kubernetes, go-controller, admin_network_policy,
status.go)."""
_NAMED = 3
_RAIL = "openshift.io/rail"


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


def astray(snapshot: Snapshot, teams: Mapping[str, str], nodes: Mapping[str, str], none: str) -> Iterator[str]:
    """A sentence for each pod of a team that holds rails of a node of another tenant: what it trains with does not
    reach it, and what it must not reach does. `teams` and `nodes` are their tenants, `none` the one of those without.
    """
    for pod in snapshot.of("Pod"):
        meta, spec = pod["metadata"], pod.get("spec") or {}
        team, node = str(meta.get("namespace")), str(spec.get("nodeName") or "")
        ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
        if ended or team not in teams or node not in nodes or nodes[node] == teams[team] or not _on_rails(spec):
            continue
        mine, theirs = ("no tenant" if each == none else f"tenant {each}" for each in (teams[team], nodes[node]))
        yield f"pod {team}/{meta['name']} holds rails of {node}, which is of {theirs}; team {team} is of {mine}"


def _on_rails(spec: Object) -> bool:
    boxes = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    asked = [(box.get("resources") or {}).get(part) or {} for box in boxes for part in ("requests", "limits")]
    return any(name.startswith(_RAIL) for each in asked for name in each)
