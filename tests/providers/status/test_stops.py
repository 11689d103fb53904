"""A job that waits while others are stopped for it again and again is named with them; what queues are for is not."""

from typing import Any

import pytest

from podwright.components.providers.status import lost_nodes
from podwright.components.providers.status.snapshot import Snapshot
from podwright.components.providers.status.stops import MOST, troubles

FOR = "Preempted to accommodate a workload (UID: u-52, JobUID: j-52) due to reclamation within the cohort"


def workload(name: str, space: str, conditions: dict[str, tuple[bool, str]], **stops: int) -> dict[str, Any]:
    rows = [{"type": kind, "status": str(on), "message": words} for kind, (on, words) in conditions.items()]
    evictions = [{"reason": reason, "underlyingCause": "", "count": count} for reason, count in stops.items()]
    meta = {"name": f"job-{name}-x", "namespace": space, "uid": f"u-{name}", "ownerReferences": [{"name": name}]}
    return {"metadata": meta, "status": {"conditions": rows, "schedulingStats": {"evictions": evictions}}}


WAITS = workload("52", "robotics", {"QuotaReserved": (False, "waits")})
STOPPED = {"Preempted": (True, FOR)}
AGAIN = {"Preempted": (False, f"Previously: {FOR}"), "Admitted": (True, "")}


def shown(*workloads: dict[str, Any]) -> list[str]:
    return list(troubles(Snapshot({"Workload": workloads})))


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
    assert list(lost_nodes.troubles(Snapshot({"Workload": found}))) == [words], "podwright status shows it"


def test_a_workload_of_nobody_goes_by_its_own_name() -> None:
    alone = {**WAITS, "metadata": {"name": "mine", "namespace": "robotics", "uid": "u-52"}}
    assert shown(alone, workload("14", "audio", STOPPED, Preempted=MOST))[0].startswith("job robotics/mine waits")


@pytest.mark.parametrize(
    "others",
    [
        (WAITS, workload("14", "audio", STOPPED, Preempted=MOST - 1)),
        (WAITS, workload("14", "audio", STOPPED, PodsReadyTimeout=MOST)),
        (WAITS, workload("14", "audio", {"Admitted": (True, "")}, Preempted=MOST)),
        (workload("52", "robotics", {"Admitted": (True, "")}), workload("14", "audio", AGAIN, Preempted=MOST)),
        (workload("14", "audio", AGAIN, Preempted=MOST),),
        (WAITS, {"metadata": {"name": "job-14-x", "namespace": "audio", "uid": "u-14"}}),
    ],
    ids=["seldom", "for other reasons", "for nobody known", "it runs", "it is gone", "Kueue has not looked"],
)
def test_what_queues_are_for_is_not_named(others: tuple[dict[str, Any], ...]) -> None:
    assert shown(*others) == []
