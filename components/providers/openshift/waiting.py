"""Waiting for a cluster: its API, its version, its nodes. The same waits on every site; only the numbers differ."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from podwright.components.providers.openshift.conditions import conditions, is_true
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.protocol.kind import Context, ProviderError

INSTALL_SECONDS = 90 * 60.0
"""Agent-based installs take 40 to 60 minutes on real servers; the program's own limit comes first."""
LONGEST_PAUSE = 10.0
SHOWN = 6
"""Names that are shown of many."""
NODES = "/api/v1/nodes"
VERSION = "/apis/config.openshift.io/v1/clusterversions/version"


class Patience:
    """Growing pauses until a deadline, ended at once by the user's wish to stop."""

    def __init__(self, ctx: Context, seconds: float) -> None:
        self._ctx = ctx
        self._until = asyncio.get_running_loop().time() + seconds
        self._pause = 0.5

    def hurry(self) -> None:
        """Something moves: look often again."""
        self._pause = 0.5

    async def wait(self, what: str) -> None:
        """Pause. Raises ProviderError when time is up or the user asked to stop; `what` is waited for."""
        if asyncio.get_running_loop().time() > self._until:
            raise ProviderError(f"time is up: still waiting for {what}")
        try:
            await asyncio.wait_for(self._ctx.cancel.wait(), self._pause)
        except TimeoutError:
            self._pause = min(self._pause * 1.3, LONGEST_PAUSE)
            return
        raise ProviderError(f"stopped waiting for {what}, as asked; run again to go on")


def install_patience(ctx: Context) -> Patience:
    """For an installation: as long as the program allows, else the usual."""
    return Patience(ctx, ctx.timeout or INSTALL_SECONDS)


def step_patience(ctx: Context, seconds: float) -> Patience:
    """For one step of a longer operation: its own limit, or the program's when that is shorter."""
    return Patience(ctx, min(seconds, ctx.timeout or seconds))


async def answers(kube: Kube) -> bool:
    """True when the API server says that it is ready."""
    try:
        return (await kube.text("/readyz")).strip() == "ok"
    except (KubeError, SilentError):
        return False


def few(names: Sequence[str]) -> str:
    """The first of many names, and how many more there are."""
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def is_ready(node: Mapping[str, Any]) -> bool:
    """True when a Node's Ready condition is True."""
    return is_true(node, "Ready")


async def wait_api(kube: Kube, ctx: Context, patience: Patience) -> None:
    """Until ``/readyz`` says ok."""
    while not await answers(kube):
        ctx.log("waiting for the cluster's API to come up")
        await patience.wait("the cluster's API")


async def wait_version(kube: Kube, ctx: Context, patience: Patience) -> None:
    """Until the ClusterVersion is Available; a cluster without that kind has none to wait for."""
    while True:
        try:
            version = await kube.find(VERSION)
        except (KubeError, SilentError):
            version = {}
        if version is None:
            return
        if is_true(version, "Available"):
            return
        rows = conditions(version)
        note = str((rows.get("Progressing") or rows.get("Failing") or {}).get("message") or "")
        ctx.log(f"the cluster version is not available yet{': ' + note if note else ''}")
        await patience.wait(f"the cluster version to be available{' (' + note + ')' if note else ''}")


async def wait_nodes(kube: Kube, names: Sequence[str], ctx: Context, patience: Patience) -> None:
    """Until every named node is there and Ready."""
    while True:
        try:
            listed = (await kube.get(NODES)).get("items") or []
        except (KubeError, SilentError):
            listed = []
        ready = {node["metadata"]["name"] for node in listed if is_ready(node)}
        missing = [name for name in names if name not in ready]
        if not missing:
            return
        first = ", ".join(missing[:4]) + (" …" if len(missing) > 4 else "")
        ctx.log(f"{len(names) - len(missing)} of {len(names)} nodes ready, waiting for {first}")
        await patience.wait(f"the nodes {first} to be ready")
