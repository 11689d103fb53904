"""Writing to a switch that applies every line at once: check, write, read again, and take back what did not fit.

NX-OS has no transaction around `configure terminal`, and its rollback is for the whole box. So only the lines that
differ are sent, what went wrong is undone by inverse lines of our own, and the checkpoint made beforehand is the net
under a lost session: it is used only when nothing but ours changed since, because it would take that back too.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from components.providers.nxos.blocks import Block, Line, parse, text_of
from components.providers.nxos.ownership import paths
from components.providers.nxos.pool import Terminal
from components.providers.nxos.remediation import Config, Section, remediation
from components.providers.nxos.resemblance import head
from components.providers.nxos.session import SLOW_ANSWER, LostError, RefusedError
from components.providers.nxos.spelling import same, slot, tidy_config
from components.providers.protocol.kind import Context, ProviderError

CHECKPOINT: Final = "podwright-"
CHECKPOINTS: Final = 10
"""User checkpoints a switch keeps (system management guide, "Rollback")."""
_PASSES: Final = 3
"""One line may undo another (joining a VRF drops addresses): what is then missing is sent again."""
_RETRIES: Final = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between attempts to get a lost session back."""
_NAMED: Final = re.compile(r"^\s*(?:\d+\)\s*)?(\S+?):\s*$", re.MULTILINE)


class ForeignError(Exception):
    """Somebody edited owned blocks while we wrote them."""


class UnsavedError(Exception):
    """The running configuration is as wanted, but could not be saved."""


@dataclass(frozen=True)
class Change:
    """What to make of a switch: blocks as `want`, blocks `gone` taken away, every other block untouched."""

    want: Config
    gone: tuple[str, ...] = ()

    def sections(self, live: Config) -> tuple[Section, ...]:
        """What is still to be sent."""
        return remediation(live, self.want, self.gone)

    def owned(self, config: Config) -> dict[str, Block]:
        """The part of a configuration that this change concerns: its blocks, and what stands in their places."""
        places = {slot(name) for name in (*self.want, *self.gone)}
        return {name: block for name, block in config.items() if slot(name) in places}

    def checkpoint(self) -> str:
        """The name of the checkpoint that stands while this change is written."""
        return CHECKPOINT + hashlib.sha256(text_of(self.want).encode()).hexdigest()[:10]


class Push:
    """One change on one switch."""

    def __init__(self, terminal: Terminal, ctx: Context) -> None:
        self._terminal = terminal
        self._ctx = ctx
        self._name = terminal.address.name

    async def read(self) -> Config:
        """The running configuration, tidy."""
        session = await self._terminal.open()
        return tidy_config(parse(await session.show("show running-config", SLOW_ANSWER)))

    async def pending(self) -> list[str]:
        """Our checkpoints on the switch: one stands there only while a push is under way, or was cut off."""
        return [name for name in await self._checkpoints() if name.startswith(CHECKPOINT)]

    async def unfinished(self) -> Config | None:
        """The state before a push of ours that was cut off, from its checkpoint; None when none was."""
        names = await self.pending()
        if not names:
            return None
        text = await (await self._terminal.open()).show(f"show checkpoint {names[0]}", SLOW_ANSWER)
        return tidy_config(parse(text[max(text.find("\nversion "), 0) :]))

    async def apply(self, change: Change, before: Config) -> Config:
        """Write the change and save. Sends nothing when nothing differs.

        `before` is what `read` gave. Raises ProviderError after everything was put back, and says so; when that could
        not be done it says what remains.
        """
        sections = change.sections(before)
        if not sections:
            if left := await self.pending():  # a push of ours was cut off after its last line
                await self._save()
                await self._forget(left)
            return before
        self._ctx.stop_here(f"{self._name} is written")
        checkpoint = await self._safeguard(change)
        now = await self.read()
        if change.owned(now) != change.owned(before):
            await self._forget([checkpoint])
            raise ProviderError(f"{self._name}: somebody is editing {_names(change, before, now)} right now; run again")
        after = await self._write_or_undo(change, before, sections, checkpoint)
        await self._save()
        await self._forget(await self.pending())
        return after

    async def _write_or_undo(
        self, change: Change, before: Config, sections: tuple[Section, ...], checkpoint: str
    ) -> Config:
        try:
            return await self._write(change, before, sections)
        except RefusedError as refused:
            cause = f"the switch refused {refused.line!r}: {refused.answer}"
        except ForeignError as foreign:
            cause = str(foreign)
        except LostError as lost:
            cause = str(lost)
            await self._reconnect(cause, checkpoint)
        remains = await self._undo(change, before, checkpoint)
        raise ProviderError(f"{self._name}: {cause}; {remains}")

    async def _write(self, change: Change, before: Config, sections: tuple[Section, ...]) -> Config:
        session = await self._terminal.open()
        for _ in range(_PASSES):
            self._ctx.log(f"{self._name}: writing {sum(len(s.lines) + 1 for s in sections)} lines")
            await session.configure(_typed(sections))
            after = await self.read()
            sections = change.sections(after)
            if not sections:
                return after
            if strange := _strange(change, before, after):
                raise ForeignError(f"after the push it shows {strange!r}, which is neither ours nor was there before")
        raise ForeignError(f"the switch does not keep {_first(sections)!r}")

    async def _undo(self, change: Change, before: Config, checkpoint: str) -> str:
        """Put the owned blocks back; returns what a person must know."""
        try:
            if await self._take_back(change, before):
                await self._forget([checkpoint])
                return "what had been written was taken back, the switch is as it was before"
        except RefusedError as refused:
            self._ctx.log(f"{self._name}: {refused}")
        except LostError as lost:
            await self._reconnect(str(lost), checkpoint)
        if await self._roll_back(change, before, checkpoint):
            await self._forget([checkpoint])
            return "the switch was rolled back to how it was before"
        now = await self.read()
        still = ", ".join(sorted(name for name in change.owned(now) if now.get(name) != before.get(name))) or "nothing"
        return f"taking it back failed too, {still} differ from before; the checkpoint {checkpoint} holds that state"

    async def _roll_back(self, change: Change, before: Config, checkpoint: str) -> bool:
        if not checkpoint or _others(change, await self.read()) != _others(change, before):
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
                name: _with_foreign(block, now.get(name, ()), change.want.get(name, ()))
                for name, block in change.owned(before).items()
            }
            gone = tuple(name for name in change.owned(now) if name not in before)
            sections = remediation(now, target, gone)
            if not sections:
                return True
            await (await self._terminal.open()).configure(_typed(sections))
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
            f"Run again to complete them, or go back by `rollback running-config checkpoint {checkpoint}`"
        )

    async def _safeguard(self, change: Change) -> str:
        """Make the checkpoint, replacing one of our own when the switch is full; others' are never touched."""
        session = await self._terminal.open()
        names = await self._checkpoints()
        ours = [name for name in names if name.startswith(CHECKPOINT)]
        name = change.checkpoint()
        while name in ours:
            name += "+"  # the one there holds the state before a push that was cut off, and must outlive this one
        if len(names) >= CHECKPOINTS:
            if not ours:
                self._ctx.warn(f"{self._name} holds ten checkpoints of others; this push goes without one of its own")
                return ""
            await self._forget(ours[-1:])
        await session.show(f"checkpoint {name}", SLOW_ANSWER)
        return name

    async def _checkpoints(self) -> list[str]:
        session = await self._terminal.open()
        return _NAMED.findall(await session.show("show checkpoint summary"))

    async def _forget(self, names: Iterable[str]) -> None:
        session = await self._terminal.open()
        for name in names:
            if name:
                await session.show(f"no checkpoint {name}")

    async def _save(self) -> None:
        try:
            await (await self._terminal.open()).show("copy running-config startup-config", SLOW_ANSWER)
        except RefusedError as refused:
            raise UnsavedError(f"{self._name} runs as wanted, but could not save it: {refused.answer}") from None


def _typed(sections: Iterable[Section]) -> Iterable[str]:
    for section in sections:
        yield section.header
        yield from section.lines
        if section.lines:
            yield "exit"


def _first(sections: tuple[Section, ...]) -> str:
    section = sections[0]
    return f"{section.header} / {section.lines[0]}" if section.lines else section.header


def _names(change: Change, before: Config, now: Config) -> str:
    ours, theirs = change.owned(before), change.owned(now)
    return ", ".join(sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)))


def _others(change: Change, config: Config) -> dict[str, Block]:
    ours = change.owned(config)
    return {name: block for name, block in config.items() if name not in ours}


def _strange(change: Change, before: Config, after: Config) -> str:
    """A line of an owned block that is neither wanted nor was there: the device's idea, or somebody's."""
    for name, block in change.want.items():
        extra = set(paths(after.get(name, ()))) - set(paths(block)) - set(paths(before.get(name, ())))
        if extra and not same(name, after.get(name, ()), block):
            return " / ".join((name, *min(extra)))
    return ""


def _with_foreign(before: Block, now: Block, want: Block) -> Block:
    """What stood there before, plus lines that somebody else added or changed meanwhile: those are not ours to undo."""
    known = {line.text: line for line in (*want, *before)}
    added = [line for line in now if line.text not in known]
    heads = {head(line) for line in added}
    live = {line.text for line in now}
    kept = [line for line in before if line.text in live or head(line) not in heads]
    below = {line.text: line.children for line in now}
    wanted = {line.text: line.children for line in want}
    return (
        *(
            Line(line.text, _with_foreign(line.children, below.get(line.text, ()), wanted.get(line.text, ())))
            for line in kept
        ),
        *added,
    )
