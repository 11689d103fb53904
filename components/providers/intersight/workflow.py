"""Workflows: what Intersight does in the background after an action, followed to any of its ends.

The state is in `WorkflowStatus`; the older `Status` is deprecated and lacks Terminated, Canceled and Paused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.listing import quoted
from podwright.components.providers.intersight.managed import Find
from podwright.components.providers.protocol.kind import Context, ProviderError

FAILED = frozenset({"Failed", "Terminated", "Canceled"})
RUNNING = frozenset({"NotStarted", "InProgress", "Waiting"})
BUSY_STATES = frozenset({"Validating", "Configuring"})
"""`ConfigContext.ConfigState` values during which a profile is worked on."""
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 8.0
MEND = "mend that, then run again"
"""What to do about a workflow that failed."""
DEPLOY_SECONDS = 2 * 3600.0
"""A deploy with firmware and reboots takes an hour on real servers; the program may set its own limit."""


class StoppedWaitingError(Exception):
    """The user asked to stop, or time ran out, while Intersight goes on by itself."""


class Pace:
    """Pauses between looks that grow, a deadline, and an ear for Ctrl-C.

    Looks fall on whole multiples of the pause, which doubles after every other one: operations that wait for their
    profiles look at the same moments, and share the request.
    """

    def __init__(self, ctx: Context, what: str, limit: float = DEPLOY_SECONDS, longest: float = LONGEST_PAUSE) -> None:
        self._ctx = ctx
        self._what = what
        self._looks, self._pause = 0, FIRST_PAUSE
        self._longest = longest
        loop = asyncio.get_running_loop()
        self._until = loop.time() + (ctx.timeout or limit)

    async def wait(self) -> None:
        """Wait a while. Raises StoppedWaitingError."""
        if asyncio.get_running_loop().time() > self._until:
            raise StoppedWaitingError(f"{self._what}: time is up, Intersight goes on; run again to wait on")
        try:
            now = asyncio.get_running_loop().time()
            await asyncio.wait_for(self._ctx.cancel.wait(), self._pause - now % self._pause)
        except TimeoutError:
            self._looks += 1
            self._pause = min(FIRST_PAUSE * 2 ** (self._looks // 2), self._longest)
            return
        raise StoppedWaitingError(f"{self._what}: stopped waiting as asked, Intersight goes on; run again")


def config_state(live: Mapping[str, Any]) -> str:
    """`ConfigContext.ConfigState` of a profile."""
    return str((live.get("ConfigContext") or {}).get("ConfigState") or "")


def disruptions(live: Mapping[str, Any]) -> list[str]:
    """What a deploy now would disrupt, as Intersight says; sorted."""
    listed = (live.get("ConfigChanges") or {}).get("Disruptions") or []
    return sorted({str(entry) for entry in listed if entry and entry != "None"})


def pending(live: Mapping[str, Any]) -> bool:
    """True when the profile holds something that the server does not have yet."""
    return config_state(live) != "Associated" or bool((live.get("ConfigChanges") or {}).get("Changes"))


def staged(live: Mapping[str, Any]) -> bool:
    """True when the server holds everything and only a reboot is missing."""
    reasons = (live.get("ConfigContext") or {}).get("InconsistencyReason") or []
    return config_state(live) == "Pending-changes" and list(reasons) == ["Not-activated"]


def not_activated(live: Mapping[str, Any]) -> bool:
    """True when something waits on the server for a reboot, whatever else is pending."""
    return "Not-activated" in ((live.get("ConfigContext") or {}).get("InconsistencyReason") or [])


def validating(live: Mapping[str, Any]) -> bool:
    """True while Intersight works out what a change means."""
    change = str((live.get("ConfigChangeContext") or {}).get("ConfigChangeState") or "")
    return config_state(live) == "Validating" or change in {"Validating-change", "Validating-drift"}


async def settled(find: Find, ctx: Context, what: str) -> dict[str, Any]:
    """The profile once nothing is being validated any more. Raises ProviderError when it vanished."""
    pace = Pace(ctx, what, limit=900)
    while True:
        live = await find()
        if live is None:
            raise ProviderError(f"{what} vanished; run again")
        if not validating(live):
            return live
        ctx.log(f"{what}: Intersight validates the change")
        await pace.wait()


async def running(api: Account, live: Mapping[str, Any], ctx: Context, what: str) -> bool:
    """True while a workflow of the profile runs. Raises ProviderError for one that failed, stopped or hangs."""
    busy = False
    for ref in live.get("RunningWorkflows") or []:
        found = await api.by_moid("workflow.WorkflowInfo", str(ref["Moid"]))
        status = str((found or {}).get("WorkflowStatus") or "")
        if found is None or status == "Completed":
            continue
        if status in FAILED:
            why = await reasons(api, found)
            raise ProviderError(f"{what}: workflow {found.get('Name')!r} {status.lower()}: {why}; {MEND}")
        if status == "Paused":
            raise ProviderError(
                f"{what}: workflow {found.get('Name')!r} is paused; resume or cancel it in Intersight, then run again"
            )
        busy = True
        note = (
            f"waits ({found.get('WaitReason')})"
            if status == "Waiting"
            else f"{float(found.get('Progress') or 0):.0f} %"
        )
        ctx.log(f"{what}: {found.get('Name')} {note}")
    return busy


async def last_reasons(api: Account, live: Mapping[str, Any]) -> str:
    """Why the profile's latest workflow failed, which has ended and is none of its running ones any more."""
    found = await api.query("workflow.WorkflowInfo", f"AssociatedObject.Moid eq {quoted(str(live['Moid']))}")
    latest = max(found, key=lambda each: str(each.get("CreateTime") or ""), default=None)
    return await reasons(api, latest) if latest is not None else "Intersight gives no reason"


async def reasons(api: Account, workflow: Mapping[str, Any]) -> str:
    """Why a workflow failed: its tasks' own words."""
    condition = f"Moid eq {quoted(str(workflow['Moid']))}"
    found = await api.query("workflow.WorkflowInfo", condition, "TaskInfos($select=Label,Status,FailureReason)")
    messages: list[str] = []
    for task in (found[0].get("TaskInfos") or []) if found else []:
        reason = str(task.get("FailureReason") or "")
        if reason and reason not in messages:
            messages.append(reason)
    if not messages:
        messages = [str(m.get("Message")) for m in workflow.get("Message") or [] if isinstance(m, Mapping)]
    return "; ".join(messages) or "Intersight gives no reason"


async def results(api: Account, live: Mapping[str, Any]) -> str:
    """Per-policy outcome of the last validation or deploy, where there is one."""
    ref = live.get("ConfigResult")
    if not isinstance(ref, Mapping) or not ref.get("Moid"):
        return ""
    found = await api.query("server.ConfigResult", f"Moid eq {quoted(str(ref['Moid']))}", "ResultEntries")
    entries = (found[0].get("ResultEntries") or []) if found else []
    messages = [str(entry.get("Message")) for entry in entries if entry.get("Message") and entry.get("State") != "Ok"]
    return "; ".join(dict.fromkeys(messages))
