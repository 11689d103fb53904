"""What teams lend and borrow, with limits and weights: fields of Kueue, and what namespaces take for it."""

import copy
from typing import Any

from podwright.components.model import Cluster, granted
from podwright.components.model.coherence import check
from tests.design import whole
from tests.design.operators.test_queues import SPARES_OTHERS
from tests.model.changes import LAB, both, put
from tests.model.queue_cases import QUEUES
from tests.model.queue_limit_cases import LENT


def _stack(*changes: Any) -> Cluster:
    written = copy.deepcopy(LAB)
    both(*changes)(written)
    return Cluster.model_validate(written)


def _specs(stack: Cluster, kind: str) -> dict[str, dict[str, Any]]:
    (found,) = (each for each in whole.operators(stack) if each.name == "kueue-operator")
    return {each["metadata"]["name"]: each["spec"] for each in found.settings if each["kind"] == kind}


def _limits(spec: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Rows of a queue that have a limit, by resource, without its quota."""
    (group,) = spec["resourceGroups"]
    rows = [(row["name"], dict(row)) for each in group["flavors"] for row in each["resources"]]
    found = {name: {key: row[key] for key in row if key.endswith("Limit")} for name, row in rows}
    return {name: each for name, each in found.items() if each}


def test_limits_are_of_gpus_alone_and_a_team_without_one_has_none() -> None:
    stack = _stack(LENT)
    assert check(stack) == []
    queues = _specs(stack, "ClusterQueue")
    assert _limits(queues["research"]) == {"nvidia.com/gpu": {"lendingLimit": "8"}}
    assert _limits(queues["vision"]) == {"nvidia.com/gpu": {"borrowingLimit": "8"}}
    none = _specs(
        _stack(LENT, put(f"{QUEUES}/teams/vision/borrow/training", 0), put("workloads/training", {})), "ClusterQueue"
    )
    assert _limits(none["vision"]) == {"nvidia.com/gpu": {"borrowingLimit": "0"}}, "0 is a limit, and no limit is none"


def test_every_queue_takes_back_what_it_lends() -> None:
    for each in _specs(_stack(LENT), "ClusterQueue").values():
        assert each["cohortName"] == "podwright" and each["preemption"] == {"reclaimWithinCohort": "Any"}


def test_queues_that_do_not_borrow_are_one_cohort_of_which_none_lends_anything() -> None:
    """Kueue looks at what waits in other queues of its cohort when a job ends, and in no others."""
    own = (put(f"{QUEUES}/{key}", value) for key, value in (("borrow", False), ("fair_sharing", False), ("teams", {})))
    stack = _stack(LENT, *own, put("workloads/training/second/nodes", 2))
    assert check(stack) == []
    queues = _specs(stack, "ClusterQueue")
    assert {each["cohortName"] for each in queues.values()} == {"podwright"} and len(queues) == 2
    for each in queues.values():
        rows = [row for flavor in each["resourceGroups"][0]["flavors"] for row in flavor["resources"]]
        assert {row["lendingLimit"] for row in rows} == {"0"} and "preemption" not in each


def test_a_job_that_borrows_stops_batch_jobs_of_its_own_team_and_of_no_other() -> None:
    batch = put("workloads/training/pretrain/priority", "batch")
    classical = (put(f"{QUEUES}/fair_sharing", False), put(f"{QUEUES}/teams/research/weight", None))
    both_ways = {
        name: each["preemption"] for name, each in _specs(_stack(LENT, batch, *classical), "ClusterQueue").items()
    }
    takes_back = {"reclaimWithinCohort": "Any"}
    assert both_ways == {
        "research": {**takes_back, "withinClusterQueue": "LowerPriority", "borrowWithinCohort": SPARES_OTHERS},
        "vision": takes_back,
    }
    fair = _specs(_stack(LENT, batch), "ClusterQueue")["research"]["preemption"]
    assert fair == {**takes_back, "withinClusterQueue": "LowerPriority"}, "fair sharing looks at all of them anyway"


def test_weights_are_written_with_fair_sharing_alone_for_every_team() -> None:
    """Kueue starts with what its operator's object has; without fair sharing nobody reads a weight."""
    stack = _stack(LENT)
    assert {name: each["fairSharing"] for name, each in _specs(stack, "ClusterQueue").items()} == {
        "research": {"weight": "2"},
        "vision": {"weight": "1"},
    }
    assert _specs(stack, "Kueue")["cluster"]["config"]["preemption"] == {"preemptionPolicy": "FairSharing"}
    plain = _stack(LENT, put(f"{QUEUES}/fair_sharing", False), put(f"{QUEUES}/teams/research/weight", None))
    assert not any("fairSharing" in each for each in _specs(plain, "ClusterQueue").values())
    assert _specs(plain, "Kueue")["cluster"]["config"]["preemption"] == {"preemptionPolicy": "Classical"}


def test_a_namespace_takes_its_own_and_what_it_may_borrow() -> None:
    stack = _stack(LENT)
    assert granted(stack, "vision").gpus == 24, "16, and 8 that research lends"
    assert granted(stack, "research").gpus == 40, "24, and all 16 of vision"
    limited = _stack(LENT, put(f"{QUEUES}/teams/research/borrow", {"training": 4}))
    assert granted(limited, "research").gpus == 28
