"""What a cluster knows of a node's admission: the annotation and the taint that its pool's controller keeps on it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.openshift.waiting import NODES, step_patience
from podwright.components.providers.protocol.kind import Context, ProviderError

NOTE, TAINT = "podwright.io/admission", "podwright.io/not-admitted"
LAYOUT = "nvidia.com/mig.config"
"""Label of a node: the MIG layout that it is asked for. Checks are of one."""
ADMITTED = "admitted"
ADMITTED_SECONDS = 4 * 3600.0
"""Checks after a restart: the longest diagnostics of DCGM take two hours."""

Node = Mapping[str, Any]


def known(node: Node) -> dict[str, Any]:
    """boot, result, reason, at, the MIG layout where there is one, and gbytes where it was measured; empty where
    nothing is known."""
    with contextlib.suppress(ValueError):
        found = json.loads(((node.get("metadata") or {}).get("annotations") or {}).get(NOTE) or "{}")
        if isinstance(found, dict):
            return found
    return {}


def lacks(node: Node) -> str:
    """Why a node is not admitted, to be read after its name; empty where it is, in its present boot and layout."""
    found, boot = known(node), ((node.get("status") or {}).get("nodeInfo") or {}).get("bootID")
    tainted = any(each.get("key") == TAINT for each in (node.get("spec") or {}).get("taints") or [])
    layout = ((node.get("metadata") or {}).get("labels") or {}).get(LAYOUT)
    moved = "layout" in found and found["layout"] != layout
    if found.get("result") == ADMITTED and found.get("boot") == boot and not moved and not tainted:
        return ""
    if not found:
        return "is not admitted: no controller has looked at it yet"
    if found.get("boot") != boot:
        return "is not admitted: it has booted since it was checked"
    if moved:
        return "is not admitted: its MIG layout is another one than it was checked with"
    if found.get("result") == ADMITTED:
        return f"is not admitted: its checks have passed, and taint {TAINT} is still on it"
    return f"is not admitted: {found.get('reason')}"


async def wait_again(kube: Kube, name: str, before: Node, ctx: Context) -> None:
    """Until a node that was admitted before it was taken is admitted again; at once for another one: on the first day
    nothing on the cluster could check it yet.

    Raises ProviderError with the reason when its checks fail.
    """
    if known(before).get("result") != ADMITTED:
        return
    patience = step_patience(ctx, ADMITTED_SECONDS)
    while True:
        try:
            node = await kube.find(f"{NODES}/{name}") or {}
        except (KubeError, SilentError):
            node = {}
        if node and not (why := lacks(node)):
            return
        boot = ((node.get("status") or {}).get("nodeInfo") or {}).get("bootID")
        if node and known(node).get("result") == "failed" and known(node).get("boot") == boot:
            raise ProviderError(f"{name} {why}; it stays cordoned, and no further node is taken")
        ctx.log(f"{name}: {why if node else 'the API server is silent'}")
        await patience.wait(f"{name} to be admitted")
