"""Each spelling of a pod in a plan: the policy pack refuses what would run on a training pool, and nothing else."""

from __future__ import annotations

import pytest

from podwright.components.design.platform import gpu_runtimes
from podwright.components.design.platform.names import REQUESTED, SYSTEM
from podwright.components.design.platform.training_pools import PODS
from podwright.components.design.platform.training_pools import lawful as planned_facts
from podwright.components.design.platform.training_pools.lawful import CLASSES, DAEMONS
from podwright.components.model.catalogue import RELEASE_SETS
from podwright.policies.rules import gpu_runtimes as found_in_plans
from podwright.policies.rules import law
from tests.training_pools import facts, spelled

ROWS = spelled.rows()


def test_the_table_is_large_and_names_each_row_once() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names)) and len(names) >= 80
    assert {row.verdict for row in ROWS} == {"refused", "lawful", "elsewhere"}
    assert {gate for row in ROWS for gate in row.gates} == set(spelled.GATES)


@pytest.mark.parametrize("row", [row for row in ROWS if "preview" in row.gates], ids=lambda row: row.name)
def test_the_pack_refuses_what_may_run_on_a_training_pool(row: spelled.Row) -> None:
    found = facts.findings(spelled.planned(row))
    assert bool(found) == row.refused("preview"), found


def test_the_pack_reads_what_the_cluster_enforces() -> None:
    """Its own names are those of the admission policy."""
    assert (PODS, dict(CLASSES), SYSTEM) == (law.POLICY, law.CLASSES, law.SYSTEM)
    assert (DAEMONS, REQUESTED) == (law.DAEMONS, law.REQUESTED)
    assert found_in_plans.CLASSES == gpu_runtimes.CLASSES
    read = law.law([facts.resource(each) for each in facts.of_kinds("ValidatingAdmissionPolicy", "Namespace")])
    assert read.teams == ["chat", "research"] and read.daemons == ["logs"]
    assert "nvidia-gpu-operator" in read.system and "podwright-acceptance" in read.system


def test_every_operator_of_a_release_set_is_let_by_where_nobody_says_which_there_are() -> None:
    found = planned_facts({}, {}, (), None, rdma=False)
    for release in RELEASE_SETS.values():
        for each in release.packages:
            assert each.namespace in found.system or each.namespace.startswith(SYSTEM)
