"""Fields of Kueue's API by release: what is planned and read exists in the Kueue that each release set brings."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from podwright.components.model import Cluster
from podwright.components.model.catalogue import RELEASE_SETS, kueue
from podwright.components.model.queues import Queues, TeamQueue
from podwright.lab.openshift.binaries import crd_folder
from tests.design import whole
from tests.model import kueue_crds
from tests.model.changes import LAB, both, put
from tests.model.queue_cases import QUEUED
from tests.model.queue_limit_cases import LENT
from tests.model.queue_pool_cases import SEVERAL

READ = (
    "ClusterQueue status.conditions", "ClusterQueue status.pendingWorkloads",
    "ClusterQueue status.flavorsReservation[].name", "ClusterQueue status.flavorsReservation[].resources[].name",
    "ClusterQueue status.flavorsReservation[].resources[].total",
    "ClusterQueue status.flavorsReservation[].resources[].borrowed", "Workload status.conditions",
)  # fmt: skip
"""What `components/providers/status/queues.py` reads."""
STACKS = {
    "one pool": QUEUED,
    "several": SEVERAL,
    "lent": LENT,
    "batch": both(
        LENT, put("workloads/training/pretrain/priority", "batch"), put("openshift/queues/evict_unready", True)
    ),
}


def _paths(at: str, value: Any) -> Iterator[str]:
    yield at
    if at.rpartition(".")[2] in kueue_crds.OWN:
        return
    if isinstance(value, dict) and not at.endswith("nodeLabels"):
        for name, each in value.items():
            yield from _paths(f"{at}.{name}", each)
    elif isinstance(value, list):
        for each in value:
            yield from _paths(f"{at}[]", each)


def _written(changes: Any) -> set[str]:
    file = copy.deepcopy(LAB)
    changes(file)
    (found,) = (each for each in whole.operators(Cluster.model_validate(file)) if each.name == "kueue-operator")
    own = [each for each in found.settings if each["apiVersion"] == "kueue.x-k8s.io/v1beta2"]
    assert {each["kind"] for each in own} == set(kueue_crds.KINDS) - {"Workload"}
    return {f"{each['kind']} {path}" for each in own for path in _paths("spec", each["spec"])}


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("release", RELEASE_SETS)
def test_every_field_that_is_planned_or_read_exists_in_the_kueue_of_the_release_set(release: str, stack: str) -> None:
    version = kueue.operand(RELEASE_SETS[release].kueue.channel)
    assert version == "0.16", "the lab runs 0.19"
    assert _written(STACKS[stack]) - kueue.fields(version) == set()
    assert set(READ) <= kueue.fields(version)


def test_a_field_that_came_later_would_be_noticed() -> None:
    later = "ClusterQueue spec.concurrentAdmissionPolicy"
    assert later not in kueue.fields("0.16") and later in kueue.fields("0.18")
    assert kueue.fields("0.14") == frozenset() and kueue.serving() == ("stable-v1.3", "stable-v1.4")


def test_the_labs_definitions_are_those_of_the_table() -> None:
    assert kueue_crds.paths(crd_folder()) == kueue.fields("0.19")


def test_each_key_of_queues_that_is_a_field_is_one_of_the_table() -> None:
    named = {*Queues.model_fields, *(f"teams.*.{name}" for name in TeamQueue.model_fields)}
    own = {"pool", "pools", "teams", "evict_unready", "cert_manager", "enforce"}
    assert set(kueue.written()) == named - own, "a new key has its field in the table, or is of podwright's own here"
    assert set(kueue.written().values()) <= kueue.fields("0.16")
