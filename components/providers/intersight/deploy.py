"""Deploying a profile as the state machine it is: read what it would disrupt, ask nobody for more, act, follow.

`Action` goes back to No-op at once; the outcome is in `ConfigContext` and in the workflows.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from podwright.components.changes.disruption import Disruption
from podwright.components.changes.row import ChangeClass
from podwright.components.providers.intersight import equipment
from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.managed import Find
from podwright.components.providers.intersight.repeats import TIMES, Repeats
from podwright.components.providers.intersight.restarts import Restart
from podwright.components.providers.intersight.transport import ApiError, UnansweredError
from podwright.components.providers.intersight.workflow import (
    BUSY_STATES,
    MEND,
    Pace,
    config_state,
    disruptions,
    last_reasons,
    not_activated,
    pending,
    results,
    running,
    settled,
    staged,
)
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.protocol.limits import approved_now, ended_approval, way_out

REBOOT = "Reboot"
"""The disruption of `ConfigChanges.Disruptions` that a deploy without activation does not cause."""
STALE_TIMES = 3
"""Tries of an action on a profile that somebody else keeps writing to."""
IDLE_SECONDS = 60.0
"""How long a profile may show no sign of an action before we say that nothing happens."""
NOT_CONNECTED = "gershwin_server_is_not_connected"
"""Message id of a refusal: the machine's device does not answer Intersight."""
GONE_FOR_GOOD = (
    "the machine that it leaves does not answer Intersight: connect it again, or, where it is gone for good, "
    "decommission and remove it in Intersight, or delete its target where it stands by itself, which frees the "
    "profile; then run again"
)


class DisruptionError(ProviderError):
    """The deploy would disrupt more than was approved; nothing was deployed."""


def approve(
    what: str, name: str, live: Mapping[str, Any], approved: Collection[str], ctx: Context, *, planned: bool = True
) -> None:
    """Raise DisruptionError naming what is not approved and how to approve it.

    Approved is what the spec lists; on a profile of that name everything while `changes.approve` of the stack file
    holds for it, and a restart while its role or server approves one. Not `planned`: by the plan nothing of this
    change needs a restart.
    """
    worse = [entry for entry in disruptions(live) if entry not in approved]
    words = (ChangeClass.DISRUPTIVE.word, *([Disruption.REBOOT.word] if worse == [REBOOT] else []))
    now = datetime.now(UTC)
    if worse and not approved_now(ctx.config, words, name, now):
        pending = ", ".join(map(str, (live.get("ConfigChanges") or {}).get("Changes") or ()))
        differs = f" (it is about {pending})" if pending else ""
        foreseen = "" if planned else ", but by the plan the server takes this change while it runs"
        ended = ended_approval(ctx.config, words, (name,), now)
        raise DisruptionError(
            f"{what}: Intersight says that deploying would cause {', '.join(worse)}{foreseen}; nothing was deployed"
            f"{differs}{f'; {ended}' if ended else ''}. {way_out(ctx.config, words[-1], name)}, or take the change back"
        )


async def deploy(
    api: Account,
    find: Find,
    approved: Collection[str],
    ctx: Context,
    what: str,
    name: str,
    restart: Restart = Restart.NOW,
) -> dict[str, Any]:
    """Bring the server to its profile and return the profile; nothing is sent when it is there already.

    `name` is what an approval of the stack file names.

    Where the restart waits, everything is handed to the server, and what needs it waits there for the next one. Where
    none was planned and Intersight says that there must be one, nothing is handed over.
    Raises DisruptionError before anything happens, ProviderError with Intersight's own reasons when it fails, and
    StoppedWaitingError when the user stops while Intersight goes on.
    """
    live = await settled(find, ctx, what)
    if config_state(live) in BUSY_STATES and await running(api, live, ctx, what):
        await follow(api, find, ctx, what)  # a deploy that was cut off here, or somebody else's
        live = await settled(find, ctx, what)
    now = restart is Restart.NOW
    if _done(live, now):
        return live
    waits = restart is Restart.WAITS or (restart is Restart.UNPLANNED and not_activated(live))
    approve(what, name, live, {*approved, REBOOT} if waits else approved, ctx, planned=restart is not Restart.UNPLANNED)
    ctx.stop_here(f"deploying {what}")
    if not staged(live):
        body = _deploy_body(now and bool(disruptions(live)))
        answered = await act(api, find, body, what, live)
        live = await follow(api, find, ctx, what, before=config_state(live), seen=answered)
    if now and staged(live):
        # Handed over, and some of it waits for a reboot: ours to cause only when that was approved.
        approve(what, name, live, approved, ctx)
        body = {"Action": "Activate", "ScheduledActions": [_scheduled("Activate")]}
        answered = await act(api, find, body, what, live)
        live = await follow(api, find, ctx, what, before=config_state(live), seen=answered)
    if not _done(live, now):
        reasons = await results(api, live)
        raise ProviderError(f"{what} ended as {config_state(live)}" + (f": {reasons}" if reasons else ""))
    return live


def _done(live: Mapping[str, Any], restart: bool) -> bool:
    return not pending(live) or (staged(live) and not restart)


def _deploy_body(reboots: bool) -> dict[str, Any]:
    """`Deploy` alone stops short of a reboot; an approved one is scheduled with it (intersight-powershell #119)."""
    body: dict[str, Any] = {"Action": "Deploy"}
    if reboots:
        body["ScheduledActions"] = [_scheduled("Deploy"), _scheduled("Activate")]
    return body


def _scheduled(action: str) -> dict[str, Any]:
    mark = {"ClassId": "policy.ScheduledAction", "ObjectType": "policy.ScheduledAction", "Action": action}
    return mark | ({"ProceedOnReboot": True} if action == "Activate" else {})


async def act(
    api: Account, find: Find, body: Mapping[str, Any], what: str, seen: dict[str, Any] | None = None
) -> dict[str, Any] | None:
    """Send an action to the profile, `seen` just now or looked up here; returns the profile as it was answered.

    Without an answer, and then None, it is looked up: what it did shows in the state, or as a running workflow.
    """
    repeats, before = Repeats(), None
    for attempt in range(STALE_TIMES + TIMES):
        live, seen = seen or await find(), None
        if live is None:
            raise ProviderError(f"{what} vanished; run again")
        if _began(live, before):
            return None
        try:
            made = await api.patch(live, body, what, body["Action"].lower())
        except UnansweredError as lost:
            before = _signs(live)
            await repeats.pause(lost)
        except ApiError as refused:
            if attempt + 1 < STALE_TIMES + TIMES and refused.status == 412:
                continue  # somebody wrote between our look and our order
            if not _began(await find() or {}, before):  # an order without an answer may arrive late
                raise
            return None
        else:
            return made if made.get("ConfigContext") else None
    raise ProviderError(f"{what}: Intersight did not answer to {body['Action']}; run again")


def _began(live: Mapping[str, Any], before: tuple[Any, ...] | None) -> bool:
    """True when an action that got no answer shows; `before` is what the profile showed then, None without one."""
    return before is not None and bool(live.get("RunningWorkflows") or _signs(live) != before)


def _signs(live: Mapping[str, Any]) -> tuple[Any, ...]:
    """What of a profile an action changes, as soon as it begins or by its end."""
    return tuple(live.get(name) for name in ("ConfigContext", "ConfigChanges", "ConfigResult"))


async def follow(
    api: Account,
    find: Find,
    ctx: Context,
    what: str,
    before: str | None = None,
    seen: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Wait until nothing works on the profile any more; `seen` is what the action was answered with.

    `before` is the state in which an action was sent: until it changes or a workflow shows up, nothing has begun.
    """
    pace = Pace(ctx, what)
    loop = asyncio.get_running_loop()
    idle_until = loop.time() + IDLE_SECONDS
    begun = before is None
    while True:
        live, seen = seen or await find(), None
        if live is None:
            raise ProviderError(f"{what} vanished while Intersight worked on it; run again")
        busy = await running(api, live, ctx, what)
        state = config_state(live)
        begun = begun or busy or state != before
        if begun and not busy and state not in BUSY_STATES:
            if state == "Failed":
                why = await results(api, live) or await last_reasons(api, live)
                raise ProviderError(f"{what} failed: {why}; {MEND}")
            return live
        if not begun and loop.time() > idle_until:
            return live
        ctx.log(f"{what}: {state}")
        await pace.wait()


async def unassign(api: Account, find: Find, ctx: Context, what: str) -> None:
    """Take the profile off its server and wait until it is off; a running deploy is waited for first."""
    live = await find()
    if live is None or config_state(live) in {"", "Not-assigned"}:
        return
    if config_state(live) in BUSY_STATES:
        live = await _ended(api, find, ctx, what)
        if live is None or config_state(live) == "Not-assigned":  # it was an unassignment that had begun before
            await _unbound(api, live or {}, what)
            return
    ctx.stop_here(f"unassigning {what}")
    try:
        await act(api, find, {"Action": "Unassign"}, what)
    except ApiError as refused:
        if refused.message_id != NOT_CONNECTED:
            raise
        if not await _taken_away(api, live or {}, ctx, what):
            raise ProviderError(f"{refused}; {GONE_FOR_GOOD}") from None
    pace = Pace(ctx, what, limit=1800)
    while True:
        live = await find()
        if live is None:
            return
        if config_state(live) == "Not-assigned":
            await _unbound(api, live, what)
            return
        await running(api, live, ctx, what)
        ctx.log(f"{what}: {config_state(live)}")
        await pace.wait()


async def _taken_away(api: Account, live: Mapping[str, Any], ctx: Context, what: str) -> bool:
    """Whether the profile's machine was taken away; it is removed from the account then, which frees the profile."""
    ref = live.get("AssignedServer") or {}
    machine = await api.by_moid("compute.PhysicalSummary", str(ref.get("Moid") or ""))
    found = await equipment.identity(api, str(machine["Serial"])) if machine else None
    return found is not None and await equipment.removed(api, found, ctx, what)


async def _unbound(api: Account, live: Mapping[str, Any], what: str) -> None:
    """Clear a binding that the action left: a profile that still names its hardware cannot be deleted."""
    left = {name: None for name in ("AssignedServer", "AssignedSwitch", "AssignedChassis") if live.get(name)}
    if left:
        with contextlib.suppress(UnansweredError):  # the delete that follows shows it
            await api.patch(live, left, what)


async def _ended(api: Account, find: Find, ctx: Context, what: str) -> dict[str, Any] | None:
    """The profile once the work on it ended, well or badly."""
    try:
        return await follow(api, find, ctx, what)
    except ProviderError as failed:
        ctx.log(str(failed))
        return await find()
