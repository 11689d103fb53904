"""Queues on the status screen: what each team's jobs hold, borrow and lend, from what Kueue counts."""

import copy
from typing import Any

import pytest

from podwright.cli.queues import lines, rows, stopped
from podwright.components.model import Cluster
from podwright.components.providers.status.snapshot import Snapshot
from tests.model.changes import LAB, both, put
from tests.model.queue_cases import QUEUES
from tests.model.queue_limit_cases import LENT
from tests.model.queue_pool_cases import SEVERAL
from tests.model.sliced_cases import CUT

FLAVOR = "training-group-rack-host"


def _stack(*changes: Any) -> Cluster:
    written = copy.deepcopy(LAB)
    both(*changes)(written)
    return Cluster.model_validate(written)


def _queue(
    name: str, quota: int, used: int, *, waits: int = 0, cohort: str = "podwright", **limits: str
) -> dict[str, Any]:
    row = {"name": "nvidia.com/gpu", "nominalQuota": str(quota), **limits}
    others = {"name": "cpu", "nominalQuota": "1k"}
    taken = {"name": "nvidia.com/gpu", "total": str(used), "borrowed": str(max(0, used - quota))}
    status = {
        "conditions": [{"type": "Active", "status": "True"}],
        "pendingWorkloads": waits,
        "flavorsReservation": [
            {"name": FLAVOR, "resources": [{"name": "cpu", "total": "128"}, {"name": "memory", "total": "4Ti"}, taken]}
        ],
    }
    spec = {"cohortName": cohort, "resourceGroups": [{"flavors": [{"name": FLAVOR, "resources": [others, row]}]}]}
    return {"metadata": {"name": name}, "spec": spec, "status": status}


@pytest.mark.parametrize(
    ("queues", "texts"),
    [
        ([_queue("research", 24, 8), _queue("vision", 16, 0)], ["8 of 24 GPUs", "0 of 16 GPUs"]),
        (
            [_queue("research", 24, 8, lendingLimit="8"), _queue("vision", 16, 24, waits=1)],
            ["8 of 24 GPUs, 8 of its own lent", "24 of 16 GPUs, 8 of them borrowed; 1 job of the team waits"],
        ),
        # A queue outside the cohort lends nothing.
        (
            [_queue("research", 24, 0, cohort=""), _queue("vision", 16, 16, waits=2)],
            ["0 of 24 GPUs", "16 of 16 GPUs; 2 jobs of the team wait"],
        ),
    ],
)
def test_what_a_team_holds_borrows_and_lends(queues: list[dict[str, Any]], texts: list[str]) -> None:
    found = [*lines(_stack(LENT), Snapshot({"ClusterQueue": tuple(queues)}))]
    assert [(each.team, each.pool, each.text) for each in found] == [
        (team, "training", text) for team, text in zip(("research", "vision"), texts, strict=True)
    ]
    assert not any(each.wrong for each in found)


def test_of_several_lenders_a_range_is_shown_because_kueue_counts_no_more() -> None:
    """8 borrowed, while two queues have 16 and 4 idle: between 4 and 8 are the first one's, and up to 4 the other's."""
    stack = _stack(LENT, put("openshift/teams/audio", {"gpus": 4}), put("openshift/teams/research/gpus", 16))
    three = [_queue("research", 16, 0), _queue("vision", 16, 24), _queue("audio", 4, 0)]
    texts = {each.team: each.text for each in lines(stack, Snapshot({"ClusterQueue": tuple(three)}))}
    assert texts["research"] == "0 of 16 GPUs, 4 to 8 of its own lent"
    assert texts["audio"] == "0 of 4 GPUs, 0 to 4 of its own lent"


def test_slices_of_a_pool_are_shown_by_their_profile() -> None:
    cut = _queue("vision", 0, 0)
    (flavor,), (taken,) = cut["spec"]["resourceGroups"][0]["flavors"], cut["status"]["flavorsReservation"]
    flavor["name"] = taken["name"] = "tuning-rack-host"
    flavor["resources"] += [{"name": "nvidia.com/mig-1g.18gb", "nominalQuota": "52"},
                            {"name": "nvidia.com/mig-2g.35gb", "nominalQuota": "0"}]  # fmt: skip
    taken["resources"] += [{"name": "nvidia.com/mig-1g.18gb", "total": "40"}]
    found = [each.text for each in lines(_stack(CUT), Snapshot({"ClusterQueue": (cut,)})) if each.team == "vision"]
    assert found == ["40 of 52 slices 1g.18gb"]


def test_a_queue_that_admits_nothing_is_not_as_planned() -> None:
    held = _queue("vision", 16, 0)
    held["status"]["conditions"] = [
        {"type": "Active", "status": "False", "reason": "FlavorNotFound", "message": "references missing flavor"}
    ]
    seen = Snapshot({"ClusterQueue": (held,)})
    found = [*lines(_stack(LENT), seen)]
    assert [(each.wrong, each.text) for each in found] == [
        (True, "there is no ClusterQueue of that name"), (True, "FlavorNotFound: references missing flavor"),
    ]  # fmt: skip
    assert [*stopped(_stack(LENT), seen)][1] == (
        "queue of team vision on pool training: FlavorNotFound: references missing flavor"
    )
    assert [row[2].startswith("[red]") for row in rows(_stack(LENT), seen)] == [True, True]


def test_a_pool_that_a_queue_on_the_cluster_does_not_cover_is_named() -> None:
    found = [*lines(_stack(SEVERAL), Snapshot({"ClusterQueue": (_queue("research", 16, 0), _queue("vision", 8, 0))}))]
    assert [each.text for each in found if each.wrong] == ["its ClusterQueue has no quota of pool tuning"] * 2


def test_no_line_without_queues() -> None:
    written = copy.deepcopy(LAB)
    assert QUEUES.split("/")[1] not in written["openshift"]
    assert [*lines(Cluster.model_validate(written), Snapshot({}))] == []
