"""Services behind the inference gateway that users do not reach: what the device says of Gateway, route and pool."""

from collections.abc import Iterator

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.status.snapshot import Object, Snapshot

_WANTED = ("Accepted", "ResolvedRefs")
_POLICIES = ("AuthPolicy", "RateLimitPolicy", "TokenRateLimitPolicy")


def closed(snapshot: Snapshot, namespace: str, name: str) -> Iterator[str]:
    """A sentence where the Gateway itself serves nobody; nothing where it is not there, which is the plan's matter."""
    gateway = snapshot.named("Gateway", name, namespace)
    found = conditions(gateway).get("Programmed") or {}
    if gateway is not None and found.get("status") != "True":
        yield f"Gateway {namespace}/{name} serves no name: {_why(found)}"


def refused(snapshot: Snapshot, namespace: str, name: str) -> Iterator[str]:
    """A sentence for each condition of a service's route and pool that is not so."""
    for kind in ("HTTPRoute", "InferencePool"):
        found = snapshot.named(kind, name, namespace)
        if found is None:
            continue
        parents = found.get("status", {}).get("parents") or []
        if not parents:
            yield f"{kind} {namespace}/{name} is taken by no gateway: none has looked at it"
        for parent in parents:
            rows = {row["type"]: row for row in parent.get("conditions") or []}
            for wanted in _WANTED:
                if (row := rows.get(wanted, {})).get("status") != "True":
                    yield f"{kind} {namespace}/{name} is not {wanted}: {_why(row)}"


def unasked(snapshot: Snapshot, namespace: str, name: str) -> Iterator[str]:
    """A sentence where Connectivity Link itself is not ready."""
    found = snapshot.named("Kuadrant", name, namespace)
    row = conditions(found).get("Ready") or {}
    if found is not None and row.get("status") != "True":
        yield f"Kuadrant {namespace}/{name} asks nobody for a key yet: {_why(row)}"


def unkept(snapshot: Snapshot, namespace: str, name: str) -> Iterator[str]:
    """A sentence for each policy of a service's clients that is not in force; one that is not there is the plan's
    matter."""
    for kind in _POLICIES:
        found = snapshot.named(kind, name, namespace)
        for wanted in ("Accepted", "Enforced") if found is not None else ():
            if (row := conditions(found).get(wanted) or {}).get("status") != "True":
                yield f"{kind} {namespace}/{name} is not {wanted}: {_why(row)}"


def _why(row: Object) -> str:
    return ": ".join(str(row[key]) for key in ("reason", "message") if row.get(key)) or "nobody has looked at it"
