"""What the spec of a cluster's `World` lists, beside what is made for it."""

from __future__ import annotations

import pytest

from tests.components.test_graph import graph, of
from tests.design import goldens


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
