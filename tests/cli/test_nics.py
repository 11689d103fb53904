"""Rail NICs on the status screen: as planned only after a look at each, and each that is not by node and rail."""

import io
from typing import Any

from rich.console import Console

from podwright.cli import screen, stack
from podwright.components.design.operators.nic_settings import settings_of
from podwright.components.model import Cluster
from podwright.components.providers.openshift.nics import WAIT
from podwright.components.providers.status.live import Live
from podwright.components.providers.status.snapshot import Snapshot
from tests.cli.test_status import CLUSTER, PLAN

NODES = [f"gpu-0{number}" for number in range(1, 6)]
PCI = ("09", "23", "53", "69", "8f", "9c", "cd", "f1")


def _device(node: str, bus: str) -> dict[str, Any]:
    row = {"type": "ConfigUpdateInProgress", "status": "False", "reason": "UpdateSuccessful", "observedGeneration": 1}
    return {
        "metadata": {"name": f"{node}-{bus}", "generation": 1},
        "spec": {"configuration": {"template": settings_of(CLUSTER.fabric.lossless)}},
        "status": {"node": node, "ports": [{"pci": f"0000:{bus}:00.0"}], "conditions": [row]},
    }


def _screen(devices: list[dict[str, Any]], waiting: str = "", cluster: Cluster = CLUSTER) -> tuple[screen.Facts, str]:
    nodes = tuple(
        {"metadata": {"name": name, "labels": {WAIT: "true" if name == waiting else "false"}}, "spec": {}}
        for name in NODES
    )
    snapshot = Snapshot({"Node": nodes, "NicDevice": tuple(devices)})
    facts = screen.Facts("lab", cluster, PLAN, stack.Stack(), Live({}, {}, snapshot))
    out = io.StringIO()
    table = Console(file=out, width=200)
    screen._section(table, "NICs", screen._nics(facts))
    return facts, out.getvalue()


def test_each_rail_is_looked_at_before_they_are_as_planned() -> None:
    every = [_device(node, bus) for node in NODES for bus in PCI]
    facts, text = _screen(every)
    (pool,) = facts.nics
    assert (pool.total, pool.out_of_class, pool.pending) == (40, (), ())
    assert "40 of 40 rail NICs" in text
    assert "trust dscp, PFC 0,0,0,1,0,0,0,0, notifications DSCP 48" in text
    facts, text = _screen([])
    assert len(facts.nics[0].out_of_class) == 40
    assert "0 of 40" in text
    assert not facts.well


def test_a_nic_that_is_not_set_is_named_by_node_and_rail() -> None:
    every = [_device(node, bus) for node in NODES for bus in PCI]
    every[10]["status"]["conditions"][0] |= {"status": "True", "reason": "PendingReboot"}
    facts, text = _screen(every)
    assert "39 of 40" in text
    assert "the NIC of rail 2 on gpu-02 is not configured: PendingReboot" in text
    assert not facts.well


def test_a_node_that_still_waits_is_named() -> None:
    facts, text = _screen([_device(node, bus) for node in NODES for bus in PCI], waiting="gpu-04")
    assert facts.nics[0].pending == ("gpu-04",)
    assert "gpu-04 waits for its NICs' settings" in text
    assert not facts.well


def test_where_nothing_sets_nics_nothing_is_said_of_them() -> None:
    facts, text = _screen([], cluster=CLUSTER.model_copy(update={"operators": None}))
    assert (facts.nics, text) == ((), "")
