"""The last good backup of etcd, as the cluster's CronJob reports it."""

from datetime import datetime

from podwright.components.providers.status.moments import moment
from podwright.components.providers.status.snapshot import Snapshot


def age_seconds(snapshot: Snapshot, namespace: str, name: str, now: datetime) -> float | None:
    """Seconds since the last run that succeeded began; None where none has, or the CronJob is not there.

    Its start counts: what was written to etcd while it ran may not be in it.
    """
    job = snapshot.named("CronJob", name, namespace)
    done = ((job or {}).get("status") or {}).get("lastSuccessfulTime")
    if done is None:
        return None
    began = [
        str(each["status"]["startTime"])
        for each in (snapshot.owned("Job", job) if job else ())
        if (each.get("status") or {}).get("completionTime") == done
    ]
    return (now - moment(began[0] if began else done)).total_seconds()


def exists_seconds(snapshot: Snapshot, namespace: str, name: str, now: datetime) -> float | None:
    """Seconds since the CronJob was made; None where it is not there."""
    job = snapshot.named("CronJob", name, namespace)
    return None if job is None else (now - moment(job["metadata"]["creationTimestamp"])).total_seconds()
