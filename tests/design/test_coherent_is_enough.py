"""What load accepts, every part of design can plan: nothing of a stack file is found wrong later than that."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings

from podwright.components import model
from podwright.components.design import fabric
from tests.design import whole
from tests.design.fabric.test_plan import clusters
from tools import goldens


def plan_everything(cluster: model.Cluster) -> None:
    network = fabric.plan(cluster.network)
    assert network.switches
    whole.compute(cluster)
    whole.platform(cluster)
    assert whole.operators(cluster)
    whole.storage(cluster)
    whole.workloads(cluster)
    if cluster.acceptance is not None:
        whole.acceptance(cluster)


@pytest.mark.parametrize("example", goldens.examples())
def test_every_example_can_be_planned_whole(example: str) -> None:
    plan_everything(model.load(goldens.stack_file(example)))


@settings(max_examples=25, deadline=None)
@given(clusters())
def test_every_coherent_cluster_can_be_planned_whole(said: dict[str, Any]) -> None:
    plan_everything(model.load(json.loads(json.dumps(copy.deepcopy(said)))))
