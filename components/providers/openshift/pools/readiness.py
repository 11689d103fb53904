"""Waits until a pool's nodes offer what pods will ask for, and nothing is about to take a node away again.

Operators answer a new object some moments later: they cordon, drain and restart nodes one by one. A pool is ready
only when every node has been whole for a while, so that neither an acceptance test nor a gang starts in between.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from podwright.components.providers.openshift import admission, cordons, nics, ports
from podwright.components.providers.openshift.conditions import is_true
from podwright.components.providers.openshift.cordons import SRIOV, Survey, mend, survey
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.pools.image_policy import release, unpoliced
from podwright.components.providers.openshift.pools.registries import unserved
from podwright.components.providers.openshift.waiting import Patience, is_ready
from podwright.components.providers.protocol.kind import (
    CheckContext,
    Context,
    Created,
    Failure,
    Kind,
    ProviderError,
    Read,
    Values,
)
from podwright.components.providers.protocol.shape import judge_spec

CONTROL_PLANE = "master"
"""The MachineConfigPool that every cluster has."""
SETTLED_SECONDS = 4.0
"""Operators start on a change within seconds; a pool that stays whole this long is not about to be drained."""
STALLED_SECONDS = 45 * 60.0
"""Nothing has changed for so long: the slowest single step, a restart of a server with 2 TB, takes half an hour."""
ABSENT_SECONDS = 60.0
"""Some NICs of a node are shown and a rail's is not, for so long: the operator discovers all of a node at once."""
EXPLAIN_SECONDS = 600.0
"""A node that stays cordoned for so long without a change is worth a sentence while the wait goes on."""

REQUIRED: Mapping[str, type] = {"pool": str, "nodes": list, "resources": dict, "trigger": str}
OPTIONAL: Mapping[str, type] = {
    "stalled_seconds": int,
    "pause": bool,
    "nics": dict,
    "ports": list,
    "mirrors": dict,
    "images": dict,
    "admission": bool,
}


class PoolReadyKind(Kind):
    """``podwright:openshift:PoolReady``: ``{"schema", "pool", "nodes": [names], "resources": {name: count},
    "trigger"}``, and ``"stalled_seconds"`` where the pool says so. ``"nics"``: settings that its rails must have;
    ``"ports"``: where they must be; ``"mirrors"``: where its nodes must pull from, lists by source; ``"images"``:
    which ones they must run, and no others; ``"admission"``: whether each node must have passed the checks of its
    present boot.

    `resources` are what each node must at least offer; `trigger` is a digest of what the operators were told.
    """

    token = "podwright:openshift:PoolReady"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys and types."""
        del ctx
        return judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Return once the pool is whole and stays so."""
        await _wait(inputs, ctx)
        return Created(str(inputs["spec"]["pool"]), inputs)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """A wait has no live counterpart: health is the status screen's, not the plan's."""
        del id, ctx
        return Read(inputs, outputs)

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """The same wait for what is asked now."""
        del id, outputs
        await _release(old_inputs, inputs, ctx)
        await _wait(inputs, ctx)
        return inputs

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Nothing is on the cluster but the list of registries that it waited for."""
        del id, outputs
        # Without an answer the cluster has gone first, and its list with it.
        with suppress(SilentError):
            await _release(inputs, {}, ctx)


async def _release(old: Values, new: Values, ctx: Context) -> None:
    """By the wait for the control plane alone: that of another pool goes with its pool, and the list stays."""
    before, now = ((each.get("spec") or {}).get("images") or {} for each in (old, new))
    if before and before != now and old["spec"]["pool"] == CONTROL_PLANE:
        await release(Kube(rehomed(str(old["kubeconfig"]), ctx.reach)), before, now)


async def _wait(inputs: Values, ctx: Context) -> None:
    spec = inputs["spec"]
    kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
    stillness = Stillness(spec, kube, ctx)
    clock = asyncio.get_running_loop().time
    whole_since: float | None = None
    while whole_since is None or clock() - whole_since < SETTLED_SECONDS:
        live: Survey | None = None
        try:
            live = await survey(kube)
            _stop(spec, ports.displaced(spec.get("ports") or (), live.states))
            lacking = [*_lacking(spec, live), *await unserved(kube, live, spec["pool"], spec.get("mirrors") or {})]
            lacking += await unpoliced(kube, live, spec["pool"], spec.get("images") or {})
        except (KubeError, SilentError) as silent:
            lacking = [f"the cluster's API ({silent})"]
        if not lacking:
            whole_since = clock() if whole_since is None else whole_since
            await asyncio.sleep(0.5)
            continue
        if spec.get("pause"):
            # Who would change it is paused with it: the wait would never end.
            ctx.warn(f"pool {spec['pool']} is paused, and not awaited: {lacking[0]}")
            return
        whole_since = None
        ctx.log(f"pool {spec['pool']}: {lacking[0]}" + (f" and {len(lacking) - 1} more" if lacking[1:] else ""))
        await stillness.judge(lacking, live)


def _stop(spec: Mapping[str, Any], wrong: Iterable[str]) -> None:
    """No wait mends a port that is elsewhere. Raises ProviderError with each."""
    if found := list(wrong):
        raise ProviderError(f"ports of pool {spec['pool']} are not where rails are expected: {'; '.join(found)}")


class Stillness:
    """How long nothing has changed, what is said and done about it, and when it is enough."""

    def __init__(self, spec: Mapping[str, Any], kube: Kube, ctx: Context) -> None:
        self._spec, self._kube, self._ctx = spec, kube, ctx
        self._clock = asyncio.get_running_loop().time
        self._patience = Patience(ctx, ctx.timeout or math.inf)
        self._seen: object = None
        self._since = 0.0
        self._explained: set[str] = set()

    async def judge(self, lacking: list[str], live: Survey | None) -> None:
        """Say and do what is due, and pause. Raises ProviderError when it is enough."""
        nodes, pool = self._spec["nodes"], str(self._spec["pool"])
        cordoned = live.cordons(nodes, pool) if live else []
        seen = (lacking, [_boot(live, name) for name in nodes])
        if seen != self._seen:
            self._seen, self._since = seen, self._clock()
            self._patience.hurry()
        still = self._clock() - self._since
        limit = float(self._spec.get("stalled_seconds", STALLED_SECONDS))
        advice = "".join(f". {each.node}: {each.advice}" for each in cordoned)
        if still > limit:
            raise ProviderError(
                f"pool {pool} is not ready, and nothing has changed for {still / 60:.0f} min: "
                f"{'; '.join(lacking)}{advice}. If it just needs longer, give the pool more `stall_minutes`"
            )
        if live and self._spec.get("nics") and still > ABSENT_SECONDS:
            _stop(self._spec, nics.displaced(nodes, live.devices.values(), self._spec["nics"]))
        for each in cordoned:
            if still > EXPLAIN_SECONDS and each.node not in self._explained:
                self._explained.add(each.node)
                self._ctx.warn(f"{each.node} has been cordoned for {still / 60:.0f} min by {each.by}. {each.advice}")
        if live and still > cordons.RELEASE_SECONDS:
            await mend(self._kube, live, pool, nodes, self._ctx)
        try:
            await self._patience.wait(f"pool {pool}")
        except ProviderError as over:
            raise ProviderError(f"{over}: {'; '.join(lacking)}{advice}") from None


def _boot(live: Survey | None, name: str) -> str:
    node = live.nodes.get(name, {}) if live else {}
    return str(((node.get("status") or {}).get("nodeInfo") or {}).get("bootID"))


def _lacking(spec: Mapping[str, Any], live: Survey) -> Iterator[str]:
    """What still keeps the pool from being whole, a phrase each."""
    for name in spec["nodes"]:
        node = live.nodes.get(name)
        if node is None or not is_ready(node):
            yield f"{name} is not ready"
            continue
        if cordon := live.cordon(name, spec["pool"]):
            yield f"{name} is cordoned by {cordon.by}"
        offered = (node.get("status") or {}).get("allocatable") or {}
        for resource, count in spec["resources"].items():
            if int(offered.get(resource, 0)) < int(count):
                yield f"{name} offers {offered.get(resource, 0)} of {int(count)} {resource}"
        if spec.get("ports") and not ports.listed(live.states.get(name)):
            yield f"no SriovNetworkNodeState shows the ports of {name}"
        if spec.get("nics"):
            yield from nics.unset(name, live.devices.values(), spec["nics"])
            if nics.waiting(node):
                yield f"{name} waits for its NICs' settings"
        if spec.get("admission") and (why := admission.lacks(node)):
            yield f"{name} {why}"
        yield from _unsettled(name, live.states.get(name) or {})
    yield from _updating(spec["pool"], live.pools.get(spec["pool"], {}))


def _updating(name: str, pool: Mapping[str, Any]) -> Iterator[str]:
    """MachineConfig's word on the pool: an update under way, or one that waits for a pause to end."""
    if is_true(pool, "Updating"):
        yield f"MachineConfigPool {name} is updating"
    elif (pool.get("spec") or {}).get("paused") and not is_true(pool, "Updated"):
        notes = pool["metadata"].get("annotations") or {}
        who = " by the SR-IOV operator" if notes.get(f"{SRIOV}state") == "Paused" else ""
        yield f"MachineConfigPool {name} is paused{who} with an update to come"


def _unsettled(name: str, state: Mapping[str, Any]) -> Iterator[str]:
    """SR-IOV's word on a node: settings it still works on, or an RDMA mode that waits for a reboot."""
    status = state.get("status") or {}
    if state and status.get("syncStatus") not in {None, "Succeeded"}:
        yield f"SR-IOV on {name} is {status['syncStatus']}"
    wanted = ((state.get("spec") or {}).get("system") or {}).get("rdmaMode")
    if wanted and (status.get("system") or {}).get("rdmaMode") != wanted:
        yield f"{name} is not yet in RDMA mode {wanted}"
