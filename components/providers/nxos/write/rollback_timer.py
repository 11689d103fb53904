"""What undoes a push whose session is lost: a job on the switch that rolls back at a set time unless it is cancelled.

System management guide, 10.5(x): "Configuring the Scheduler" (one-time schedule at an absolute time of the switch's
own clock, minutes) and "Configuring Rollback". Why a job and not `configure replace … commit-timeout`:
docs/decisions/0010-push-and-rollout.md. The job is armed before the checkpoint is made, so that the rollback never
touches the scheduler that runs it; what is then left of the job in the configuration is taken away at the next
connect.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from podwright.components.providers.nxos.pool import Terminal
from podwright.components.providers.nxos.read.blocks import Block
from podwright.components.providers.nxos.session import SLOW_ANSWER, RefusedError

JOB: Final = "podwright-net"
_NOTE: Final = "cli alias name podwrightnet no feature scheduler"
"""Written before `feature scheduler` is turned on for the timer alone: by it a later run knows whose the feature is.
An alias is inert (docs/decisions/0003-provider.md), and this one does what it says."""
MAINTENANCE: Final = "system mode maintenance"
_DRAINED: Final = f"cli alias name podwrightdrain no {MAINTENANCE}"
"""The same for maintenance mode, which a person may have chosen too."""
_TAKEN_OUT: Final = (("router ", "isolate"), ("vpc domain ", "shutdown"))
"""What the generated maintenance profile adds (system management guide, "Configuring Graceful Insertion and Removal"):
part of the mode while it lasts, not of the configuration."""
FEATURE: Final = "feature scheduler"
MINUTES: Final = 10
"""How long a switch waits for us. Longer than any answer may take (session.py), shorter than a night."""
_LINES_A_MINUTE: Final = 30
"""What even a busy supervisor takes; the longest section must fit into half the time, for it cannot be interrupted."""
_ZONE: Final = re.compile(r"^(no )?clock timezone\b")
"""What changes the clock that the rollback goes by."""
_BLOCKS: Final = (f"scheduler schedule name {JOB}", f"scheduler job name {JOB}")
_CLOCK: Final = re.compile(r"(\d\d:\d\d:\d\d)(?:\.\d+)? \S+ \w{3} (\w{3}) +(\d+) (\d{4})")


@dataclass(frozen=True)
class Leftover:
    """What of a timer stands in a configuration: the lines that take it away, what knows of the rest last."""

    cancelling: tuple[str, ...] = ()
    drained: bool = False


def apart(config: Mapping[str, Block]) -> tuple[dict[str, Block], Leftover]:
    """A configuration without a timer of ours, and the timer."""
    ours = [name for name in (*_BLOCKS, _NOTE) if name in config]
    others = any(name.startswith("scheduler ") for name in config if name not in ours)
    if _NOTE in config and FEATURE in config and not others:
        ours.insert(-1, FEATURE)
    rest = {name: block for name, block in config.items() if name not in ours}
    cancelling = tuple(f"no {name}" for name in ours)
    if _DRAINED not in rest:
        return rest, Leftover(cancelling)
    del rest[_DRAINED]
    rest.pop(MAINTENANCE, None)
    for start, added in _TAKEN_OUT:
        for name in [name for name in rest if name.startswith(start)]:
            rest[name] = tuple(line for line in rest[name] if line.text != added)
    return rest, Leftover((f"no {_DRAINED}", *cancelling), drained=True)


def clock_of(text: str) -> datetime | None:
    """The time in an answer to `show clock`, in the switch's own zone: the scheduler goes by that one too."""
    found = _CLOCK.search(text)
    return datetime.strptime(" ".join(found.groups()), "%H:%M:%S %b %d %Y") if found else None


def without_timer(config: Mapping[str, Block], user: str) -> str:
    """Why a job of `user` would not run on a switch with this configuration; empty when it would."""
    remote = any(name.startswith("aaa authentication login default group ") for name in config)
    if remote and not any(name.startswith(f"scheduler aaa-authentication username {user} ") for name in config):
        return f"user {user} comes from a AAA server, and no `scheduler aaa-authentication` of that user is configured"
    return ""


class RollbackTimer:
    """The timer of one push."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._until = 0.0
        self._minutes = MINUTES
        self.time = ""
        """When the switch rolls back, by its own clock; empty when it will not."""

    async def arm(self, checkpoint: str, config: Mapping[str, Block], longest: int, *, keep_feature: bool) -> None:
        """Let the switch roll back to `checkpoint` (made right after this) unless `disarm` comes first.

        `longest` is the number of lines that are typed without a look at the time. Raises RefusedError.
        """
        self._minutes = MINUTES + longest // _LINES_A_MINUTE
        note = () if keep_feature else (_NOTE,)
        await (await self._terminal.open()).configure(
            [
                *(() if FEATURE in config else (*note, FEATURE)),
                f"scheduler job name {JOB}",
                f"rollback running-config checkpoint {checkpoint}",
                "end-job",
                *await self._scheduled(),
            ]
        )

    @property
    def promise(self) -> str:
        """What a person may rely on when we cannot reach the switch any more, as the end of a sentence."""
        return f", and at {self.time} by its clock the switch goes back to it by itself" if self.time else ""

    async def renew(self) -> tuple[str, ...]:
        """The lines that move the time on, when half of it is over."""
        if not self.time or time.monotonic() < self._until - self._minutes * 30:
            return ()
        return await self._scheduled()

    async def type(self, lines: Sequence[str]) -> None:
        """Type lines of a push. Raises RefusedError.

        A new time zone may put the time of the rollback into the past, and then the switch goes back at once, or never:
        it is typed last, with no time set, and the time is set again by the new clock.
        """
        zones = [line for line in lines if _ZONE.match(line)]
        if others := [*await self.renew(), *(line for line in lines if line not in zones)]:
            await (await self._terminal.open()).configure(others)
        if not zones:
            return
        armed, self.time = bool(self.time), ""
        stopped = [f"no scheduler schedule name {JOB}"] if armed else []
        await (await self._terminal.open()).configure([*stopped, *zones])
        if armed:
            again = await self._scheduled()
            await (await self._terminal.open()).configure(again)

    async def drain(self) -> None:
        """Let traffic go round the switch: routing and vPC give it up before it changes. Raises RefusedError."""
        await (await self._terminal.open()).configure([_DRAINED, MAINTENANCE], SLOW_ANSWER)

    async def disarm(self, standing: Leftover) -> None:
        """Cancel what stands of it, and let the switch back into the traffic. Raises RefusedError."""
        self.time = ""
        if standing.drained:
            await self._return()
        if standing.cancelling:
            await (await self._terminal.open()).configure(standing.cancelling)

    async def _return(self) -> None:
        try:
            await (await self._terminal.open()).configure([f"no {MAINTENANCE}"], SLOW_ANSWER)
        except RefusedError as refused:
            if "already" not in refused.answer:  # cut off right before it was entered, or right after it was left
                raise

    async def _scheduled(self) -> tuple[str, ...]:
        now = clock_of(await (await self._terminal.open()).show("show clock"))
        if now is None:
            raise RefusedError("show clock", "the answer holds no time")
        at = now + timedelta(minutes=self._minutes + 1)
        self._until = time.monotonic() + self._minutes * 60
        self.time = at.strftime("%H:%M")
        return (f"scheduler schedule name {JOB}", f"job name {JOB}", at.strftime("time start %Y:%m:%d:%H:%M"), "exit")
