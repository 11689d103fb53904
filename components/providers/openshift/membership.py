"""Hosts that join or leave a running cluster."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from podwright.components.providers.openshift import etcd, handover, replaced, unregistered
from podwright.components.providers.openshift.cordons import survey
from podwright.components.providers.openshift.drain import cordon, drain, uncordon
from podwright.components.providers.openshift.install import hosts, image
from podwright.components.providers.openshift.install.files import nodes_config
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.memory import Memory
from podwright.components.providers.openshift.waiting import NODES, is_ready, step_patience
from podwright.components.providers.protocol.kind import Context, ProviderError

NODE_IMAGE = "node.x86_64.iso"
OC = "oc"
ROOM_SECONDS = 1800.0
"""How long a host that leaves waits for the others of its pool: a restart of a server with 2 TB takes as long."""

SILENT_SECONDS = 90.0
"""How long the node of a machine that is gone may count as ready: its kubelet is given 50 s (node-monitor-grace-period,
https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/)."""


async def change(
    spec: Mapping[str, Any],
    before: Sequence[Mapping[str, Any]],
    kube: Kube,
    kubeconfig: str,
    ctx: Context,
    candidates: Sequence[Mapping[str, Any]] | None = None,
) -> list[str]:
    """Let go of hosts that left the spec, bring in those (of `candidates`, else of all) that are no node yet.

    A host that has another machine than before leaves and joins; what others had given to its node is kept by
    `handover`. Returns the names of what joins.

    Raises ProviderError when etcd would lose its majority, when a drain is held up, or when a host cannot be switched
    off: its node then stays, because a node that is deleted while its host runs is back with its kubelet's next start.
    """
    wanted = {host["name"] for host in spec["hosts"]}
    await unregistered.clear(kube, ctx, kept=list(wanted), patience=0)
    leaving = [host for host in before if host["name"] not in wanted]
    for host in leaving:
        if host["role"] == "master":
            await etcd.judge(kube, host)
        await _leave(spec, host, [each["name"] for each in leaving], kube, kubeconfig, ctx)
    await _exchange(spec, before, kube, kubeconfig, ctx)
    live = await _nodes(kube)
    joining = [host for host in (spec["hosts"] if candidates is None else candidates) if host["name"] not in live]
    if joining:
        await _join(spec, joining, kubeconfig, ctx)
    return [str(host["name"]) for host in joining]


async def _nodes(kube: Kube) -> dict[str, Any]:
    """Those that a kubelet reported on; what a run that was killed had made for one is found again when it comes."""
    listed = (await kube.get(NODES)).get("items") or []
    return {str(node["metadata"]["name"]): node for node in listed if not unregistered.is_unregistered(node)}


async def _exchange(
    spec: Mapping[str, Any], before: Sequence[Mapping[str, Any]], kube: Kube, kubeconfig: str, ctx: Context
) -> None:
    """Let go of the nodes whose machine is another one now."""
    live = await _nodes(kube)
    now = {host["name"]: host for host in spec["hosts"]}
    old = [host for host in replaced.exchanged(before, spec["hosts"]) if host["role"] == "worker"]
    # A run that was killed after it: the node is the new machine's, and nothing is left to take away.
    there = await replaced.joined(spec, live, [now[host["name"]] for host in old], ctx)
    old = [host for host in old if host["name"] not in there]
    for host in old:
        if host["name"] in live:
            await handover.keep(kube, live[host["name"]])
        await _leave(spec, host, [each["name"] for each in old], kube, kubeconfig, ctx, another=True)
    gone = {host["name"] for host in old}
    rest = {name: node for name, node in live.items() if name not in gone}
    for host in await replaced.stale(spec, rest, ctx):
        # What stands there is the new machine: it is not switched off for the old one's sake.
        ctx.warn(f"node {host['name']} is that of a machine that is not there any more; it goes, and a new one joins")
        await handover.keep(kube, live[host["name"]])
        await kube.remove(f"{NODES}/{host['name']}")


async def _leave(
    spec: Mapping[str, Any],
    host: Mapping[str, Any],
    leaving: Sequence[str],
    kube: Kube,
    kubeconfig: str,
    ctx: Context,
    *,
    another: bool = False,
) -> None:
    """Cordon, drain, power off, then delete the node: the host that could bring it back is off by then.

    `another`: the spec has another machine for this name, so one that does not answer and whose node is not ready is
    taken to be gone.
    """
    name = host["name"]
    path = f"{NODES}/{name}"
    node = await kube.find(path)
    if node is not None:
        await _emptied(spec, host, node, leaving, kube, ctx)
    try:
        await hosts.off_all(spec, [host], ctx)
    except ProviderError as on:
        if another and node is not None and await _silent(kube, path, ctx):
            ctx.warn(f"{name} gets another machine; the one before is not reached, and its node is not ready: {on}")
            await kube.remove(path)
            return
        if node is None:
            # Its node went before: somebody may have switched it off by hand, and taken its BMC off the network.
            ctx.warn(f"{name} is no node any more, and whether it is switched off is not known: {on}")
            return
        raise ProviderError(
            f"{on}; so node {name} stays, drained and cordoned: deleted while its host runs, it would be back with its "
            f"kubelet's next start. Run again when it can be reached; or switch it off by hand, "
            f"`oc delete node {name}`, and run again"
        ) from None
    if host["role"] == "master":
        await etcd.let_go(kube, host, kubeconfig, Memory(ctx.reach.environ, ctx.identity, spec["cluster"]), ctx)
    if node is not None:
        await kube.remove(path)
        ctx.log(f"{name} is switched off and no node of the cluster any more")


async def _silent(kube: Kube, path: str, ctx: Context) -> bool:
    """Whether the node of a machine that is not reached stops reporting: one that still runs goes on as ready."""
    patience = step_patience(ctx, SILENT_SECONDS)
    while (node := await kube.find(path)) is not None and is_ready(node):
        ctx.log(f"waiting whether {path.rpartition('/')[2]} still reports: its machine is not reached")
        try:
            await patience.wait("its node to stop reporting")
        except ProviderError:
            return False
    return True


async def _emptied(
    spec: Mapping[str, Any],
    host: Mapping[str, Any],
    node: Mapping[str, Any],
    leaving: Sequence[str],
    kube: Kube,
    ctx: Context,
) -> None:
    """Cordon and drain within the budgets. A drain that fails gives the node back."""
    name = host["name"]
    if not is_ready(node):
        ctx.warn(f"node {name} is not ready: nobody there can end its pods, so it goes without a drain")
        await cordon(kube, name)
        return
    await _room(spec, host, leaving, kube, ctx)
    ctx.log(f"{name} leaves the cluster: draining")
    await cordon(kube, name)
    try:
        await drain(kube, name, ctx)
    except ProviderError:
        await uncordon(kube, name)
        raise


async def _room(
    spec: Mapping[str, Any], host: Mapping[str, Any], leaving: Sequence[str], kube: Kube, ctx: Context
) -> None:
    """Wait while another node of the same pool, which stays, is away: two of a pool do not go at once."""
    name, pool = host["name"], host["pool"]
    stay = {each["name"] for each in spec["hosts"] if each["pool"] == pool} - set(leaving)
    patience = step_patience(ctx, ROOM_SECONDS)
    while True:
        live = await survey(kube)
        away = [other for other in sorted(stay & live.nodes.keys()) if _away(live.nodes[other])]
        if not away:
            return
        cordoned = [found for other in away if (found := live.cordon(other, pool))]
        advice = "".join(f"; {each.node} is cordoned by {each.by}: {each.advice}" for each in cordoned)
        ctx.log(f"{name}: waits, {', '.join(away)} of pool {pool} away already")
        await patience.wait(f"{', '.join(away)} of pool {pool} to come back before {name} goes{advice}")


def _away(node: Mapping[str, Any]) -> bool:
    return bool((node.get("spec") or {}).get("unschedulable")) or not is_ready(node)


async def _join(spec: Mapping[str, Any], joining: Sequence[Mapping[str, Any]], kubeconfig: str, ctx: Context) -> None:
    """Boot hosts from a node image, which the cluster itself makes (`oc adm node-image create`)."""
    names = ", ".join(host["name"] for host in joining)
    oc = ctx.reach.tool(OC)
    if oc is None:
        raise ProviderError(
            f"{names} would join the running cluster, which needs `{OC}` (of the cluster's release) in the reach "
            "file's `tools` or on PATH"
        )
    memory = Memory(ctx.reach.environ, ctx.identity, spec["cluster"])
    work = memory.workplace()
    folder, url = image.publish_folder(spec, ctx)
    name = f"{spec['cluster']}-nodes-{secrets.token_hex(16)}.iso"
    try:
        (work / "nodes-config.yaml").write_text(yaml.safe_dump(nodes_config(spec, list(joining))), encoding="utf-8")
        access = work / "kubeconfig"
        access.touch(mode=0o600)
        access.write_text(kubeconfig, encoding="utf-8")
        command = [oc, "adm", "node-image", "create", f"--dir={work}", f"--kubeconfig={access}"]
        await image.run(command, ctx, f"make a node image for {names}")
        image.publish(work / NODE_IMAGE, folder, name)
        memory.remember({**memory.facts, "image": name})
        await hosts.boot_all(spec, joining, f"{url}/{name}", ctx, lambda _name: None)
    finally:
        shutil.rmtree(work, ignore_errors=True)
