"""What each pool's nodes offer to pods, grouped where they offer the same, against what the stack file says."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components import model
from podwright.components.design import hardware
from podwright.components.design.compute.host_network import Pairs
from podwright.components.design.compute.install import CONTROL_PLANE
from podwright.components.design.compute.standing_network import interfaces, rollouts
from podwright.components.design.platform import block_storage, tuned
from podwright.components.design.platform.names import mig_resource, share
from podwright.components.providers.status.admission import stragglers, unadmitted
from podwright.components.providers.status.host_networks import off_plan
from podwright.components.providers.status.snapshot import Snapshot
from podwright.components.providers.status.tuned import untuned

RAIL = "openshift.io/rail"
GPU = "nvidia.com/"


@dataclass(frozen=True)
class Offer:
    """One pool: how many nodes are Ready of how many, and what they hand out."""

    pool: str
    purpose: str
    ready: int
    wanted: int
    text: str
    troubles: tuple[str, ...]


def offers(cluster: model.Cluster, snapshot: Snapshot) -> list[Offer]:
    """One entry per pool of the stack file, the control plane first."""
    nodes = {node["metadata"]["name"]: node for node in snapshot.of("Node")}
    found = []
    for pool in (CONTROL_PLANE, *cluster.pools):
        members = [name for name, server in cluster.nodes.items() if server.pool == pool]
        here = [nodes[name] for name in members if name in nodes]
        troubles = tuple(trouble for name in members for trouble in _troubles(cluster, name, nodes.get(name)))
        troubles += tuple(_untuned(cluster, pool, [name for name in members if name in nodes], snapshot))
        troubles += tuple(_unadmitted(cluster, pool, members, snapshot))
        troubles += tuple(_paused(pool, snapshot))
        troubles += tuple(_networks(cluster, pool, [name for name in members if name in nodes], snapshot))
        troubles += tuple(_unattached(cluster, pool, snapshot))
        shapes = Counter(_shape(node) for node in here)
        text = "; ".join(f"{count} × ({shape})" if shape else "" for shape, count in shapes.items()).strip("; ")
        purpose = cluster.pools[pool].purpose if pool in cluster.pools else ""
        found.append(Offer(pool, purpose, sum(map(_ready, here)), len(members), text, troubles))
    return found


def _paused(pool: str, snapshot: Snapshot) -> Iterator[str]:
    """Who keeps a pool's changes waiting. Roll-outs and operators pause it too, and let it go on by themselves."""
    live = snapshot.named("MachineConfigPool", pool) or {}
    notes = (live.get("metadata") or {}).get("annotations") or {}
    for_a_while = any(key in notes for key in ("podwright.io/paused", "maintenance.nvidia.com/mcp-paused"))
    sriov = notes.get("sriovnetwork.openshift.io/state") == "Paused"
    if (live.get("spec") or {}).get("paused") and not for_a_while and not sriov:
        wanted, reached = (
            ((live.get(part) or {}).get("configuration") or {}).get("name") for part in ("spec", "status")
        )
        waits = "a configuration waits for it" if wanted != reached else "no configuration waits for it"
        yield f"{pool} is paused: nothing drains or restarts its nodes; {waits}"


def _unattached(cluster: model.Cluster, pool: str, snapshot: Snapshot) -> Iterator[str]:
    """A pool whose configuration in force was rendered without its initiators of block storage."""
    defined = cluster.pools[pool].block_storage if pool in cluster.pools else None
    live = snapshot.named("MachineConfigPool", pool) or {}
    rows = ((live.get("status") or {}).get("configuration") or {}).get("source") or []
    if snapshot.unseen("MachineConfigPool"):
        return
    if defined is not None and block_storage.name(pool) not in {row.get("name") for row in rows}:
        yield (
            f"nodes of {pool} do not have their block storage: their configuration was made without MachineConfig "
            f"{block_storage.name(pool)}"
        )


def _troubles(cluster: model.Cluster, name: str, node: Mapping[str, Any] | None) -> Iterator[str]:
    """What is not as the stack file makes it."""
    if node is None:
        yield f"{name} is not in the cluster"
        return
    server = cluster.nodes[name]
    if not _ready(node):
        yield f"{name} is not Ready"
    if node.get("spec", {}).get("unschedulable"):
        yield f"{name} is cordoned"
    pool = cluster.pools.get(server.pool)
    if pool is None:
        return
    labelled = node["metadata"].get("labels", {}).get("podwright.io/pool")
    if labelled != server.pool:
        yield (
            f"{name} carries podwright.io/pool={labelled}, not {server.pool}"
            if labelled
            else (f"{name} lost its label podwright.io/pool={server.pool}")
        )
    missing = [
        f"{amount - have} × {resource}"
        for resource, amount in planned(cluster, server).items()
        if (have := _amount(node, resource)) < amount
    ]
    if missing:
        few = missing if len(missing) <= 3 else [*missing[:2], f"{len(missing) - 2} more"]
        yield f"{name} lacks {', '.join(few)}"


def _untuned(cluster: model.Cluster, pool: str, here: list[str], snapshot: Snapshot) -> Iterator[str]:
    """Nodes whose kernel is not set as the pool's Tuned object asks."""
    members = {name: server for name, server in cluster.nodes.items() if server.pool == pool}
    if pool in cluster.pools and tuned.settings(cluster.pools[pool], members):
        yield from untuned(snapshot, here, tuned.profile_name(pool))


def _networks(cluster: model.Cluster, pool: str, here: list[str], snapshot: Snapshot) -> Iterator[str]:
    """Nodes whose interfaces are not as the plan has them, where `up` brings them there."""
    pair, shift = cluster.nodes_frontend, cluster.openshift
    if pair is None or shift is None or shift.host_network != "managed":
        return
    pairs = Pairs(pair, cluster.fabric.frontend_mtu, cluster.nodes_storage, cluster.fabric.storage_mtu)
    spec = rollouts(cluster.nodes, cluster.pools, shift, cluster.site, pairs).get(pool, {})
    for name in here:
        installed = interfaces(name, cluster.nodes[name], shift, cluster.site, pairs)
        yield from off_plan(snapshot, name, spec["interfaces"][name], spec["macs"][name], installed)


def _unadmitted(cluster: model.Cluster, pool: str, members: list[str], snapshot: Snapshot) -> Iterator[str]:
    """Nodes that their own checks keep from taking pods, and those that are slower than the others."""
    wanted = cluster.pools[pool].admission if pool in cluster.pools else None
    if wanted is not None:
        yield from unadmitted(snapshot, members)
        # A measure of before they were divided or shared says nothing about the others.
        if model.is_measured(cluster.pools[pool]):
            yield from stragglers(snapshot, members, wanted.straggler_percent)


def planned(cluster: model.Cluster, server: model.Server) -> dict[str, int]:
    """Extended resources that a server's pods can count on, from the plan."""
    pool = cluster.pools[server.pool]
    parts = hardware.mig_parts(server, pool)
    planned = {mig_resource(each): count for each, count in parts.slices.items()}
    if parts.whole:
        planned["nvidia.com/gpu"] = parts.whole
    if pool.sharing:
        planned = {share(name): count * pool.sharing.replicas for name, count in planned.items()}
    if pool.rails:
        planned |= {f"{RAIL}{nic.rail}": 1 for nic in hardware.rails(server)}
    return planned


def _shape(node: Mapping[str, Any]) -> str:
    allocatable = node.get("status", {}).get("allocatable", {})
    labels = node["metadata"].get("labels", {})
    parts = []
    for name in sorted(allocatable):
        if name.startswith(GPU) and (amount := _amount(node, name)):
            parts.append(_offered(amount, name, labels))
    if layout := labels.get("nvidia.com/mig.config"):
        state = labels.get("nvidia.com/mig.config.state", "not applied")
        parts.append(f"MIG {layout}" + ("" if state == "success" else f" {state}"))
    rails = sum(_amount(node, name) > 0 for name in allocatable if name.startswith(RAIL))
    return ", ".join([*parts, *([f"{rails} rails"] if rails else [])])


def _offered(amount: int, name: str, labels: Mapping[str, str]) -> str:
    """A resource as people call it; of a shared one also how it is shared."""
    whole = name.removesuffix(share(""))
    what = labels.get("nvidia.com/gpu.product", "GPU") if whole == "nvidia.com/gpu" else whole.removeprefix(GPU)
    if whole == name:
        return f"{amount} {what}"
    return f"{amount} shares of {what} ({labels.get(f'{whole}.sharing-strategy', 'not labelled')})"


def _amount(node: Mapping[str, Any], resource: str) -> int:
    value = str(node.get("status", {}).get("allocatable", {}).get(resource, 0))
    return int(value) if value.isdigit() else 0


def _ready(node: Mapping[str, Any]) -> bool:
    return any(c["type"] == "Ready" and c["status"] == "True" for c in node.get("status", {}).get("conditions", ()))
