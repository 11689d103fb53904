"""Another release for a running cluster: asked of its ClusterVersion, waited for, and every node with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from podwright.components.providers.openshift.conditions import conditions, is_true
from podwright.components.providers.openshift.cordons import POOLS
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.openshift.waiting import VERSION, step_patience
from podwright.components.providers.protocol.kind import Context, ProviderError

OFFER_SECONDS = 300.0
"""What a cluster takes at most to ask its update service about a new channel."""
STALL_SECONDS = 3600.0
"""Without any change for so long an update does not move: a drain within its budgets and a slow restart take less."""
CHANNELS = ("stable", "fast", "eus", "candidate")
Status = Mapping[str, Any]
Pool = Mapping[str, Any]


def parsed(version: str) -> tuple[int, ...]:
    """(major, minor, patch) of a release; what follows a dash is left out."""
    return tuple(int(part) for part in version.partition("-")[0].split("."))


def refused(have: str, version: str) -> str:
    """Why a cluster at release `have` is not taken to `version`, with the way out; empty where it may go."""
    old, new = parsed(have), parsed(version)
    if new < old:
        return f"the cluster runs {have}, and OpenShift does not go back to an older release: write {have}"
    if new[0] != old[0] or new[1] > old[1] + 1:
        step = f"{old[0]}.{old[1] + 1}"
        return f"the cluster runs {have}, and OpenShift goes one minor release at a time: write a {step} release first"
    return ""


def completed(cluster_version: Mapping[str, Any]) -> str | None:
    """The newest release that the cluster went to and finished; None during an installation."""
    history = (cluster_version.get("status") or {}).get("history") or []
    return next((str(each["version"]) for each in history if each.get("state") == "Completed"), None)


async def bring_to(kube: Kube, version: str, ctx: Context) -> None:
    """Have the cluster update itself to `version`, unless it runs it, and wait for its operators and every node.

    Raises ProviderError when the update is not offered, not accepted, or does not move for STALL_SECONDS.
    """
    found = await _settled(kube, ctx)
    if found is None:
        return
    have = completed(found)
    desired = str(((found.get("status") or {}).get("desired") or {}).get("version") or "")
    if have is None or (have == version and desired == version):
        return
    if problem := refused(have, version):
        raise ProviderError(problem)
    if desired != version:
        ctx.stop_here(f"the update from {have} to {version}")
        await _offered(kube, found, version, ctx)
        ctx.log(f"updating the cluster from {have} to {version}")
        await kube.merge(VERSION, {"spec": {"desiredUpdate": {"version": version, "image": None}}})
    await _walked_in(kube, version, ctx)
    await wait_pools(kube, ctx)


async def wait_pools(kube: Kube, ctx: Context, taken: Callable[[Pool], Awaitable[bool]] | None = None) -> None:
    """Until every node of every MachineConfigPool that is not paused runs its pool's configuration.

    `taken` tells whether a pool's configuration has taken in what was just written: the operator renders it some
    moments later, and until then the pool calls itself updated.

    Raises ProviderError when nothing has changed for STALL_SECONDS, naming the pools and how far each is.
    """
    clock = asyncio.get_running_loop().time
    seen: list[str] = []
    since = clock()
    patience = step_patience(ctx, STALL_SECONDS)
    while True:
        try:
            pools = (await kube.find(POOLS) or {}).get("items") or []
            behind = [text for pool in pools if (text := _behind(pool, taken is None or await taken(pool)))]
        except (KubeError, SilentError):
            behind = ["the cluster's API is silent"]  # while a control-plane host restarts
        if not behind:
            return
        if behind != seen:
            seen, since, patience = behind, clock(), step_patience(ctx, STALL_SECONDS)
        ctx.log("; ".join(behind))
        await patience.wait(f"nodes to take their configuration ({'; '.join(behind)}, for {clock() - since:.0f} s)")


def _behind(pool: Pool, taken: bool) -> str:
    """How far a pool is; empty when all its nodes run its configuration, or while a person has paused it."""
    spec, status = pool.get("spec") or {}, pool.get("status") or {}
    wanted = (spec.get("configuration") or {}).get("name")
    updated = is_true(pool, "Updated")
    running = (status.get("configuration") or {}).get("name") == wanted
    seen = status.get("observedGeneration", 0) >= pool["metadata"].get("generation", 0)
    if spec.get("paused") or (taken and updated and running and seen):
        return ""
    done, total = status.get("updatedMachineCount", 0), status.get("machineCount", 0)
    return f"pool {pool['metadata']['name']}: {done} of {total} nodes updated"


async def _settled(kube: Kube, ctx: Context) -> Mapping[str, Any] | None:
    """The ClusterVersion; a control-plane host that restarts is waited for. None where the kind is not served."""
    patience = step_patience(ctx, OFFER_SECONDS)
    while True:
        try:
            found: Mapping[str, Any] | None = await kube.find(VERSION)
        except (KubeError, SilentError) as silent:
            await patience.wait(f"the cluster version ({silent})")
            continue
        return found


async def _offered(kube: Kube, found: Mapping[str, Any], version: str, ctx: Context) -> None:
    """Return once the cluster's update service offers `version`; its minor release's channel is chosen first."""
    channel = str((found.get("spec") or {}).get("channel") or "")
    stream, _, minor = channel.partition("-")
    wanted = ".".join(version.split(".")[:2])
    if minor != wanted:
        channel = f"{stream if stream in CHANNELS else CHANNELS[0]}-{wanted}"
        ctx.log(f"update channel {channel}")
        await kube.merge(VERSION, {"spec": {"channel": channel}})
    patience = step_patience(ctx, OFFER_SECONDS)
    while True:
        offered = await kube.get(VERSION)
        status: Status = offered.get("status") or {}
        if any(each.get("version") == version for each in status.get("availableUpdates") or []):
            return
        risky = next((each for each in status.get("conditionalUpdates") or [] if _release(each) == version), None)
        if risky is not None:
            risks = "; ".join(str(risk.get("message") or risk.get("name")) for risk in risky.get("risks") or [])
            raise ProviderError(
                f"{version} is not recommended for this cluster: {risks}. Write another release, or accept the risk "
                f"with `oc adm upgrade --to {version} --allow-not-recommended` and run again"
            )
        try:
            await patience.wait(f"the update to {version} to be offered")
        except ProviderError:
            known = ", ".join(str(each.get("version")) for each in status.get("availableUpdates") or []) or "nothing"
            why = conditions(offered).get("RetrievedUpdates", {}).get("message") or ""
            raise ProviderError(
                f"the update to {version} is not offered in channel {channel}, which offers {known}; write one of "
                f"these as openshift.version{'. ' + why if why else ''}"
            ) from None


async def _walked_in(kube: Kube, version: str, ctx: Context) -> None:
    """Until the history says that the release is in. A control-plane host that restarts takes the API away for long."""
    seen, patience = "", step_patience(ctx, STALL_SECONDS)
    while True:
        try:
            found = await kube.get(VERSION)
        except (KubeError, SilentError):
            found = {}
        status: Status = found.get("status") or {}
        rows = conditions(found)
        if completed(found) == version and rows.get("Progressing", {}).get("status") == "False":
            return
        # A verdict counts when it is about what was asked for, not about what was asked for before.
        fresh = status.get("observedGeneration", 0) >= (found.get("metadata") or {}).get("generation", 1)
        for kind, bad in (("Invalid", "True"), ("ReleaseAccepted", "False")):
            row = rows.get(kind, {})
            if fresh and row.get("status") == bad and version in str(row.get("message")):
                raise ProviderError(f"the cluster does not take {version}: {row['message']}")
        note = str((rows.get("Failing", {}) if rows.get("Failing", {}).get("status") == "True" else rows.get(
            "Progressing", {})).get("message") or "")  # fmt: skip
        if note and note != seen:
            seen, patience = note, step_patience(ctx, STALL_SECONDS)
        ctx.log(note or f"waiting for the update to {version}")
        await patience.wait(f"the update to {version}{' (' + note + ')' if note else ''}")


def _release(conditional: Mapping[str, Any]) -> str:
    return str((conditional.get("release") or {}).get("version"))
