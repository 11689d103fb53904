"""One terminal session on a switch: type a line, read until the prompt (transcript.py). login.py opens it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from podwright.components.providers.nxos.secret_lines import SecretLines
from podwright.components.providers.nxos.transcript import MOST, FloodError, Prompt, Transcript

ANSWER: Final = 60.0
"""Seconds until a line without an answer counts as a lost session; a busy supervisor takes several."""
SLOW_ANSWER: Final = 300.0
"""The same for checkpoint, rollback and save, which write to flash."""
QUIET: Final = 5.0
"""Seconds of silence at a prompt after which the keys that were to make it certain count as lost."""
GOODBYE: Final = 2.0
"""Seconds a closing session may take; a dead one never says that it is closed."""

_ASKS: Final = re.compile(
    r"^(no )?(system mode|aaa |feature |interface breakout |hardware |rollback |copy |configure replace )"
)
"""Lines that may be answered by a question. Anything else that looks like one is somebody's text."""
_MEANT: Final = "system mode maintenance"
"""The one line whose question is answered with yes; whoever types another one that asks gets no."""
_RENAMES: Final = re.compile(r"^(no )?(hostname|switchname|rollback|configure replace)\b")
"""Lines behind which the switch may have another name, and so another prompt."""
_MARKER: Final = re.compile(r"^\s*\^\s*$")
_REFUSAL_LINES: Final = 4
_REFUSAL: Final = re.compile(r"^\s*(%\s*\S|ERROR:|Error:|Invalid |Incomplete )")
_DENIED: Final = re.compile(r"AAA authorization failed|Permission denied|not authorized", re.IGNORECASE)


@dataclass(frozen=True)
class Address:
    """A switch as the spec names it, and where that is dialled."""

    name: str
    host: str
    user: str
    password: str

    def __repr__(self) -> str:
        return f"Address({self.name}, {self.host})"


class RefusedError(Exception):
    """The switch answered a line with an error; `line` is ours, `answer` its words."""

    def __init__(self, line: str, answer: str) -> None:
        super().__init__(f"{line!r}: {answer}")
        self.line = line
        self.answer = answer

    @property
    def denied(self) -> bool:
        """True when it was not the switch that minded, but whoever authorizes its users' commands."""
        return bool(_DENIED.search(self.answer))


class LostError(Exception):
    """The session ended in the middle of something."""


def refusal(answer: str) -> str | None:
    """The device's error sentence in an answer, without the caret line; None when it accepted."""
    for line in answer.splitlines():
        if _REFUSAL.match(line) and not _MARKER.match(line):
            return " ".join(line.split())
    return None


class Session:
    """An open terminal. One task at a time may use it."""

    def __init__(self, address: Address, connection: Any, process: Any, ends: tuple[type[Exception], ...]) -> None:
        """`connection` and `process` of the SSH library, which raises one of `ends` where the connection is lost."""
        self.address = address
        self._ends: tuple[type[Exception], ...] = (*ends, OSError)
        self._connection = connection
        self._process = process
        self._prompt = Prompt()
        self.secrets = SecretLines()
        """What stands behind the names of secrets in the lines that are typed; whoever has the terminal sets it."""

    async def show(self, command: str, limit: float = ANSWER) -> str:
        """The answer to an exec command. Raises RefusedError or LostError."""
        answer = await self._type(command, limit)
        # A long answer is one: its lines are the configuration's, and a banner may well begin with a per cent sign.
        if answer.count("\n") <= _REFUSAL_LINES and (sentence := refusal(answer)) is not None:
            raise RefusedError(command, sentence)
        return answer

    async def configure(self, lines: Iterable[str], limit: float = ANSWER) -> None:
        """Type lines in configuration mode, one at a time, and leave the mode, also after a refusal."""
        await self._type("configure terminal", ANSWER)
        try:
            for line in lines:
                answer = await self._type(line, limit)
                if (sentence := refusal(answer)) is not None:
                    raise RefusedError(line, sentence)
        finally:
            if self.alive:
                await self._type("end", ANSWER)

    @property
    def alive(self) -> bool:
        """False once the connection is gone."""
        return not self._connection.is_closed() and not self._process.stdin.is_closing()

    async def close(self) -> None:
        """Hang up, on one that no longer hears it too."""
        self._process.close()
        self._connection.close()
        try:
            async with asyncio.timeout(GOODBYE):
                await self._connection.wait_closed()
        except TimeoutError:
            self._connection.abort()

    async def greet(self, limit: float) -> None:
        """Take banner and first prompt, within `limit` seconds, and turn paging, wrapping and questions off."""
        await self._read(limit)
        for line in ("terminal length 0", "terminal width 511", "terminal dont-ask"):
            await self._type(line, ANSWER)

    async def _type(self, line: str, limit: float) -> str:
        typed = self.secrets.typed(line)
        try:
            # What somebody else wrote may hold a question mark: behind Ctrl-V it is no call for help.
            self._process.stdin.write(typed.replace("?", "\x16?") + "\n")
        except OSError as error:
            raise LostError(f"the session ended before {line!r}") from error
        if _RENAMES.match(line):
            self._prompt = Prompt()
        text = (await self._read(limit, line)).replace(typed.strip(), line.strip())
        echo, _, answer = text.partition("\n")
        return answer if echo.strip().endswith(line.strip()) else text

    async def _read(self, limit: float, line: str = "the login") -> str:
        """Everything up to the next prompt, without it.

        What a command shows may hold anything, also what looks like the prompt, so the end of it is made certain; so is
        a prompt that is not known yet. Configuration lines print nothing but sentences of the switch's own.
        """
        heard = Transcript(self._prompt, certain=not self._prompt.host or line.startswith("show "))
        marked = answered = False
        try:
            async with asyncio.timeout(limit):
                while True:
                    piece = await self._piece(heard, waiting=marked)
                    if not piece:
                        raise LostError(f"the session ended at {line!r}")
                    heard.add(piece)
                    if prompt := heard.over:
                        self._prompt = prompt if prompt.host else self._prompt
                        return heard.answer
                    if heard.marker and not marked and heard.waits:
                        marked = True
                        self._process.stdin.write(f"{heard.marker}\n")
                    if not answered and _ASKS.match(line) and heard.asks:
                        answered = True
                        self._process.stdin.write("yes\n" if line.endswith(_MEANT) else "n\n")
        except TimeoutError:
            self._connection.abort()
            raise LostError(f"no answer to {line!r} within {limit:.0f} s") from None
        except FloodError:
            self._connection.abort()
            raise LostError(f"the answer to {line!r} does not end: more than {MOST // 2**20} MiB came") from None
        except self._ends as error:
            raise LostError(f"the session ended at {line!r}: {type(error).__name__}") from None

    async def _piece(self, heard: Transcript, *, waiting: bool) -> str:
        """What comes next. While we are `waiting` for a marker at what looks like the prompt, it is typed again."""
        while waiting and heard.waits:
            try:
                async with asyncio.timeout(QUIET):
                    return str(await self._process.stdout.read(65536))
            except TimeoutError:
                heard.mark_again()
                self._process.stdin.write(f"{heard.marker}\n")
        return str(await self._process.stdout.read(65536))
