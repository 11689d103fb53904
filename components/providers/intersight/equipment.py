"""Machines behind interconnects as equipment: one that was taken out of its place is removed from the account.

A blade that is put where another was is not discovered until the other one is removed from the account, by a person or
here. Nothing is removed that is still there: only what Intersight calls replaced, or taken away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.repeats import ATTEMPTS, TIMES, Repeats
from podwright.components.providers.intersight.transport import ApiError
from podwright.components.providers.intersight.workflow import Pace, StoppedWaitingError
from podwright.components.providers.protocol.kind import Context, ProviderError

BLADE, RACK = "compute.BladeIdentity", "compute.RackUnitIdentity"
LEFT = frozenset({"Replaced", "Removed"})
"""Lifecycles of a machine that was taken out of its place and is not seen anywhere else."""
WAITS = "ReplacementPendingUserAction"
"""Lifecycle of a machine that stands where Intersight still lists another one."""
REMOVAL_SECONDS = 900.0
Live = Mapping[str, Any]


async def identity(api: Account, serial: str) -> dict[str, Any] | None:
    """What Intersight knows of a blade or attached rack server as equipment; None for one that stands by itself."""
    for kind in (BLADE, RACK):
        found = await api.only(kind, "Serial", serial, f"the server {serial} as equipment")
        if found is not None:
            return found
    return None


async def make_way(api: Account, waiting: Live, ctx: Context, what: str) -> None:
    """Remove the machine that stood where this one waits. Raises ProviderError where it is there, or is another's."""
    for ref in waiting.get("DiscoveredBladeIdInCurrLocation") or []:
        old = await api.by_moid(BLADE, str(ref["Moid"]))
        if old is not None:
            await _judge(api, old, what)
            if not await removed(api, old, ctx, what):
                old = await _now(api, old) or old
                raise ProviderError(
                    f"{what}: the server {waiting.get('Serial')} waits for the place of {old.get('Serial')}, which "
                    f"Intersight calls {old.get('Lifecycle')}; decommission and remove {old.get('Serial')} there, or "
                    "let Intersight rediscover it where it is now, then run again"
                )


async def _judge(api: Account, old: Live, what: str) -> None:
    serial = str(old.get("Serial"))
    machine = await api.only("compute.PhysicalSummary", "Serial", serial, f"the server {serial}")
    for holder in await api.where("server.Profile", "AssignedServer.Moid", str(machine["Moid"])) if machine else ():
        if f"server profile {holder.get('Name')!r}" != what:
            raise ProviderError(
                f"{what}: the machine stands where {serial} was, which carries the server profile "
                f"{holder.get('Name')!r}; unassign that first, and remove {serial} in Intersight"
            )


async def removed(api: Account, old: Live, ctx: Context, what: str) -> bool:
    """Remove a machine that was taken away, and wait until it is gone; False, and nothing done, for any other one."""
    serial = str(old.get("Serial"))
    if old.get("Lifecycle") not in LEFT:
        return False
    ctx.log(f"{what}: the server {serial} was taken out of its place; removing it from Intersight")
    if not await _ordered(api, old):
        return False
    pace = Pace(ctx, what, limit=REMOVAL_SECONDS)
    while (now := await _now(api, old)) is not None:
        if now.get("AdminActionState") == "Failed":
            raise ProviderError(
                f"{what}: Intersight did not remove the server {serial}; remove it there, then run again"
            )
        try:
            await pace.wait()
        except StoppedWaitingError as stopped:
            raise ProviderError(str(stopped)) from None
    return True


async def _ordered(api: Account, old: Live) -> bool:
    """Order the removal of a machine: True once it is under way or over, False where the machine is in service again.

    Without an answer it is looked up whether the order arrived. Raises ApiError for a refusal that no other try
    changes, and ProviderError when the last try got no answer.
    """
    live: Live | None = old
    repeats = Repeats()
    for _ in range(ATTEMPTS + TIMES):
        if live is None or live.get("AdminActionState") == "Applying":
            return True
        if live.get("Lifecycle") not in LEFT:
            return False
        what = f"the server {live.get('Serial')}"
        try:
            made = await repeats.attempt(api.patch(live, {"AdminAction": "Remove"}, what, "remove"))
        except ApiError:
            live = await _now(api, old)  # somebody else may have ordered it, or it is gone
            if live is not None and live.get("AdminActionState") != "Applying":
                raise
            return True
        if not isinstance(made, ProviderError):
            return True
        live = await _now(api, old)
    raise ProviderError(
        f"the server {old.get('Serial')} could not be removed from Intersight in {ATTEMPTS + TIMES} attempts; run again"
    )


async def _now(api: Account, old: Live) -> dict[str, Any] | None:
    return await api.by_moid(str(old["ObjectType"]), str(old["Moid"]))
