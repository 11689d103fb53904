"""A roll-out: nodes of a pool taken, a few at a time, through cordon, drain, restart, MIG layout, ready, uncordon.

Only a node whose machine holds settings that wait for a reset, or whose GPUs are to be divided anew, is emptied. A node
that has nothing to activate is marked as it is; so is one that already carries the trigger. Cut off anywhere, the next
run goes on: the mark is written last, together with the uncordon.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight import boot as intersight
from podwright.components.providers.openshift import admission, layout
from podwright.components.providers.openshift.drain import CORDONED, DRAIN_SECONDS, drain, uncordon
from podwright.components.providers.openshift.homeless import Homeless
from podwright.components.providers.openshift.install.hosts import login
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.pools.budget import READY_SECONDS, Budget, in_turn
from podwright.components.providers.openshift.pools.update import wait_updated
from podwright.components.providers.openshift.waiting import NODES, is_ready, step_patience
from podwright.components.providers.protocol.difference import leaf_difference
from podwright.components.providers.protocol.kind import (
    CheckContext,
    Context,
    Created,
    Difference,
    Failure,
    Incomplete,
    Kind,
    ProviderError,
    Read,
    Values,
)
from podwright.components.providers.protocol.shape import judge_spec
from podwright.components.providers.redfish import boot, firmware, upgrade

ROLLED_OUT = "podwright.io/rolled-out"
"""Node annotation that holds the trigger the node was last taken through."""
Live = Mapping[str, Mapping[str, Any]]
"""Nodes by name, as the API server shows them."""
REQUIRED: Mapping[str, type] = {"pool": str, "nodes": list, "trigger": str}
OPTIONAL: Mapping[str, type] = {
    "max_unavailable": int,
    "drain_seconds": int,
    "soak_seconds": int,
    "pause": bool,
    "despite": list,
    "intersight": dict,
}
"""`intersight` (endpoint, key_id, secret) is how nodes with ``intersight: true`` are asked and restarted."""


class RolloutKind(Kind):
    """``podwright:openshift:Rollout``."""

    token = "podwright:openshift:Rollout"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys, types, at least one node may be away."""
        del ctx
        found = judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)
        if not found and inputs["spec"].get("max_unavailable", 1) < 1:
            found.append(Failure(("spec", "max_unavailable"), "must be at least 1, or nothing could ever roll out"))
        for number, node in enumerate([] if found else inputs["spec"]["nodes"]):
            if isinstance(node, Mapping) and "firmware" in node:
                found += firmware.judge(node["firmware"], ("spec", "nodes", number, "firmware"))
        return found

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; a pool of another name is another roll-out."""
        del outputs
        return leaf_difference(old_inputs, new_inputs).without(("spec", "schema")).replacing(("spec", "pool"))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """After it, every node carries the trigger."""
        del outputs
        spec = inputs["spec"]
        return {**inputs, "rolled_out": {_name(node): spec["trigger"] for node in spec["nodes"]}}

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Take the nodes that do not carry the trigger through, within the budget."""
        return Created(str(inputs["spec"]["pool"]), await self._roll(inputs, ctx))

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """As create."""
        del id, old_inputs, outputs
        return await self._roll(inputs, ctx)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """Marks and layouts as they are; a node without our mark (rebuilt, never finished) shows as another trigger."""
        spec = inputs["spec"]
        try:
            live = await _live(Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach)), spec)
        except (KubeError, SilentError) as silent:
            ctx.warn(f"the roll-out of pool {id} cannot be read ({silent}); its state is kept as it was")
            return Read(inputs, outputs)
        marks = _marks(live)
        missing = sorted(name for name, mark in marks.items() if mark != spec["trigger"])
        trigger = spec["trigger"] if not missing else f"not on {', '.join(missing)}"
        nodes = [layout.as_seen(node, live[_name(node)]) for node in spec["nodes"]]
        seen = {**inputs, "spec": {**spec, "trigger": trigger, "nodes": nodes}}
        return Read(seen, {**seen, "rolled_out": marks})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Nodes keep running what they run; the label that asks for a MIG layout is given up."""
        del outputs
        spec = inputs["spec"]
        kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
        try:
            for node in spec["nodes"]:
                if layout.wanted(node):
                    await layout.let_go(kube, _name(node), str(spec["pool"]))
        except (KubeError, SilentError) as silent:
            raise ProviderError(f"the roll-out of pool {id} cannot give up its nodes' layouts: {silent}") from None
        ctx.log(f"roll-outs of pool {id} are no longer looked after; its nodes stay as they are")

    async def _roll(self, inputs: Values, ctx: Context) -> dict[str, Any]:
        spec = inputs["spec"]
        kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
        try:
            live = await _live(kube, spec)
        except (KubeError, SilentError) as silent:
            raise ProviderError(f"the roll-out of pool {spec['pool']} cannot start: {silent}") from None
        todo = [node for node in spec["nodes"] if not _through(node, live[_name(node)], spec)]
        # What an earlier run left cordoned is away already: it comes back before another one goes.
        todo.sort(key=lambda node: CORDONED not in ((live[_name(node)].get("metadata") or {}).get("annotations") or {}))
        budget = Budget(kube, spec, [_name(node) for node in spec["nodes"]])
        try:
            async with budget.spent():
                await in_turn(
                    todo, spec, lambda node: _take(kube, node, spec, budget, ctx), lambda node: _lacks(kube, node), ctx
                )
            await wait_updated(kube, str(spec["pool"]), [_name(node) for node in spec["nodes"]], ctx)
        except (ProviderError, KubeError, SilentError) as stuck:
            marks = _marks(await _live_or(kube, spec, live))
            raise Incomplete(str(spec["pool"]), {**inputs, "rolled_out": marks}, [str(stuck)]) from None
        return {**inputs, "rolled_out": _marks(await _live(kube, spec))}


class Machine:
    """The machine under a node: asked and restarted through its BMC or Intersight; a mere name is neither."""

    def __init__(self, node: Any, spec: Mapping[str, Any]) -> None:
        self._node: Mapping[str, Any] = node if isinstance(node, Mapping) else {}
        self._spec = spec

    async def waits(self, ctx: Context) -> str:
        """What waits for a reset, in words; empty for nothing."""
        found: list[str] = []
        if self._node.get("bmc"):
            found += await upgrade.waits(ctx, self._node)
            found += sorted(await boot.waits_for_reset(ctx, self._node))
        if self._node.get("intersight"):
            found += await intersight.waits_for_reset(ctx, login(self._spec), self._node)
        return ", ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")

    async def prepare(self, ctx: Context) -> None:
        """Hand over firmware that the next restart brings into force; the node was drained. Where that fails the
        machine runs on as it did."""
        if self._node.get("bmc"):
            await upgrade.bring(ctx, self._node)

    async def verify(self, ctx: Context) -> None:
        """Raise ProviderError when the restart did not bring the firmware that was handed over."""
        if self._node.get("bmc"):
            await upgrade.verify(ctx, self._node)

    async def restart(self, ctx: Context) -> None:
        """Restart it through its operating system where that can be had."""
        if self._node.get("bmc"):
            await boot.restart(ctx, self._node)
        else:
            await intersight.restart(ctx, login(self._spec), self._node)


def _name(node: Any) -> str:
    return str(node["name"]) if isinstance(node, Mapping) else str(node)


async def _live(kube: Kube, spec: Mapping[str, Any]) -> Live:
    """Every node of the spec as it is; an empty object for one that is not there."""
    listed = {node["metadata"]["name"]: node for node in (await kube.get(NODES)).get("items") or []}
    return {name: listed.get(name, {}) for name in map(_name, spec["nodes"])}


async def _live_or(kube: Kube, spec: Mapping[str, Any], otherwise: Live) -> Live:
    try:
        return await _live(kube, spec)
    except (KubeError, SilentError):
        return otherwise


def _marks(live: Live) -> dict[str, str]:
    """The trigger that each node carries; empty for none, and for a node that is not there."""
    return {
        name: str(((node.get("metadata") or {}).get("annotations") or {}).get(ROLLED_OUT) or "")
        for name, node in live.items()
    }


def _through(node: Any, live: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
    """Whether a node was taken through: it carries the mark and the layout, and no cordon of ours is left on it."""
    annotations: Mapping[str, Any] = (live.get("metadata") or {}).get("annotations") or {}
    marked = annotations.get(ROLLED_OUT) == spec["trigger"] and CORDONED not in annotations
    return marked and layout.stands(live, layout.wanted(node), str(spec["pool"]))


async def _take(kube: Kube, node: Any, spec: Mapping[str, Any], budget: Budget, ctx: Context) -> bool:
    """One node, from cordon to uncordon; False for one that had nothing to activate and kept its pods.

    A drain that fails gives the node back, and so does firmware that cannot be handed over; a node whose firmware is
    under way, or did not come with the restart, stays cordoned.
    """
    name = _name(node)
    mark = {ROLLED_OUT: str(spec["trigger"])}
    machine = Machine(node, spec)
    live = await kube.find(f"{NODES}/{name}")
    if live is None:
        raise ProviderError(f"{name} is no node of this cluster; it cannot be rolled out")
    found, wanted, pool = live, layout.wanted(node), str(spec["pool"])
    cut_off = CORDONED in (live["metadata"].get("annotations") or {})
    waiting, divided = await machine.waits(ctx), await layout.disturbs(kube, live, wanted)
    if not (waiting or divided or cut_off):
        if not layout.stands(live, wanted, pool):
            await layout.lay_out(kube, live, node, pool, ctx)
        await uncordon(kube, name, mark)
        return False
    before = ""
    if waiting or divided:
        ctx.log(f"{name}: {waiting or f'MIG layout {wanted}'} waits, cordon and drain first")
        await budget.take(name, ctx)
        try:
            homeless = Homeless(kube, name, layout.resources(node)) if divided else None
            await drain(kube, name, ctx, float(spec.get("drain_seconds", DRAIN_SECONDS)), homeless)
            await machine.prepare(ctx)
        except upgrade.UnderWayError:
            raise  # the machine may restart at any time: nothing is to run there
        except ProviderError:
            await uncordon(kube, name)
            raise
    if waiting:
        before = _boot_id(await kube.get(f"{NODES}/{name}"))
        ctx.log(f"{name}: drained, restarting")
        await machine.restart(ctx)
    live = await _back(kube, name, before, ctx)
    if waiting:
        await machine.verify(ctx)
    await layout.lay_out(kube, live, node, pool, ctx)
    await _back(kube, name, before, ctx)
    await admission.wait_again(kube, name, found, ctx)
    await uncordon(kube, name, mark)
    ctx.log(f"{name}: rolled out")
    return True


async def _lacks(kube: Kube, node: Any) -> str:
    """What a node that was taken through does not have any more; a silent API is no word about it."""
    try:
        live = await kube.find(f"{NODES}/{_name(node)}") or {}
    except (KubeError, SilentError):
        return ""
    return "" if is_ready(live) else f"{_name(node)} is not ready"


def _boot_id(node: Mapping[str, Any]) -> str:
    return str(((node.get("status") or {}).get("nodeInfo") or {}).get("bootID") or "")


async def _back(kube: Kube, name: str, before: str, ctx: Context) -> dict[str, Any]:
    """The node once it has booted anew (its boot id says so) and is ready."""
    patience = step_patience(ctx, READY_SECONDS)
    while True:
        node: dict[str, Any]
        try:
            node = await kube.get(f"{NODES}/{name}")
        except (KubeError, SilentError):
            node = {}  # a restart of a control-plane host takes the API away for a while
        if is_ready(node) and _boot_id(node) != before:
            return node
        ctx.log(f"{name}: waiting for the node to come back")
        await patience.wait(f"{name} to come back ready")
