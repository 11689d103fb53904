"""Isolation of teams on the status screen: a policy that a node does not enforce is named with what it reports."""

from typing import Any

import pytest

from podwright.cli.isolation import apart
from podwright.components.model import load
from podwright.components.providers.status.snapshot import Snapshot
from tools.generated import ROOT

CLUSTER = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
CHAT = "AdminNetworkPolicy podwright-team-chat"
WHY = {"status": "False", "reason": "SetupFailed", "message": "no port group"}
NODES = ("gpu-01", "gpu-02", "gpu-03", "gpu-04")


def _policy(team: str, **rows: dict[str, str]) -> dict[str, Any]:
    conditions = [{"type": f"Ready-In-Zone-{node.replace('_', '-')}", **row} for node, row in rows.items()]
    return {"metadata": {"name": f"podwright-team-{team}"}, "status": {"conditions": conditions}}


FINE = [_policy(team, gpu_01={"status": "True"}) for team in ("research", "vision")]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ({"gpu_01": {"status": "True"}}, []),
        ({}, [f"{CHAT} is in force on no node: none has reported it"]),
        ({"gpu_01": {"status": "True"}, "gpu_02": WHY},
         [f"{CHAT} is not in force on gpu-02: SetupFailed: no port group"]),
        ({node: WHY for node in NODES},
         [f"{CHAT} is not in force on gpu-01, gpu-02, gpu-03 and 1 more: SetupFailed: no port group"]),
    ],
)  # fmt: skip
def test_a_policy_that_nodes_do_not_enforce_is_named_with_the_reason(rows: dict[str, Any], found: list[str]) -> None:
    assert [*apart(CLUSTER, Snapshot({"AdminNetworkPolicy": (*FINE, _policy("chat", **rows))}))] == found


def test_one_that_is_not_there_is_the_plans_matter() -> None:
    assert [*apart(CLUSTER, Snapshot({"AdminNetworkPolicy": ()}))] == []
