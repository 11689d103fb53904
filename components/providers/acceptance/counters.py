"""Port counters of the switches a test crosses, read over SSH.

Shapes: `show interface priority-flow-control` (Port, Mode, Oper, RxPPP, TxPPP) and `show queuing interface`
(per QoS group `Tx Pkts`, `WRED/AFD & Tail Drop Pkts`, `WD & Tail Drop Pkts`, `ECN Marked Pkts`), from the Nexus 9000
command reference, show commands.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping

from podwright.components.providers.acceptance.plan import Plan, Port
from podwright.components.providers.acceptance.verdict import Counters
from podwright.components.providers.nxos.login import connect
from podwright.components.providers.nxos.session import Address, Session
from podwright.components.providers.reach import Reach

_PFC = re.compile(r"^(Ethernet\S+)\s+\S+\s+\S+\s*(?:\(\S+\))?\s+(\d+)\s+(\d+)\s*$", re.MULTILINE)
_DROPS = re.compile(r"WRED/AFD & Tail Drop Pkts \|\s*(\d+)\s*\|\s*(\d+)")
_STORM_DROPS = re.compile(r" WD & Tail Drop Pkts \|\s*(\d+)\s*\|\s*(\d+)")
_GROUP = re.compile(r"^\|\s+QOS GROUP (\d+)\s+\|$", re.MULTILINE)
"""Heading of a group's counters; those of the switch's own packets are headed CONTROL and SPAN."""
_HEADING = re.compile(r"^\|.*QOS GROUP.*\|$", re.MULTILINE)
_SENT = re.compile(r"\| +Tx Pkts \|\s*(\d+)\s*\|\s*(\d+)")
_MARKS = re.compile(r"ECN[\w ]* Pkts \|\s*(\d+)\s*\|\s*(\d+)")


async def read(plan: Plan, ports: Iterable[Port], reach: Reach) -> dict[Port, Counters]:
    """Counters of these ports, all switches at once. Raises ProviderError where a switch cannot be read."""
    by_switch: dict[str, list[str]] = {}
    for switch, port in sorted(set(ports)):
        by_switch.setdefault(switch, []).append(port)
    read_all = (_read_switch(plan, switch, names, reach) for switch, names in by_switch.items())
    found: dict[Port, Counters] = {}
    for part in await asyncio.gather(*read_all):
        found |= part
    return found


async def _read_switch(plan: Plan, switch: str, ports: list[str], reach: Reach) -> dict[Port, Counters]:
    group = plan.notifications.group if plan.notifications else None
    address = Address(switch, plan.switches[switch], plan.user, reach.secret(plan.secret))
    session = await connect(address, reach)
    try:
        pauses = pause_frames(await session.show("show interface priority-flow-control"))
        return {(switch, port): await _read_port(session, port, pauses, group) for port in ports}
    finally:
        await session.close()


async def _read_port(session: Session, port: str, pauses: Mapping[str, tuple[int, int]], group: int | None) -> Counters:
    text = await session.show(f"show queuing interface {port}")
    drops, marked = queue_counters(text)
    received, sent = pauses.get(port, (0, 0))
    notified = 0 if group is None else sent_by_group(text).get(group, 0)
    return Counters(drops=drops, marked=marked, rx_pause=received, tx_pause=sent, notified=notified)


def pause_frames(text: str) -> dict[str, tuple[int, int]]:
    """(RxPPP, TxPPP) by port, from `show interface priority-flow-control`."""
    return {name: (int(rx), int(tx)) for name, rx, tx in _PFC.findall(text)}


def queue_counters(text: str) -> tuple[int, int]:
    """(dropped, ECN-marked) packets over all QoS groups, unicast and multicast, from `show queuing interface`.

    Tail drops stand in two rows, once with early drops and once with the watchdog's: the larger sum is taken.
    """
    return max(_sum(_DROPS, text), _sum(_STORM_DROPS, text)), _sum(_MARKS, text)


def sent_by_group(text: str) -> dict[int, int]:
    """Packets that left a port, unicast and multicast, by QoS group, from `show queuing interface`."""
    found = {}
    for heading in _GROUP.finditer(text):
        following = _HEADING.search(text, heading.end())
        found[int(heading.group(1))] = _sum(_SENT, text[heading.end() : following.start() if following else None])
    return found


def _sum(row: re.Pattern[str], text: str) -> int:
    return sum(int(unicast) + int(multicast) for unicast, multicast in row.findall(text))
