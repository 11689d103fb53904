"""A job that waits while others are stopped for it again and again is named with them; what queues are for is not."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from podwright.components.providers.status import upkeep
from podwright.components.providers.status.snapshot import Snapshot
from podwright.components.providers.status.stops import LATELY, MOST, troubles

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)

FOR = "Preempted to accommodate a workload (UID: u-52, JobUID: j-52) due to reclamation within the cohort"


def workload(name: str, space: str, conditions: dict[str, tuple[bool, str]], **stops: int) -> dict[str, Any]:
    rows = [{"type": kind, "status": str(on), "message": words, "lastTransitionTime": "2026-11-28T11:50:00Z"}
            for kind, (on, words) in conditions.items()]  # fmt: skip
    evictions = [{"reason": reason, "underlyingCause": "", "count": count} for reason, count in stops.items()]
    meta = {"name": f"job-{name}-x", "namespace": space, "uid": f"u-{name}", "ownerReferences": [{"name": name}]}
    return {"metadata": meta, "status": {"conditions": rows, "schedulingStats": {"evictions": evictions}}}


WAITS = workload("52", "robotics", {"QuotaReserved": (False, "waits")})
STOPPED = {"Preempted": (True, FOR)}
AGAIN = {"Preempted": (False, f"Previously: {FOR}"), "Admitted": (True, "")}


def shown(*workloads: dict[str, Any], now: datetime = NOW) -> list[str]:
    return list(troubles(Snapshot({"Workload": workloads}), now))


def test_it_is_named_with_all_that_are_stopped_for_it_and_how_often() -> None:
    found = (
        WAITS,
        workload("14", "audio", STOPPED, Preempted=MOST + 1),
        workload("38", "audio", AGAIN, Preempted=MOST),
    )
    (words,) = shown(*found)
    assert words.startswith(
        "job robotics/52 waits, and Kueue stops audio/14 (6 times), audio/38 (5 times) for it: where the numbers rise, "
        '`oc patch workload -n robotics job-52-x --type=merge -p \'{"spec":{"active":false}}\'` holds it'
    )


def test_a_workload_of_nobody_goes_by_its_own_name() -> None:
    alone = {**WAITS, "spec": {"active": True}, "metadata": {"name": "mine", "namespace": "robotics", "uid": "u-52"}}
    assert shown(alone, workload("14", "audio", STOPPED, Preempted=MOST))[0].startswith("job robotics/mine waits")


def test_podwright_status_shows_it() -> None:
    stopped = workload("14", "audio", STOPPED, Preempted=MOST)
    (row,) = stopped["status"]["conditions"]
    row["lastTransitionTime"] = datetime.now(UTC).isoformat()
    assert len(list(upkeep.troubles(Snapshot({"Workload": (WAITS, stopped)})))) == 1


def test_what_was_long_ago_is_not_named() -> None:
    found = (WAITS, workload("14", "audio", STOPPED, Preempted=MOST))
    at = NOW - timedelta(minutes=10)
    assert len(shown(*found, now=at + LATELY)) == 1
    assert shown(*found, now=at + LATELY + timedelta(seconds=1)) == []


@pytest.mark.parametrize(
    "others",
    [
        (WAITS, workload("14", "audio", STOPPED, Preempted=MOST - 1)),
        (WAITS, workload("14", "audio", STOPPED, PodsReadyTimeout=MOST)),
        (WAITS, workload("14", "audio", {"Admitted": (True, "")}, Preempted=MOST)),
        (workload("52", "robotics", {"Admitted": (True, "")}), workload("14", "audio", AGAIN, Preempted=MOST)),
        (workload("14", "audio", AGAIN, Preempted=MOST),),
        ({**WAITS, "spec": {"active": False}}, workload("14", "audio", AGAIN, Preempted=MOST)),
        (WAITS, {"metadata": {"name": "job-14-x", "namespace": "audio", "uid": "u-14"}}),
    ],
    ids=[
        "seldom",
        "for other reasons",
        "for nobody known",
        "it runs",
        "it is gone",
        "somebody holds it",
        "Kueue has not looked",
    ],
)
def test_what_queues_are_for_is_not_named(others: tuple[dict[str, Any], ...]) -> None:
    assert shown(*others) == []
