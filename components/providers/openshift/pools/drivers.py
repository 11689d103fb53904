"""A driver of a pool's nodes taken to its newest template: what an operator leaves to whoever deletes its pods.

GPU operator and network operator update the DaemonSet of a driver OnDelete (NVIDIA/gpu-operator,
assets/state-driver/0500_daemonset.yaml): another version stands in the template and runs nowhere. Both report
themselves not ready until every pod is of the template's revision. So nodes are emptied within the pool's budget, the
pod is deleted, and the node goes back once the new one runs and the node offers what it did before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.providers.openshift.drain import CORDONED, DRAIN_SECONDS, drain, uncordon
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.pools.budget import Budget, in_turn
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
OPTIONAL: Mapping[str, type] = {"max_unavailable": int, "drain_seconds": int, "soak_seconds": int, "pause": bool}
DRIVER_SECONDS = 2700.0
"""A driver is compiled on each node at its first start; without any change for so long it does not come."""
SETTLED_SECONDS = 4.0
"""An operator answers a new setting within seconds; nothing to do for so long is nothing to do."""
OWNER = "NVIDIADriver"
REVISION = "controller-revision-hash"
"""Label of a DaemonSet's pod, and end of the name of the ControllerRevision that it was made from."""
Item = Mapping[str, Any]


@dataclass(frozen=True)
class Drivers:
    """The driver's pods by node, and the nodes whose pod is of an earlier template; what is not as asked, in words."""

    pods: Mapping[str, Item]
    stale: frozenset[str]
    unset: str
    """Why the template itself is not what is asked for; empty when it is."""


class DriverRolloutKind(Kind):
    """``podwright:openshift:DriverRollout``: ``{"schema": 1, "pool", "nodes": [names], "driver": {"namespace",
    "component", "policy", "version"}, "trigger", "max_unavailable", "soak_seconds"}``.

    `component` is the application label of its pods, `policy` the path of what reports the operator's state; without a
    `version` the operator's own is the one. With an `owner`, an NVIDIADriver, only its DaemonSets are the pool's.
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
        again = inputs["spec"]["trigger"] != old_inputs.get("spec", inputs["spec"])["trigger"]
        return await _roll(inputs, ctx, settled=SETTLED_SECONDS if again else 0.0)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """Nodes with an earlier driver, or left cordoned, show as another trigger."""
        spec = inputs["spec"]
        kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
        try:
            stale = sorted((await _look(kube, spec)).stale)
        except (KubeError, SilentError) as silent:
            ctx.warn(f"the drivers of pool {id} cannot be read ({silent}); their state is kept as it was")
            return Read(inputs, outputs)
        trigger = spec["trigger"] if not stale else f"not on {', '.join(stale)}"
        return Read({**inputs, "spec": {**spec, "trigger": trigger}}, outputs)

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
    patience = step_patience(ctx, DRIVER_SECONDS)
    while True:
        look = await _look(kube, spec)
        ours = set(await _left_cordoned(kube, spec))
        todo = [] if look.unset else [name for name in spec["nodes"] if name in look.stale or name in ours]
        todo.sort(key=lambda name: name not in ours)
        if todo:
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
        behind = look.unset or "; ".join(await _behind(kube, spec, look))
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
    look = await _look(kube, spec)
    if name in look.stale:
        meta = look.pods[name]["metadata"]
        ctx.log(f"{name}: drained, its driver starts anew")
        await kube.remove(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}")
    await _back(kube, name, spec, offered, ctx)
    await uncordon(kube, name)
    ctx.log(f"{name}: runs the driver of its template")
    return True


async def _back(kube: Kube, name: str, spec: Mapping[str, Any], offered: Mapping[str, int], ctx: Context) -> None:
    """Until the node's driver runs and what it offered before is there again."""
    patience: Patience = step_patience(ctx, DRIVER_SECONDS)
    while why := await _lacks(kube, name, spec, offered):
        ctx.log(f"{name}: {why}")
        try:
            await patience.wait(f"{name}: {why}")
        except ProviderError as over:
            raise ProviderError(
                f"{over}. {name} stays cordoned, and no further node of pool {spec['pool']} is taken; "
                f"`oc logs -n {spec['driver']['namespace']} -l app.kubernetes.io/component="
                f"{spec['driver']['component']}` says why. Give the driver a version that runs, and run again"
            ) from None


async def _lost(kube: Kube, name: str, spec: Mapping[str, Any]) -> str:
    """What a node with its new driver does not have any more."""
    why = await _lacks(kube, name, spec, {})
    return f"{name}: {why}" if why else ""


async def _lacks(kube: Kube, name: str, spec: Mapping[str, Any], offered: Mapping[str, int]) -> str:
    """What a node with a new driver does not have yet; empty for nothing."""
    look, live = await _look(kube, spec), await kube.get(f"{NODES}/{name}")
    pod = look.pods.get(name)
    if pod is None or name in look.stale:
        return "no new driver pod yet"
    if trouble := _trouble(pod):
        return trouble
    if not is_ready(live):
        return "the node is not ready"
    now = _devices(live)
    missing = [
        f"{count} {each} (now {now.get(each, 0)})" for each, count in offered.items() if now.get(each, 0) < count
    ]
    return f"the node does not offer {', '.join(missing)} yet" if missing else ""


def _trouble(pod: Item) -> str:
    """Why a pod does not run: what its container waits for, where the kubelet says so."""
    status: Mapping[str, Any] = pod.get("status") or {}
    for each in status.get("containerStatuses") or ():
        if waits := (each.get("state") or {}).get("waiting"):
            return f"its driver waits: {waits.get('reason')}: {waits.get('message', '')}".rstrip(": ")
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in status.get("conditions") or ())
    image = pod["spec"]["containers"][0]["image"]
    return "" if ready else f"driver {image} is not ready ({status.get('phase', 'Pending')})"


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
    found = [f"{name}: {why}" for name in spec["nodes"] if (pod := look.pods.get(name)) and (why := _trouble(pod))]
    if found:
        return found
    policy = await kube.find(spec["driver"]["policy"]) or {}
    state = (policy.get("status") or {}).get("state") or "not seen by its operator"
    foreign = look.stale - {*spec["nodes"]}
    return [] if state == "ready" or foreign else [f"{spec['driver']['policy'].rpartition('/')[2]} is {state}"]


async def _look(kube: Kube, spec: Mapping[str, Any]) -> Drivers:
    """Pods against the newest revision of the DaemonSet that made them."""
    driver = spec["driver"]
    home, label = driver["namespace"], f"app.kubernetes.io%2Fcomponent%3D{driver['component']}"
    pods = await kube.items(f"/api/v1/namespaces/{home}/pods?labelSelector={label}")
    revisions = await kube.items(f"/apis/apps/v1/namespaces/{home}/controllerrevisions")
    daemons = await kube.items(f"/apis/apps/v1/namespaces/{home}/daemonsets")
    newest: dict[str, Item] = {}
    for each in revisions:
        for owner in each["metadata"].get("ownerReferences") or ():
            if owner["uid"] not in newest or newest[owner["uid"]]["revision"] < each["revision"]:
                newest[owner["uid"]] = each
    by_node, stale = {}, set()
    for pod in pods:
        meta, name = pod["metadata"], pod["spec"].get("nodeName")
        if not name or meta.get("deletionTimestamp"):
            continue
        by_node[name] = pod
        owners = meta.get("ownerReferences") or ()
        latest = next((newest[o["uid"]] for o in owners if o["uid"] in newest), None)
        mark = (meta.get("labels") or {}).get(REVISION, "")
        # Whose DaemonSet the operator gave up, leaving its pods, belongs to no template (useNvidiaDriverCRD).
        if not owners or (latest is not None and not latest["metadata"]["name"].endswith(f"-{mark}")):
            stale.add(name)
    made = [each for each in daemons if _component(each) == driver["component"] and _is_of(each, driver)]
    return Drivers(by_node, frozenset(stale), next(_unset(made, driver), ""))


def _is_of(daemons: Item, driver: Mapping[str, Any]) -> bool:
    """Whether a DaemonSet is of the pool's own NVIDIADriver, where it has one; others' have other versions."""
    owners = daemons["metadata"].get("ownerReferences") or ()
    return "owner" not in driver or any((each["kind"], each["name"]) == (OWNER, driver["owner"]) for each in owners)


def _component(daemons: Item) -> str:
    labels = (((daemons.get("spec") or {}).get("template") or {}).get("metadata") or {}).get("labels") or {}
    return str(labels.get("app.kubernetes.io/component", ""))


def _unset(made: list[Any], driver: Mapping[str, Any]) -> Iterator[str]:
    """Why templates are not what is asked for: the operator or the DaemonSet controller has yet to hear of it."""
    if "owner" in driver and not made:
        yield f"{OWNER} {driver['owner']} has no DaemonSet yet"
    for each in made:
        meta = each["metadata"]
        if (each.get("status") or {}).get("observedGeneration", 0) < meta.get("generation", 0):
            yield f"DaemonSet {meta['name']} has a template that its controller has not seen"
        image = str(each["spec"]["template"]["spec"]["containers"][0]["image"])
        if driver.get("version") and f":{driver['version']}-" not in image:
            yield f"DaemonSet {meta['name']} has {image}, not version {driver['version']}"
