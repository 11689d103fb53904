"""What the spec of a cluster's `World` lists, beside what is made for it."""

from __future__ import annotations

import pytest

from podwright.components.changes.departures import in_cluster
from podwright.components.changes.row import ChangeClass
from podwright.components.model import load
from tests.components.recording import register
from tests.components.test_graph import graph, of
from tests.design import goldens
from tests.design.with_set import with_set
from tools.generated import ROOT
from tools.goldens import stack_file


@pytest.mark.parametrize("stack", goldens.STACKS)
def test_the_world_knows_what_runs_on_the_cluster(stack: str) -> None:
    """What leaves it is named in a preview, and limited: the engine asks no provider about what it will delete."""
    seen = graph(stack)
    (world,) = of(seen, "podwright:index:World")
    contents = world.inputs["spec"]["contents"]
    installed = of(seen, "podwright:openshift:OperatorInstall")
    assert contents["operators"] == sorted(each.inputs["spec"]["subscription"] for each in installed)
    for kind, token in (("pools", "NodePool"), ("teams", "Team"), ("training", "TrainingJob")):
        assert len(contents[kind]) == len(of(seen, f"podwright:index:{token}"))


def test_a_job_that_becomes_a_set_ends_as_one_that_leaves_the_file() -> None:
    """Its pods end, whatever `changes.limit` lets through: the engine sees a Job that goes and a JobSet that comes."""
    before, after = (register(each) for each in (load(stack_file("platform")), with_set()))
    old, new = (of(seen, "podwright:index:World")[0].inputs["spec"] for seen in (before, after))
    job = "podwright:index:TrainingJob"
    (ends,) = (each for each in in_cluster(old, new) if each.token == job)
    assert (ends.device, ends.change_class) == ("finetune", ChangeClass.DISRUPTIVE)
    assert [each.device for each in in_cluster(new, old) if each.token == job] == ["finetune (JobSet)"]


def test_a_set_that_becomes_a_train_job_ends_too() -> None:
    before, after = (
        register(each) for each in (with_set(), load(ROOT / "tests/examples/platform/Pulumi.trainjob.yaml"))
    )
    old, new = (of(seen, "podwright:index:World")[0].inputs["spec"] for seen in (before, after))
    job = "podwright:index:TrainingJob"
    assert [each.device for each in in_cluster(old, new) if each.token == job] == ["finetune (JobSet)"]
    assert [each.device for each in in_cluster(new, old) if each.token == job] == ["finetune (TrainJob)"]
