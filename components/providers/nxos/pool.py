"""One session and one writer per switch, however many operations an instance runs at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from podwright.components.providers.nxos.secret_lines import SecretLines
from podwright.components.providers.nxos.session import Address, LostError, Session
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.reach import Reach

AT_ONCE: Final = 32
"""Log-ins under way at the same time: hundreds of switches ask the same few AAA servers, and all key exchanges share
one processor here."""


class Pool:
    """Sessions by dialled endpoint. Different switches never wait for each other, but for their turn to log in."""

    def __init__(self) -> None:
        self._locks: dict[tuple[str, int], asyncio.Lock] = {}
        self._sessions: dict[tuple[str, int], Session] = {}
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def close(self) -> None:
        """Hang up every session."""
        while self._sessions:
            _, session = self._sessions.popitem()
            await session.close()

    @asynccontextmanager
    async def terminal(
        self, address: Address, ctx: Context, secrets: SecretLines | None = None
    ) -> AsyncIterator[Terminal]:
        """The switch's terminal, exclusively, until the block ends; `secrets` are those of the lines it is about."""
        key = ctx.reach.endpoint(address.host, 22)
        async with self._locks.setdefault(key, asyncio.Lock()):
            terminal = Terminal(address, ctx.reach, self._sessions.pop(key, None), self._turns)
            terminal.secrets = secrets or SecretLines()
            try:
                yield terminal
            except LostError as lost:
                await terminal.hang_up()
                raise ProviderError(f"{address.name}: {lost}; check the switch and run again") from None
            except BaseException:
                await terminal.hang_up()
                raise
            if terminal.session is not None and terminal.session.alive:
                self._sessions[key] = terminal.session


class Terminal:
    """A switch's terminal that can be opened again when a session was lost."""

    def __init__(self, address: Address, reach: Reach, session: Session | None, turns: asyncio.Semaphore) -> None:
        self.address = address
        self.session = session
        self.secrets = SecretLines()
        self._reach = reach
        self._turns = turns

    async def open(self) -> Session:
        """The session there is, or a new one. Raises ProviderError when the switch cannot be reached."""
        if self.session is not None and (
            not self.session.alive or self.session.address.password != self.address.password
        ):
            await self.hang_up()
        if self.session is None:
            from podwright.components.providers.nxos.login import connect  # noqa: PLC0415 - previews log in nowhere

            self.session = await connect(self.address, self._reach, self._turns)
        self.session.secrets = self.secrets
        return self.session

    async def hang_up(self) -> None:
        """Close the session; what was typed stays typed."""
        session, self.session = self.session, None
        if session is not None:
            await session.close()
