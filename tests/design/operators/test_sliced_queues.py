"""Queues of MIG slices: what a team's queue covers, by the pool's layout, and that nothing else changes for it."""

import copy
from pathlib import Path
from typing import Any

import yaml

from podwright.components.model import Cluster, nominal
from podwright.components.model.coherence import check
from tests.design import whole
from tests.model.changes import LAB, Said, both, drop, put
from tests.model.queue_cases import QUEUES
from tests.model.sliced_cases import CUT, TEAMS

GOLDEN = Path(__file__).with_name("sliced.yaml")
SLICE = "nvidia.com/mig-1g.18gb"


def _stack(*changes: Any) -> Cluster:
    written: Said = copy.deepcopy(LAB)
    both(*changes)(written)
    found = Cluster.model_validate(written)
    assert list(check(found)) == []
    return found


def _settings(stack: Cluster) -> list[dict[str, Any]]:
    (kueue,) = (each for each in whole.operators(stack) if each.name == "kueue-operator")
    return list(kueue.settings)


def _queues(stack: Cluster) -> dict[str, dict[str, dict[str, Any]]]:
    """By team and flavor, rows by resource."""
    return {
        each["metadata"]["name"]: {
            flavor["name"]: {row["name"]: row for row in flavor["resources"]}
            for flavor in each["spec"]["resourceGroups"][0]["flavors"]
        }
        for each in _settings(stack)
        if each["kind"] == "ClusterQueue"
    }


def test_queues_of_whole_gpus_and_slices_word_by_word() -> None:
    kinds = ("ResourceFlavor", "ClusterQueue", "LocalQueue")
    assert [each for each in _settings(_stack(CUT)) if each["kind"] in kinds] == list(
        yaml.safe_load_all(GOLDEN.read_text())
    )


def test_a_queue_has_the_slices_that_the_file_gives_it_and_none_of_another_pools() -> None:
    found = _queues(_stack(CUT))
    (whole_ones, cut), (own,) = found["research"].values(), found["vision"].values()
    assert (whole_ones["nvidia.com/gpu"]["nominalQuota"], whole_ones[SLICE]["nominalQuota"]) == ("24", "0")
    assert (cut["nvidia.com/gpu"]["nominalQuota"], cut[SLICE]["nominalQuota"]) == ("0", "60")
    assert own[SLICE] == {"name": SLICE, "nominalQuota": "52", "lendingLimit": "0"}
    assert nominal(_stack(CUT)) == {"research": {"training": 24, "tuning": 0}, "vision": {"tuning": 0}}


def test_nobody_borrows_slices() -> None:
    """The quota of a namespace has its own alone: pods of a job that borrowed some would be refused."""
    for queue in _queues(_stack(CUT, put(f"{QUEUES}/borrow", True))).values():
        for rows in queue.values():
            assert rows[SLICE]["borrowingLimit"] == "0" and "borrowingLimit" not in rows["nvidia.com/gpu"]


def test_a_pool_that_is_cut_in_part_has_a_quota_of_both() -> None:
    """Of each server's eight GPUs one has slices."""
    some = both(
        drop("pools/tuning/mig"),
        put("pools/tuning/mig_gpus", [{"count": 1, "slices": {"1g.18gb": 7}}, {"count": 7}]),
        put(f"{TEAMS}/vision", {"nominal": {"tuning": 14}, "slices": {"tuning": {"1g.18gb": 4}}}),
        put("openshift/teams/vision", {"gpus": 14, "slices": {"1g.18gb": 4}}),
        put(f"{TEAMS}/research/slices", {"tuning": {"1g.18gb": 10}}),
    )
    (rows,) = _queues(_stack(CUT, some))["vision"].values()
    assert (rows["nvidia.com/gpu"]["nominalQuota"], rows[SLICE]["nominalQuota"]) == ("14", "4")


def test_without_slices_no_queue_changes() -> None:
    plain = both(put("openshift/teams/research/gpus", 24), put(QUEUES, {"pool": "training"}))
    assert "mig" not in str(_settings(_stack(plain)))


def test_the_namespace_of_a_team_with_slices_alone_is_looked_after() -> None:
    (space,) = (
        each
        for each in whole.platform(_stack(CUT)).manifests
        if each["kind"] == "Namespace" and each["metadata"]["name"] == "vision"
    )
    assert space["metadata"]["labels"]["kueue.openshift.io/managed"] == "true"
