"""Jobs that Kueue stops again and again for a job that it does not start then.

With fair sharing Kueue stops as many jobs of a queue as a job needs that stays within its own quota, for as long as
that queue borrows anything, be it of another pool. Once the first of them has gone, it looks again, finds that the
queue borrows no more of this pool, and leaves the second in place; so the job does not fit, and the first comes back.
Two jobs of one queue whose places are needed together are stopped so for ever. (kubernetes-sigs/kueue v0.14.0 to
v0.19.2, pkg/scheduler/preemption: `nextTarget` asks whether a queue borrows at all, `findCandidates` whether it borrows
of what is needed.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from podwright.components.providers.openshift.conditions import conditions, is_true
from podwright.components.providers.status.moments import moment
from podwright.components.providers.status.snapshot import Object, Snapshot

MOST: Final = 5
"""Stops of one job for others before it is named: fewer are what queues are for."""
LATELY: Final = timedelta(minutes=20)
"""For how long a stop counts: a job may take ten minutes to save its state before it goes."""
_FOR: Final = re.compile(r"accommodate a workload \(UID: ([^,)]+)")


def troubles(snapshot: Snapshot, now: datetime | None = None) -> Iterator[str]:
    """A sentence for each job that waits although others are stopped for it again and again, until `now`."""
    now = now or datetime.now(UTC)
    waiting = {str(each["metadata"].get("uid")): each for each in snapshot.of("Workload") if _waits(each)}
    stopped: dict[str, list[Object]] = {}
    for each in snapshot.of("Workload"):
        if _stops(each) >= MOST and (uid := _stopped_for(each, now - LATELY)) in waiting:
            stopped.setdefault(uid, []).append(each)
    for uid, victims in stopped.items():
        space, name = str(waiting[uid]["metadata"]["namespace"]), str(waiting[uid]["metadata"]["name"])
        jobs = ", ".join(f"{_job(each)} ({_stops(each)} times)" for each in victims)
        yield (
            f"job {_job(waiting[uid])} waits, and Kueue stops {jobs} for it: where the numbers rise, `oc patch workload"
            f' -n {space} {name} --type=merge -p \'{{"spec":{{"active":false}}}}\'` holds it; with true, once one of '
            "the others has ended, it waits again"
        )


def _waits(workload: Object) -> bool:
    """Whether a job is not let in, and nobody holds it."""
    return not is_true(workload, "Admitted") and (workload.get("spec") or {}).get("active") is not False


def _stops(workload: Object) -> int:
    """How often a job was stopped for others."""
    rows = ((workload.get("status") or {}).get("schedulingStats") or {}).get("evictions") or ()
    return sum(int(row["count"]) for row in rows if row["reason"] == "Preempted")


def _stopped_for(workload: Object, since: datetime) -> str:
    """UID of the Workload that a job was last stopped for; empty where that was before `since`, or nothing says it."""
    row = conditions(workload).get("Preempted", {})
    found = _FOR.search(str(row.get("message") or ""))
    return found[1] if found and moment(row.get("lastTransitionTime")) >= since else ""


def _job(workload: Object) -> str:
    """A job by its team and name: that of the object that Kueue made the Workload for."""
    meta = workload["metadata"]
    owner: Object = next(iter(meta.get("ownerReferences") or ()), {})
    return f"{meta['namespace']}/{owner.get('name') or meta['name']}"
