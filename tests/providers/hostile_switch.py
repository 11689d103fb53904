"""A switch's address at which somebody answers who means harm: before, during and after the log-in."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import asyncssh

from tests.providers.hostile_server import CHUNK, LONGEST, NAME, PAUSE, SEED

Writer = asyncio.StreamWriter
Process = asyncssh.SSHServerProcess[str]
PROMPT = "leaf-01# "


async def _drip(send: Callable[[str], object], text: str) -> None:
    for _ in range(int(LONGEST / PAUSE / len(text)) + 1):
        for character in text:
            send(character)
            await asyncio.sleep(PAUSE)


async def _flood(send: Callable[[str], object], drain: Callable[[], Awaitable[None]], text: str) -> None:
    until = asyncio.get_running_loop().time() + LONGEST
    while asyncio.get_running_loop().time() < until:
        send(text * max(1, CHUNK // len(text)))
        await drain()


async def _answer_all(process: Process, answer: Callable[[Process, str], Awaitable[None]]) -> None:
    process.stdout.write(PROMPT)
    async for line in process.stdin:
        process.stdout.write(line.rstrip("\n") + "\r\n")
        if line.startswith("show "):
            await answer(process, line)
        process.stdout.write(PROMPT)


def _shell(way: str) -> Callable[[Process], Awaitable[None]]:
    """What a hostile switch does with a terminal."""
    text = {"prompts": f"{PROMPT}\r\n", "questions": "go on (y/n)", "escapes": "\x1b[", "lines": "x" * 79 + "\r\n"}

    async def flood(process: Process, line: str) -> None:
        await _flood(process.stdout.write, process.stdout.drain, text[way.rpartition(" of ")[2]])

    async def drip(process: Process, line: str) -> None:
        await _drip(process.stdout.write, text[way.rpartition(" of ")[2]])

    async def run(process: Process) -> None:
        does = flood if "flood" in way else drip
        with contextlib.suppress(asyncssh.Error, OSError):
            if way.startswith("banner:"):
                await does(process, "")
            else:
                await _answer_all(process, does)
        process.exit(0)

    return run


ALL_SHELLS = tuple(
    f"{where}: {what} of {text}"
    for where in ("banner", "answer")
    for what in ("drip", "flood")
    for text in ("prompts", "questions", "escapes", "lines")
)
SHELLS = ALL_SHELLS if SEED else ("banner: flood of lines", "answer: flood of escapes", "answer: drip of prompts")
"""Each takes as long as a client is patient."""
RAW = ("silent", "drip of a version", "flood before the version", "drip before the version", "http", "closed at once")
SWITCH_WAYS = (*RAW, *SHELLS)


async def _raw(way: str, reader: asyncio.StreamReader, writer: Writer) -> None:
    def send(text: str) -> None:
        writer.write(text.encode())

    try:
        await _harm(way, send, writer)
    except OSError:
        pass  # the client has gone
    finally:
        writer.transport.abort()


async def _harm(way: str, send: Callable[[str], None], writer: Writer) -> None:
    if way == "silent":
        await asyncio.sleep(LONGEST)
    elif way == "drip of a version":
        await _drip(send, "SSH-2.0-" + "x" * 200)
    elif way == "drip before the version":
        await _drip(send, "hello\r\n")
    elif way == "flood before the version":
        await _flood(send, writer.drain, "hello\r\n")
    elif way == "http":
        send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        await asyncio.sleep(LONGEST)
    elif way == "closed at once":
        writer.close()
        await writer.wait_closed()


class _Server(asyncssh.SSHServer):
    def __init__(self, connected: list[asyncssh.SSHServerConnection]) -> None:
        self._connected = connected

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connected.append(conn)

    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return True


@contextlib.contextmanager
def serving_switch(folder: Path) -> Iterator[tuple[dict[str, int], Path]]:
    """Ports by way, and the file of host keys that a person has checked."""
    loop, key = asyncio.new_event_loop(), asyncssh.generate_private_key("ssh-ed25519")
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    servers: list[Any] = []
    connected: list[asyncssh.SSHServerConnection] = []

    async def listen() -> dict[str, int]:
        ports = {}
        for way in RAW:
            server = await asyncio.start_server(partial(_raw, way), "127.0.0.1", 0)
            servers.append(server)
            ports[way] = server.sockets[0].getsockname()[1]
        for way in SHELLS:
            acceptor = await asyncssh.listen(
                "127.0.0.1", 0, server_factory=partial(_Server, connected), server_host_keys=[key],
                process_factory=_shell(way), line_editor=False,
            )  # fmt: skip
            servers.append(acceptor)
            ports[way] = acceptor.get_port()
        return ports

    async def end() -> None:
        for server in servers:
            server.close()
        for connection in connected:
            connection.abort()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.sleep(PAUSE)  # transports close in the loop's next round

    ports = asyncio.run_coroutine_threadsafe(listen(), loop).result(30)
    known = folder / "known_hosts"
    known.write_text(f"{NAME} {key.export_public_key().decode()}")
    try:
        yield ports, known
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()
