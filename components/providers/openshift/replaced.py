"""Hosts whose machine is another one than before, and which machine a node is on.

A node says by `systemUUID` what its operating system read from the machine's SMBIOS table; the machine's controller or
Intersight says what stands there. Only what both say is compared: a machine that does not answer proves nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podwright.components.providers.intersight import boot as intersight
from podwright.components.providers.openshift.install.hosts import login
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import NODES, Patience, is_ready
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.redfish import boot

Host = Mapping[str, Any]
Node = Mapping[str, Any]
OF_THE_NODE = "node.kubernetes.io/"
"""Taints that Kubernetes itself puts on a node that is away."""


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


# --- what a node had of others ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Had:
    """What a node had of others: `applied` server-side, by whom, and its taints.

    Taints are one value to the API server: with the first that the node controller adds, who applied them is forgotten.
    """

    applied: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    taints: tuple[Mapping[str, Any], ...] = ()


def had(node: Node) -> Had:
    """Labels, annotations and taints of a node that are neither its kubelet's nor the node controller's."""
    found = []
    for entry in node["metadata"].get("managedFields") or []:
        if entry.get("operation") == "Apply" and not entry.get("subresource"):
            fields = _said(entry.get("fieldsV1") or {}, node)
            found.append((str(entry["manager"]), {"metadata": fields["metadata"]} if fields.get("metadata") else {}))
    taints = (node.get("spec") or {}).get("taints") or []
    return Had(tuple(found), tuple(each for each in taints if not str(each.get("key")).startswith(OF_THE_NODE)))


def _said(fields: Mapping[str, Any], value: Any) -> Any:
    """The part of a value that a set of managed fields names (structured-merge-diff's keys `f:`)."""
    inner = {key.removeprefix("f:"): each for key, each in fields.items() if key.startswith("f:")}
    if not inner or not isinstance(value, Mapping):
        return value
    return {key: _said(each, value[key]) for key, each in inner.items() if key in value}


async def restore(kube: Kube, kept: Mapping[str, Had], ctx: Context, patience: Patience) -> None:
    """Give each node, as soon as it is there, what others had given to the one before it."""
    for name, before in kept.items():
        path = f"{NODES}/{name}"
        while (node := await kube.find(path)) is None:
            ctx.log(f"waiting for the node {name} to register")
            await patience.wait(f"the node {name} to register")
        now = (node.get("spec") or {}).get("taints") or []
        missing = [each for each in before.taints if each not in now]
        if missing:
            # With what was read: taints that came in between are not lost, the write is refused.
            version = {"resourceVersion": node["metadata"]["resourceVersion"]}
            await kube.merge(path, {"metadata": version, "spec": {"taints": [*now, *missing]}})
        for manager, fields in before.applied:
            meta = {**(fields.get("metadata") or {}), "name": name}
            await kube.apply(path, {"apiVersion": "v1", "kind": "Node", "metadata": meta}, manager)
