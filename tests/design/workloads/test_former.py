"""What ends a job before it is made again: exactly what makes it again, in every kind of job, behind all else."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from podwright.components.changes.impact import impacts
from podwright.components.changes.row import ChangeClass
from podwright.components.design.workloads import ADMITTED
from podwright.components.design.workloads.former import FIXED, former
from podwright.components.model import Cluster
from tests.components.recording import Registered, register
from tests.components.test_graph import all_before, of
from tests.model.changes import LAB, Said, both, put
from tests.model.elastic_cases import ELASTIC
from tests.model.queue_cases import QUEUED, TRAIN
from tests.model.store_cases import STORE
from tests.model.train_job_cases import ON

KINDS = {"job": "Job", "jobset": "JobSet", "trainjob": "TrainJob"}
FORMER = "podwright:openshift:FormerJobEnded"


def of_kind(kind: str) -> Any:
    """The lab's job as one of this kind, in a queue."""
    return both(QUEUED, put(f"{TRAIN}/kind", kind), *([ON] if kind == "trainjob" else []))


def graph(*changes: Any) -> dict[str, Registered]:
    written: Said = copy.deepcopy(LAB)
    both(*changes)(written)
    return register(Cluster.model_validate(written))


def gang(seen: dict[str, Registered]) -> Registered:
    (found,) = (each for each in seen.values() if each.type.rpartition(":")[2] in KINDS.values())
    return found


def digest(*changes: Any) -> str:
    (one,) = of(graph(*changes), FORMER)
    return str(one.inputs["spec"]["digest"])


@pytest.mark.parametrize("kind", KINDS)
def test_it_stands_behind_all_that_a_job_needs_and_names_it(kind: str) -> None:
    seen = graph(of_kind(kind))
    (ended,), job = of(seen, FORMER), gang(seen)
    spec, kind_path = ended.inputs["spec"], f"{KINDS[kind].lower()}s"
    assert (spec["namespace"], spec["job"], spec["resource"]) == ("research", "pretrain", kind_path)
    assert spec["api"] == job.inputs["apiVersion"]
    assert spec["stack"] == job.inputs["metadata"]["labels"]["podwright.io/stack"]
    assert spec["digest"] == job.inputs["metadata"]["annotations"]["podwright.io/made-of"]
    assert all_before(seen, job, [ended])
    asked = of(seen, "podwright:openshift:RuntimeKnown") if kind == "trainjob" else []
    assert bool(asked) == (kind == "trainjob") and all_before(seen, ended, asked)
    (measured,) = (each for each in seen.values() if each.name == "lab-ready" and "Acceptance" in each.urn)
    assert all_before(seen, ended, [measured])


def test_the_service_of_members_comes_once_the_job_before_is_gone() -> None:
    """The one before may be a set, whose Service JobSet made: of the same name, and of no stack."""
    seen = graph()
    (ended,) = of(seen, FORMER)
    own = [each for each in of(seen, "kubernetes:core/v1:Service") if each.inputs["metadata"]["name"] == "pretrain"]
    assert len(own) == 1 and all_before(seen, own[0], [ended]) and all_before(seen, gang(seen), own)


def test_a_store_of_a_job_stands_before_the_job_is_ended() -> None:
    seen = graph(STORE)
    (ended,) = of(seen, FORMER)
    store = [each for each in of(seen, "kubernetes:apps/v1:Deployment") if each.name.endswith("pretrain-rendezvous")]
    assert store and all_before(seen, ended, store)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "change", [put(f"{TRAIN}/command", ["torchrun", "other.py"]), put(f"{TRAIN}/nodes", 1), put(f"{TRAIN}/gpus", 4)]
)
def test_what_makes_a_job_again_ends_it(kind: str, change: Any) -> None:
    assert digest(of_kind(kind)) != digest(of_kind(kind), change)


def test_what_does_not_make_it_again_does_not_end_it() -> None:
    """It would be gone, and the engine would see nothing to do."""
    job = gang(graph()).inputs
    later = copy.deepcopy(job)
    later["metadata"]["labels"]["more"] = "1"
    later["spec"] |= {"maxFailedIndexes": 3, "suspend": True, "podReplacementPolicy": "TerminatingOrFailed"}
    assert former(job, "lab") == former(later, "lab")


def test_members_that_are_left_to_kueue_do_not_end_it() -> None:
    job = gang(graph(ELASTIC)).inputs
    fewer = copy.deepcopy(job)
    fewer["spec"]["parallelism"] = fewer["spec"]["completions"] = 1
    assert former(job, "lab", ADMITTED["Job"]) == former(fewer, "lab", ADMITTED["Job"])
    assert former(job, "lab") != former(fewer, "lab")


@pytest.mark.parametrize("kind", KINDS)
def test_the_engine_makes_it_again_for_what_ends_it(kind: str) -> None:
    seen = graph(of_kind(kind))
    assert set(gang(seen).made_again) == set(FIXED[KINDS[kind]])


def test_a_plan_names_the_job_that_it_ends() -> None:
    (one,) = of(graph(), FORMER)
    before = one.inputs["spec"] | {"digest": "another"}
    (felt,) = impacts(FORMER, before, one.inputs["spec"])
    assert (felt.device, felt.change_class, felt.row.scope) == ("pretrain", ChangeClass.DISRUPTIVE, "workload")
    assert not impacts(FORMER, before, before)
