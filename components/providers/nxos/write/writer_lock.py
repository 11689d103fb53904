"""One writer at a time, of whatever stack: a line on the switch says who is writing.

NX-OS takes lines from any session at any moment, and the mark of an owner (ownership.py) is itself one of the lines
that are written. So a writer first adds an inert line with a name of its own, `cli alias name podwrightwriter<hex>
podwright <project>/<stack> <time>`, and reads all such lines again. Who sees another stack's steps back. Of two writers
at least the later one sees both lines, so that at most one goes on; where both see both, both step back.

A line of the same stack is what a killed run left, since the engine lets one run at a time into a stack; it is taken
away. Should that run live after all, it finds its line gone and stops. The line of another stack that was killed counts
for an hour by the switch's own clock.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from podwright.components.providers.nxos.pool import Terminal
from podwright.components.providers.nxos.read.blocks import Block
from podwright.components.providers.nxos.session import LostError, RefusedError
from podwright.components.providers.nxos.write.ownership import Mark, mark_of
from podwright.components.providers.nxos.write.rollback_timer import clock_of
from podwright.components.providers.protocol.kind import Context, ProviderError

WRITER: Final = "podwrightwriter"
_LINE: Final = re.compile(rf"cli alias name ({WRITER}[0-9a-f]+) podwright (\S+) (\S+)$")
_ALL: Final = "show running-config | include podwright"
_SAVED: Final = "show startup-config | include podwright"
_TIME: Final = "%Y%m%d%H%M"
_TRIES: Final = 2
_COUNTS: Final = timedelta(hours=1)
"""Longer than any push takes, with the time that its rollback timer gives it."""


@dataclass(frozen=True)
class Writer:
    """A line of a writer: its alias, its stack, and when it was written by the switch's clock."""

    alias: str
    identity: str
    time: str

    @property
    def line(self) -> str:
        """The line as it is typed."""
        return f"cli alias name {self.alias} podwright {self.identity} {self.time}"

    def counts(self, now: datetime | None) -> bool:
        """False for what was left so long ago that nobody writes any more."""
        try:
            return now is None or now - datetime.strptime(self.time, _TIME) < _COUNTS
        except ValueError:
            return True


def writers_of(lines: Iterable[str]) -> tuple[Writer, ...]:
    """The writers among the lines of a configuration."""
    return tuple(Writer(*found.groups()) for line in lines if (found := _LINE.match(line.strip())))


def without_writers(config: Mapping[str, Block]) -> tuple[dict[str, Block], tuple[Writer, ...]]:
    """A configuration without the lines of writers, and those."""
    return {name: block for name, block in config.items() if not _LINE.match(name)}, writers_of(config)


class WriterLock:
    """The line of one push."""

    def __init__(self, terminal: Terminal, ctx: Context) -> None:
        self._terminal = terminal
        self._ctx = ctx
        self._name = terminal.address.name
        self._own: Writer | None = None

    @asynccontextmanager
    async def locked(self, mark: Mark) -> AsyncIterator[None]:
        """`take` it, and `release` it whatever comes."""
        await self.take(mark)
        try:
            yield
        finally:
            await self.release()

    async def take(self, mark: Mark) -> None:
        """Write the line; step back where another stack is writing, or has put its mark in the place of `mark`.

        Raises ProviderError when it stepped back, and when the switch did not take the line.
        """
        try:
            in_the_way = await self._taken(mark)
        except RefusedError as refused:
            raise ProviderError(
                f"{self._name}: nothing was written, for {refused.line!r} was refused: {refused.answer}"
            ) from None
        except LostError as lost:
            raise ProviderError(f"{self._name}: {lost}; nothing was written yet, run again") from None
        if in_the_way:
            await self.release()
            raise ProviderError(f"{self._name}{in_the_way}")

    async def _taken(self, mark: Mark) -> str:
        session = await self._terminal.open()
        now = clock_of(await session.show("show clock"))
        time = now.strftime(_TIME) if now else "-"
        self._own = Writer(f"{WRITER}{secrets.token_hex(4)}", self._ctx.identity, time)
        await session.configure([self._own.line])
        lines = [line.strip() for line in (await session.show(_ALL)).splitlines()]
        others = [each for each in writers_of(lines) if each != self._own]
        strangers = [each for each in others if each.identity != self._ctx.identity and each.counts(now)]
        standing = mark_of(dict.fromkeys(lines, ()))
        if not strangers and standing.identity in ("", mark.identity, self._ctx.identity):
            if others:
                await session.configure([f"no {each.line}" for each in others])
            return ""
        return _in_the_way(strangers, standing)

    def check(self, writers: Iterable[Writer]) -> None:
        """Raise ProviderError when the line is none of those that a reading showed: nothing is ours to undo then."""
        if self._own is not None and self._own not in writers:
            self._own = None
            raise ProviderError(
                f"{self._name}: another run of this stack writes to it now; this one stopped where it was"
            )

    async def clear(self, writers: Iterable[Writer]) -> bool:
        """Take away what a run of ours left that was cut off at its very end; True when saving is due.

        A line may stand in the startup configuration alone: another run saved while it was there.
        """
        session = await self._terminal.open()
        left = [f"no {each.line}" for each in self._ours(writers)]
        if left:
            await session.configure(left)
        return bool(left or self._ours(writers_of((await session.show(_SAVED)).splitlines())))

    def _ours(self, writers: Iterable[Writer]) -> list[Writer]:
        return [each for each in writers if each.identity == self._ctx.identity]

    async def release(self) -> None:
        """Take the line away; does nothing when there is none. One that stays is taken away by the stack's next run."""
        own, self._own = self._own, None
        for _ in range(_TRIES if own else 0):
            assert own is not None
            try:
                await (await self._terminal.open()).configure([f"no {own.line}"])
            except LostError:
                await self._terminal.hang_up()
            except (RefusedError, ProviderError) as stays:
                self._ctx.log(f"{self._name}: {stays}")
                return
            else:
                return


def _in_the_way(strangers: list[Writer], mark: Mark) -> str:
    if not strangers:
        return f" was taken by the stack {mark.identity} a moment ago; nothing was written to it"
    found = strangers[0]
    return (
        f": the stack {found.identity} is writing to it right now; nothing was written. Run again when it is done. If "
        f"that run was killed, its line {found.line!r} counts for an hour, or until it is removed from the switch"
    )
