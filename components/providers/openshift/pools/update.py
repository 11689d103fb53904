"""Until the Machine Config Operator has brought a pool's nodes to the pool's configuration.

The SR-IOV operator pauses the pool that a node's configuration belongs to. Where it starts while nodes still move into
a pool, it pauses one and unpauses another, and the pool stays paused: operators begin after this wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podwright.components.providers.openshift import cordons
from podwright.components.providers.openshift.cordons import MCO, Survey, mend, survey
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.openshift.waiting import is_ready, step_patience
from podwright.components.providers.protocol.kind import Context, ProviderError

STEP_SECONDS = 1800.0
"""A drain within its budgets and a restart of a server with 2 TB: without any change for so long, nothing moves."""


async def wait_updated(kube: Kube, pool: str, nodes: Sequence[str], ctx: Context) -> None:
    """Return when every node runs the pool's configuration; at once for a pool that is not there, or paused.

    Raises ProviderError when nothing has changed for STEP_SECONDS, naming each node, who holds it and what to type.
    """
    clock = asyncio.get_running_loop().time
    seen, since = None, 0.0
    patience = step_patience(ctx, STEP_SECONDS)
    while True:
        try:
            live = await survey(kube)
        except (KubeError, SilentError):
            live = None  # a control-plane host that restarts takes the API away for a while
        behind = list(_behind(live, pool, nodes)) if live else ["the cluster's API is silent"]
        if not behind:
            return
        if behind != seen:
            seen, since, patience = behind, clock(), step_patience(ctx, STEP_SECONDS)
        ctx.log(f"pool {pool}: {behind[0]}" + (f" and {len(behind) - 1} more" if behind[1:] else ""))
        cordoned = live.cordons(nodes, pool) if live else []
        if live and clock() - since > cordons.RELEASE_SECONDS:
            await mend(kube, live, pool, nodes, ctx)
        advice = "".join(f". {each.node}: {each.advice}" for each in cordoned)
        try:
            await patience.wait(f"MachineConfigPool {pool} to be updated")
        except ProviderError as over:
            raise ProviderError(f"{over}: {'; '.join(behind)}{advice}") from None


def _behind(live: Survey, pool: str, nodes: Sequence[str]) -> Iterator[str]:
    found = live.pools.get(pool)
    if found is None or ((found.get("spec") or {}).get("paused") and not live.pause_forgotten(pool)):
        return
    wanted = ((found.get("spec") or {}).get("configuration") or {}).get("name")
    if not wanted:
        yield f"MachineConfigPool {pool} has no configuration yet"
        return
    for name in nodes:
        node: Mapping[str, Any] = live.nodes.get(name, {})
        notes = (node.get("metadata") or {}).get("annotations") or {}
        current, state = notes.get(f"{MCO}currentConfig"), notes.get(f"{MCO}state")
        if current != wanted or state != "Done" or not is_ready(node):
            cordon = live.cordon(name, pool)
            yield f"{name} is not at {wanted} yet ({state})" + (f", cordoned by {cordon.by}" if cordon else "")
