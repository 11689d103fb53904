"""A control-plane host that leaves: etcd's majority first, and its member before its node.

After the OpenShift documentation ("Replacing an unhealthy etcd member"): the host is switched off, its member removed,
its secrets deleted, its node last. A member that is removed while its host runs is added again by the etcd operator.
"""

from __future__ import annotations

import shutil
import urllib.parse
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.openshift.install import image
from podwright.components.providers.openshift.install.settled import internal_address
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.memory import Memory
from podwright.components.providers.openshift.waiting import NODES, is_ready
from podwright.components.providers.protocol.kind import Context, ProviderError

NAMESPACE = "openshift-etcd"
ENDPOINTS = f"/api/v1/namespaces/{NAMESPACE}/configmaps/etcd-endpoints"
"""Member id (hexadecimal) → address of its host; the etcd operator keeps it."""
SECRETS = ("etcd-peer", "etcd-serving", "etcd-serving-metrics")

Host = Mapping[str, Any]


async def judge(kube: Kube, host: Host) -> None:
    """Raise ProviderError when etcd would lose its majority without this host. Nothing is written."""
    members = await _members(kube, host)
    if _id(members, host) is None:
        return
    healthy = [str(node["metadata"]["name"]) for node in await _others(kube, host, members) if is_ready(node)]
    need = len(members) // 2 + 1
    if len(healthy) < need:
        have = f"{len(members)} member{'s' * (len(members) > 1)}"
        raise ProviderError(
            f"{host['name']} stays: etcd has {have} and needs {need}, and without it only "
            f"{len(healthy)} are on hosts that are ready ({', '.join(healthy) or 'none'}). Bring the others back first"
        )


async def let_go(kube: Kube, host: Host, kubeconfig: str, memory: Memory, ctx: Context) -> None:
    """Remove the member of a host that is switched off, and its secrets.

    Raises ProviderError with the command to type where `oc` is not there or etcd refuses.
    """
    name = str(host["name"])
    members = await _members(kube, host)
    member = _id(members, host)
    if member is not None:
        through = next((node for node in await _others(kube, host, members) if is_ready(node)), None)
        if through is None:
            raise ProviderError(f"no other member of etcd is on a ready host; the member of {name} stays")
        pod = f"etcd-{through['metadata']['name']}"
        command = ["exec", "-n", NAMESPACE, pod, "-c", "etcdctl", "--", "etcdctl", "member", "remove", member]
        oc = ctx.reach.tool("oc")
        if oc is None:
            raise ProviderError(
                f"{name} is switched off and still a member of etcd. Type `oc {' '.join(command)}`, then run again"
            )
        ctx.log(f"{name}: removing etcd member {member}")
        work = memory.workplace()
        try:
            access = work / "kubeconfig"
            access.touch(mode=0o600)
            access.write_text(kubeconfig, encoding="utf-8")
            await image.run([oc, f"--kubeconfig={access}", *command], ctx, f"remove the etcd member of {name}")
        finally:
            shutil.rmtree(work, ignore_errors=True)
    for kind in SECRETS:
        await kube.remove(f"/api/v1/namespaces/{NAMESPACE}/secrets/{kind}-{urllib.parse.quote(name)}")


async def _members(kube: Kube, host: Host) -> Mapping[str, str]:
    found = await kube.find(ENDPOINTS)
    if not (found or {}).get("data"):
        raise ProviderError(
            f"{host['name']} stays: etcd's members are not to be read (ConfigMap etcd-endpoints in {NAMESPACE}); "
            "follow the release's procedure for control-plane hosts, then `podwright refresh`"
        )
    data: Mapping[str, str] = found["data"] if found else {}
    return data


def _id(members: Mapping[str, str], host: Host) -> str | None:
    return next((member for member, address in members.items() if address == host["address"]), None)


async def _others(kube: Kube, host: Host, members: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """Nodes of the other members. A control-plane node may be none: one that was removed and started again."""
    others = set(members.values()) - {host["address"]}
    return [node for node in await kube.items(NODES) if internal_address(node) in others]
