"""Services behind the inference gateway that users do not reach: what the device says of Gateway, route and pool."""

from collections.abc import Iterator

from podwright.components.providers.status.reasons import why, why_not
from podwright.components.providers.status.snapshot import Snapshot

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
                    yield f"{kind} {namespace}/{name} is not {wanted}: {why(row)}"


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
