"""What a switch says right now: whether it answers, what stands in its owned blocks, which ports pause.

`show interface priority-flow-control` prints Port, Mode, Oper (with the VL bitmap when on), RxPPP, TxPPP (Nexus 9000
command reference, show commands).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podwright.components.providers.nxos.login import connect
from podwright.components.providers.nxos.read.blocks import Block, parse
from podwright.components.providers.nxos.read.facts import facts_of
from podwright.components.providers.nxos.read.ports import Running, running, stated_config, wanted
from podwright.components.providers.nxos.read.spelling import is_blank, same, tidy_config
from podwright.components.providers.nxos.secret_lines import SecretLines
from podwright.components.providers.nxos.session import SLOW_ANSWER, Address, LostError, RefusedError, Session
from podwright.components.providers.nxos.switch import live_config
from podwright.components.providers.nxos.texts import blocks_of
from podwright.components.providers.nxos.write.remediation import remediation
from podwright.components.providers.protocol.kind import ProviderError, Secret
from podwright.components.providers.reach import Reach, SecretNotFoundError

_PFC = re.compile(r"^(Ethernet\S+)\s+\S+\s+On\s+\(([0-9a-fA-F]+)\)", re.MULTILINE)


@dataclass(frozen=True)
class SwitchSeen:
    """One switch as it is. With a `problem`, nothing else is known."""

    name: str
    problem: str = ""
    release: str = ""
    config: Mapping[str, str] = field(default_factory=dict)
    """The owned blocks as they stand, in the spec's spelling."""
    differs: tuple[str, ...] = ()
    """What an `up` would type: `interface Ethernet1/3: priority-flow-control mode on`."""
    pausing: frozenset[str] = frozenset()
    """Ports on which priority flow control is operational for the lossless priority."""
    unsaved: tuple[str, ...] = ()
    """Owned blocks that the startup configuration has otherwise: a reload changes them."""


async def look(spec: Mapping[str, Any], user: str, reach: Reach, there: float) -> SwitchSeen:
    """Read one switch, which takes a connection within `there` seconds. `spec` is that of its resource; nothing is
    written, and no failure is raised.
    """
    name = spec["hostname"]
    address = Address(name, spec["management"], user, reach.secret(spec["credential"]))
    try:
        session = await connect(address, reach, dial=there)
        try:
            planned = blocks_of(spec)
            session.secrets = SecretLines(planned, planned, _lookup(reach))
            return await _read(session, spec)
        finally:
            await session.close()
    except (ProviderError, LostError, RefusedError) as sentence:
        return SwitchSeen(name, problem=str(sentence))


def _lookup(reach: Reach) -> Callable[[str], str]:
    def lookup(name: str) -> str:
        try:
            return reach.secret(name)
        except SecretNotFoundError as missing:
            raise ProviderError(str(missing)) from None

    return lookup


async def _read(session: Session, spec: Mapping[str, Any]) -> SwitchSeen:
    release = facts_of(await session.show("show version")).version
    live = await running(session)
    lossless = spec["lossless"]
    text = await session.show("show interface priority-flow-control") if lossless else ""
    pausing = frozenset(pausing_ports(text, lossless["priority"])) if lossless else frozenset[str]()
    config = {line: _plain(text) for line, text in live_config(spec["config"], live.config, live.ports).items()}
    unsaved = await _unsaved(session, spec, live)
    return SwitchSeen(spec["hostname"], "", release, config, differences(spec, live), pausing, unsaved)


async def _unsaved(session: Session, spec: Mapping[str, Any], live: Running) -> tuple[str, ...]:
    """Owned blocks that differ between running and startup configuration; none where the latter may not be read."""
    try:
        text = await session.show("show startup-config", SLOW_ANSWER)
    except RefusedError:
        return ()
    saved = stated_config(session.secrets.masked(tidy_config(parse(text))), live.ports)
    return tuple(name for name in blocks_of(spec) if not _alike(name, live.config.get(name), saved.get(name)))


def _alike(name: str, running: Block | None, saved: Block | None) -> bool:
    if running is None or saved is None:
        one = running if saved is None else saved
        return one is None or is_blank(name, one)
    return same(name, running, saved)


def pausing_ports(text: str, priority: int) -> list[str]:
    """Ports whose Oper column says On with this priority's bit in the hexadecimal bitmap behind it."""
    return [port for port, bitmap in _PFC.findall(text) if int(bitmap, 16) >> priority & 1]


def differences(spec: Mapping[str, Any], live: Running) -> tuple[str, ...]:
    """One entry per section that differs: where, and the lines that would mend it."""
    found = []
    for section in remediation(live.config, wanted(blocks_of(spec), live.ports)):
        lines = [line for line in section.lines if line != "exit"]
        found.append(f"{section.header}: {', '.join(lines)}" if lines else section.header)
    return tuple(found)


def _plain(text: str | Secret) -> str:
    """A block that may hold a password is read by nobody here."""
    return "" if isinstance(text, Secret) else text
