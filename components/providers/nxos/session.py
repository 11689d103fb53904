"""One terminal session on a switch: log in, type a line, read until the prompt (transcript.py).

asyncssh alone, without a screen-scraping framework on top: host keys must be checked under the switch's own address
while the connection goes to a forwarded one, and every line's answer must be seen before the next line is typed
(docs/decisions/0003-provider.md).
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import asyncssh

from podwright.components.providers.nxos.dialling import called
from podwright.components.providers.nxos.transcript import MOST, FloodError, Prompt, Transcript
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.reach import Reach

PORT: Final = 22
CONNECT: Final = 20.0
"""Seconds until a switch that does not answer counts as unreachable."""
LOGIN: Final = 60.0
"""Seconds for key exchange, log-in and first prompt: a switch asks one silent AAA server after the other, 5 s each."""
QUICK: Final = "aes256-gcm@openssh.com,aes128-gcm@openssh.com"
"""Ciphers to prefer: a fifth less work for each line than the library's own first choice. Others do too."""
ANSWER: Final = 60.0
"""Seconds until a line without an answer counts as a lost session; a busy supervisor takes several."""
SLOW_ANSWER: Final = 300.0
"""The same for checkpoint, rollback and save, which write to flash."""
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

    def __init__(self, address: Address, connection: asyncssh.SSHClientConnection, process: Any) -> None:
        self.address = address
        self._connection = connection
        self._process = process
        self._prompt = Prompt()

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

    async def greet(self) -> None:
        """Take the banner and the first prompt, and turn paging, wrapping and questions off."""
        await self._read(LOGIN)
        for line in ("terminal length 0", "terminal width 511", "terminal dont-ask"):
            await self._type(line, ANSWER)

    async def _type(self, line: str, limit: float) -> str:
        try:
            # What somebody else wrote may hold a question mark: behind Ctrl-V it is no call for help.
            self._process.stdin.write(line.replace("?", "\x16?") + "\n")
        except (BrokenPipeError, ConnectionError, OSError) as error:
            raise LostError(f"the session ended before {line!r}") from error
        if _RENAMES.match(line):
            self._prompt = Prompt()
        text = await self._read(limit, line)
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
                    piece: str = await self._process.stdout.read(65536)
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
        except (asyncssh.Error, ConnectionError, OSError) as error:
            raise LostError(f"the session ended at {line!r}: {type(error).__name__}") from None


async def connect(address: Address, reach: Reach, turns: asyncio.Semaphore | None = None) -> Session:
    """Log in, behind others that share `turns`. Raises ProviderError that names the switch and says what to do."""
    name, host = address.name, address.host
    dialled, port = reach.endpoint(host, PORT)
    if not reach.known_hosts.is_file():
        raise ProviderError(
            f"{name}: there is no known_hosts file at {reach.known_hosts}; write the host key of {host} into it "
            f"after checking its fingerprint on the console (`show ssh key`)"
        )
    try:
        connection = await _let_in(address, reach, await called(dialled, port, CONNECT), turns)
    except (asyncssh.Error, OSError) as error:
        raise ProviderError(f"{name}: {_why(error, address, reach)}") from None
    try:
        return await _greeted(address, connection)
    except BaseException as error:
        # Whoever gives up half way, also by a cancelled task, must not keep one of the switch's few terminal lines.
        connection.abort()
        if isinstance(error, LostError):
            raise ProviderError(f"{name}: logged in to {host}, but {error}") from None
        if isinstance(error, asyncssh.Error | OSError):
            raise ProviderError(f"{name}: {_why(error, address, reach)}") from None
        raise


async def _greeted(address: Address, connection: asyncssh.SSHClientConnection) -> Session:
    process: Any = await connection.create_process(
        term_type="vt100", term_size=(511, 0), encoding="utf-8", errors="replace"
    )
    session = Session(address, connection, process)
    await session.greet()
    return session


async def _let_in(
    address: Address, reach: Reach, line: socket.socket, turns: asyncio.Semaphore | None
) -> asyncssh.SSHClientConnection:
    """Log in when it is our turn; time in the queue is nobody's fault and counts against no limit."""
    waiting = True
    try:
        async with turns or nullcontext():
            waiting = False
            return await asyncssh.connect(
                sock=line,
                username=address.user,
                password=address.password,
                known_hosts=_known(reach.known_hosts, reach.known_hosts.stat().st_mtime_ns),
                host_key_alias=address.host,
                client_keys=None,
                agent_path=None,
                config=None,
                preferred_auth="password,keyboard-interactive",
                encryption_algs=f"^{QUICK}",
                connect_timeout=LOGIN,
                login_timeout=0,
                keepalive_interval=15,
                keepalive_count_max=4,
            )
    except TimeoutError:
        raise _NotLetInError from None
    finally:
        if waiting:
            line.close()


class _NotLetInError(OSError):
    """Somebody answers and does not come to an end with the log-in."""


@lru_cache(maxsize=2)
def _known(path: Path, changed: int) -> asyncssh.SSHKnownHosts:
    """The host keys of a file as it stood when it was `changed` (ns): read once, not again for each of its switches."""
    del changed
    return asyncssh.read_known_hosts(str(path))


def _why(error: Exception, address: Address, reach: Reach) -> str:
    """What went wrong and what to do, by the kind of failure. The library's own text never passes."""
    host = address.host
    if isinstance(error, asyncssh.HostKeyNotVerifiable):
        return (
            f"the host key that {host} shows is not the one in {reach.known_hosts}; compare it on the console "
            f"(`show ssh key`) and correct the file if the switch was replaced, or else find out who answers there"
        )
    if isinstance(error, asyncssh.PermissionDenied):
        return f"{host} refused the login of user {address.user}; check the secret and the user on the switch"
    if isinstance(error, asyncssh.ConnectionLost | ConnectionResetError):
        return f"{host} closed the connection during the login; is another session limit reached? try again"
    if isinstance(error, _NotLetInError):
        return (
            f"{host} answers, but nobody was let in within {LOGIN:g} s; does it wait for AAA servers that are silent "
            f"(`show tacacs-server`)?"
        )
    if isinstance(error, TimeoutError):
        return f"no answer from {host} port {PORT} within {CONNECT:.0f} s; check the cable of mgmt0 and the route to it"
    if isinstance(error, ConnectionRefusedError):
        return f"{host} refuses connections on port {PORT}; is `feature ssh` on, or the reach file's forward stale?"
    if isinstance(error, OSError):
        return f"{host} cannot be reached: {error.strerror or type(error).__name__}"
    return f"the SSH session with {host} failed ({type(error).__name__})"
