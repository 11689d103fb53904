"""Waits until a pool's nodes offer what pods will ask for, and nothing is about to take a node away again.

Operators answer a new object some moments later: they cordon, drain and restart nodes one by one. A pool is ready
only when every node has been whole for a while, so that neither an acceptance test nor a gang starts in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from components.providers.openshift.waiting import NODES, is_ready, step_patience
from components.providers.protocol.kind import (
    CheckContext,
    Context,
    Created,
    Failure,
    Kind,
    ProviderError,
    Read,
    Values,
)
from components.providers.protocol.shape import judge_spec

SETTLED_SECONDS = 4.0
"""Operators start on a change within seconds; a pool that stays whole this long is not about to be drained."""
LONGEST = 3 * 3600.0
"""A driver build and two reboots per node, one node after another, in a pool of a few dozen."""
_POOLS = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools"
_STATES = "/apis/sriovnetwork.openshift.io/v1/sriovnetworknodestates"

REQUIRED: Mapping[str, type] = {"pool": str, "nodes": list, "resources": dict, "trigger": str}


class PoolReadyKind(Kind):
    """``podwright:openshift:PoolReady``: ``{"schema", "pool", "nodes": [names], "resources": {name: count},
    "trigger"}``.

    `resources` are what each node must at least offer; `trigger` is a digest of what the operators were told.
    """

    token = "podwright:openshift:PoolReady"  # noqa: S105  (a type token, no secret)
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys and types."""
        del ctx
        return judge_spec(inputs, self.schema, REQUIRED, {})

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
        del id, old_inputs, outputs
        await _wait(inputs, ctx)
        return inputs

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Nothing is on the cluster."""
        del id, inputs, outputs, ctx


async def _wait(inputs: Values, ctx: Context) -> None:
    spec = inputs["spec"]
    kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
    patience = step_patience(ctx, LONGEST)
    clock = asyncio.get_running_loop().time
    whole_since: float | None = None
    while whole_since is None or clock() - whole_since < SETTLED_SECONDS:
        try:
            lacking = list(_lacking(spec, await _live(kube)))
        except (KubeError, SilentError) as silent:
            lacking = [f"the cluster's API ({silent})"]
        if not lacking:
            whole_since = clock() if whole_since is None else whole_since
            await asyncio.sleep(0.5)
            continue
        whole_since = None
        ctx.log(f"pool {spec['pool']}: {lacking[0]}" + (f" and {len(lacking) - 1} more" if lacking[1:] else ""))
        try:
            await patience.wait(f"pool {spec['pool']}")
        except ProviderError as over:
            raise ProviderError(f"{over}: {'; '.join(lacking)}") from None


async def _live(kube: Kube) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for kind, path in (("nodes", NODES), ("pools", _POOLS), ("states", _STATES)):
        try:
            listed = (await kube.get(path)).get("items") or []
        except KubeError as refused:
            if refused.status != 404:
                raise
            listed = []
        found[kind] = {each["metadata"]["name"]: each for each in listed}
    return found


def _lacking(spec: Mapping[str, Any], live: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What still keeps the pool from being whole, a phrase each."""
    for name in spec["nodes"]:
        node = live["nodes"].get(name)
        if node is None or not is_ready(node):
            yield f"{name} is not ready"
            continue
        if node["spec"].get("unschedulable"):
            yield f"{name} is cordoned"
        offered = (node.get("status") or {}).get("allocatable") or {}
        for resource, count in spec["resources"].items():
            if int(offered.get(resource, 0)) < int(count):
                yield f"{name} offers {offered.get(resource, 0)} of {int(count)} {resource}"
        yield from _unsettled(name, live["states"].get(name) or {})
    conditions = (live["pools"].get(spec["pool"], {}).get("status") or {}).get("conditions") or []
    if any(each["type"] == "Updating" and each["status"] == "True" for each in conditions):
        yield f"MachineConfigPool {spec['pool']} is updating"


def _unsettled(name: str, state: Mapping[str, Any]) -> Iterator[str]:
    """SR-IOV's word on a node: settings it still works on, or an RDMA mode that waits for a reboot."""
    status = state.get("status") or {}
    if state and status.get("syncStatus") not in {None, "Succeeded"}:
        yield f"SR-IOV on {name} is {status['syncStatus']}"
    wanted = ((state.get("spec") or {}).get("system") or {}).get("rdmaMode")
    if wanted and (status.get("system") or {}).get("rdmaMode") != wanted:
        yield f"{name} is not yet in RDMA mode {wanted}"
