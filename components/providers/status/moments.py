"""When things happened on a cluster: what was reported before the last change is no reason any more."""

from collections.abc import Iterable
from datetime import UTC, datetime

from podwright.components.providers.status.snapshot import Object

NEVER = datetime.min.replace(tzinfo=UTC)


def reported(event: Object) -> datetime:
    """When an event was last seen: a repeated one says so in its series, or by its last timestamp."""
    series = event.get("series") or {}
    stamps = (series.get("lastObservedTime"), event.get("lastTimestamp"), event.get("eventTime"))
    meta = event["metadata"].get("creationTimestamp")
    return max((moment(each) for each in (*stamps, meta)), default=NEVER)


def changed(thing: Object) -> datetime:
    """When somebody last changed what an object asks for. What controllers note in its status is no such change."""
    meta = thing["metadata"]
    rows = (row for row in meta.get("managedFields") or () if not row.get("subresource"))
    return max(moment(each) for each in (meta.get("creationTimestamp"), *(row.get("time") for row in rows)))


def last(events: Iterable[Object], since: datetime) -> Object | None:
    """The latest event, unless it is older than `since`: then what it complains about may be mended."""
    latest = max(events, key=reported, default=None)
    return latest if latest is not None and reported(latest) >= since else None


def moment(stamp: object) -> datetime:
    """A timestamp of RFC 3339, with or without parts of a second: as text, `…00Z` sorts behind `…00.5Z`; `NEVER` for
    what is none."""
    try:
        found = datetime.fromisoformat(str(stamp or ""))
    except ValueError:
        return NEVER
    return found if found.tzinfo else found.replace(tzinfo=UTC)
