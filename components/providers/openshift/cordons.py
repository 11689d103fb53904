"""Who keeps a node from taking pods, as far as the cluster's own notes tell, and what to type about it.

Operators note on the node what they drain it for, and the API server notes who wrote a cordon. A drain that lost its
operator, or that waits for something which waits for the node, ends by itself never: such a cordon is `forgotten`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podwright.components.providers.openshift import nics
from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.openshift.drain import CORDONED
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import Context

POOLS = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools"
STATES = "/apis/sriovnetwork.openshift.io/v1/sriovnetworknodestates"
MAINTENANCES = "/apis/maintenance.nvidia.com/v1alpha1/nodemaintenances"
MCO, SRIOV = "machineconfiguration.openshift.io/", "sriovnetwork.openshift.io/"
OPERATORS = {
    "machine-config-controller": "the Machine Config Operator",
    "sriov-network-operator": "the SR-IOV operator",
}
"""Field managers of operators that uncordon what they cordoned."""

RELEASE_SECONDS = 60.0
"""What an operator forgot is taken away after so long without any change."""

Item = Mapping[str, Any]


@dataclass(frozen=True)
class Cordon:
    """A cordoned node."""

    node: str
    by: str
    """Who did it and what for, to be read after "is cordoned by"."""
    advice: str
    """What a person types, and when."""
    forgotten: bool = False
    """An operator left it and will not come back for it by itself."""


@dataclass(frozen=True)
class Survey:
    """Nodes, MachineConfigPools, SriovNetworkNodeStates, NodeMaintenances and NicDevices, by name."""

    nodes: Mapping[str, Item]
    pools: Mapping[str, Item]
    states: Mapping[str, Item]
    maintenances: Mapping[str, Item] = field(default_factory=dict)
    devices: Mapping[str, Item] = field(default_factory=dict)

    def cordon(self, name: str, pool: str) -> Cordon | None:
        """The cordon of a node of `pool`; None for a node that takes pods or is not there."""
        node = self.nodes.get(name, {})
        if not (node.get("spec") or {}).get("unschedulable"):
            return None
        found = _ours(name, node) or _maintenance(name, self.maintenances) or _machine_config(name, node, pool)
        return found or _sriov(name, node, self.states.get(name), self.pools.get(pool, {}), pool) or _writer(name, node)

    def cordons(self, names: Sequence[str], pool: str) -> list[Cordon]:
        """Those of several nodes."""
        return [found for name in names if (found := self.cordon(name, pool))]

    def pause_forgotten(self, pool: str) -> bool:
        """True when the SR-IOV operator paused this pool, and no node has a drain of it under way.

        It unpauses the pool that a node's configuration belongs to, which is another one while a node moves.
        """
        machines = self.pools.get(pool, {})
        asked = {_notes(node).get(f"{SRIOV}state", "Idle") for node in self.nodes.values()}
        stand = {_notes(state).get(f"{SRIOV}current-state", "Idle") for state in self.states.values()}
        paused = bool((machines.get("spec") or {}).get("paused"))
        paused = paused and _notes(machines).get(f"{SRIOV}state") == "Paused"
        return paused and asked | stand <= {"Idle"}


async def survey(kube: Kube) -> Survey:
    """Ask for all of them; a kind that the cluster does not serve has no objects."""
    found: list[dict[str, Item]] = []
    for path in (NODES, POOLS, STATES, MAINTENANCES, nics.DEVICES):
        try:
            listed = (await kube.get(path)).get("items") or []
        except KubeError as refused:
            if refused.status != 404:
                raise
            listed = []
        found.append({each["metadata"]["name"]: each for each in listed})
    return Survey(*found)


async def mend(kube: Kube, live: Survey, pool: str, nodes: Sequence[str], ctx: Context) -> None:
    """Take away the cordons and the pause that an operator forgot. A refusal is tried again at the next look."""
    with contextlib.suppress(KubeError, SilentError):
        for cordon in live.cordons(nodes, pool):
            if cordon.forgotten:
                ctx.warn(f"{cordon.node} was left cordoned by {cordon.by}: it is given back")
                await kube.merge(f"{NODES}/{cordon.node}", {"spec": {"unschedulable": None}})
        if live.pause_forgotten(pool):
            # In the order in which the SR-IOV operator does it.
            ctx.warn(f"MachineConfigPool {pool} was left paused by the SR-IOV operator: it goes on")
            await kube.merge(f"{POOLS}/{pool}", {"spec": {"paused": False}})
            await kube.merge(f"{POOLS}/{pool}", {"metadata": {"annotations": {f"{SRIOV}state": "Idle"}}})


def phase(request: Item) -> str:
    """How far a NodeMaintenance is: the reason of its Ready condition, empty for one that nobody has seen."""
    return str(conditions(request).get("Ready", {}).get("reason", ""))


def _notes(item: Item | None) -> Mapping[str, str]:
    return ((item or {}).get("metadata") or {}).get("annotations") or {}


def _uncordon(name: str) -> str:
    return f"`oc adm uncordon {name}` gives it back"


def _left_on(name: str) -> str:
    return f"`oc get pods -A --field-selector spec.nodeName={name}` shows what is left on it"


def _ours(name: str, node: Item) -> Cordon | None:
    if CORDONED not in _notes(node):
        return None
    by = "this program, for a roll-out or a removal that was cut off"
    return Cordon(name, by, f"run it again; {_uncordon(name)} without")


def _maintenance(name: str, requests: Mapping[str, Item]) -> Cordon | None:
    """NVIDIA's Maintenance Operator took the node for the one who asked, and gives it back when that one is done."""
    request = next((each for each in requests.values() if each["spec"]["nodeName"] == name), None)
    if request is None or phase(request) in ("", "Pending"):
        return None
    meta = request["metadata"]
    by = f"the Maintenance Operator for {request['spec']['requestorID']}, which is at {phase(request)}"
    shown = f"`oc describe nodemaintenance {meta['name']} -n {meta['namespace']}` shows what it waits for"
    return Cordon(name, by, f"{_left_on(name)}; {shown}")


def _machine_config(name: str, node: Item, pool: str) -> Cordon | None:
    notes = _notes(node)
    asked, done = notes.get(f"{MCO}desiredDrain", ""), notes.get(f"{MCO}lastAppliedDrain", "")
    reason = notes.get(f"{MCO}reason", "")
    if asked.startswith("uncordon-") and asked != done:
        return Cordon(name, "the Machine Config Operator, which is about to give it back", _uncordon(name))
    if not asked.startswith("drain-") or notes.get(f"{MCO}state") == "Done":
        return None
    by = f"the Machine Config Operator, which drains it for {asked.removeprefix('drain-')}"
    by += f" ({reason})" if reason else ""
    if notes.get(f"{MCO}state") == "Degraded" and reason.endswith("not found"):
        # The controller gives no other configuration to a node that is cordoned.
        return Cordon(name, by, f"its configuration was deleted; {_uncordon(name)}, and the pool its own one", True)
    return Cordon(name, by, f"{_left_on(name)}, `oc describe machineconfigpool {pool}` what the pool waits for")


def _sriov(name: str, node: Item, state: Item | None, pool: Item, pool_name: str) -> Cordon | None:
    asked, current = _notes(node).get(f"{SRIOV}state", "Idle"), _notes(state).get(f"{SRIOV}current-state", "Idle")
    if asked == "Idle" and current == "Idle":
        return None
    by = f"the SR-IOV operator ({asked} on the node, {current if state else 'no node state'} on its own side)"
    if state is None:
        home = "openshift-sriov-network-operator"
        # Nobody serves the request; the next operator finds it on the node, and cordons again.
        return Cordon(name, by, f"`oc get csv -n {home}` shows whether the operator runs; {_uncordon(name)}", True)
    wanted, reached = (((pool.get(part) or {}).get("configuration") or {}).get("name") for part in ("spec", "status"))
    paused = bool((pool.get("spec") or {}).get("paused"))
    if current == "Draining" and pool and wanted != reached and not paused:
        by += f"; it waits for MachineConfigPool {pool_name}, which waits for this node"
        return Cordon(name, by, f"{_uncordon(name)} until the pool is updated; the operator goes on after that", True)
    return Cordon(name, by, f"{_left_on(name)}; {_uncordon(name)} when the operator is gone for good")


def _writer(name: str, node: Item) -> Cordon:
    """Nobody's request is open: whose name the API server keeps with the cordon."""
    entries = [
        entry for entry in node["metadata"].get("managedFields") or []
        if "f:unschedulable" in ((entry.get("fieldsV1") or {}).get("f:spec") or {})
    ]  # fmt: skip
    last: Item = max(entries, key=lambda entry: str(entry.get("time", "")), default={})
    manager, when = str(last.get("manager", "")), str(last.get("time", ""))
    if manager in OPERATORS:
        return Cordon(name, f"{OPERATORS[manager]}, which left it so at {when}", _uncordon(name), True)
    by = f"{manager}, at {when}" if manager else "somebody who left no note"
    return Cordon(name, by, f"no operator claims it; if nobody works on the node, {_uncordon(name)}")
