"""The accounting log: every line that may change the box, with who typed it and whether it was taken."""

from __future__ import annotations

import re
from collections.abc import Sequence

from podwright.lab.nxos.change import Place
from podwright.lab.nxos.device import Device

_SILENT = ("show", "terminal", "no terminal", "exit", "end", "ping", "traceroute", "dir", "where")
"""Lines that change nothing are not accounted for."""
_SECRET = re.compile(
    r"(?i)(\b(?:password|passphrase|key|key-string|md5|sha|auth|priv|community|text)(?: \d)?) (?!role\b)(\S+)"
)


def note(device: Device, user: str, terminal: str, places: Sequence[Place], line: str, taken: bool = True) -> None:
    """Write one line of the log; `places` are the blocks that lead to it."""
    typed = line.strip()
    if not places and typed.startswith(_SILENT):
        return
    way = ["configure terminal", *(place.blocks[0].line for place in places if place.blocks[0].line)] if places else []
    command = " ; ".join([*way, _SECRET.sub(r"\g<1> ********", typed)])
    end = "SUCCESS" if taken else "FAILURE"
    device.accounting.append(f"{device.clock.stamp()}:type=update:id={terminal}:user={user}:cmd={command} ({end})")
