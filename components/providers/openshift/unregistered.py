"""Node objects that are there before their kubelet: made with their taints, so that no pod finds the node without them.

kubelet takes a Node that exists as it is: it writes its status and the labels of its operating system, and neither
`registerWithTaints` nor `--node-labels`
(https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/kubelet_node_status.go, `tryRegisterWithAPIServer`).
It may not change its taints, nor take a role later
(https://github.com/openshift/kubernetes/blob/master/plugin/pkg/admission/noderestriction/admission.go): what
machine-config-operator's unit file has of labels is therefore written here. Until kubelet has reported, the API
server's own taint `node.kubernetes.io/not-ready` keeps pods away.
"""

from __future__ import annotations

import asyncio
import contextlib
import urllib.parse
from collections.abc import Mapping, Sequence
from typing import Any

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import Context

MADE = "podwright.io/made-before-kubelet"
"""Annotation of a Node that this module made."""
ROLE = "node-role.kubernetes.io/worker"
OPERATING_SYSTEM = "node.openshift.io/os_id"
"""The other label of the unit file: `ID` of /etc/os-release, one for all hosts of a release."""
TRIES = 5
"""Writes that others may come before, of a node that was made a moment ago."""
_CONFLICT = 409
COMES_SECONDS = 60.0
"""From a certificate to its kubelet's node: kubelet tries at least every 7 s."""

Node = Mapping[str, Any]
Taint = Mapping[str, Any]


def is_unregistered(node: Node) -> bool:
    """Whether no kubelet has reported on a Node that was made for it."""
    info = (node.get("status") or {}).get("nodeInfo") or {}
    return MADE in (node["metadata"].get("annotations") or {}) and not info.get("kubeletVersion")


async def made(kube: Kube, name: str, taints: Sequence[Taint]) -> bool:
    """Whether a kubelet that gets a certificate for `name` finds no node of another machine, and these taints if any.

    A Node that was made by a run before this one is brought to them. Raises KubeError and SilentError.
    """
    for _ in range(TRIES - 1):
        try:
            return await _brought(kube, name, taints)
        except KubeError as refused:
            if refused.status != _CONFLICT:
                raise
    return await _brought(kube, name, taints)


async def _brought(kube: Kube, name: str, taints: Sequence[Taint]) -> bool:
    """A conflict where somebody, such as the node life-cycle controller, wrote the node since it was read."""
    node = await kube.find(_path(name))
    if node is None and taints:
        await kube.request("POST", NODES, await _body(kube, name, taints))
    elif node is not None and is_unregistered(node):
        pairs = {_pair(each) for each in taints}
        wanted = [*(each for each in _taints(node) if _pair(each) not in pairs), *taints]
        if any(each not in _taints(node) for each in taints):
            version = {"resourceVersion": node["metadata"]["resourceVersion"]}
            await kube.merge(_path(name), {"metadata": version, "spec": {"taints": wanted}})
    return node is None or is_unregistered(node)


async def clear(kube: Kube, ctx: Context, kept: Sequence[str] = (), patience: float | None = None) -> None:
    """Delete what was made for kubelets that have not come after `patience` seconds (`COMES_SECONDS`); `kept` are left.

    A Node that a kubelet reports on in between is its own, and stays.
    """
    pause = COMES_SECONDS if patience is None else patience
    until = asyncio.get_running_loop().time() + pause
    with contextlib.suppress(SilentError):
        while left := [node for node in await kube.items(NODES) if is_unregistered(node) and _name(node) not in kept]:
            if asyncio.get_running_loop().time() < until:
                await asyncio.sleep(min(1.0, pause))
                continue
            for node in left:
                await _removed(kube, node, ctx)


async def _removed(kube: Kube, node: Node, ctx: Context) -> None:
    meta = node["metadata"]
    found = {"uid": meta["uid"], "resourceVersion": meta["resourceVersion"]}
    body = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": found}
    try:
        await kube.request("DELETE", _path(_name(node)), body)
        ctx.warn(f"{_name(node)} was given a certificate and has not come; the node that was made for it is deleted")
    except KubeError as refused:
        if refused.status not in (404, 409):  # gone, or written by somebody since: looked at again
            raise


async def _body(kube: Kube, name: str, taints: Sequence[Taint]) -> dict[str, Any]:
    others = [node["metadata"].get("labels") or {} for node in await kube.items(NODES)]
    # Where a cluster was updated, older nodes may have another word: that of the workers comes first.
    others.sort(key=lambda labels: ROLE not in labels)
    known = next((labels[OPERATING_SYSTEM] for labels in others if OPERATING_SYSTEM in labels), None)
    labels = {ROLE: "", **({OPERATING_SYSTEM: known} if known else {})}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": {MADE: ""}},
        "spec": {"taints": list(taints)},
    }


def _taints(node: Node) -> list[Taint]:
    return list((node.get("spec") or {}).get("taints") or [])


def _pair(taint: Taint) -> tuple[str, str]:
    """Two taints of one key and effect are one to the API server."""
    return str(taint.get("key")), str(taint.get("effect"))


def _name(node: Node) -> str:
    return str(node["metadata"]["name"])


def _path(name: str) -> str:
    return f"{NODES}/{urllib.parse.quote(name)}"
