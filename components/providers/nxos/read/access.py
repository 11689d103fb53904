"""Whether the switch would let us in again: the user that we log in as stays, and the access list of its terminal
lines has our own address.

The address is the one that the switch sees, behind whatever translates it on the way: `show users` names the source of
each session and marks the asking one with a `*` (fundamentals configuration guide).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block
from podwright.components.providers.nxos.session import Session
from podwright.components.providers.protocol.kind import ProviderError

_OURS: Final = re.compile(r"\((\d+(?:\.\d+){3})\).*\*\s*$", re.MULTILINE)
_CLASS: Final = re.compile(r"^access-class (\S+) in$")
_ENTRY: Final = re.compile(r"^(\d+) (permit|deny) (?:ip|tcp) (any|host \S+|\S+/\d+|\S+ \S+) any\b")


def access_list(config: Mapping[str, Block]) -> str:
    """Name of the access list of the terminal lines; empty where there is none."""
    found = (_CLASS.match(line.text) for line in config.get("line vty", ()))
    return next((each[1] for each in found if each), "")


def permits(block: Block, address: IPv4Address) -> bool:
    """Whether an access list lets an address in; what it says in words not known here counts against it."""
    entries = sorted(((int(e[1]), e) for line in block if (e := _ENTRY.match(line.text))), key=lambda each: each[0])
    decisive = next((entry for _, entry in entries if any(address in net for net in _networks(entry[3]))), None)
    return decisive is not None and decisive[2] == "permit"


def _networks(source: str) -> Iterator[IPv4Network]:
    """What an entry's source stands for: any, host 192.0.2.1, 192.0.2.0/24, 192.0.2.0 0.0.0.255."""
    try:
        text = {"any": "0.0.0.0/0"}.get(source, source.removeprefix("host ").replace(" ", "/"))
        yield IPv4Network(text, strict=False)
    except ValueError:
        return


async def refuse_lockout(session: Session, want: Mapping[str, Block], gone: Collection[str] = ()) -> None:
    """Raise ProviderError when another log-in of ours might fail behind a change to `want` without `gone`."""
    user = session.address.user
    ours = tuple(f"{what} {user} " for what in ("username", "snmp-server user"))
    if touched := [line for line in (*want, *gone) if line.startswith(ours)]:
        raise ProviderError(
            f"{session.address.name}: podwright logs in as {user} and never writes a line of that user "
            f"({touched[0].partition(' password ')[0].partition(' auth ')[0]}); give the user another name"
        )
    name = access_list(want)
    if not name:
        return
    switch, shown = session.address.name, await session.show("show users")
    found = _OURS.search(shown)
    if found is None:
        raise ProviderError(
            f"{switch}: `show users` does not name the address this session comes from, so nobody knows whether "
            f"{name} lets the next one in; nothing was written: take `management` out of fabric.baseline"
        )
    if not permits(want.get(f"ip access-list {name}", ()), IPv4Address(found[1])):
        raise ProviderError(
            f"{switch}: its terminal lines would take no session from {found[1]}, where podwright logs in from, for "
            f"{name} does not permit it; nothing was written: add a network with that address to "
            f"fabric.baseline.management"
        )
