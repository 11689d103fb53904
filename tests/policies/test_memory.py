"""Shared memory of planned jobs fits; with a larger one in the same plan, its rule alone finds something new."""

import copy
from typing import Any

import pytest

from podwright.components.model import Cluster
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.templates import makes_pods, templates
from tests.design.with_set import with_set
from tests.design.with_train_job import with_train_job
from tests.policies.found import found, planned


def _shared(resource: Resource) -> list[Any]:
    """Volumes in memory of an object's pods."""
    pods = templates(resource) if makes_pods(resource.type) else ()
    volumes = [volume["emptyDir"] for pod in pods for volume in pod.spec.get("volumes") or () if "emptyDir" in volume]
    return [each for each in volumes if each.get("medium") == "Memory"]


@pytest.mark.parametrize(
    ("cluster", "kinds"),
    [(with_set(), {"Job", "JobSet"}), (with_train_job(), {"Job", "TrainingRuntime"})],
    ids=["jobset", "trainjob"],
)
def test_a_volume_beyond_the_limit_is_found_in_a_plan_by_its_rule_alone(cluster: Cluster, kinds: set[str]) -> None:
    plan = planned(cluster)
    before = found(plan)
    assert "workloads-memory-volumes-fit" not in before
    by_kind = {each.type.rpartition(":")[2]: at for at, each in enumerate(plan) if _shared(each)}
    assert kinds <= set(by_kind)
    for at in by_kind.values():
        each = plan[at]
        changed = Resource(each.type, each.name, each.urn, copy.deepcopy(each.props))
        for volume in _shared(changed):
            volume["sizeLimit"] = "8Ti"
        assert found([*plan[:at], changed, *plan[at + 1 :]]) == before | {"workloads-memory-volumes-fit"}, each.name
