"""The SR-IOV operator's drain controller: a node's daemon asks by annotation, the operator drains and says so.

After k8snetworkplumbingwg/sriov-network-operator (drain controller, drainer, OpenShift orchestrator). All it knows
stands in annotations: an operator that was restarted goes on. What it leaves behind when it is removed half-way
stays behind: the cordon, the node's request, the paused MachineConfigPool.
"""

from __future__ import annotations

from podwright.lab.openshift import drain
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.kinds import (
    MACHINE_CONFIG_POOLS,
    NODES,
    SRIOV_NODE_STATES,
    SRIOV_POOL_CONFIGS,
)
from podwright.lab.openshift.machine_pools import busy, machine_pool
from podwright.lab.openshift.selectors import matches
from podwright.lab.openshift.sriov.functions import uses_functions

REQUEST = "sriovnetwork.openshift.io/state"
"""On the Node: what its daemon asks for. On a MachineConfigPool: whether the operator paused it."""
WANTED, CURRENT = "sriovnetwork.openshift.io/desired-state", "sriovnetwork.openshift.io/current-state"
"""On the SriovNetworkNodeState: the daemon's request again, and how far the operator is."""
IDLE, DRAINING, COMPLETE = "Idle", "Draining", "DrainComplete"
DRAIN, REBOOT = "Drain_Required", "Reboot_Required"
PAUSED = "Paused"
CORDONER = "sriov-network-operator"
"""Whom a node's managed fields name: the binary's name."""


def serve(operator: Controller, node: Object, namespace: str) -> None:
    """One step for one node, as far as it goes without waiting."""
    state = operator.cache.get(SRIOV_NODE_STATES, node["metadata"]["name"], namespace)
    if state is None:
        return
    node = operator.cache.get(NODES, node["metadata"]["name"]) or node
    known = notes(state)
    state = operator.note(SRIOV_NODE_STATES, state, **{key: known.get(key, IDLE) for key in (CURRENT, WANTED)})
    node = operator.note(NODES, node, **{REQUEST: notes(node).get(REQUEST, IDLE)})
    asked, current = notes(node)[REQUEST], notes(state)[CURRENT]
    if asked == IDLE and current != IDLE:
        drain.cordon(operator.api, node, CORDONER, off=True)
        _let_go(operator, node)
        operator.note(SRIOV_NODE_STATES, state, **{CURRENT: IDLE})
    elif asked in (DRAIN, REBOOT) and current != COMPLETE:
        if current == IDLE:
            if not _room(operator, node, namespace):
                return
            state = operator.note(SRIOV_NODE_STATES, state, **{CURRENT: DRAINING})
        if _hold(operator, node) and _empty(operator, node, everything=asked == REBOOT):
            operator.note(SRIOV_NODE_STATES, state, **{CURRENT: COMPLETE})


def notes(item: Object) -> dict[str, str]:
    """An object's annotations."""
    return item["metadata"].get("annotations") or {}


def pool_config(operator: Controller, node: Object, namespace: str) -> Object | None:
    """The SriovNetworkPoolConfig that selects a node."""
    labels = node["metadata"].get("labels", {})
    configs = operator.cache.list(SRIOV_POOL_CONFIGS, namespace)
    return next((each for each in configs if matches(each["spec"].get("nodeSelector"), labels)), None)


def _room(operator: Controller, node: Object, namespace: str) -> bool:
    """True when one more node of the same pool config may go; nodes of none share a room of one."""
    config = pool_config(operator, node, namespace)
    peers = [each for each in operator.cache.list(NODES) if pool_config(operator, each, namespace) == config]
    states = [operator.cache.get(SRIOV_NODE_STATES, each["metadata"]["name"], namespace) for each in peers]
    away = sum(state is not None and notes(state).get(CURRENT) in (DRAINING, COMPLETE) for state in states)
    allowed = config["spec"].get("maxUnavailable") if config else 1
    # A pool config that says nothing lets all its nodes go at once.
    # 0, or a percentage of fewer than one node, lets none of them go.
    return allowed is None or away < (drain.limit(allowed, len(peers)) if allowed != 0 else 0)


def _empty(operator: Controller, node: Object, everything: bool) -> bool:
    """Cordon, and evict pods that hold functions, or all; True when none is left."""
    drain.cordon(operator.api, node, CORDONER)
    pods = drain.evictable(operator.cache, node["metadata"]["name"])
    return not drain.evict_some(operator.api, [pod for pod in pods if everything or uses_functions(pod)])


def _hold(operator: Controller, node: Object) -> bool:
    """Pause the node's MachineConfigPool, so that only one of both operators takes nodes away. False: not yet."""
    pool = machine_pool(operator, node)
    if pool is None:
        return False
    ours, paused = notes(pool).get(REQUEST) == PAUSED, bool(pool["spec"].get("paused"))
    if ours and paused:
        return True
    if busy(pool):
        return False
    pool = operator.note(MACHINE_CONFIG_POOLS, pool, **{REQUEST: PAUSED})
    operator.cache.replace(MACHINE_CONFIG_POOLS, operator.patch(MACHINE_CONFIG_POOLS, pool, {"spec": {"paused": True}}))
    return True


def _let_go(operator: Controller, node: Object) -> None:
    """Unpause the pool that we paused, when no other node of it is being drained."""
    pool = machine_pool(operator, node)
    if pool is None or notes(pool).get(REQUEST) != PAUSED:
        return
    for other in operator.cache.list(NODES):
        mine = matches(pool["spec"].get("nodeSelector"), other["metadata"].get("labels", {}))
        if mine and other["metadata"]["name"] != node["metadata"]["name"] and notes(other).get(REQUEST, IDLE) != IDLE:
            return
    pool = operator.patch(MACHINE_CONFIG_POOLS, pool, {"spec": {"paused": False}})
    operator.cache.replace(MACHINE_CONFIG_POOLS, pool)
    operator.note(MACHINE_CONFIG_POOLS, pool, **{REQUEST: IDLE})
