"""Why a condition of an object does not hold, in the words of whoever wrote it."""

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.status.snapshot import Object, Snapshot


def why_not(snapshot: Snapshot, place: tuple[str, str | None, str], wanted: str) -> str:
    """Why a condition of an object (kind, namespace, name) does not hold; empty where it does, or nothing is there."""
    kind, namespace, name = place
    found = snapshot.named(kind, name, namespace)
    row = conditions(found).get(wanted) or {}
    return "" if found is None or row.get("status") == "True" else why(row)


def why(row: Object) -> str:
    """Reason and message of a condition."""
    return ": ".join(str(row[key]) for key in ("reason", "message") if row.get(key)) or "nobody has looked at it"
