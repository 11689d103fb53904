"""NVIDIA's Maintenance Operator: whoever wants a node to himself asks by a NodeMaintenance, and is let in by budget.

After Mellanox/maintenance-operator (scheduler, NodeMaintenance controller, OpenShift's MachineConfigPool manager): a
request waits until the operator's own limits let one more node go and the node's MachineConfigPool is at rest; then
the pool is paused, the node cordoned and drained, and the request Ready. Deleting the request gives all of it back.
"""

from __future__ import annotations

from typing import Any

from podwright.lab.openshift import drain
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.daemons import node_ready
from podwright.lab.openshift.kinds import (
    CSVS,
    DEPLOYMENTS,
    MACHINE_CONFIG_POOLS,
    MACHINE_CONFIGS,
    MAINTENANCE_CONFIGS,
    NODE_MAINTENANCES,
    NODES,
    PODS,
)
from podwright.lab.openshift.machine_pools import busy, machine_pool

PACKAGE = "nvidia-maintenance-operator"
MANAGER = "manager"
"""Who cordons, in a node's managed fields: the binary's name."""
FINALIZER = "maintenance.nvidia.com/finalizer"
PAUSED = "maintenance.nvidia.com/mcp-paused"
"""On a MachineConfigPool that the operator paused."""
POOL = "maintenance.nvidia.com/paused-mcp-name"
"""On a NodeMaintenance: the pool that is paused for it."""
BEFORE = "maintenance.nvidia.com/node-initial-state.unschedulable"
"""On a NodeMaintenance: whether its node was cordoned before."""
PENDING, SCHEDULED, DRAINING, READY = "Pending", "Scheduled", "Draining", "Ready"
WAITING = ("", PENDING)


class Maintenance(Controller):
    """One pass: who may begin, then each request as far as it goes without waiting."""

    watches = (
        CSVS,
        DEPLOYMENTS,
        NODE_MAINTENANCES,
        MAINTENANCE_CONFIGS,
        NODES,
        PODS,
        MACHINE_CONFIG_POOLS,
        MACHINE_CONFIGS,
    )

    def reconcile(self) -> None:
        """One pass over the requests of all namespaces."""
        home = running(self.cache, PACKAGE)
        if home is None:
            return
        for item in self.cache.list(NODE_MAINTENANCES):
            if "deletionTimestamp" in item["metadata"]:
                self._give_back(item)
            elif phase(item) == "":
                self._phase(item, PENDING)
        self._schedule(home)
        self.each(NODE_MAINTENANCES, self._advance)

    # --- who may begin ------------------------------------------------------------------------------------------

    def _schedule(self, home: str) -> None:
        """The oldest requests first, as many as the operator's limits let in."""
        found = self.cache.list(NODE_MAINTENANCES)
        under_way = {each["spec"]["nodeName"] for each in found if phase(each) not in WAITING}
        room = self._room(home, under_way)
        waiting = [each for each in found if phase(each) == PENDING and "deletionTimestamp" not in each["metadata"]]
        for item in sorted(waiting, key=lambda each: each["metadata"]["creationTimestamp"]):
            name = item["spec"]["nodeName"]
            if room > 0 and name not in under_way and self.cache.get(NODES, name) is not None:
                self._phase(item, SCHEDULED)
                under_way.add(name)
                room -= 1

    def _room(self, home: str, under_way: set[str]) -> int:
        config = self.cache.get(MAINTENANCE_CONFIGS, "default", home)
        spec: dict[str, Any] = (config or {}).get("spec", {})
        nodes = self.cache.list(NODES)
        most = _limit(spec.get("maxParallelOperations", 1), len(nodes))
        room = len(nodes) if most == 0 else most - len(under_way)
        if "maxUnavailable" in spec:
            away = {each["metadata"]["name"] for each in nodes if each["spec"].get("unschedulable")}
            away |= {each["metadata"]["name"] for each in nodes if not node_ready(each)} | under_way
            room = min(room, _limit(spec["maxUnavailable"], len(nodes)) - len(away))
        return room

    # --- one request ----------------------------------------------------------------------------------------------

    def _advance(self, item: Object) -> None:
        node = self.cache.get(NODES, item["spec"]["nodeName"])
        if node is None or "deletionTimestamp" in item["metadata"]:
            return
        if phase(item) == SCHEDULED:
            item = self._hold(item, node)
        if phase(item) == DRAINING and self._drained(item, node):
            self._phase(item, READY)

    def _hold(self, item: Object, node: Object) -> Object:
        """Pause the node's pool and cordon the node; the request as it is then."""
        pool = machine_pool(self, node)
        ours = pool is not None and PAUSED in (pool["metadata"].get("annotations") or {})
        if pool is None or (not ours and (busy(pool) or pool["spec"].get("paused"))):
            return item
        before = "true" if node["spec"].get("unschedulable") else "false"
        meta = {"labels": {POOL: pool["metadata"]["name"]}, "finalizers": [FINALIZER], "annotations": {BEFORE: before}}
        self.patch(NODE_MAINTENANCES, item, {"metadata": meta})
        paused = {"spec": {"paused": True}, "metadata": {"annotations": {PAUSED: "true"}}}
        self.cache.replace(MACHINE_CONFIG_POOLS, self.patch(MACHINE_CONFIG_POOLS, pool, paused))
        if item["spec"].get("cordon", True):
            drain.cordon(self.api, node, MANAGER)
        return self._phase(item, DRAINING)

    def _drained(self, item: Object, node: Object) -> bool:
        name = node["metadata"]["name"]
        return item["spec"].get("drainSpec") is None or not drain.evict(self.api, self.cache, name)

    def _give_back(self, item: Object) -> None:
        """Uncordon what was schedulable, let the pool go on when no other request needs it, and let the request go."""
        meta = item["metadata"]
        node = self.cache.get(NODES, item["spec"]["nodeName"])
        if node is not None and (meta.get("annotations") or {}).get(BEFORE) == "false":
            drain.cordon(self.api, node, MANAGER, off=True)
        name = (meta.get("labels") or {}).get(POOL)
        pool = self.cache.get(MACHINE_CONFIG_POOLS, name) if name else None
        others = [
            each for each in self.cache.list(NODE_MAINTENANCES)
            if each["metadata"]["uid"] != meta["uid"] and (each["metadata"].get("labels") or {}).get(POOL) == name
        ]  # fmt: skip
        if pool is not None and PAUSED in (pool["metadata"].get("annotations") or {}) and not others:
            on = {"spec": {"paused": False}, "metadata": {"annotations": {PAUSED: None}}}
            self.cache.replace(MACHINE_CONFIG_POOLS, self.patch(MACHINE_CONFIG_POOLS, pool, on))
        rest = [each for each in meta.get("finalizers", []) if each != FINALIZER]
        self.patch(NODE_MAINTENANCES, item, {"metadata": {"finalizers": rest}})

    def _phase(self, item: Object, reason: str) -> Object:
        rows = merge_conditions(
            item.get("status", {}).get("conditions", []), [condition("Ready", reason == READY, reason)]
        )
        fresh = self.patch(NODE_MAINTENANCES, item, {"status": {"conditions": rows}}, "status")
        self.cache.replace(NODE_MAINTENANCES, fresh)
        return fresh


def phase(item: Object) -> str:
    """How far a request is: the reason of its Ready condition, empty for one that nobody has seen."""
    rows = item.get("status", {}).get("conditions") or []
    return next((str(row["reason"]) for row in rows if row["type"] == "Ready"), "")


def ready(item: Object) -> bool:
    """True when the node is the requestor's."""
    return phase(item) == READY and "deletionTimestamp" not in item["metadata"]


def _limit(value: int | str, count: int) -> int:
    """A limit as a number of nodes; a percentage rounds up."""
    if isinstance(value, str) and value.endswith("%"):
        return -(-count * int(value[:-1]) // 100)
    return int(value)
