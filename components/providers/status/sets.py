"""Training jobs that are JobSets, or TrainJobs: what controllers say of a set, and of the Job that failed."""

from podwright.components.providers.openshift.conditions import conditions, is_true
from podwright.components.providers.status import moments
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


def not_made(snapshot: Snapshot, train_job: Object) -> str:
    """Why a TrainJob has no set: what Kubeflow Trainer said of it last."""
    uid = train_job["metadata"].get("uid")
    found = (each for each in snapshot.of("Event") if each["involvedObject"].get("uid") == uid)
    event = moments.last((each for each in found if each.get("type") == "Warning"), moments.changed(train_job))
    return "Kubeflow Trainer has not made its JobSet" + (f": {event['message']}" if event else " yet")


def failed(snapshot: Snapshot, owner: Object) -> str:
    """Why a set, or a TrainJob, has ended: its controller's words, and those of the Job that failed."""
    words = str(conditions(owner)["Failed"].get("message") or "its controller gives no reason")
    made = [owner, *snapshot.owned("JobSet", owner)]
    jobs = [each for one in made for each in snapshot.owned("Job", one) if is_true(each, "Failed")]
    about = [str(conditions(each)["Failed"].get("message") or "") for each in jobs]
    return "; ".join(filter(None, (words, *about)))
