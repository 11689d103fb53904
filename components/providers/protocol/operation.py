"""One operation on one resource: its context, its end, and the one sentence a person reads when it fails."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, TypeVar

import grpc
from pulumi.runtime.proto import provider_pb2, status_pb2

from podwright.components.providers.protocol.configuration import login_of, missing_login
from podwright.components.providers.protocol.engine import EngineLog
from podwright.components.providers.protocol.kind import Context, Incomplete, ProviderError
from podwright.components.providers.protocol.scrub import Scrubber
from podwright.components.providers.protocol.values import encode, keep_secret
from podwright.components.providers.protocol.world import mismatch
from podwright.components.providers.reach import Reach, ReachError

Result = TypeVar("Result")
DETAILS = "grpc-status-details-bin"
"""Trailing metadata key under which gRPC carries a google.rpc.Status."""


def identity_of(urn: str) -> str:
    """``<project>/<stack>`` of ``urn:pulumi:<stack>::<project>::<type>::<name>``."""
    parts = urn.split("::")
    stack = parts[0].removeprefix("urn:pulumi:")
    return f"{parts[1]}/{stack}" if len(parts) > 2 and stack else "podwright/unnamed"


def token_of(request: Any) -> str:
    """The resource token: engines before 3.137 send only the URN, whose third part ends in it."""
    return str(request.type or request.urn.split("::")[2].rsplit("$", 1)[-1])


def name_of(urn: str) -> str:
    """The resource's name in the program, for messages."""
    return urn.rsplit("::", maxsplit=1)[-1] or "the resource"


class Operations:
    """Runs operations, keeps count of them, and stops them at a safe point when asked."""

    def __init__(self, engine: EngineLog, scrubber: Scrubber, reach: Callable[[], Reach]) -> None:
        self._engine = engine
        self._scrubber = scrubber
        self._reach = reach
        self._running: dict[asyncio.Task[Any], Context] = {}
        self._cancelled = False
        self._config: Mapping[str, Any] = {}
        self._configured = time.monotonic()
        self._looked: dict[str, float] = {}

    @property
    def config(self) -> Mapping[str, Any]:
        """The instance's inputs; a command begins by giving them."""
        return self._config

    @config.setter
    def config(self, given: Mapping[str, Any]) -> None:
        self._config, self._configured = given, time.monotonic()

    @property
    def running(self) -> int:
        """How many operations have not ended yet."""
        return len(self._running)

    def cancel(self) -> None:
        """Ask every running and coming operation to stop where its device is whole."""
        self._cancelled = True
        for context in self._running.values():
            context.cancel.set()

    async def idle(self) -> None:
        """Return when the last running operation has ended."""
        while self._running:
            await asyncio.wait(list(self._running))

    async def run(
        self, request: Any, rpc: Any, work: Callable[[Context], Awaitable[Result]], old: Sequence[Any] = ()
    ) -> Result:
        """Run `work` to its end and answer; every failure becomes a gRPC status with one clean sentence.

        A caller that goes away (a killed engine) does not tear the operation apart: it is asked to stop and
        ends at its next safe point. `old` are property maps whose secrets an incomplete object's outputs
        must keep.
        """
        try:
            return await self._shielded(request, work)
        except ProviderError as error:
            await self._engine.flush()
            await rpc.abort(grpc.StatusCode.FAILED_PRECONDITION, self._scrubber.clean(str(error)))
        except Incomplete as incomplete:
            await self._engine.flush()
            message, details = self._incomplete(incomplete, old)
            await rpc.abort(grpc.StatusCode.UNKNOWN, message, ((DETAILS, details),))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001  (the last line of defence: no traceback reaches a person)
            await rpc.abort(grpc.StatusCode.ABORTED, self._unforeseen(request.urn, error))
        raise AssertionError("abort always raises")

    async def _shielded(self, request: Any, work: Callable[[Context], Awaitable[Result]]) -> Result:
        context = self._context(request)
        task: asyncio.Task[Result] = asyncio.ensure_future(self._timed(context, work))
        self._running[task] = context
        task.add_done_callback(self._ended)
        try:
            result = await asyncio.shield(task)
        except asyncio.CancelledError:
            context.cancel.set()
            raise
        await self._engine.flush()
        return result

    async def _timed(self, context: Context, work: Callable[[Context], Awaitable[Result]]) -> Result:
        """Past the program's own limit an operation is asked to stop, like on Ctrl-C."""
        if context.timeout <= 0:
            return await work(context)
        alarm = asyncio.get_running_loop().call_later(context.timeout, context.cancel.set)
        try:
            return await work(context)
        finally:
            alarm.cancel()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        context = self._running.pop(task)
        self._looked[context.urn] = time.monotonic()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._engine.say("debug", f"{context.urn}: {error}", context.urn)

    def _context(self, request: Any) -> Context:
        urn, token = request.urn, token_of(request)
        if sentence := missing_login(self.config, token):
            raise ProviderError(f"{name_of(urn)}: {sentence}")
        try:
            reach = self._reach()
        except ReachError as error:
            raise ProviderError(str(error)) from None
        if sentence := mismatch(self.config, reach, urn):
            raise ProviderError(f"{name_of(urn)}: {sentence}")
        context = Context(
            config=login_of(self.config, token),
            reach=reach,
            identity=identity_of(urn),
            urn=urn,
            log=lambda text: self._engine.say("info", text, urn, passing=True),
            warn=lambda text: self._engine.say("warning", text, urn),
            timeout=request.timeout,
            # A refresh looks at each resource once: whoever looks at one again wants to see what is new.
            fresh_from=max(self._configured, self._looked.get(urn, 0.0)),
            resolved=self._scrubber.add,
        )
        if self._cancelled:
            context.cancel.set()
        return context

    def _incomplete(self, incomplete: Incomplete, old: Sequence[Any]) -> tuple[str, bytes]:
        reasons = [self._scrubber.clean(reason) for reason in incomplete.reasons]
        failed = provider_pb2.ErrorResourceInitFailed(
            id=incomplete.id, properties=encode(keep_secret(incomplete.outputs, *old)), reasons=reasons
        )
        message = "; ".join(reasons)
        status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=message)
        status.details.add().Pack(failed)
        return message, status.SerializeToString()

    def _unforeseen(self, urn: str, error: Exception) -> str:
        """One sentence with the place; the traceback goes to the engine's debug log, scrubbed."""
        self._engine.say("debug", "".join(traceback.format_exception(error)), urn)
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "providers" in PurePath(frame.filename).parts]
        place = f"{PurePath(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "outside podwright"
        sentence = f"{name_of(urn)}: an error nobody foresaw, {type(error).__name__}: {error} (at {place})"
        return self._scrubber.clean(" ".join(sentence.split()))
