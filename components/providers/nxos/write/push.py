"""Writing to a switch that applies every line at once: check, write, read again, and take back what did not fit.

NX-OS has no transaction around `configure terminal`, and its rollback is for the whole box. So only the lines that
differ are sent, and what went wrong is undone by inverse lines of our own. The checkpoint made beforehand comes after
that: under a failed undo it is used only when nothing but ours changed since, because it would take that back too, and
under a session that is lost for good the switch goes back to it by itself (rollback_timer.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

from podwright.components.providers.nxos.pool import Terminal
from podwright.components.providers.nxos.read.ports import PortDefaults, Running, running
from podwright.components.providers.nxos.session import SLOW_ANSWER, LostError, RefusedError
from podwright.components.providers.nxos.write.change import (
    BATCH,
    Change,
    batches,
    contested,
    others,
    strange,
    with_foreign,
)
from podwright.components.providers.nxos.write.checkpoints import Checkpoints
from podwright.components.providers.nxos.write.ownership import mark_of
from podwright.components.providers.nxos.write.remediation import Config, Section, remediation
from podwright.components.providers.nxos.write.rollback_timer import (
    FEATURE,
    MAINTENANCE,
    Leftover,
    RollbackTimer,
    apart,
    without_timer,
)
from podwright.components.providers.nxos.write.writer_lock import Writer, WriterLock, without_writers
from podwright.components.providers.protocol.kind import Context, ProviderError

_PASSES: Final = 3
"""One line may undo another (joining a VRF drops addresses): what is then missing is sent again."""
_RETRIES: Final = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between attempts to get a lost session back."""


class ForeignError(Exception):
    """Somebody edited owned blocks while we wrote them."""


class UnsavedError(Exception):
    """The running configuration is as wanted, but could not be saved."""


class Push:
    """One change on one switch."""

    def __init__(self, terminal: Terminal, ctx: Context) -> None:
        self._terminal = terminal
        self._ctx = ctx
        self._name = terminal.address.name
        self.checkpoints = Checkpoints(terminal)
        self._timer = RollbackTimer(terminal)
        self._lock = WriterLock(terminal, ctx)
        self.leftover = Leftover()
        """What of a rollback timer the last reading showed."""
        self.writers: tuple[Writer, ...] = ()
        """Who was writing when the switch was last read."""
        self._running: Running | None = None

    async def read(self) -> Config:
        """The running configuration, tidy, without a rollback timer of ours and without the lines of writers."""
        self._running = await running(await self._terminal.open(), self._running)
        rest, self.writers = without_writers(self._running.config)
        config, self.leftover = apart(rest)
        self._lock.check(self.writers)
        return config

    @property
    def ports(self) -> PortDefaults:
        """What a port of this switch is by default, once it was read."""
        if self._running is None:
            raise RuntimeError("the switch was not read yet")
        return self._running.ports

    async def begin(self, former: str = "") -> Config:
        """The running configuration, after cancelling the timer of a push of ours that was cut off, or of the stack
        `former` that gave the switch up: from here on we answer.

        On a switch of another stack, or while another stack is writing, the timer is that stack's.
        """
        config = await self.read()
        others = {mark_of(config).identity, *(each.identity for each in self.writers)}
        if not self.leftover.cancelling or others - {"", self._ctx.identity, former}:
            return config
        await self._disarm()
        return await self.read()

    async def apply(self, change: Change, before: Config, *, drain: bool = False) -> Config:
        """Write the change and save. Sends nothing when nothing differs; with `drain`, in maintenance mode.

        `before` is what `read` gave. Raises ProviderError after everything was put back, and says so; when that could
        not be done it says what remains.
        """
        sections = change.sections(before)
        if not sections:
            left = await self.checkpoints.ours()
            if await self._lock.clear(self.writers) or left:  # a push of ours was cut off after its last line
                await self._save()
                self._ctx.warn(f"{self._name}: an earlier push was cut off before it was saved; what it wrote is saved")
                await self.checkpoints.forget(*left)
            return before
        self._ctx.stop_here(f"{self._name} is written")
        async with self._lock.locked(mark_of(before)):
            return await self._locked(change, before, sections, drain=drain)

    async def _locked(self, change: Change, before: Config, sections: tuple[Section, ...], *, drain: bool) -> Config:
        checkpoint = await self._safeguard(change, before, sections, drain=drain)
        now = dict(await self.read())
        if FEATURE not in before:
            now.pop(FEATURE, None)  # wanted for itself too, and on already for the timer
        if change.owned(now) != change.owned(before):
            await self._let_go(checkpoint)
            edited = contested(change, before, now)
            raise ProviderError(f"{self._name}: somebody is editing {edited} right now; run again")
        after = await self._write_or_undo(change, before, sections, checkpoint)
        await self._disarm()
        await self._lock.release()
        await self._save()
        await self.checkpoints.forget(*await self.checkpoints.ours())
        return after

    async def _write_or_undo(
        self, change: Change, before: Config, sections: tuple[Section, ...], checkpoint: str
    ) -> Config:
        try:
            return await self._write(change, before, sections)
        except RefusedError as refused:
            cause = f"the switch refused {refused.line!r}: {self._reason(refused)}"
        except ForeignError as foreign:
            cause = str(foreign)
        except LostError as lost:
            cause = str(lost)
            await self._reconnect(cause, checkpoint)
        remains = await self._undo(change, before, checkpoint)
        raise ProviderError(f"{self._name}: {cause}; {remains}")

    async def _write(self, change: Change, before: Config, sections: tuple[Section, ...]) -> Config:
        for _ in range(_PASSES):
            self._ctx.log(f"{self._name}: writing {sum(len(s.lines) + 1 for s in sections)} lines")
            await self._type(sections)
            after = await self.read()
            sections = change.sections(after)
            if not sections:
                return after
            if line := strange(change, before, after):
                raise ForeignError(f"after the push it shows {line!r}, which is neither ours nor was there before")
        raise ForeignError(f"the switch does not keep {_first(sections)!r}")

    async def _type(self, sections: Iterable[Section]) -> None:
        for lines in batches(sections):
            await self._timer.type(lines)

    async def _undo(self, change: Change, before: Config, checkpoint: str) -> str:
        """Put the owned blocks back; returns what a person must know."""
        try:
            if await self._take_back(change, before):
                await self._let_go(checkpoint)
                return "what had been written was taken back, the switch is as it was before"
        except RefusedError as refused:
            self._ctx.log(f"{self._name}: {refused}")
        except LostError as lost:
            await self._reconnect(str(lost), checkpoint)
        if await self._roll_back(change, before, checkpoint):
            await self._let_go(checkpoint)
            return "the switch was rolled back to how it was before"
        now = await self.read()
        still = ", ".join(sorted(name for name in change.owned(now) if now.get(name) != before.get(name))) or "nothing"
        if others(change, now) != others(change, before):  # the timer would take somebody else's change back too
            await self._disarm()
        return (
            f"taking it back failed too, {still} differ from before; the checkpoint {checkpoint} holds that state"
            f"{self._timer.promise}"
        )

    async def _roll_back(self, change: Change, before: Config, checkpoint: str) -> bool:
        if not checkpoint or others(change, await self.read()) != others(change, before):
            return False
        try:
            session = await self._terminal.open()
            await session.show(f"rollback running-config checkpoint {checkpoint}", SLOW_ANSWER)
        except RefusedError as refused:
            self._ctx.log(f"{self._name}: {refused}")
        return change.owned(await self.read()) == change.owned(before)

    async def _take_back(self, change: Change, before: Config) -> bool:
        for _ in range(_PASSES):
            now = await self.read()
            target = {
                name: with_foreign(block, now.get(name, ()), change.want.get(name, ()))
                for name, block in change.owned(before).items()
            }
            gone = tuple(name for name in change.owned(now) if name not in before)
            sections = remediation(now, target, gone)
            if not sections:
                return True
            await self._type(sections)
        return False

    async def _reconnect(self, cause: str, checkpoint: str) -> None:
        for pause in _RETRIES:
            await self._terminal.hang_up()
            await asyncio.sleep(pause)
            try:
                await self._terminal.open()
            except ProviderError as error:
                self._ctx.log(str(error))
            else:
                return
        raise ProviderError(
            f"{self._name}: {cause}, and it does not answer any more; it may hold part of the new lines, unsaved. "
            f"Run again to complete them"
            + (f", or go back by `rollback running-config checkpoint {checkpoint}`" if checkpoint else "")
            + self._timer.promise
        )

    async def _safeguard(self, change: Change, before: Config, sections: tuple[Section, ...], *, drain: bool) -> str:
        """Arm the timer, take the switch out of the traffic and make the checkpoint it goes back to."""
        earlier = await self.checkpoints.all()
        name = await self.checkpoints.free_name(earlier)
        if not name:
            self._ctx.warn(f"{self._name} holds ten checkpoints of others; this push goes without one of its own")
        try:
            if name:
                await self._arm(name, change, before, sections)
            if drain and MAINTENANCE not in before:
                self._ctx.log(f"{self._name}: entering maintenance mode")
                await self._timer.drain()
            if name:
                await self.checkpoints.make(name)
        except RefusedError as refused:
            await self._let_go()
            raise ProviderError(
                f"{self._name}: nothing was written, for {refused.line!r} was refused: {self._reason(refused)}"
            ) from None
        except LostError as lost:
            await self._reconnect(str(lost), "")
            await self._let_go(*(left for left in await self.checkpoints.ours() if left not in earlier))
            raise ProviderError(f"{self._name}: {lost}; nothing was written yet, run again") from None
        return name

    async def _arm(self, checkpoint: str, change: Change, before: Config, sections: tuple[Section, ...]) -> None:
        """Arm the timer; a switch that cannot have one is written without, and the run says so."""
        if not (why := without_timer(before, self._terminal.address.user)):
            longest = max(BATCH, *(len(section.lines) for section in sections))
            try:
                await self._timer.arm(checkpoint, before, longest, keep_feature=FEATURE in change.want)
            except RefusedError as refused:
                why = f"{refused.line!r}: {self._reason(refused)}"
                await self._let_go()
        if why:
            self._ctx.warn(f"{self._name} will not roll itself back if the session is lost: {why}")

    async def _let_go(self, *checkpoints: str) -> None:
        """Cancel the timer, then forget the checkpoint it would go back to."""
        await self.read()
        await self._disarm()
        await self.checkpoints.forget(*checkpoints)

    async def _disarm(self) -> None:
        at = self._timer.time
        try:
            await self._timer.disarm(self.leftover)
        except LostError as lost:  # a good push must not be rolled back for want of this
            await self._reconnect(str(lost), "")
            await self._let_go()
        except RefusedError as refused:
            self._ctx.warn(
                f"{self._name}: {refused}; take the job away by hand, or it rolls the switch back{at and f' at {at}'}: "
                + "; ".join(self.leftover.cancelling)
            )

    def _reason(self, refused: RefusedError) -> str:
        who = self._terminal.address.user
        return (
            f"{refused.answer} (the AAA server does not permit this to user {who})"
            if refused.denied
            else refused.answer
        )

    async def _save(self) -> None:
        try:
            await (await self._terminal.open()).show("copy running-config startup-config", SLOW_ANSWER)
        except RefusedError as refused:
            raise UnsavedError(f"{self._name} runs as wanted, but could not save it: {refused.answer}") from None


def _first(sections: tuple[Section, ...]) -> str:
    section = sections[0]
    return f"{section.header} / {section.lines[0]}" if section.lines else section.header
