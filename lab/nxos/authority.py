"""Who may type what: roles, and the command authorisation of a TACACS+ server."""

from __future__ import annotations

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.refusal import RefusedError

OPERATOR = ("show", "terminal", "exit", "end", "dir", "ping", "traceroute", "where")
"""First words that the role network-operator may type (security guide: read access only)."""


def judge(device: Device, user: str, line: str, configuring: bool) -> None:
    """Raise RefusedError when this user may not type this line.

    A fault stands for the server's answer. Authorisation by a server takes the place of roles.
    """
    faults, text = device.faults, " ".join(line.split())
    if faults.deny and text.startswith(tuple(faults.deny)) and faults.deny_after <= 0:
        raise RefusedError(f"Error: AAA authorization failed for command:{text}, AAA_AUTHOR_STATUS_METHOD=17(0x11)")
    if faults.deny and configuring and faults.deny_after > 0:
        faults.deny_after -= 1
    known = device.root.get(f"username {user}")
    role = known.values.get("role") if known else None
    if role != "network-operator" or any(device.root.begin("aaa authorization")):
        return
    first = text.split(maxsplit=1)[0]
    if not any(word.startswith(first) for word in OPERATOR):
        raise RefusedError("% Permission denied for the role")
