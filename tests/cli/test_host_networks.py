"""Networks of nodes on the status screen: what handlers report, compared with the plan, where `up` brings it there."""

from typing import Any

from podwright.cli.offers import offers
from podwright.components import model
from podwright.components.design.compute.host_network import Pairs
from podwright.components.design.compute.standing_network import interfaces
from podwright.components.providers.status.snapshot import Snapshot
from tests.design.compute.test_managed_networks import managed

CLUSTER = model.load(managed())
POOL = "training"
NODES = [name for name, server in CLUSTER.nodes.items() if server.pool == POOL]


def _state(node: str) -> dict[str, Any]:
    """A node that was installed with today's plan."""
    pair, shift = CLUSTER.nodes_frontend, CLUSTER.openshift
    assert pair is not None and shift is not None
    frontend = Pairs(pair, CLUSTER.fabric.frontend_mtu)
    rows = interfaces(node, CLUSTER.nodes[node], shift, CLUSTER.site, frontend)
    return {"metadata": {"name": node}, "status": {"currentState": {"interfaces": [dict(row) for row in rows]}}}


def _rows(state: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in state["status"]["currentState"]["interfaces"]}


def _troubles(states: list[dict[str, Any]], cluster: model.Cluster = CLUSTER) -> list[str]:
    nodes = tuple({"metadata": {"name": name}, "spec": {}} for name in NODES)
    snapshot = Snapshot({"Node": nodes, "NodeNetworkState": tuple(states)})
    (pool,) = (each for each in offers(cluster, snapshot) if each.pool == POOL)
    return [each for each in pool.troubles if "bond0" in each or "network" in each]


def test_nodes_with_the_plan_are_as_planned() -> None:
    assert _troubles([_state(name) for name in NODES]) == []


def test_a_node_whose_interfaces_differ_is_named() -> None:
    states = [_state(name) for name in NODES]
    rows = states[0]["status"]["currentState"]["interfaces"]
    rows.remove(_rows(states[0])["bond0.20"])
    _rows(states[1])["bond0.20"]["mtu"] = 1500
    assert _troubles(states) == [f"{NODES[0]}: bond0.20 is missing", f"{NODES[1]}: bond0.20 has MTU 1500"]


def test_a_bond_that_differs_is_named_with_the_way_out_and_so_is_what_nobody_planned() -> None:
    states = [_state(name) for name in NODES]
    _rows(states[0])["bond0"]["link-aggregation"] = {"mode": "active-backup"}
    more = {"name": "bond0.77", "type": "vlan", "vlan": {"base-iface": "bond0", "id": 77}}
    states[1]["status"]["currentState"]["interfaces"].append(more)
    first, second = _troubles(states)
    assert first.startswith(f"{NODES[0]}: bond0 is active-backup, not 802.3ad; ") and "installed anew" in first
    assert second == f"{NODES[1]} has bond0.77 besides, which the file does not bring it"


def test_a_node_without_a_handler_is_named() -> None:
    (found,) = _troubles([_state(name) for name in NODES[1:]])
    assert found.startswith(f"{NODES[0]} reports no network")


def test_where_up_brings_nothing_nothing_is_compared() -> None:
    assert CLUSTER.openshift is not None
    shift = CLUSTER.openshift.model_copy(update={"host_network": "installed"})
    assert _troubles([], CLUSTER.model_copy(update={"openshift": shift})) == []
