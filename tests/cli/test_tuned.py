"""Kernel settings of nodes on the status screen: as planned only where each reports the pool's profile applied."""

from typing import Any

import pytest

from podwright.cli.offers import offers
from podwright.components.providers.status.snapshot import Snapshot
from tests.cli.test_status import CLUSTER

NODES = [name for name, server in CLUSTER.servers.items() if server.pool == "training"]


def _profile(node: str, chosen: str, applied: str, reason: str, message: str = "") -> dict[str, Any]:
    degraded = "True" if reason == "TunedError" else "False"
    rows = [
        {"type": "Applied", "status": applied},
        {"type": "Degraded", "status": degraded, "reason": reason, "message": message},
    ]
    spec = {"config": {"tunedProfile": chosen}}
    return {"metadata": {"name": node}, "spec": spec, "status": {"conditions": rows}}


def _troubles(*last: dict[str, Any]) -> list[str]:
    """Those of the training pool that name Tuned, where every node but the last is as planned."""
    nodes = tuple({"metadata": {"name": name}, "spec": {}} for name in NODES)
    well = [_profile(name, "podwright-training", "True", "AsExpected") for name in NODES[:-1]]
    snapshot = Snapshot({"Node": nodes, "TunedProfile": (*well, *last)})
    (pool,) = (each for each in offers(CLUSTER, snapshot) if each.pool == "training")
    return [each for each in pool.troubles if "Tuned" in each]


def test_every_node_that_reports_the_profile_is_as_planned() -> None:
    assert _troubles(_profile(NODES[-1], "podwright-training", "True", "AsExpected")) == []


@pytest.mark.parametrize(
    ("last", "trouble"),
    [
        (("openshift-node", "True", "AsExpected"), "is given the Tuned profile openshift-node, not podwright-training"),
        (("podwright-training", "False", "TunedError", "Cannot find profile"), "has not applied the Tuned profile"),
        (("podwright-training", "True", "TunedWarning", "Incorrect value"), "in part: Incorrect value"),
    ],
)
def test_a_node_that_is_not_is_named(last: tuple[str, ...], trouble: str) -> None:
    (found,) = _troubles(_profile(NODES[-1], *last))
    assert found.startswith(NODES[-1]) and trouble in found


def test_a_node_whose_daemon_reports_nothing_is_named() -> None:
    assert _troubles() == [f"{NODES[-1]} reports no Tuned profile"]
