"""What keeps a pool from being whole: a node that is away, cordoned, short of a device, or about to be taken away."""

from typing import Any

import pytest

from podwright.components.providers.openshift.cordons import Survey
from podwright.components.providers.openshift.pools.readiness import _lacking

SPEC = {"pool": "training", "nodes": ["gpu-01"], "resources": {"nvidia.com/gpu": 8, "openshift.io/rail0": 1}}
READY = {"conditions": [{"type": "Ready", "status": "True"}]}
WHOLE = {"nvidia.com/gpu": "8", "openshift.io/rail0": "1"}
EXCLUSIVE = {"spec": {"system": {"rdmaMode": "exclusive"}}, "status": {"syncStatus": "Succeeded"}}


def _node(allocatable: dict[str, str], **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "gpu-01"}, "spec": spec, "status": {**READY, "allocatable": allocatable}}


def _pool(**conditions: str) -> dict[str, Any]:
    rows = [{"type": kind, "status": status} for kind, status in conditions.items()]
    return {"metadata": {"name": "training"}, "spec": {}, "status": {"conditions": rows}}


def test_a_pool_is_whole_when_every_node_offers_everything() -> None:
    assert list(_lacking(SPEC, Survey({"gpu-01": _node(WHOLE)}, {}, {}))) == []


@pytest.mark.parametrize(
    ("survey", "words"),
    [
        (Survey({}, {}, {}), "gpu-01 is not ready"),
        (Survey({"gpu-01": _node({**WHOLE, "nvidia.com/gpu": "7"})}, {}, {}), "gpu-01 offers 7 of 8 nvidia.com/gpu"),
        (Survey({"gpu-01": _node({"nvidia.com/gpu": "8"})}, {}, {}), "gpu-01 offers 0 of 1 openshift.io/rail0"),
        (Survey({"gpu-01": _node(WHOLE, unschedulable=True)}, {}, {}), "gpu-01 is cordoned by somebody"),
        (
            Survey({"gpu-01": _node(WHOLE)}, {"training": _pool(Updating="True")}, {}),
            "MachineConfigPool training is updating",
        ),
        (Survey({"gpu-01": _node(WHOLE)}, {}, {"gpu-01": EXCLUSIVE}), "gpu-01 is not yet in RDMA mode exclusive"),
    ],
)
def test_what_is_lacking_is_named(survey: Survey, words: str) -> None:
    (found,) = _lacking(SPEC, survey)
    assert found.startswith(words)
