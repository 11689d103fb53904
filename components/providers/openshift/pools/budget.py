"""One budget for a pool: whoever takes its nodes away, no more than `max_unavailable` are away together.

A node counts from the moment somebody is about to take it: the Machine Config Operator, the SR-IOV operator and
NVIDIA's Maintenance Operator note that on the node, or in a request, before they cordon it. While a roll-out has nodes
away the MachineConfigPool is paused, as those two operators pause it for theirs: what one counts, no other one takes
meanwhile. The first node of a change goes alone: what does not come back from it stays one node's trouble.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from podwright.components.providers.openshift.cordons import MCO, POOLS, SRIOV, Survey, phase, survey
from podwright.components.providers.openshift.drain import CORDONED, cordon
from podwright.components.providers.openshift.health import whole
from podwright.components.providers.openshift.kube import Kube, SilentError
from podwright.components.providers.openshift.waiting import NODES, is_ready, step_patience
from podwright.components.providers.protocol.kind import Context, ProviderError

READY_SECONDS = 1800.0
"""A server with 2 TB of memory takes up to half an hour from reset to a ready node."""
PAUSED = "podwright.io/paused"
"""Annotation of a MachineConfigPool that a roll-out paused; one that was cut off knows its own pause by it."""
_OTHERS = {f"{SRIOV}state": "Paused", "maintenance.nvidia.com/mcp-paused": "true"}
"""Annotations of a pool that another operator paused for nodes it takes away."""
Node = TypeVar("Node")


async def in_turn(
    todo: Sequence[Node],
    spec: Mapping[str, Any],
    take: Callable[[Node], Awaitable[bool]],
    lacks: Callable[[Node], Awaitable[str]],
    ctx: Context,
) -> None:
    """Take nodes through, one at first, then `max_unavailable` at a time; what fails on one ends it after its batch.

    `take` reports whether a node was emptied for it: one that had nothing to activate proves nothing for the others.
    `lacks` is asked for `soak_seconds` what the first one does not have any more. With `pause` none is taken.
    """
    if spec.get("pause") and todo:
        ctx.warn(f"pool {spec['pool']} is paused (pools.{spec['pool']}.rollout.pause): {len(todo)} nodes wait")
        return
    width, proven = int(spec.get("max_unavailable", 1)), False
    while todo:
        ctx.stop_here(f"the next nodes of pool {spec['pool']}")
        count = width if proven else 1
        batch, todo = todo[:count], todo[count:]
        ended = await asyncio.gather(*map(take, batch), return_exceptions=True)
        for each in ended:
            if isinstance(each, BaseException):
                raise each
        if not proven and any(ended) and todo:
            await _soak(batch[0], spec, lacks, ctx)
        proven = proven or any(ended)


async def _soak(node: Node, spec: Mapping[str, Any], lacks: Callable[[Node], Awaitable[str]], ctx: Context) -> None:
    """Raise ProviderError when the first node does not stay as it came back."""
    clock = asyncio.get_running_loop().time
    end = clock() + float(spec.get("soak_seconds", 0))
    while True:
        if why := await lacks(node):
            raise ProviderError(f"{why} after it came back; no further node of pool {spec['pool']} is taken")
        if clock() >= end:
            return
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ctx.cancel.wait(), min(2.0, max(0.1, end - clock())))
            raise ProviderError(f"stopped while the first node of pool {spec['pool']} was watched; run again to go on")


class Budget:
    """What a roll-out may take of its pool."""

    def __init__(self, kube: Kube, spec: Mapping[str, Any], nodes: Sequence[str]) -> None:
        self._kube = kube
        self._pool = str(spec["pool"])
        self._most = int(spec.get("max_unavailable", 1))
        self._nodes = frozenset(nodes)
        self._despite = frozenset(map(str, spec.get("despite") or ()))
        self._stays_paused = bool(spec.get("pause"))
        # Two of one batch must not both see the last free place.
        self._one = asyncio.Lock()
        self._pauses = False

    @contextlib.asynccontextmanager
    async def spent(self) -> AsyncIterator[None]:
        """Around all that takes nodes: the pause ends with it."""
        try:
            yield
        finally:
            await self._go_on()

    async def take(self, name: str, ctx: Context) -> None:
        """Cordon a node once the budget has room for it. One that a run before this one cordoned is away already."""
        async with self._one:
            live = await self._kube.find(f"{NODES}/{name}") or {"metadata": {}}
            if CORDONED not in (live["metadata"].get("annotations") or {}):
                # Before the pause: what is degraded may be what our pause would keep waiting.
                await whole(self._kube, name, self._pool, self._despite, ctx)
            await self._pause(ctx)
            await self._room(name, ctx)
            await cordon(self._kube, name)

    async def behind_machine_configs(self, ctx: Context) -> bool:
        """Wait until the Machine Config Operator is through with the pool, unless a person or an operator paused it.
        Whether that took time, in which nodes have restarted.

        The SR-IOV operator takes no node before (sriov-network-operator, pkg/platforms/openshift): with a pause of ours
        in the middle, a node whose functions are to come back waits for it, it for the Machine Config Operator, and
        that one for the end of the pause.
        """
        await self._go_on()
        patience, seen = step_patience(ctx, READY_SECONDS), ""
        while words := await self._on_the_way():
            if words != seen:
                patience, seen = step_patience(ctx, READY_SECONDS), words
            ctx.log(f"MachineConfigPool {self._pool}: {words}; the drivers of its nodes' NICs come behind it")
            await patience.wait(f"MachineConfigPool {self._pool} to be updated: {words}")
        return bool(seen)

    async def _on_the_way(self) -> str:
        """How far the pool's nodes are with its configuration; empty where they have it, or nobody takes them to it."""
        try:
            found = await self._kube.find(f"{POOLS}/{self._pool}") or {}
        except SilentError:
            return "the cluster's API is silent"  # a control-plane host that restarts takes it away for a while
        asked, reached = _configurations(found)
        if asked == reached or (found.get("spec") or {}).get("paused"):
            return ""
        counts = found.get("status") or {}
        return f"{counts.get('updatedMachineCount', 0)} of {counts.get('machineCount', 0)} nodes are at {asked}"

    async def _room(self, name: str, ctx: Context) -> None:
        patience = step_patience(ctx, READY_SECONDS)
        while True:
            live = await survey(self._kube)
            own = live.nodes.get(name, {"metadata": {}})
            if CORDONED in (own["metadata"].get("annotations") or {}):
                return
            away = [
                each for each in sorted((self._nodes - {name}) & live.nodes.keys()) if is_away(live, each, self._pool)
            ]
            served = [name] if is_served(live, name, self._pool) else []
            kept = place_kept(live, self._nodes, self._pool)
            if len(away) + kept < self._most and not served:
                return
            full = [*away, *["the SR-IOV operator's next node"] * kept]
            names = ", ".join(full if len(full) >= self._most else served)
            cordoned = [found for other in away + served if (found := live.cordon(other, self._pool))]
            advice = "".join(f"; {each.node} is cordoned by {each.by}: {each.advice}" for each in cordoned)
            ctx.log(f"{name}: waits, {names} of pool {self._pool} away already")
            await patience.wait(f"{names} of pool {self._pool} to come back before {name} goes{advice}")

    async def _pause(self, ctx: Context) -> None:
        """Keep the Machine Config Operator from choosing further nodes, once no other operator does so for itself."""
        patience, seen = step_patience(ctx, READY_SECONDS), None
        while not self._pauses:
            found = await self._kube.find(f"{POOLS}/{self._pool}")
            if found is None:
                return  # no pool of its own: nobody gives its nodes another configuration
            notes: Mapping[str, str] = found["metadata"].get("annotations") or {}
            paused = bool((found.get("spec") or {}).get("paused"))
            if not paused or PAUSED in notes:
                # The note first: a pause without one would stay for good where this program ends in between.
                await self._kube.merge(f"{POOLS}/{self._pool}", {"metadata": {"annotations": {PAUSED: "yes"}}})
                await self._kube.merge(f"{POOLS}/{self._pool}", {"spec": {"paused": True}})
                self._pauses = True
            elif any(notes.get(key) == value for key, value in _OTHERS.items()):
                ctx.log(f"MachineConfigPool {self._pool}: paused by another operator, which takes nodes away")
                # One node after the other: a pool takes hours, and a node that stands still half of one.
                if (now := _chosen(await survey(self._kube), self._nodes)) != seen:
                    patience, seen = step_patience(ctx, READY_SECONDS), now
                await patience.wait(f"another operator to let MachineConfigPool {self._pool} go on")
            else:
                return  # a person's pause stays one

    async def _go_on(self) -> None:
        found = await self._kube.find(f"{POOLS}/{self._pool}")
        if found is not None and PAUSED in (found["metadata"].get("annotations") or {}):
            # A pause of the file came meanwhile: it stays when ours ends.
            await self._kube.merge(f"{POOLS}/{self._pool}", {"spec": {"paused": self._stays_paused}})
            await self._kube.merge(f"{POOLS}/{self._pool}", {"metadata": {"annotations": {PAUSED: None}}})
        self._pauses = False


def _chosen(live: Survey, nodes: frozenset[str]) -> set[tuple[Any, ...]]:
    """How far other operators are with each node: the SR-IOV operator's own word, and whether it takes pods."""
    found = set()
    for name in nodes & live.nodes.keys():
        notes = (live.states.get(name) or {"metadata": {}})["metadata"].get("annotations") or {}
        away = bool((live.nodes[name].get("spec") or {}).get("unschedulable"))
        found.add((name, notes.get(f"{SRIOV}desired-state"), notes.get(f"{SRIOV}current-state"), away))
    return found


def _configurations(machines: Mapping[str, Any]) -> tuple[Any, Any]:
    """Names of the configurations that a pool is asked for and that all of its nodes have."""
    asked, reached = (
        ((machines.get(part) or {}).get("configuration") or {}).get("name") for part in ("spec", "status")
    )
    return asked, reached


def is_away(live: Survey, name: str, pool: str) -> bool:
    """Whether a node takes no pods, or an operator has already chosen it to be the next one that does not."""
    node = live.nodes[name]
    return bool((node.get("spec") or {}).get("unschedulable")) or not is_ready(node) or is_served(live, name, pool)


def place_kept(live: Survey, nodes: Collection[str], pool: str) -> int:
    """How many places of the budget are the SR-IOV operator's next. It drains one node at a time and counts no others
    (sriov-network-operator, controllers/drain_controller_helper.go), so its place stays free from a daemon's request to
    its last drain; not while it waits for a Machine Config Operator that our pause keeps waiting.
    """
    mine = [name for name in nodes if name in live.nodes]
    known = {name: (live.states.get(name) or {"metadata": {}})["metadata"].get("annotations") or {} for name in mine}
    asked = [name for name in mine if known[name].get(f"{SRIOV}desired-state", "Idle") != "Idle"]
    drained = [name for name in asked if is_served(live, name, pool)]
    wanted = ((live.pools.get(pool, {}).get("spec") or {}).get("configuration") or {}).get("name")
    notes = [live.nodes[name]["metadata"].get("annotations") or {} for name in mine]
    behind = any(each.get(f"{MCO}desiredConfig", wanted) != wanted for each in notes)
    return int(bool(asked) and not drained and not behind)


def is_served(live: Survey, name: str, pool: str) -> bool:
    """Whether an operator has chosen a node, cordoned it or not. One that waits for our pause, or for the Machine
    Config Operator that our pause keeps waiting, has not: nobody is to wait for it here.
    """
    node: Mapping[str, Any] = live.nodes.get(name) or {"metadata": {}}
    notes: Mapping[str, str] = node["metadata"].get("annotations") or {}
    wanted = notes.get(f"{MCO}desiredConfig")
    state: Mapping[str, Any] = live.states.get(name) or {"metadata": {}}
    drains = (state["metadata"].get("annotations") or {}).get(f"{SRIOV}current-state", "Idle") != "Idle"
    machines: Mapping[str, Any] = live.pools.get(pool, {})
    asked, reached = _configurations(machines)
    requests = [each for each in live.maintenances.values() if each["spec"]["nodeName"] == name]
    return (
        (wanted is not None and wanted != notes.get(f"{MCO}currentConfig"))
        or (drains and asked == reached)
        or any(phase(each) not in ("", "Pending", "Scheduled") for each in requests)
    )
