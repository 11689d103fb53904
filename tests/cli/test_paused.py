"""A paused pool is shown by `status`, unless whoever paused it lets it go on by itself."""

from typing import Any

import pytest

from podwright.cli.offers import offers
from podwright.components import model
from podwright.components.providers.status.snapshot import Snapshot
from tests.e2e.site import ROOT

CLUSTER = model.load(ROOT / "Pulumi.lab.yaml")


def _shown(notes: dict[str, str], *, paused: bool = True, reached: str = "rendered-2") -> list[str]:
    pool: dict[str, Any] = {
        "metadata": {"name": "training", "annotations": notes},
        "spec": {"paused": paused, "configuration": {"name": "rendered-2"}},
        "status": {"configuration": {"name": reached}},
    }
    found = {each.pool: each.troubles for each in offers(CLUSTER, Snapshot({"MachineConfigPool": (pool,)}))}
    assert not [line for name, lines in found.items() if name != "training" for line in lines if "paused" in line]
    return [line for line in found["training"] if "paused" in line]


def test_a_pause_is_shown_with_what_waits_for_its_end() -> None:
    assert _shown({}, paused=False) == []
    (rest,) = _shown({})
    assert rest == "training is paused: nothing drains or restarts its nodes; no configuration waits for it"
    (late,) = _shown({}, reached="rendered-1")
    assert late.endswith("a configuration waits for it")


@pytest.mark.parametrize(
    ("note", "value"),
    [
        ("podwright.io/paused", "yes"),
        ("maintenance.nvidia.com/mcp-paused", "true"),
        ("sriovnetwork.openshift.io/state", "Paused"),
    ],
)
def test_a_pause_of_those_who_take_nodes_is_theirs(note: str, value: str) -> None:
    assert _shown({note: value}) == []


def test_an_operator_that_has_let_go_is_no_excuse() -> None:
    assert _shown({"sriovnetwork.openshift.io/state": "Idle"}) != []
