"""What a port is where its configuration does not say: layer 2 or routed, up or down.

That differs between models, releases and sites (``system default switchport``), so it is asked of each switch and never
assumed. Cisco's own clients read it the same way: the Ansible collection cisco.nxos and the NX-OS NED filter
``show running-config all``, because the running configuration hides what is the default of the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block, Line, parse, parse_lines
from podwright.components.providers.nxos.read.spelling import header, tidy, tidy_config
from podwright.components.providers.nxos.session import SLOW_ANSWER, RefusedError, Session
from podwright.components.providers.protocol.kind import ProviderError

_QUESTION: Final = 'show running-config all | include "system default switchport"'
_DEFAULT: Final = re.compile(r"^\s*(no )?system default switchport( shutdown)?\s*$", re.MULTILINE)
_LAYER: Final = frozenset({"switchport", "no switchport"})
_ADMIN: Final = frozenset({"shutdown", "no shutdown"})
_HAS_LAYER: Final = re.compile(r"^interface (Ethernet|port-channel)[\d/]+$")
_LAYER2_LINE: Final = re.compile(r"switchport \S")
_ROUTED_LINE: Final = re.compile(r"(ip|ipv6) (address|router|forward)\b|vrf member\b")


@dataclass(frozen=True)
class PortDefaults:
    """What a port is where nothing is configured on it."""

    layer2: bool
    """Ports and port-channels are switched, not routed."""
    up: bool
    """Switched ports are up. Routed ones are down on every model (interfaces configuration guide, 10.x, "Configuring
    Layer 3 interfaces"), port-channels up."""


@dataclass(frozen=True)
class Running:
    """A running configuration: tidy blocks, every port with layer and admin state, and what those are by default."""

    config: dict[str, Block]
    ports: PortDefaults


async def running(session: Session, known: Running | None = None) -> Running:
    """Read a switch, secrets by their names. `known` is an earlier reading of it: its defaults are not asked for again
    unless they changed.

    Raises ProviderError when the switch does not say what its ports are by default.
    """
    text = await session.show("show running-config", SLOW_ANSWER)
    await session.secrets.prepare(session)
    config = session.secrets.masked(tidy_config(parse(text)))
    if known is not None and list(_stated_defaults(known.config)) == list(_stated_defaults(config)):
        ports = known.ports
    else:
        ports = await _asked(session, config)
    return Running(stated_config(config, ports), ports)


def _stated_defaults(config: Mapping[str, Block]) -> Iterator[str]:
    return (name for name in config if _DEFAULT.match(name))


async def _asked(session: Session, config: Mapping[str, Block]) -> PortDefaults:
    try:
        answer = await session.show(_QUESTION, SLOW_ANSWER)
    except RefusedError:  # a role that may not see all
        answer = ""
    found = defaults_of("\n".join((answer, *_stated_defaults(config))))
    if found is None:
        raise ProviderError(
            f"{session.address.name} does not say whether its ports are switched or routed by default: neither its "
            f"running configuration nor `{_QUESTION}` shows it; permit that command to user {session.address.user}, or "
            f"type `system default switchport` and `system default switchport shutdown`, or their `no` forms, on it"
        )
    return found


def defaults_of(text: str) -> PortDefaults | None:
    """The defaults that a configuration says, the last word counts; None when it lacks one of the two."""
    stated_last = {shutdown: not denied for denied, shutdown in _DEFAULT.findall(text)}
    return PortDefaults(stated_last[""], not stated_last[" shutdown"]) if len(stated_last) == 2 else None


def stated_config(config: Mapping[str, Block], ports: PortDefaults) -> dict[str, Block]:
    """Tidy blocks in which every port says its layer and its admin state."""
    return {name: stated(name, block, ports) for name, block in config.items()}


def stated(name: str, block: Block, ports: PortDefaults) -> Block:
    """A tidy block with the layer and the admin state that it leaves out; what is the default counts as implied."""
    if not _HAS_LAYER.match(name):
        return block
    default = "switchport" if ports.layer2 else "no switchport"
    layer = next((line.text for line in block if line.text in _LAYER), default)
    rest = tuple(line for line in block if line.text not in _LAYER)
    if name.startswith("interface Ethernet"):
        down = layer == "no switchport" or not ports.up
        usual = "shutdown" if down else "no shutdown"
        admin = next((line.text for line in block if line.text in _ADMIN), usual)
        rest = tuple(line for line in rest if line.text not in _ADMIN)
        rest = (*rest, Line(admin, implied=admin == usual))
    return (Line(layer, implied=layer == default), *rest)


def spelled_out(name: str, text: str, ports: PortDefaults) -> str:
    """The text below top-level line `name`, with what it leaves out of a port's layer and admin state."""
    if not _HAS_LAYER.match(header(name)):
        return text
    block = tidy(header(name), parse_lines(text))
    written = {line.text for line in block}
    left_out = [line.text for line in stated(header(name), block, ports) if line.text not in written]
    return "\n".join((*text.splitlines(), *left_out))


def wanted(config: Mapping[str, Block], ports: PortDefaults) -> dict[str, Block]:
    """Blocks of a spec as they shall be read back. One with lines that only one layer takes is meant for that layer."""
    return {name: stated(name, _on_its_layer(name, block), ports) for name, block in config.items()}


def _on_its_layer(name: str, block: Block) -> Block:
    if not _HAS_LAYER.match(name) or any(line.text in _LAYER for line in block):
        return block
    if any(_LAYER2_LINE.match(line.text) for line in block):
        return (Line("switchport"), *block)
    return (Line("no switchport"), *block) if any(_ROUTED_LINE.match(line.text) for line in block) else block
