"""The MIG layout of a node's GPUs: a label that asks, MIG manager that does it, a second label that answers.

MIG manager (NVIDIA/mig-parted, cmd/nvidia-mig-manager) acts when the first label changes and when it starts, and only
on GPUs that nobody uses: a roll-out moves the label on a drained node.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.layout_map import MANAGERS, teach
from podwright.components.providers.openshift.waiting import NODES, step_patience
from podwright.components.providers.protocol.kind import Context, ProviderError

ASKED = "nvidia.com/mig.config"
ANSWERED = "nvidia.com/mig.config.state"
"""MIG manager's word: pending, rebooting, success or failed. Absent where it never came to a node; the last word of one
that was taken away stays."""
LAYOUT_SECONDS = 1800.0
"""It waits up to five minutes for each of its own GPU clients to go, and may restart the node."""
_WORKING = ("pending", "rebooting")
_MANAGER = "/api/v1/pods?labelSelector=app%3Dnvidia-mig-manager&fieldSelector=spec.nodeName%3D"


def wanted(node: Any) -> str:
    """The layout that a roll-out's spec gives a node; empty where it leaves the GPUs to others."""
    mig = node.get("mig") if isinstance(node, Mapping) else None
    return str(mig["layout"]) if isinstance(mig, Mapping) else ""


def resources(node: Any) -> frozenset[str]:
    """What pods find on the node once its layout stands."""
    return frozenset(node["mig"]["resources"]) if wanted(node) else frozenset()


def as_seen(node: Any, live: Mapping[str, Any]) -> Any:
    """The node as a spec would have to say it to get what is live."""
    return {**node, "mig": {**node["mig"], "layout": seen(live)}} if wanted(node) else node


def seen(live: Mapping[str, Any]) -> str:
    """The layout of a live node as a spec would say it, or what there is instead of one."""
    labels = _labels(live)
    asked = str(labels.get(ASKED) or "")
    return f"{asked} failed" if labels.get(ANSWERED) == "failed" else asked


def stands(live: Mapping[str, Any], layout: str, pool: str) -> bool:
    """Whether nothing is left to do for the layout: the label says it and is this roll-out's own."""
    return not layout or (seen(live) == layout and _owned(live, pool))


async def disturbs(kube: Kube, live: Mapping[str, Any], layout: str) -> bool:
    """Whether GPUs would be divided anew. Before MIG manager first came, nobody can hold one of them."""
    return bool(layout) and seen(live) != layout and await _listens(kube, live)


async def _listens(kube: Kube, live: Mapping[str, Any]) -> bool:
    """Whether a MIG manager is there that came to the node: another one reads the label when it starts."""
    return ANSWERED in _labels(live) and bool((await kube.get(MANAGERS)).get("items"))


async def lay_out(kube: Kube, live: Mapping[str, Any], node: Any, pool: str, ctx: Context) -> None:
    """Ask for a node's layout and wait for MIG manager's answer, if it is there to give one.

    Raises ProviderError when it fails or time is up.
    """
    layout = wanted(node)
    if not layout:
        return
    name = live["metadata"]["name"]
    if not await _listens(kube, live):
        await _ask(kube, live, {ASKED: layout}, pool)
        return
    live = await _answer(kube, name, ctx)
    config = node["mig"].get("config")
    if config and seen(live) != layout:
        await teach(kube, layout, config)
        live = await _read_anew(kube, live, pool, ctx)
    if seen(live) != layout:
        again = _labels(live).get(ASKED) == layout
        # Our word that nothing is answered yet: an earlier success must not be taken for this one's.
        await _ask(kube, live, {ASKED: layout, ANSWERED: "pending"}, pool)
        if again:
            await _restart_manager(kube, name)
        live = await _answer(kube, name, ctx)
    elif not _owned(live, pool):
        await _ask(kube, live, {ASKED: layout}, pool)
    if seen(live) != layout:
        raise ProviderError(
            f"{name}: MIG manager did not lay its GPUs out as {layout} ({ANSWERED}={_labels(live).get(ANSWERED)}); the "
            f"log of its nvidia-mig-manager pod says why. The node stays cordoned; run again to try once more, or give "
            f"pools.{pool}.{'mig_gpus' if config else 'mig'} another layout"
        )


async def let_go(kube: Kube, name: str, pool: str) -> None:
    """Give up the label; it stays where somebody else says it too."""
    live = await kube.find(f"{NODES}/{name}")
    if live is not None and _owned(live, pool):
        await _ask(kube, live, {}, pool)


async def _ask(kube: Kube, live: Mapping[str, Any], labels: Mapping[str, str], pool: str) -> None:
    meta = live["metadata"]
    change = {
        "apiVersion": "v1",
        "kind": "Node",
        # With its uid, a node that went away in between is not made anew by the write.
        "metadata": {"name": meta["name"], "uid": meta["uid"], "labels": dict(labels)},
    }
    await kube.apply(f"{NODES}/{meta['name']}", change, _manager(pool))


async def _answer(kube: Kube, name: str, ctx: Context) -> dict[str, Any]:
    """The node once MIG manager is not at work on it, or gone."""
    patience = step_patience(ctx, LAYOUT_SECONDS)
    while True:
        live: dict[str, Any] = await kube.get(f"{NODES}/{name}")
        state = _labels(live).get(ANSWERED)
        if state not in _WORKING or not await _listens(kube, live):
            return live
        ctx.log(f"{name}: MIG manager divides its GPUs ({state})")
        await patience.wait(f"MIG manager on {name} ({ANSWERED}={state}); is its pod nvidia-mig-manager running there?")


async def _read_anew(kube: Kube, live: Mapping[str, Any], pool: str, ctx: Context) -> dict[str, Any]:
    """The node once a MIG manager that started just now has answered for the layout that it has.

    Were the label moved while a manager starts, its word for the old layout could be taken for that on the new one.
    """
    name, before = live["metadata"]["name"], _labels(live).get(ASKED)
    if before:
        await _ask(kube, live, {ASKED: before, ANSWERED: "pending"}, pool)
    await _restart_manager(kube, name)
    return await _answer(kube, name, ctx)


async def _restart_manager(kube: Kube, name: str) -> None:
    """It does not try a label twice, but reads it anew when it starts."""
    pods = (await kube.get(f"{_MANAGER}{name}")).get("items") or []
    for pod in pods:
        meta = pod["metadata"]
        await kube.remove(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}")


def _labels(live: Mapping[str, Any]) -> Mapping[str, Any]:
    return (live.get("metadata") or {}).get("labels") or {}


def _manager(pool: str) -> str:
    """Field manager of a pool's roll-out: one pool that goes takes no label of another along."""
    return f"podwright-layout-{pool}"


def _owned(live: Mapping[str, Any], pool: str) -> bool:
    return any(
        entry.get("manager") == _manager(pool)
        and f"f:{ASKED}" in (((entry.get("fieldsV1") or {}).get("f:metadata") or {}).get("f:labels") or {})
        for entry in (live.get("metadata") or {}).get("managedFields") or ()
    )
