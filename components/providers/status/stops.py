"""Jobs that Kueue stops again and again for a job that it does not start then.

Kueue counts how often it stopped a job for others, and its last word about that names the job that it made room for.
Where the places of two stopped jobs become free one after the other, Kueue 0.19 gives the first one back before the
second is free, and stops it again (kubernetes-sigs/kueue#13662); its own remedy, the feature gate
PrioritizePreemptorWorkloads, is off unless somebody switches it on, which Red Hat's operator has no field for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from podwright.components.providers.openshift.conditions import conditions, is_true
from podwright.components.providers.status.snapshot import Object, Snapshot

MOST: Final = 5
"""Stops of one job for others before it is named: fewer are what queues are for."""
_FOR: Final = re.compile(r"accommodate a workload \(UID: ([^,)]+)")


def troubles(snapshot: Snapshot) -> Iterator[str]:
    """A sentence for each job that waits although others are stopped for it again and again."""
    waiting = {
        str(each["metadata"].get("uid")): each for each in snapshot.of("Workload") if not is_true(each, "Admitted")
    }
    stopped: dict[str, list[Object]] = {}
    for each in snapshot.of("Workload"):
        if _stops(each) >= MOST and (uid := _stopped_for(each)) in waiting:
            stopped.setdefault(uid, []).append(each)
    for uid, victims in stopped.items():
        space, name = str(waiting[uid]["metadata"]["namespace"]), str(waiting[uid]["metadata"]["name"])
        jobs = ", ".join(f"{_job(each)} ({_stops(each)} times)" for each in victims)
        yield (
            f"job {_job(waiting[uid])} waits, and Kueue stops {jobs} for it: where the numbers rise, `oc patch workload"
            f' -n {space} {name} --type=merge -p \'{{"spec":{{"active":false}}}}\'` holds it, and the same with true '
            "lets it go on once one of the others has ended"
        )


def _stops(workload: Object) -> int:
    """How often a job was stopped for others."""
    rows = ((workload.get("status") or {}).get("schedulingStats") or {}).get("evictions") or ()
    return sum(int(row["count"]) for row in rows if row["reason"] == "Preempted")


def _stopped_for(workload: Object) -> str:
    """UID of the Workload that a job was last stopped for; empty where nothing says it."""
    found = _FOR.search(str(conditions(workload).get("Preempted", {}).get("message") or ""))
    return found[1] if found else ""


def _job(workload: Object) -> str:
    """A job by its team and name: that of the object that Kueue made the Workload for."""
    meta = workload["metadata"]
    owner: Object = next(iter(meta.get("ownerReferences") or ()), {})
    return f"{meta['namespace']}/{owner.get('name') or meta['name']}"
