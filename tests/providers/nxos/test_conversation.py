"""Whole sessions with a switch that prints in pieces, late and coloured, with other people's text in it."""

from __future__ import annotations

import asyncio
import os
import random
import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from podwright.components.providers.nxos import session as session_module
from podwright.components.providers.nxos.session import Address, Session
from tests.providers.nxos.test_transcript import LOOKS, pieces

SEED = os.environ.get("PODWRIGHT_TRANSCRIPTS_SEED", "")
RUNS = 100 if SEED else 20
"""Any seed must pass; without one a few are enough."""
LATE = (*(0.0,) * 100, 0.001, 0.01, 0.06)
"""Seconds that a piece may be late: before it, everything that came was read and judged."""
COLOURS = (("", ""), ("\x1b[1;32m", "\x1b[0m"), ("\x1b]0;leaf-01\x07\x1b[m", "\x1b[K"))
PATIENCE = 20.0
"""Seconds; a marker that is not understood costs as many."""
QUIET = 0.03
"""Seconds of silence after which a marker is typed again: shorter than the longest pause, so also without need."""
INERT = re.compile(r"!\w+")
"""A comment, which a switch takes and does nothing with: how the end of an answer is made certain."""


@dataclass
class Switch:
    """The far end of a terminal: it takes keys while it prints, and works line by line."""

    lot: random.Random
    answers: dict[str, str]
    banner: str
    typed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.prompts = self.lot.choice(COLOURS)
        self.keys_while_printing = self.lot.choice(("kept", "repeated twice", "repeated once", "lost"))
        self.mode = ""
        self.writes = self._lines(self.banner)
        self.coming: list[str] = []
        self.keys: list[str] = []
        self.more = asyncio.Event()

    @property
    def prompt(self) -> str:
        before, behind = self.prompts
        return f"{before}leaf-01{self.mode}# {behind}"

    def _lines(self, text: str) -> list[str]:
        """What a switch writes at once: a line, or its prompt."""
        return [*text.replace("\n", "\r\n").splitlines(keepends=True), self.prompt]

    def write(self, text: str) -> None:
        """Keys from our side; a switch that repeats them at once does so between two of its own lines."""
        line = text.removesuffix("\n")
        self.typed.append(line)
        printing = bool(self.writes)
        if printing and self.keys_while_printing.startswith("repeated"):
            self.writes.insert(self.lot.randrange(len(self.writes)), f"{line}\r\n")
        if printing and self.keys_while_printing == "lost":
            return
        repeated = printing and self.keys_while_printing == "repeated once"
        self.keys.append(f"\0{line}" if repeated else line)
        self.more.set()

    def is_closing(self) -> bool:
        return False

    async def read(self, most: int) -> str:
        """What comes next, some time later."""
        await asyncio.sleep(self.lot.choice(LATE))
        while not self.coming:
            while not self.writes:
                while not self.keys:
                    self.more.clear()
                    await self.more.wait()
                self.writes = self._lines(self._done(self.keys.pop(0)))
            together = self.lot.randrange(1, len(self.writes) + 1)
            self.coming = pieces("".join(self.writes[:together]), self.lot)
            del self.writes[:together]
        return self.coming.pop(0)[:most]

    def _done(self, key: str) -> str:
        line = key.removeprefix("\0")
        self.mode = {"configure terminal": "(config)", "end": ""}.get(line, self.mode)
        if line.startswith("interface "):
            self.mode = "(config-if)"
        return ("" if key.startswith("\0") else f"{line}\n") + self.answers.get(line, "")


class Process:
    """What the SSH library hands out."""

    def __init__(self, switch: Switch) -> None:
        self.stdin = self.stdout = switch


class Connection:
    def is_closed(self) -> bool:
        return False

    def abort(self) -> None:
        raise AssertionError("the session was given up")


def printed(lot: random.Random) -> str:
    """Lines of which many look like something else."""
    plain = ("interface Ethernet1/1", "  no shutdown", "", "  description gpu-01 rail0", "version 10.4(5)")
    looks = [each for each in LOOKS if "\x1b" not in each]
    lines = [lot.choice((*plain, *looks, f"  description {lot.choice(looks)}")) for _ in range(lot.randrange(5, 40))]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("run", range(RUNS))
async def test_every_answer_is_read_whole_and_nothing_is_typed_unasked(
    run: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "QUIET", QUIET)
    lot = random.Random(f"{SEED or 1} {run}")
    print(f"PODWRIGHT_TRANSCRIPTS_SEED={SEED or 1}, run {run}")
    shows = {
        f"show {what}": f"!{what}\n{'x' * 90}\n" + printed(lot) for what in ("running-config", "banner motd", "clock")
    }
    switch = Switch(lot, shows, printed(lot))
    made: Any = Process(switch)
    session = Session(Address("leaf-01", "192.0.2.11", "admin", ""), Connection(), made, ())
    await session.greet(PATIENCE)
    for _ in range(3):
        command = lot.choice(list(shows))
        assert await session.show(command, PATIENCE) == shows[command].removesuffix("\n")
        await session.configure(
            ["interface Ethernet1/1", f"description {lot.choice(LOOKS[:6])}", "no shutdown"], PATIENCE
        )
    ours = [line for line in switch.typed if not INERT.fullmatch(line)]
    begin, rest = ours[:3], ours[3:]
    assert begin == ["terminal length 0", "terminal width 511", "terminal dont-ask"]
    assert len(rest) == 18
    for one in range(0, 18, 6):
        command, enter, block, description, up, leave = rest[one : one + 6]
        assert command in shows
        assert (enter, block, up, leave) == ("configure terminal", "interface Ethernet1/1", "no shutdown", "end")
        assert description.startswith("description ")
