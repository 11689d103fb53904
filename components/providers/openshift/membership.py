"""Hosts that join or leave a running cluster."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from podwright.components.providers.openshift.drain import cordon, drain
from podwright.components.providers.openshift.install import hosts, image
from podwright.components.providers.openshift.install.files import nodes_config
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.memory import Memory
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import Context, ProviderError

NODE_IMAGE = "node.x86_64.iso"
OC = "oc"


async def change(
    spec: Mapping[str, Any],
    before: Sequence[Mapping[str, Any]],
    kube: Kube,
    kubeconfig: str,
    ctx: Context,
    candidates: Sequence[Mapping[str, Any]] | None = None,
) -> None:
    """Let go of hosts that left the spec, bring in those (of `candidates`, else of all) that are no node yet.

    Raises ProviderError for a control-plane host that would leave: etcd membership is a person's decision.
    """
    wanted = {host["name"] for host in spec["hosts"]}
    leaving = [host for host in before if host["name"] not in wanted]
    for host in leaving:
        if host["role"] == "master":
            raise ProviderError(
                f"{host['name']} is a control-plane host; replacing one means moving etcd's data, which is not done "
                "here: follow the release's procedure, then refresh"
            )
    for host in leaving:
        await _leave(spec, host, kube, ctx)
    live = {node["metadata"]["name"] for node in (await kube.get(NODES)).get("items") or []}
    joining = [host for host in (spec["hosts"] if candidates is None else candidates) if host["name"] not in live]
    if joining:
        await _join(spec, joining, kubeconfig, ctx)


async def _leave(spec: Mapping[str, Any], host: Mapping[str, Any], kube: Kube, ctx: Context) -> None:
    name = host["name"]
    path = f"{NODES}/{name}"
    if await kube.find(path) is not None:
        ctx.log(f"{name} leaves the cluster: draining")
        await cordon(kube, name)
        await drain(kube, name, ctx)
        await kube.remove(path)
    await hosts.off_all(spec, [host], ctx)


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
