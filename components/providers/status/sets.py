"""Training jobs that are JobSets: what their controller says of a set, and of the Job that failed."""

from podwright.components.providers.openshift.conditions import conditions, is_true
from podwright.components.providers.status.snapshot import Object, Snapshot


def again(job_set: Object) -> str:
    """How often all members were made again, and why the last time; empty where they never were."""
    status = job_set.get("status") or {}
    count = int(status.get("restarts") or 0)
    if not count:
        return ""
    times = "once" if count == 1 else f"{count} times"
    limit = ((job_set.get("spec") or {}).get("failurePolicy") or {}).get("maxRestarts", 0)
    counted = f"{int(status.get('restartsCountTowardsMax') or 0)} of {limit} for errors"
    return f"all members were made again {times}, {counted}"


def failed(snapshot: Snapshot, job_set: Object) -> str:
    """Why a set has ended: its controller's words, and those of the Job that failed."""
    words = str(conditions(job_set)["Failed"].get("message") or "its controller gives no reason")
    jobs = [each for each in snapshot.owned("Job", job_set) if is_true(each, "Failed")]
    about = [str(conditions(each)["Failed"].get("message") or "") for each in jobs]
    return "; ".join(filter(None, (words, *about)))
