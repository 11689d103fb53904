"""The switch's SSH server: a terminal with echo, paging and a prompt, and the exec channel."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from contextlib import suppress

import asyncssh

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.file_transfer import FileServer
from podwright.lab.nxos.session import CutError, Session
from podwright.lab.nxos.terminal_access import admitted, client

log = logging.getLogger("lab.nxos")
Process = asyncssh.SSHServerProcess[str]
COLOUR, PLAIN = "\x1b[1;32m", "\x1b[0m"
MORE = "\x1b[7m--More--\x1b[27m"
FAILED = "ERROR: internal error\n"
"""What a line gets that the lab itself fails at: a switch whose process dies behind a command goes on with its session,
and its log says what happened. Ours is an error in the lab's log, which tests look for."""


class _Login(asyncssh.SSHServer):
    """Password login against the users configured on the switch."""

    def __init__(self, device: Device, connections: set[asyncssh.SSHServerConnection]) -> None:
        self._device = device
        self._connections = connections
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        self._connections.add(conn)
        if not admitted(self._device, client(self._device)):
            conn.abort()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncssh calls it by keyword
        if self._connection is not None:
            self._connections.discard(self._connection)

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002 - asyncssh calls it by keyword
        return True

    def password_auth_supported(self) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        node = self._device.root.get(f"username {username} sshkey")
        return node is not None and key.export_public_key().decode().split()[1] in node.line.split()

    def validate_password(self, username: str, password: str) -> bool:
        return self._device.check_password(username, password)


class SwitchServer:
    """One switch on one loopback port. All methods run in the side's event loop."""

    def __init__(self, device: Device, port: int, key: asyncssh.SSHKey) -> None:
        self.device = device
        self.port = port
        self.key = key
        self._listener: asyncssh.SSHAcceptor | None = None
        self._connections: set[asyncssh.SSHServerConnection] = set()

    async def open(self) -> None:
        """Listen; does nothing when it listens already."""
        if self._listener is None:
            self._listener = await asyncssh.listen(
                "127.0.0.1",
                self.port,
                server_factory=lambda: _Login(self.device, self._connections),
                server_host_keys=[self.key],
                process_factory=self._serve,
                sftp_factory=lambda channel: FileServer(channel, self.device),
                allow_scp=True,
                line_editor=False,
                encoding="utf-8",
                errors="replace",
                server_version="Cisco-1.25",
                login_timeout=30,
            )

    async def close(self) -> None:
        """Stop listening and drop every connection without a word, as a switch that lost power does."""
        if self._listener is not None:
            self._listener.close()
            await self._listener.wait_closed()
            self._listener = None
        self.drop()

    def drop(self) -> None:
        """Abort the connections that are open."""
        for connection in list(self._connections):
            connection.abort()

    async def _serve(self, process: Process) -> None:
        user, peer = process.get_extra_info("username", "admin"), process.get_extra_info("peername") or ("",)
        session = Session(self.device, user=user, terminal=f"{peer[0]}@pts/0")
        terminal = Terminal(process, session)
        try:
            with suppress(asyncssh.BreakReceived, asyncssh.TerminalSizeChanged, asyncssh.DisconnectError, OSError):
                await (terminal.once(process.command) if process.command else terminal.loop())
            process.exit(0)
        except CutError:
            connection = process.get_extra_info("connection")
            connection.abort()
        except Exception:
            log.exception("a session of %s failed", self.device.switch.name)
            process.exit(1)


class Terminal:
    """Reads keys, echoes them, runs lines, pages output."""

    def __init__(self, process: Process, session: Session) -> None:
        self._process = process
        self._session = session
        self._pending = ""
        self._echo = ""
        self._after_return = False
        variants = session.device.world.variants
        self._coloured = variants["prompt"] == "coloured"
        self._in_pieces = variants["answers"] == "pieces"

    async def once(self, command: str) -> None:
        """The exec channel: commands separated by ` ; ` or newlines, no echo, no prompt, status always 0."""
        self._session.length = 0
        self._session.quiet = True
        for line in command.replace(" ; ", "\n").splitlines():
            self._process.stdout.write(await self._run(line.strip()))

    async def loop(self) -> None:
        """The interactive shell, until `exit` or the end of input."""
        session = self._session
        if self._process.get_terminal_size()[1]:
            session.length = self._process.get_terminal_size()[1]
        banner = session.device.root.get("banner motd")
        if banner is not None:
            await self._write(banner.line.removeprefix("banner motd ").strip("^").strip("\n") + "\n")
        await self._write("Cisco Nexus Operating System (NX-OS) Software\n")
        generation = session.device.generation
        while not session.closed:
            if session.question is None:
                await self._put(f"{COLOUR}{session.prompt}{PLAIN}" if self._coloured else session.prompt)
            line = await self._line()
            if line is None or generation != session.device.generation:
                return
            await self._page(await self._run(line))

    async def _run(self, line: str) -> str:
        delay = self._session.device.faults.delay
        if delay and line.strip():
            await asyncio.sleep(delay)
        try:
            return self._session.run(line)
        except CutError:
            raise
        except Exception:
            log.exception("%s failed at %r", self._session.device.switch.name, line)
            return FAILED

    async def _write(self, text: str) -> None:
        await self._put(text.replace("\n", "\r\n"))

    async def _put(self, text: str) -> None:
        """Send text, whole or in pieces, as the lab's variant says."""
        while self._in_pieces and len(text) > 1:
            size = random.choice((1, 2, 7, 40, 400, 4000))
            self._process.stdout.write(text[:size])
            text = text[size:]
            await asyncio.sleep(random.choice((0, 0, 0.001)))
        self._process.stdout.write(text)

    async def _key(self) -> str | None:
        while not self._pending:
            self._show_echo()
            chunk = await self._process.stdin.read(4096)
            if not chunk:
                return None
            self._pending = chunk
        key, self._pending = self._pending[0], self._pending[1:]
        return key

    async def _line(self) -> str | None:
        """One line with echo. Ctrl-Z ends configuration mode, Ctrl-C drops the line, Ctrl-D at its start ends; `?` and
        Tab ask the parser, and Ctrl-V takes the next key as it is."""
        typed = ""
        while (key := await self._key()) is not None:
            if key == "\n" and self._after_return:
                self._after_return = False
                continue
            self._after_return = key == "\r"
            if key in "\r\n":
                self._echo += "\r\n"
                self._show_echo()
                return typed
            if key in "\x03\x1a":
                self._echo += "^C\r\n" if key == "\x03" else "^Z\r\n"
                self._show_echo()
                return "end" if key == "\x1a" and self._session.places else ""
            if key == "\x04" and not typed:
                return None
            typed = await self._edited(typed, key)
        return None

    async def _edited(self, typed: str, key: str) -> str:
        """The line after one more key, echoed."""
        if key in "\x7f\x08":
            self._echo += "\b \b" if typed else ""
            return typed[:-1]
        if key == "\x15":
            self._echo += "\b \b" * len(typed)
            return ""
        if key in "?\t" and self._session.helps:
            return await self._help(typed, key)
        if key == "\x16":
            key = await self._key() or ""
        if not key.isprintable():
            return typed
        self._echo += key
        return typed + key

    async def _help(self, typed: str, key: str) -> str:
        """Print what may come next, and the line again; returns the line, longer where a Tab completed it."""
        line, text = (typed, self._session.hint(typed)) if key == "?" else self._session.complete(typed)
        if not text:
            self._echo += line[len(typed) :]
            return line
        self._echo += "?\r\n" if key == "?" else "\r\n"
        self._show_echo()
        await self._page(text)
        self._echo += self._session.prompt + line
        return line

    def _show_echo(self) -> None:
        """Keys that came together are echoed together, as a terminal's line discipline does."""
        if self._echo:
            self._process.stdout.write(self._echo)
            self._echo = ""

    async def _page(self, text: str) -> None:
        """Print `text` a screen at a time; space goes on, Enter one line, q stops."""
        lines = text.splitlines(keepends=True)
        room = max(self._session.length - 1, 1) if self._session.length else len(lines)
        while lines:
            await self._write("".join(lines[:room]))
            del lines[:room]
            if not lines:
                return
            self._process.stdout.write(MORE)
            key = await self._key()
            self._process.stdout.write("\r" + " " * 8 + "\r")
            if key is None or key in "qQ\x03":
                return
            room = 1 if key in "\r\n" else max(self._session.length - 1, 1)


def new_key(save: Callable[[bytes], object]) -> asyncssh.SSHKey:
    """A fresh Ed25519 host key, handed to `save` as PEM."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    save(key.export_private_key())
    return key
