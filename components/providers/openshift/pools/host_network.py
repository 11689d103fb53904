"""VLANs and storage bonds of a pool's nodes brought to the plan: a policy of the Kubernetes NMState Operator each.

The first node goes alone, then as many as the pool allows; NMState rolls a node back whose probes fail, and the first
that fails ends it. Only what is beside the machine network is written: a VLAN's base under br-ex is read, and never
part of a policy, and a bond is made of NICs that are not under it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.node_network import (
    Row,
    Shown,
    UnresolvedError,
    as_planned,
    behind,
    resolutions,
)
from podwright.components.providers.openshift.pools.budget import in_turn
from podwright.components.providers.openshift.pools.network_policies import (
    POLICIES,
    Node,
    absent,
    adopt,
    drop,
    enact,
    forget,
    live_interfaces,
    rows,
    settled,
)
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
    Path,
    ProviderError,
    Read,
    Values,
)
from podwright.components.providers.protocol.shape import judge_spec

REQUIRED: Mapping[str, type] = {"pool": str, "nodes": list, "interfaces": dict, "macs": dict}
OPTIONAL: Mapping[str, type] = {"max_unavailable": int, "soak_seconds": int, "pause": bool}
HANDLER_SECONDS = 900.0
"""Until every node has written what its network is: the operator starts a handler on each, with its image pulled."""
READY_SECONDS = 600.0
"""A node that somebody restarted comes back within minutes; one that does not is a matter of its own."""


class HostNetworkKind(Kind):
    """``podwright:openshift:HostNetwork``: ``{"schema": 1, "pool", "nodes": [names], "interfaces": {node: [VLANs, and
    bonds with their NICs, of nmstate's desired state]}, "macs": {node: {logical name: MAC address}},
    "max_unavailable", "soak_seconds"}``.
    """

    token = "podwright:openshift:HostNetwork"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys, types, VLANs and bonds alone: nothing that OVN-Kubernetes runs on may be in a policy."""
        del ctx
        found = judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)
        if found:
            return found
        spec = inputs["spec"]
        if spec.get("max_unavailable", 1) < 1:
            found.append(Failure(("spec", "max_unavailable"), "must be at least 1, or nothing could ever roll out"))
        for node, listed in spec["interfaces"].items():
            if node not in spec["nodes"]:
                found.append(Failure(("spec", "interfaces", node), f"{node} is not among the nodes"))
            found += _misplaced(("spec", "interfaces", node), listed, (spec["macs"].get(node)) or {})
        return found

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; a pool of another name is another roll-out."""
        del outputs
        return leaf_difference(old_inputs, new_inputs).without(("spec", "schema")).replacing(("spec", "pool"))

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """As update: on nodes that were installed with the plan it changes nothing."""
        return Created(str(inputs["spec"]["pool"]), await _bring(inputs, {}, ctx))

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Bring every node to the plan, one after the other; VLANs that left it go from nodes that show them."""
        del id, outputs
        return await _bring(inputs, old_inputs.get("spec") or {}, ctx)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """Planned interfaces as the nodes show them; one without a policy, or that is not there, is left out."""
        spec = inputs["spec"]
        kube = _kube(inputs, ctx)
        try:
            seen = {node: await _seen(kube, node, listed, spec) for node, listed in spec["interfaces"].items()}
        except (KubeError, SilentError) as silent:
            ctx.warn(f"the networks of pool {id} cannot be read ({silent}); their state is kept as it was")
            return Read(inputs, outputs)
        live = {**spec, "interfaces": seen}
        return Read({**inputs, "spec": live}, {**outputs, "spec": live})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Policies go; nodes keep their interfaces, as NMState has it."""
        del outputs
        try:
            await forget(_kube(inputs, ctx), inputs["spec"]["nodes"], id, ctx)
        except (KubeError, SilentError) as stuck:
            raise ProviderError(f"the network policies of pool {id} cannot be removed: {stuck}") from None


def _misplaced(where: Path, listed: Sequence[Any], macs: Mapping[str, Any]) -> Iterator[Failure]:
    """A NIC is there as the port of a bond that is made, and known by its address: no other way leads past br-ex."""
    rows = [row for row in listed if isinstance(row, Mapping)]
    bonds = [row for row in rows if row.get("type") == "bond"]
    members = {port for bond in bonds for port in (bond.get("link-aggregation") or {}).get("port") or ()}
    for index, row in enumerate(listed):
        kind, name = (row.get("type"), row.get("name")) if isinstance(row, Mapping) else (None, None)
        if not name or kind not in ("vlan", "bond", "ethernet"):
            yield Failure((*where, index), "must be a VLAN, or a bond with its NICs: br-ex is no matter of a policy")
        elif kind == "ethernet" and (name not in members or name not in macs):
            yield Failure((*where, index), f"{name} is no port of a bond here with an address in macs")
        elif kind == "bond" and not {*(row.get("link-aggregation") or {}).get("port", ())} <= set(macs):
            yield Failure((*where, index), f"{name} has ports without an address in macs")


def _kube(inputs: Values, ctx: Context) -> Kube:
    return Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))


async def _bring(inputs: Values, old: Mapping[str, Any], ctx: Context) -> dict[str, Any]:
    spec, kube = inputs["spec"], _kube(inputs, ctx)
    try:
        await _roll(kube, spec, old, ctx)
    except (ProviderError, KubeError, SilentError) as stuck:
        raise Incomplete(str(spec["pool"]), dict(inputs), [str(stuck)]) from None
    return dict(inputs)


async def _roll(kube: Kube, spec: Mapping[str, Any], old: Mapping[str, Any], ctx: Context) -> None:
    pool = str(spec["pool"])
    await forget(kube, [name for name in old.get("nodes") or () if name not in spec["nodes"]], pool, ctx)
    owned = {name: [str(row["name"]) for row in listed] for name, listed in (old.get("interfaces") or {}).items()}
    owned = {name: owned.get(name, []) + await _written(kube, name) for name in spec["nodes"]}
    concerned = [name for name in spec["nodes"] if spec["interfaces"].get(name) or owned[name]]
    if spec.get("pause") and concerned:
        ctx.warn(f"pool {pool} is paused (pools.{pool}.rollout.pause): the networks of its nodes wait")
        return
    await _reported(kube, concerned, ctx)
    wanted = await _wanted(kube, concerned, spec)
    for name in concerned:
        await adopt(kube, Node(name, pool, wanted[name]))
    todo = [name for name in concerned if not await _stands(kube, name, wanted[name], owned[name], pool)]

    async def take(name: str) -> bool:
        await _take(kube, Node(name, pool, wanted[name]), owned[name], ctx)
        return True

    async def lacks(name: str) -> str:
        why = "; ".join(behind(wanted[name], await live_interfaces(kube, name)))
        return f"{name}: {why}" if why else ""

    try:
        await in_turn(todo, spec, take, lacks, ctx)
    except ProviderError as failed:
        raise ProviderError(
            f"{failed}. No further node of pool {pool} is taken; correct the cause, on the switch or in the file, and "
            "run again"
        ) from None


async def _reported(kube: Kube, names: Sequence[str], ctx: Context) -> None:
    """Until every node shows its interfaces. Raises ProviderError for those that never do."""
    patience = step_patience(ctx, HANDLER_SECONDS)
    while silent := [name for name in names if not await live_interfaces(kube, name)]:
        few = ", ".join(silent[:4]) + (f" and {len(silent) - 4} more" if silent[4:] else "")
        ctx.log(f"waiting for NMState's handler on {few}")
        await patience.wait(f"{few} to have a NodeNetworkState, which NMState's handler writes on each node")


async def _wanted(kube: Kube, names: Sequence[str], spec: Mapping[str, Any]) -> dict[str, tuple[Row, ...]]:
    """Interfaces by node, of what it has. Raises ProviderError with every node that lacks some, none touched."""
    found: dict[str, tuple[Row, ...]] = {}
    problems: dict[str, None] = {}
    for name in names:
        live, macs = await live_interfaces(kube, name), spec["macs"].get(name) or {}
        found[name] = ()
        for _, real in resolutions(name, spec["interfaces"].get(name) or (), macs, live):
            if isinstance(real, UnresolvedError):
                problems[str(real)] = None
            else:
                found[name] += (real,)
    if problems:
        raise ProviderError("; ".join(problems) + ". No node was changed")
    return found


async def _written(kube: Kube, name: str) -> list[str]:
    """What the node's policy has brought it so far: a run that was cut off knows it by that."""
    policy = await kube.find(f"{POLICIES}/{Node(name, '', ()).policy}")
    return [str(row.get("name")) for row in rows(policy)]


def _left(wanted: Sequence[Row], owned: Sequence[str], live: Shown) -> dict[str, str]:
    """VLANs and bonds that were ours, are not wanted, and are there still: name and type."""
    kept = {str(row["name"]) for row in wanted}
    kinds = {name: str(live.get(name, {}).get("type")) for name in sorted({*owned} - kept)}
    return {name: kind for name, kind in kinds.items() if kind in ("vlan", "bond")}


async def _stands(kube: Kube, name: str, wanted: tuple[Row, ...], owned: Sequence[str], pool: str) -> bool:
    """Whether there is nothing to do: the policy is the one that would be written, answered, and shown by the node."""
    node = Node(name, pool, wanted)
    policy = await kube.find(f"{POLICIES}/{node.policy}")
    if _left(wanted, owned, await live_interfaces(kube, name)):
        return False
    if policy is None:
        return not wanted
    try:
        return bool(wanted) and await settled(kube, node, policy)
    except ProviderError:
        return False  # it failed before: once more, now that somebody has run `up` again


async def _take(kube: Kube, node: Node, owned: Sequence[str], ctx: Context) -> None:
    """One node: what is wanted, with what is to go; then what is wanted alone, so that no policy forbids a name."""
    await _ready(kube, node.name, ctx)
    left = _left(node.interfaces, owned, await live_interfaces(kube, node.name))
    if left:
        ctx.log(f"{node.name}: loses {', '.join(left)}")
        await enact(kube, Node(node.name, node.pool, (*node.interfaces, *absent(left))), ctx)
    if node.interfaces:
        await enact(kube, node, ctx)
    else:
        await drop(kube, node, ctx)
    names = ", ".join(str(row["name"]) for row in node.interfaces) or "nothing beside the machine network"
    ctx.log(f"{node.name}: has {names}")


async def _ready(kube: Kube, name: str, ctx: Context) -> None:
    """NMState rolls back on a node that is not Ready; on one that is off nobody answers."""
    patience = step_patience(ctx, READY_SECONDS)
    while not is_ready(await kube.find(f"{NODES}/{name}") or {}):
        await patience.wait(f"{name} to be Ready before its network changes")


async def _seen(kube: Kube, node: str, listed: Sequence[Row], spec: Mapping[str, Any]) -> list[Any]:
    """A node whose handler has written nothing is taken to be as planned: it is off, or the operator starts."""
    live = await live_interfaces(kube, node)
    if not live:
        return list(listed)
    ours = set(await _written(kube, node))
    found = []
    for row, real in resolutions(node, listed, spec["macs"].get(node) or {}, live):
        if isinstance(real, UnresolvedError):
            continue
        name = str(real["name"])
        shown = as_planned(row, real, live.get(name))
        if shown is not None and name in ours:
            found.append(shown)
    return found
