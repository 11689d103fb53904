"""What the operator sees while an operation runs: messages to the engine, in order, scrubbed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from typing import Any, Literal

import grpc
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

from podwright.components.providers.protocol.scrub import Scrubber

Severity = Literal["debug", "info", "warning", "error"]
_SEVERITIES = {
    "debug": engine_pb2.DEBUG,
    "info": engine_pb2.INFO,
    "warning": engine_pb2.WARNING,
    "error": engine_pb2.ERROR,
}
_FLUSH = 2.0
"""Seconds an operation's answer waits for its last messages."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Message:
    severity: Severity
    text: str
    urn: str
    passing: bool


class EngineLog:
    """One ordered stream of messages to the engine; silent until `connect`."""

    def __init__(self, scrubber: Scrubber) -> None:
        self._scrubber = scrubber
        self._queue: asyncio.Queue[_Message] = asyncio.Queue()
        self._sender: asyncio.Task[None] | None = None
        self._channel: Any = None
        self.address = ""

    def connect(self, address: str) -> None:
        """Send to the engine at `address` from now on."""
        if not address or self._channel is not None:
            return
        self.address = address
        self._channel = grpc.aio.insecure_channel(address)
        self._sender = asyncio.create_task(self._send(engine_pb2_grpc.EngineStub(self._channel)))

    def say(self, severity: Severity, text: str, urn: str = "", *, passing: bool = False) -> None:
        """Queue one message; a `passing` one is shown in the status column and then forgotten."""
        if self._channel is not None:
            self._queue.put_nowait(_Message(severity, self._scrubber.clean(text), urn, passing))

    async def flush(self) -> None:
        """Wait until everything said so far was sent, for a moment at most."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._queue.join(), _FLUSH)

    async def close(self) -> None:
        """Send what is queued and hang up."""
        await self.flush()
        if self._sender is not None:
            self._sender.cancel()
        if self._channel is not None:
            await self._channel.close(None)

    async def _send(self, stub: Any) -> None:
        while True:
            message = await self._queue.get()
            try:
                await stub.Log(
                    engine_pb2.LogRequest(
                        severity=_SEVERITIES[message.severity],
                        message=message.text,
                        urn=message.urn,
                        ephemeral=message.passing,
                    ),
                    timeout=_FLUSH,
                )
            except grpc.RpcError as error:
                _log.debug("the engine took no message: %s", error.code())
            finally:
                self._queue.task_done()
