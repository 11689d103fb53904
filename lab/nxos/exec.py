"""Exec commands: one function per `do:` of the command table."""

from __future__ import annotations

import time
from collections.abc import Callable

from podwright.lab.nxos import maintenance
from podwright.lab.nxos.bootflash import FILES
from podwright.lab.nxos.device import CHECKPOINTS, Checkpoint
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.patch import patch, patch_text
from podwright.lab.nxos.ping import ping
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.render import running
from podwright.lab.nxos.rollback import ROLLBACKS, from_file, named
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows import ALL
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.traceroute import traceroute
from podwright.lab.nxos.tree import Node

Handler = Callable[[Session, Found], Output]


def configure(session: Session, _: Found) -> Output:
    """Enter configuration mode."""
    session.configure()
    return Output("" if session.quiet else "Enter configuration commands, one per line. End with CNTL/Z.\n")


def end(session: Session, _: Found) -> Output:
    """Back to exec."""
    _left(session)
    session.places = []
    return Output("")


def _left(session: Session) -> None:
    if session.places:
        session.device.note("VSHD-5-VSHD_SYSLOG_CONFIG_I", f"Configured from vty by {session.user} on vsh")


def leave(session: Session, _: Found) -> Output:
    """One mode up; from exec the session ends."""
    if session.places:
        _left(session) if len(session.places) == 1 else None
        session.places.pop()
    else:
        session.closed = True
    return Output("")


def terminal(session: Session, found: Found) -> Output:
    """Terminal settings of this session."""
    words = found.match.words
    if "length" in words:
        session.length = int(found.match.values["n"])
    if words[-1] == "dont-ask":
        session.dont_ask = "no" not in words
    return Output("")


def save(session: Session, _: Found) -> Output:
    """Running to startup."""
    session.device.startup = session.device.root.copy()
    session.device.writes += 1
    return Output(
        "[########################################] 100%\nCopy complete, now saving to disk\nCopy complete.\n"
    )


def checkpoint(session: Session, found: Found) -> Output:
    """Keep a named copy; the eleventh is refused."""
    device, name = session.device, found.match.values.get("name", "")
    if name.startswith("system"):
        raise RefusedError("ERROR: checkpoint name can not start with 'system'")
    if name in device.checkpoints:
        raise RefusedError(f"ERROR: checkpoint {name} already exists")
    if len(device.checkpoints) >= CHECKPOINTS:
        if device.form("checkpoints") == "refused":
            raise RefusedError(f"ERROR: maximum number of checkpoints ({CHECKPOINTS}) reached")
        del device.checkpoints[next(iter(device.checkpoints))]
    if not name:
        taken = device.checkpoints
        name = next(n for n in (f"user-checkpoint-{i}" for i in range(1, CHECKPOINTS + 1)) if n not in taken)
    text = found.match.values.get("text", "None")
    device.checkpoints[name] = Checkpoint(device.root.copy(), session.user, device.clock.now(), text)
    device.writes += 1
    return Output(f"{name} created\nDone\n")


def no_checkpoint(session: Session, found: Found) -> Output:
    """Forget one copy."""
    if session.device.checkpoints.pop(found.match.values["name"], None) is None:
        raise RefusedError(f"ERROR: checkpoint {found.match.values['name']} does not exist")
    session.device.writes += 1
    return Output("Done\n")


def clear_checkpoints(session: Session, _: Found) -> Output:
    """Forget all copies."""
    session.device.checkpoints.clear()
    session.device.writes += 1
    return Output("Done\n")


def _config(session: Session, words: list[str]) -> Node:
    """What `checkpoint X`, `file F`, `running-config` or `startup-config` at the head of `words` means."""
    head = words.pop(0)
    if head == "checkpoint":
        return named(session, words.pop(0))
    if head == "file":
        return from_file(session, words.pop(0))[0]
    device = session.device
    return device.root if head == "running-config" else (device.startup or Node(""))


def show_patch(session: Session, found: Found) -> Output:
    """The lines that lead from the first to the second."""
    words = list(found.match.words[3:])
    have, want = _config(session, words), _config(session, words)
    return Output(patch_text(patch(session.device, have, want)))


def show_checkpoints(session: Session, _: Found) -> Output:
    """Names, authors and times of the checkpoints."""
    text = "User Checkpoint Summary\n" + "-" * 80 + "\n"
    for index, (name, point) in enumerate(session.device.checkpoints.items(), 1):
        size = len(running(session.device, "", point.root))
        text += (
            f"{index}) {name}:\nCreated by {point.user}\n"
            f"Created at {time.strftime('%a, %H:%M:%S %d %b %Y', time.gmtime(point.created))}\n"
            f"Size is {size:,} bytes\nDescription: {point.description}\n\n"
        )
    return Output(text)


def show_checkpoint(session: Session, found: Found) -> Output:
    """A checkpoint's text."""
    name = found.match.values["name"]
    root = named(session, name)
    text = running(session.device, f"Checkpoint cmd vdc 1\n!Name: {name}", root)
    return Output("-" * 80 + f"\nName: {name}\n" + text)


def clear_counters(session: Session, found: Found) -> Output:
    """Zero the counters of some ports, or of all."""
    device = session.device
    only = found.match.values.get("ports")
    for (switch, port), row in device.world.counters.items():
        if switch == device.switch.name and (only is None or port in only.split(",")):
            row.update(dict.fromkeys(row, 0))
    return Output("")


def reload(session: Session, _: Found) -> Output:
    """Ask, then restart from the startup configuration."""
    return Output(session.ask("This command will reboot the system. (y/n)?  [n] ", session.reload))


HANDLERS: dict[str, Handler] = {
    "configure": configure, "end": end, "exit": leave, "terminal": terminal, "save": save, "checkpoint": checkpoint,
    "no_checkpoint": no_checkpoint, "clear_checkpoints": clear_checkpoints,
    "show_patch": show_patch, "show_checkpoints": show_checkpoints, "show_checkpoint": show_checkpoint,
    "clear_counters": clear_counters, "reload": reload, "ping": ping, "traceroute": traceroute,
    **FILES, **ROLLBACKS, **maintenance.SHOWS, **ALL,
}  # fmt: skip
"""Name in the command table to function."""
