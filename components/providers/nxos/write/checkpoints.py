"""The switch's checkpoints: ours, which stand only while a push is under way or was cut off, and everybody else's."""

from __future__ import annotations

import re
import secrets
from typing import Final

from podwright.components.providers.nxos.pool import Terminal
from podwright.components.providers.nxos.read.blocks import parse
from podwright.components.providers.nxos.read.ports import PortDefaults, stated_config
from podwright.components.providers.nxos.read.spelling import tidy_config
from podwright.components.providers.nxos.session import SLOW_ANSWER, RefusedError
from podwright.components.providers.nxos.write.remediation import Config
from podwright.components.providers.nxos.write.rollback_timer import apart
from podwright.components.providers.nxos.write.writer_lock import without_writers

OURS: Final = "podwright-"
MOST: Final = 10
"""User checkpoints a switch keeps (system management guide, "Rollback")."""
_NAMED: Final = re.compile(r"^\s*(?:\d+\)\s*)?(\S+?):\s*$", re.MULTILINE)


class Checkpoints:
    """The user checkpoints of one switch."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    async def all(self) -> list[str]:
        """Every name, the oldest first."""
        session = await self._terminal.open()
        return _NAMED.findall(await session.show("show checkpoint summary"))

    async def ours(self) -> list[str]:
        """The names of ours."""
        return [name for name in await self.all() if name.startswith(OURS)]

    async def before(self, ports: PortDefaults) -> Config | None:
        """The state before a push of ours that was cut off; None when none was. `ports`: what they are by default."""
        names = await self.ours()
        if not names:
            return None
        session = await self._terminal.open()
        try:
            text = await session.show(f"show checkpoint {names[0]}", SLOW_ANSWER)
        except RefusedError:  # that of another run, which has ended meanwhile
            return None
        config = session.secrets.masked(tidy_config(parse(text[max(text.find("\nversion "), 0) :])))
        return apart(stated_config(without_writers(config)[0], ports))[0]

    async def free_name(self, names: list[str]) -> str:
        """A name beside `names`, after making room by forgetting one of ours; empty when all ten are others'.

        No two pushes have one name: the checkpoint of one that was cut off holds the state before it and must outlive
        this one, and two runs of a stack may begin at once.
        """
        if len(names) >= MOST:
            ours = [name for name in names if name.startswith(OURS)]
            if not ours:
                return ""
            await self.forget(ours[-1])
        return OURS + secrets.token_hex(5)

    async def make(self, name: str) -> None:
        """Keep the running configuration under a name. Raises RefusedError."""
        await (await self._terminal.open()).show(f"checkpoint {name}", SLOW_ANSWER)

    async def forget(self, *names: str) -> None:
        """Forget checkpoints; an empty name is none. Raises RefusedError for one that stays."""
        session = await self._terminal.open()
        for name in filter(None, names):
            try:
                await session.show(f"no checkpoint {name}")
            except RefusedError:
                if name in await self.all():
                    raise
                # another run of ours, which has ended, forgot it meanwhile
