"""Configurations that a push found, as checkpoint files in the switch's own boot flash.

They never leave the switch: they hold what it keeps of its secrets. `rollback running-config file` goes back to one; it
takes no other files than those that `checkpoint file` wrote (system management guide, "Configuring rollback").
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from podwright.components.providers.nxos.session import SLOW_ANSWER, RefusedError, Session

_NAMED: Final = re.compile(r"(?<!\S)podwright-\d{8}-\d{6}\.cfg(?!\S)")
"""Ours among all files; in order of time when sorted."""


async def keep(session: Session, most: int) -> str:
    """Write the running configuration into a file and delete the oldest of ours above `most`.

    Returns why that could not be done; empty when it was. A push goes on without.
    """
    name = f"podwright-{datetime.now(UTC):%Y%m%d-%H%M%S}.cfg"
    try:
        await session.show(f"checkpoint file bootflash:{name}", SLOW_ANSWER)
        kept = sorted({name, *_NAMED.findall(await session.show("dir bootflash:"))})
        for old in kept[:-most]:
            await session.show(f"delete bootflash:{old} no-prompt")
    except RefusedError as refused:
        return f"{refused.line!r} was refused: {refused.answer}"
    return ""
