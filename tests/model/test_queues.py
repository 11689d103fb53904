"""Jobs that wait for each other are accepted with queues alone, and a team that borrows may have all GPUs."""

import copy

from podwright.components.model import Cluster, granted
from podwright.components.model.coherence import check
from podwright.components.model.problems import Problem
from tests.model.changes import LAB, both, put
from tests.model.queue_cases import AT_ONCE, IN_TURN, QUEUED, TWO_TEAMS
from tests.model.queue_limit_cases import NO_QUEUE


def _found(*changes: object) -> list[Problem]:
    written = copy.deepcopy(LAB)
    both(*changes)(written)  # type: ignore[arg-type]
    return list(check(Cluster.model_validate(written)))


def _problems(*changes: object) -> list[str]:
    return [problem.message for problem in _found(*changes)]


def test_two_jobs_of_three_servers_on_five_are_refused_without_queues_and_wait_for_each_other_with_them() -> None:
    assert any("1 function of each of its rails, the most left on one is 0" in each for each in _problems(AT_ONCE))
    assert _problems(IN_TURN) == []


def test_a_job_larger_than_its_teams_queue_is_accepted_where_teams_borrow() -> None:
    assert len(_problems(TWO_TEAMS)) == 1
    assert _problems(TWO_TEAMS, put("openshift/queues/borrow", True)) == []


def test_a_namespace_takes_what_its_jobs_may_borrow_and_no_more_without() -> None:
    written = copy.deepcopy(LAB)
    both(QUEUED, put("openshift/teams/vision", {"gpus": 16}))(written)
    assert granted(Cluster.model_validate(written), "vision").gpus == 16
    put("openshift/queues/borrow", True)(written)
    assert granted(Cluster.model_validate(written), "vision").gpus == 40
    assert granted(Cluster.model_validate(written), "chat").gpus == 0, "a team without GPUs has no queue"


def test_a_batch_job_is_sent_to_a_pool_for_training_alone() -> None:
    written = copy.deepcopy(LAB)
    both(put("openshift/queues", {"pool": "inference"}), put("workloads/training/pretrain/priority", "batch"))(written)
    hints = [each.hint for each in check(Cluster.model_validate(written)) if each.loc[-1] == "priority"]
    assert hints == ["write openshift.queues: {pool: training}, or remove priority"]


def test_a_team_without_gpus_that_borrows_is_sent_to_the_key_that_gives_it_a_queue() -> None:
    (found,) = _found(NO_QUEUE)
    assert found.hint == "write openshift.queues.teams.vision.nominal: {training: 0}"
    assert _problems(NO_QUEUE, put("openshift/queues/teams/vision", {"nominal": {"training": 0}})) == []


def test_or_to_as_many_gpus_as_nobody_lends() -> None:
    fewer = put("openshift/queues/teams/research", {"lend": {"training": 8}})
    (found,) = _found(NO_QUEUE, fewer)
    assert found.hint == "raise openshift.teams.vision.gpus by 16: others lend it 8 of the 24 that are asked"
    own = both(put("openshift/teams/research/gpus", 24), put("openshift/teams/vision/gpus", 16))
    assert _problems(NO_QUEUE, fewer, own) == []
