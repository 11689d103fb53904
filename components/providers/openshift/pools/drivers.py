"""A driver of a pool's nodes taken to its newest template: what an operator leaves to whoever deletes its pods.

GPU operator and network operator update the DaemonSet of a driver OnDelete (NVIDIA/gpu-operator,
assets/state-driver/0500_daemonset.yaml): another version stands in the template and runs nowhere. Both report
themselves not ready until every pod is of the template's revision. So nodes are emptied within the pool's budget, the
pod is deleted, and the node goes back once the new one runs and the node offers what it did before.

Where a pool has both, one drain of a node replaces both, the NICs' one first: what lets NICs reach GPU memory was built
against it, and fails beside another one until the GPU's driver is built anew (NVIDIA/gpu-operator, issue 2868).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from podwright.components.changes.impact import NOT_ON
from podwright.components.providers.openshift.drain import CORDONED, DRAIN_SECONDS, drain, uncordon
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.pools import nic_driver
from podwright.components.providers.openshift.pools.budget import Budget, in_turn
from podwright.components.providers.openshift.pools.driver_pods import (
    KEYS,
    Drivers,
    concerns_nics,
    keys,
    of_pool,
    one_by_one,
    selector,
    trouble,
)
from podwright.components.providers.openshift.waiting import NODES, Patience, is_ready, step_patience
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

REQUIRED: Mapping[str, type] = {"pool": str, "nodes": list, "driver": dict, "trigger": str}
OPTIONAL: Mapping[str, type] = {
    **{"max_unavailable": int, "drain_seconds": int, "soak_seconds": int, "pause": bool, "despite": list},
    **{"nic_driver": dict, "nic_trigger": str},
}
DRIVER_SECONDS = 2700.0
"""A driver is compiled on each node at its first start; without any change for so long it does not come."""
SETTLED_SECONDS = 4.0
"""An operator answers a new setting within seconds; nothing to do for so long is nothing to do."""
Item = Mapping[str, Any]


class DriverRolloutKind(Kind):
    """``podwright:openshift:DriverRollout``: ``{"schema": 1, "pool", "nodes": [names], "driver": {"namespace",
    "component", "policy", "version"}, "trigger", "max_unavailable", "soak_seconds"}``.

    `component` is the application label of its pods, `policy` the path of what reports the operator's state; without a
    `version` the operator's own is the one. With an `owner`, an NVIDIADriver, only its DaemonSets are the pool's. The
    driver of NICs has a `label` instead; beside one of GPUs it is `nic_driver`, and what decides on it `nic_trigger`.
    """

    token = "podwright:openshift:DriverRollout"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys, types, at least one node may be away."""
        del ctx
        found = judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)
        if not found and inputs["spec"].get("max_unavailable", 1) < 1:
            found.append(Failure(("spec", "max_unavailable"), "must be at least 1, or nothing could ever roll out"))
        return found

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; a pool of another name is another roll-out."""
        del outputs
        return leaf_difference(old_inputs, new_inputs).without(("spec", "schema")).replacing(("spec", "pool"))

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """As update: on a new cluster no node has an earlier driver."""
        return Created(str(inputs["spec"]["pool"]), await _roll(inputs, ctx, settled=0.0))

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Take the nodes whose driver is an earlier one through, within the budget."""
        del id, outputs
        before = old_inputs.get("spec", inputs["spec"])
        again = any(inputs["spec"].get(key) != before.get(key) for _, key in KEYS)
        return await _roll(inputs, ctx, settled=SETTLED_SECONDS if again else 0.0)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """Nodes with an earlier driver, or left cordoned, show as another trigger."""
        spec = inputs["spec"]
        kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
        found = {}
        try:
            for driver, trigger in keys(spec):
                look = await of_pool(kube, {**spec, "driver": spec[driver]})
                if stale := sorted(look.stale & {*spec["nodes"]}):
                    found[trigger] = f"{spec[trigger]}{NOT_ON}{', '.join(stale)}"
        except (KubeError, SilentError) as silent:
            ctx.warn(f"the drivers of pool {id} cannot be read ({silent}); their state is kept as it was")
            return Read(inputs, outputs)
        return Read({**inputs, "spec": {**spec, **found}}, outputs)

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """The driver is the operator's."""
        del id, inputs, outputs, ctx


async def _roll(inputs: Values, ctx: Context, settled: float) -> dict[str, Any]:
    spec = inputs["spec"]
    kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
    try:
        await _until_current(kube, spec, ctx, settled)
    except (ProviderError, KubeError, SilentError) as stuck:
        raise Incomplete(str(spec["pool"]), dict(inputs), [str(stuck)]) from None
    return dict(inputs)


async def _until_current(kube: Kube, spec: Mapping[str, Any], ctx: Context, settled: float) -> None:
    """Take nodes through until none has an earlier driver and nothing has moved for `settled` seconds."""
    budget = Budget(kube, spec, spec["nodes"])
    clock = asyncio.get_running_loop().time
    since, seen = clock(), ""
    # Both operators write their templates before the first node is taken, or it would be taken twice.
    begin = clock() + (settled if len(keys(spec)) > 1 else 0.0)
    patience = step_patience(ctx, DRIVER_SECONDS)
    while True:
        looks = [await of_pool(kube, each) for each in one_by_one(spec)]
        ours = set(await _left_cordoned(kube, spec))
        unset = "; ".join(look.unset for look in looks if look.unset)
        stale = set().union(*(look.stale for look in looks))
        todo = [] if unset else [name for name in spec["nodes"] if name in stale or name in ours]
        todo.sort(key=lambda name: name not in ours)
        if todo and clock() < begin:
            await patience.wait(f"the drivers of pool {spec['pool']} to be asked for")
            continue
        if todo:
            if not (ours or spec.get("pause")) and concerns_nics(spec) and await budget.behind_machine_configs(ctx):
                continue
            async with budget.spent():
                await in_turn(
                    todo,
                    spec,
                    lambda name: _take(kube, name, spec, budget, ctx),
                    lambda name: _lost(kube, name, spec),
                    ctx,
                )
            if spec.get("pause"):
                return
            continue
        pairs = zip(one_by_one(spec), looks, strict=True)
        behind = unset or "; ".join([why for each, look in pairs for why in await _behind(kube, each, look)])
        if behind != seen:
            seen, since, patience = behind, clock(), step_patience(ctx, DRIVER_SECONDS)
        if not behind and clock() - since >= settled:
            return
        ctx.log(f"drivers of pool {spec['pool']}: {behind or 'stand'}")
        await patience.wait(f"the drivers of pool {spec['pool']}: {behind}")


async def _take(kube: Kube, name: str, spec: Mapping[str, Any], budget: Budget, ctx: Context) -> bool:
    """One node: emptied, its driver's pod deleted, the new one awaited. A drain that fails gives the node back; a node
    whose driver does not come stays cordoned."""
    await budget.take(name, ctx)
    live = await kube.get(f"{NODES}/{name}")
    offered = _devices(live)
    try:
        await drain(kube, name, ctx, float(spec.get("drain_seconds", DRAIN_SECONDS)))
    except ProviderError:
        await uncordon(kube, name)
        raise
    below: Item | None = None
    for each in one_by_one(spec):
        below = await _renew(kube, name, each, below, ctx)
    await _back(kube, name, spec, offered, ctx)
    await uncordon(kube, name)
    ctx.log(f"{name}: runs the driver of its template")
    return True


async def _renew(kube: Kube, name: str, spec: Mapping[str, Any], below: Item | None, ctx: Context) -> Item | None:
    """Replace an earlier driver of a drained node, and one that was loaded before the driver `below` it began; its pod
    once it runs. A pod that is there no more needs nobody to delete it."""
    look = await of_pool(kube, spec)
    old = look.pods.get(name)
    if old is None or not (name in look.stale or _older(old, below)):
        return old
    meta = old["metadata"]
    ctx.log(f"{name}: drained, driver {old['spec']['containers'][0]['image']} goes")
    await kube.remove(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}")
    patience = step_patience(ctx, DRIVER_SECONDS)
    while True:
        look, live = await of_pool(kube, spec), await kube.get(f"{NODES}/{name}")
        pod = look.pods.get(name)
        if pod is None or pod["metadata"]["uid"] == meta["uid"] or name in look.stale:
            why = "no new driver pod yet"
        else:
            why = trouble(pod) or ("" if _loaded(spec, live) else "the driver of its NICs is not loaded yet")
        if not why:
            return pod
        await _patiently(patience, name, why, spec, ctx)


def _older(pod: Item, below: Item | None) -> bool:
    """Whether a driver's container runs since before the pod of the driver below it was made."""
    rows = (pod.get("status") or {}).get("containerStatuses") or ()
    began = [str(row["state"]["running"]["startedAt"]) for row in rows if (row.get("state") or {}).get("running")]
    return below is not None and bool(began) and min(began) <= str(below["metadata"]["creationTimestamp"])


def _loaded(spec: Mapping[str, Any], live: Item) -> bool:
    return "label" not in spec["driver"] or nic_driver.loaded(live)


async def _back(kube: Kube, name: str, spec: Mapping[str, Any], offered: Mapping[str, int], ctx: Context) -> None:
    """Until the node's drivers run and what it offered before is there again, and stays so where NICs began anew:
    their operators answer some moments later."""
    patience: Patience = step_patience(ctx, DRIVER_SECONDS)
    clock = asyncio.get_running_loop().time
    whole, still = clock(), SETTLED_SECONDS if concerns_nics(spec) else 0.0
    while (why := await _lacks(kube, name, spec, offered)) or clock() - whole < still:
        if not why:
            await asyncio.sleep(0.5)
            continue
        await _patiently(patience, name, why, spec, ctx)
        whole = clock()


async def _patiently(patience: Patience, name: str, why: str, spec: Mapping[str, Any], ctx: Context) -> None:
    """Wait a moment for what a drained node does not have; when time is up the node stays as it is."""
    ctx.log(f"{name}: {why}")
    driver = spec["driver"]
    try:
        await patience.wait(f"{name}: {why}")
    except ProviderError as over:
        raise ProviderError(
            f"{over}. {name} stays cordoned, and no further node of pool {spec['pool']} is taken; "
            f"`oc logs -n {driver['namespace']} -l {selector(driver)}` says why. "
            "Give the driver a version that runs, and run again"
        ) from None


async def _lost(kube: Kube, name: str, spec: Mapping[str, Any]) -> str:
    """What a node with its new driver does not have any more."""
    why = await _lacks(kube, name, spec, {})
    return f"{name}: {why}" if why else ""


async def _lacks(kube: Kube, name: str, spec: Mapping[str, Any], offered: Mapping[str, int]) -> str:
    """What a node with new drivers does not have yet; empty for nothing."""
    live = await kube.get(f"{NODES}/{name}")
    wanted = dict(offered)
    for each in one_by_one(spec):
        look = await of_pool(kube, each)
        pod = look.pods.get(name)
        if pod is None or name in look.stale:
            return "no new driver pod yet"
        if why := trouble(pod):
            return why
        if not is_ready(live):
            return "the node is not ready"
        if "label" in each["driver"]:
            if why := await nic_driver.lacks(kube, live, pod):
                return why
            wanted = {**await nic_driver.functions(kube, name), **wanted}
    now = _devices(live)
    missing = [f"{count} {each} (now {now.get(each, 0)})" for each, count in wanted.items() if now.get(each, 0) < count]
    return f"the node does not offer {', '.join(missing)} yet" if missing else ""


def _devices(live: Item) -> dict[str, int]:
    """GPUs, slices of them and NICs that a node offers."""
    found: Mapping[str, Any] = (live.get("status") or {}).get("allocatable") or {}
    return {name: int(count) for name, count in found.items() if name.startswith(("nvidia.com/", "openshift.io/"))}


async def _left_cordoned(kube: Kube, spec: Mapping[str, Any]) -> list[str]:
    """Nodes that an earlier run cordoned and did not give back."""
    listed = {node["metadata"]["name"]: node for node in await kube.items(NODES)}
    live = [listed[name] for name in spec["nodes"] if name in listed]
    return [each["metadata"]["name"] for each in live if CORDONED in (each["metadata"].get("annotations") or {})]


async def _behind(kube: Kube, spec: Mapping[str, Any], look: Drivers) -> list[str]:
    """What keeps the pool's drivers from standing, though none is an earlier one."""
    found = [f"{name}: {why}" for name in spec["nodes"] if (pod := look.pods.get(name)) and (why := trouble(pod))]
    if found:
        return found
    policy = await kube.find(spec["driver"]["policy"]) or {}
    state = (policy.get("status") or {}).get("state") or "not seen by its operator"
    foreign = look.stale - {*spec["nodes"]}
    return [] if state == "ready" or foreign else [f"{spec['driver']['policy'].rpartition('/')[2]} is {state}"]
