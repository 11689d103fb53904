"""Services behind the inference gateway that users do not reach: what the device says of Gateway, route and pool."""

from collections.abc import Iterator

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.status.snapshot import Object, Snapshot

_WANTED = ("Accepted", "ResolvedRefs")
_POLICIES = ("AuthPolicy", "RateLimitPolicy", "TokenRateLimitPolicy")


def closed(snapshot: Snapshot, namespace: str, name: str) -> Iterator[str]:
    """A sentence where the Gateway itself serves nobody; nothing where it is not there, which is the plan's matter."""
    if why := why_not(snapshot, ("Gateway", namespace, name), "Programmed"):
        yield f"Gateway {namespace}/{name} serves no name: {why}"


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
    if why := why_not(snapshot, ("Kuadrant", namespace, name), "Ready"):
        yield f"Kuadrant {namespace}/{name} asks nobody for a key yet: {why}"


def unkept(snapshot: Snapshot, namespace: str, name: str) -> Iterator[str]:
    """A sentence for each policy of a service's clients that is not in force; one that is not there is the plan's
    matter."""
    for kind in _POLICIES:
        for wanted in ("Accepted", "Enforced"):
            if why := why_not(snapshot, (kind, namespace, name), wanted):
                yield f"{kind} {namespace}/{name} is not {wanted}: {why}"


def why_not(snapshot: Snapshot, place: tuple[str, str | None, str], wanted: str) -> str:
    """Why a condition of an object (kind, namespace, name) does not hold; empty where it does, or nothing is there."""
    kind, namespace, name = place
    found = snapshot.named(kind, name, namespace)
    row = conditions(found).get(wanted) or {}
    return "" if found is None or row.get("status") == "True" else _why(row)


def _why(row: Object) -> str:
    return ": ".join(str(row[key]) for key in ("reason", "message") if row.get(key)) or "nobody has looked at it"
