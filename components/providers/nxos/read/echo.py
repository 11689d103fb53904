"""Echoes of the largest packet a link takes: what comes back whole went both ways through both ends' MTU.

Control-plane policing drops echoes by the byte, at the switch that asks and at the one that answers: by default ICMP
has 360 kbit/s with a burst of 128 kB, which is some fourteen such packets at once and then five a second. So they are
sent one by one, in another order on each switch, and who is silent is asked again until nobody new answers any more.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from podwright.components.providers.nxos.session import Session
from podwright.components.providers.protocol.kind import Values

HEADERS: Final = 28
"""Bytes of a packet around what `ping` calls its size: IPv4 20, ICMP 8. 9188 bytes of data fill an MTU of 9216."""
SMALL: Final = 56
"""Bytes of data of an echo that fits everywhere."""
_PATIENCE: Final = 15.0
"""Seconds without a new answer after which the silent ones count as silent."""
_PAUSE: Final = 1.0
"""Seconds between two rounds: what the policer lets through in the meantime is ours."""
_ECHOED: Final = re.compile(r"^\d+ packets transmitted, ([1-9]\d*) packets received", re.MULTILINE)


async def silent(session: Session, rows: Mapping[str, Values], names: Iterable[str]) -> frozenset[str]:
    """Those of the named ports whose neighbour does not answer a packet of `probe` bytes that may not be cut."""
    switch = session.address.name
    left = sorted(names, key=lambda name: zlib.crc32(f"{switch} {name}".encode()))
    clock = asyncio.get_running_loop().time
    last = clock()
    while left:
        still = [name for name in left if not await _answers(session, rows[name], int(rows[name]["probe"]) - HEADERS)]
        last = clock() if len(still) < len(left) else last
        left = still
        if clock() - last >= _PATIENCE:
            break
        await asyncio.sleep(_PAUSE if left else 0)
    return frozenset(left)


async def small(session: Session, rows: Mapping[str, Values], names: Collection[str]) -> frozenset[str]:
    """Those whose neighbour answers a packet that fits everywhere."""
    return frozenset([name for name in sorted(names) if await _answers(session, rows[name], SMALL)])


async def _answers(session: Session, row: Values, data: int) -> bool:
    vrf = "" if row["vrf"] == "default" else f" vrf {row['vrf']}"
    answer = await session.show(f"ping {row['neighbor']}{vrf} packet-size {data} df-bit count 1 timeout 1")
    return _ECHOED.search(answer) is not None
