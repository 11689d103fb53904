"""The place of a pool's budget that stays free for the SR-IOV operator, which counts nobody's nodes but its own."""

from __future__ import annotations

from typing import Any

from podwright.components.providers.openshift.cordons import MCO, SRIOV, Survey
from podwright.components.providers.openshift.pools.budget import place_kept

NODES = ("gpu-01", "gpu-02")


def survey(desired: str = "Idle", current: str = "Idle", config: str = "new", reached: str = "new") -> Survey:
    """Two nodes of which the first one's daemon asks, and a pool that is to run the configuration `new`."""
    nodes = {name: {"metadata": {"annotations": {f"{MCO}desiredConfig": config}}} for name in NODES}
    for node in nodes.values():
        node["metadata"]["annotations"][f"{MCO}currentConfig"] = config
    asks = {f"{SRIOV}desired-state": desired, f"{SRIOV}current-state": current}
    states: dict[str, Any] = {"gpu-01": {"metadata": {"annotations": asks}}, "gpu-02": {"metadata": {}}}
    pool = {"spec": {"configuration": {"name": "new"}}, "status": {"configuration": {"name": reached}}}
    return Survey(nodes, {"training": pool}, states)


def test_a_place_is_kept_from_a_request_on_and_for_one_node() -> None:
    assert place_kept(survey(), NODES, "training") == 0
    assert place_kept(survey("Drain_Required"), NODES, "training") == 1
    assert place_kept(survey("Reboot_Required"), NODES, "training") == 1
    assert place_kept(survey("Drain_Required"), ("gpu-02",), "training") == 0, "another pool's"


def test_a_node_that_is_drained_counts_itself() -> None:
    assert place_kept(survey("Drain_Required", "Draining"), NODES, "training") == 0


def test_no_place_is_kept_while_our_own_pause_keeps_the_operator_waiting() -> None:
    assert place_kept(survey("Drain_Required", config="old", reached="old"), NODES, "training") == 0
    assert place_kept(survey("Drain_Required", reached="old"), NODES, "training") == 1, "its last nodes are on the way"
