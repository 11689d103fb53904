"""Hosts whose machine is another one than before, and which machine a node is on.

A node says by `systemUUID` what its operating system read from the machine's SMBIOS table; the machine's controller or
Intersight says what stands there. Only what both say is compared: a machine that does not answer proves nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from podwright.components.providers.intersight import boot as intersight
from podwright.components.providers.openshift.install.hosts import login
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import NODES, is_ready
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.redfish import boot

Host = Mapping[str, Any]
Node = Mapping[str, Any]


def exchanged(before: Sequence[Host], hosts: Sequence[Host]) -> list[Host]:
    """What was known of the hosts that keep their name and get another machine."""
    now = {host["name"]: host for host in hosts}
    return [old for old in before if old["name"] in now and now[old["name"]]["serial"] != old["serial"]]


def reported(node: Node) -> str:
    """The UUID that a node's operating system reports; empty where it does not."""
    return str(((node.get("status") or {}).get("nodeInfo") or {}).get("systemUUID") or "").lower()


def is_on(node: Node, uuids: Sequence[str]) -> bool:
    """Whether a node runs on the machine with one of these UUIDs. A firmware before SMBIOS 2.6 says the first three
    parts of it in the other byte order."""
    seen = reported(node)
    return any(seen in (uuid.lower(), _swapped(uuid.lower())) for uuid in uuids)


def _swapped(uuid: str) -> str:
    parts = uuid.split("-")
    turned = ["".join(reversed([part[at : at + 2] for at in range(0, len(part), 2)])) for part in parts[:3]]
    return "-".join([*turned, *parts[3:]])


async def machine(spec: Mapping[str, Any], host: Host, ctx: Context) -> list[str]:
    """UUIDs of the machine that stands for a host; none where nobody can be asked."""
    try:
        if host.get("intersight"):
            return await intersight.uuids(ctx, login(spec), host)
        return [found] if (found := await boot.uuid(ctx, host)) else []
    except ProviderError as silent:
        ctx.log(f"{host['name']}: which machine it is, is not known: {silent}")
        return []


async def joined(spec: Mapping[str, Any], nodes: Mapping[str, Node], hosts: Sequence[Host], ctx: Context) -> set[str]:
    """Names of those hosts whose node is on the machine that stands there now: a run before this one brought it in."""
    live = [host for host in hosts if reported(nodes.get(str(host["name"]), {}))]
    found = await asyncio.gather(*(machine(spec, host, ctx) for host in live))
    return {host["name"] for host, uuids in zip(live, found, strict=True) if is_on(nodes[host["name"]], uuids)}


async def stale(spec: Mapping[str, Any], nodes: Mapping[str, Node], ctx: Context) -> list[Host]:
    """Workers whose node is not ready and is one of another machine than the one that stands there now."""
    away = [
        host
        for host in spec["hosts"]
        if host["role"] == "worker" and host["name"] in nodes and not is_ready(nodes[host["name"]])
    ]
    found = await asyncio.gather(*(machine(spec, host, ctx) for host in away))
    return [
        host
        for host, uuids in zip(away, found, strict=True)
        if uuids and reported(nodes[host["name"]]) and not is_on(nodes[host["name"]], uuids)
    ]


async def judge(spec: Mapping[str, Any], names: Sequence[str], kube: Kube, ctx: Context) -> None:
    """Raise ProviderError for a node that joined from another machine than the one it was planned on."""
    wrong = []
    for host in (each for each in spec["hosts"] if each["name"] in names):
        node = await kube.find(f"{NODES}/{host['name']}")
        uuids = await machine(spec, host, ctx) if node is not None and reported(node) else []
        if node is not None and uuids and not is_on(node, uuids):
            wrong.append(
                f"node {host['name']} joined from a machine with UUID {reported(node)}, planned is {host['serial']} "
                f"with {' or '.join(uuids)}: two machines have one name. Switch the other one off, `oc delete node "
                f"{host['name']}`, and run again"
            )
    if wrong:
        raise ProviderError("; ".join(wrong))
