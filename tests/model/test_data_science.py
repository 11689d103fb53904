"""Sizes of workbenches follow from the hardware and from quotas; a stack file names nothing else of OpenShift AI."""

import copy

import pytest
from pydantic import ValidationError

from podwright.components.model import Cluster, Divided, Pool, Sharing, Team
from podwright.components.model.coherence import check
from podwright.components.model.workbenches import Size, admits, sizes
from tests.model.changes import LAB, both, put
from tests.model.data_science_cases import OLD, tools
from tests.model.gateway_cases import FITTING
from tests.model.mesh_cases import BESIDE_TOOLS
from tests.model.queue_cases import QUEUED
from tests.model.train_job_cases import NEWER, ON, TRAIN_JOB


def _problems(*changes: object) -> list[str]:
    written = copy.deepcopy(LAB)
    both(*changes)(written)  # type: ignore[arg-type]
    return [problem.message for problem in check(Cluster.model_validate(written))]


def test_a_sound_section_has_no_problem() -> None:
    assert _problems(tools()) == []
    assert _problems(put("operators/pins", OLD)) == [], "a pin concerns nobody without the section"


def test_a_mesh_stands_beside_it_once_gateways_bring_their_own_istio() -> None:
    assert _problems(BESIDE_TOOLS, FITTING) == []


def test_train_jobs_are_sound_with_trainer_and_with_the_kueue_that_comes_with_the_release() -> None:
    assert _problems(ON, TRAIN_JOB) == []
    assert _problems(ON, QUEUED, TRAIN_JOB) == []
    assert _problems(ON, TRAIN_JOB, put("operators/pins", NEWER)) == [], "none waits"


def test_a_pool_without_gpus_is_for_every_team() -> None:
    assert _problems(tools(teams=["chat", "research"], pools=["inference", "desks"])) == []


@pytest.mark.parametrize("name", ["trustyai", "kueue", "ray", "notebooks"])
def test_no_other_component_can_be_written(name: str) -> None:
    """Kueue is this program's own; nobody has asked for the others yet."""
    written = copy.deepcopy(LAB)
    tools(components=["workbenches", name])(written)
    with pytest.raises(
        ValidationError, match="Input should be 'workbenches', 'pipelines', 'model-registry', 'mlflow', 'kserve' or"
    ):
        Cluster.model_validate(written)


def _named(pool: Pool, *offered: Divided) -> list[str]:
    return [each.name for each in sizes(pool, offered)]


def test_sizes_are_what_some_server_has() -> None:
    pool = Pool(purpose="inference")
    assert _named(pool, Divided({}, 8), Divided({}, 4)) == ["1-gpu", "2-gpu", "4-gpu", "8-gpu"]
    assert _named(pool, Divided({}, 3)) == ["1-gpu", "2-gpu"]
    assert _named(pool, Divided({"1g.18gb": 14, "3g.71gb": 4}, 4)) == ["1-gpu", "2-gpu", "4-gpu", "1g.18gb", "3g.71gb"]
    assert _named(pool, Divided({"1g.12gb+me": 1}, 0)) == ["1g.12gb.me"], "a name of an object has no plus"
    assert _named(pool, Divided({}, 0)) == ["cpu"]
    assert _named(pool) == []


def test_of_shared_gpus_a_pod_takes_one_share() -> None:
    pool = Pool(purpose="inference", sharing=Sharing(mode="time-slicing", replicas=4))
    assert _named(pool, Divided({"1g.18gb": 7}, 4)) == ["shared-gpu", "shared-1g.18gb"]


def test_a_quota_has_room_for_a_size_or_not() -> None:
    team = Team(gpus=2, slices={"1g.18gb": 1}, shares={"gpu": 1})
    taken = (Size("gpu", 2), Size("1g.18gb", 1), Size("gpu", 1, shared=True), Size())
    assert all(admits(team, each) for each in taken)
    assert not any(admits(team, each) for each in (Size("gpu", 4), Size("3g.71gb", 1), Size("1g.18gb", 1, shared=True)))
