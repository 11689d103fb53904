"""What a switch shows of its interfaces, in the shape in which a verification says what it must show.

`show interface` and `show ip ospf neighbors` as ntc-templates parse them; the other answers are read by the exporter's
readers. What the far end of a server's cable does is not among them: with priority-flow-control mode
on, NX-OS shows its own side, whatever the NIC does; the incast of the acceptance measures that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from podwright.components.providers.nxos.read import answers, echo
from podwright.components.providers.nxos.read import metrics as m
from podwright.components.providers.nxos.read.health import interfaces
from podwright.components.providers.nxos.read.metrics import Metric
from podwright.components.providers.nxos.session import RefusedError, Session
from podwright.components.providers.protocol.kind import ProviderError, Values

SMALL_ECHO: Final = "small"
"""Beside what was planned: whether a small echo comes back."""
OSPF: Final = "show ip ospf neighbors"
EVPN: Final = "show bgp l2vpn evpn summary | json"
_READERS: Final = {**answers.ANSWERS, EVPN: answers.bgp}
_OSPF: Final = re.compile(r"^\s*\S+\s+\d+\s+(\w+)/\s*\S+\s+\S+\s+(\S+)\s+\S+\s*$", re.MULTILINE)

Interfaces = Mapping[str, Values]
"""By name, what each must show or does show; the fields are those of components/design/fabric/verification.py."""


async def look(session: Session, planned: Interfaces, echoed: Collection[str] = ()) -> dict[str, dict[str, Any]]:
    """What is asked of each planned interface, as it is now; `echoed` are ports that answered in a look just before.

    Raises LostError, and ProviderError for an answer that cannot be read.
    """
    asked = {key for each in planned.values() for key in each}
    states = interfaces(await session.show("show interface"))
    pause = await _read(session, m.PFC, m.PFC_BITMAP, "port") if "pfc" in asked else {}
    armed = await _read(session, m.WATCHDOG, m.WATCHDOG_ARMED, "port") if "watchdog" in asked else {}
    bfd = await _read(session, m.BFD, m.BFD_UP, "port", some=False) if "bfd" in asked else {}
    sessions = {protocol: await _sessions(session, protocol) for protocol in sorted(_protocols(planned))}
    found = {}
    for name, row in planned.items():
        up, mtu = states.get(name, (False, 0))
        now: dict[str, Any] = {"up": up, "mtu": mtu, "pfc": pause.get((name,), 0), "watchdog": armed.get((name,)) == 1}
        if "session" in row:
            now["session"] = (row["vrf"], row["neighbor"]) in sessions[row["protocol"]]
            now["bfd"] = bfd.get((name,)) == 1
        found[name] = now
    asked_for = [name for name, row in planned.items() if "probe" in row]
    dumb = await echo.silent(session, planned, (n for n in asked_for if found[n]["up"] and n not in echoed))
    heard = await echo.small(session, planned, dumb)
    for name in asked_for:
        found[name] |= {"answered": found[name]["up"] and name not in dumb, SMALL_ECHO: name in heard}
    return found


def _protocols(planned: Interfaces) -> set[str]:
    return {row["protocol"] for row in planned.values() if "protocol" in row}


async def _read(
    session: Session, command: str, metric: Metric, *labels: str, some: bool = True
) -> dict[tuple[str, ...], int]:
    """Values of one metric by labels. Without `some`, an answer that holds none of it is an answer."""
    try:
        samples = list(_READERS[command](await session.show(command)))
    except RefusedError:
        return {}
    except answers.MalformedError as wrong:
        if not some:
            return {}
        raise ProviderError(f"{session.address.name}: the answer to `{command}` cannot be read: {wrong}") from None
    values = (each for each in samples if each.metric is metric)
    return {tuple(each.labels[label] for label in labels): int(each.value) for each in values}


async def _sessions(session: Session, protocol: str) -> set[tuple[str, str]]:
    """(VRF, neighbour) of every session that stands."""
    if protocol != "ospf":
        command = m.BGP if protocol == "bgp" else EVPN
        found = await _read(session, command, m.BGP_UP, "vrf", "neighbor", some=False)
        return {(vrf, neighbor) for (vrf, neighbor), up in found.items() if up}
    try:
        text = await session.show(OSPF)
    except RefusedError:
        return set()
    return {("default", address) for state, address in _OSPF.findall(text) if state == "FULL"}


def unjudged(planned: Interfaces, seen: Interfaces) -> Iterator[str]:
    """Ports that are down and may be: nobody knows what they would show."""
    for name, row in planned.items():
        if row.get("may_be_down") and not seen[name]["up"]:
            yield name


def live(planned: Interfaces, seen: Interfaces) -> dict[str, Values]:
    """What is seen of all that is planned; of an unjudged port what is planned: a server that is off is no drift."""
    dark = set(unjudged(planned, seen))
    return {
        name: row if name in dark else {key: seen[name].get(key, value) for key, value in row.items()}
        for name, row in planned.items()
    }
