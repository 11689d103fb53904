"""The boot flash: its files, and the commands that list, show, write and remove them."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.render import running
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found

TOTAL = 115805708288
"""Bytes of the boot flash."""
PREFIX = "bootflash:"
CHECKPOINT_HEAD = "!Command: Checkpoint cmd vdc 1"
"""The line by which the box knows a file that `checkpoint file` wrote; a rollback takes no other."""


def content(device: Device, name: str) -> bytes:
    """Bytes of a file; `device.files` has them as text, what is no UTF-8 escaped. Raises KeyError."""
    return device.files[name].encode("utf-8", "surrogateescape")


def store(device: Device, name: str, data: bytes) -> None:
    """Write a file, in place of one of the same name."""
    device.files[name] = data.decode("utf-8", "surrogateescape")
    device.files_written[name] = device.clock.now()
    device.writes += 1


def read(session: Session, name: str) -> str:
    """Text of a file. Raises RefusedError."""
    try:
        return session.device.files[name]
    except KeyError:
        raise RefusedError(f"ERROR: {name}: No such file or directory") from None


def checkpoint_file(session: Session, found: Found) -> Output:
    """Write the running configuration as a checkpoint to the boot flash."""
    device = session.device
    text = running(device, "show running-config").replace("!Command: show running-config", CHECKPOINT_HEAD, 1)
    store(device, found.match.values["file"], text.encode())
    return Output("Done\n")


def copy_running(session: Session, found: Found) -> Output:
    """Copy the running configuration to a file."""
    store(session.device, found.match.values["file"], running(session.device, "show running-config").encode())
    return Output("Copy complete, now saving to disk\nCopy complete.\n")


def delete(session: Session, found: Found) -> Output:
    """Remove a file from the boot flash, after a question unless `no-prompt` or `terminal dont-ask` says otherwise."""
    device, name = session.device, found.match.values["file"]
    read(session, name)

    def gone() -> str:
        device.files.pop(name, None)
        device.writes += 1
        return ""

    if found.match.words[-1] == "no-prompt":
        return Output(gone())
    return Output(session.ask(f'Do you want to delete "/{name.removeprefix(PREFIX)}" ? (yes/no/abort)   [y] ', gone))


def show_dir(session: Session, found: Found) -> Output:
    """What lies on the boot flash, or one file of it."""
    device, wanted = session.device, found.match.values.get("file")
    if wanted is not None:
        read(session, wanted)
    text = ""
    for name in sorted(device.files if wanted is None else [wanted]):
        moment = time.strftime("%b %d %H:%M:%S %Y", time.gmtime(device.files_written.get(name, device.clock.booted)))
        text += f"{len(content(device, name)):>11}    {moment}  {name.removeprefix(PREFIX)}\n"
    used = sum(len(content(device, name)) for name in device.files)
    return Output(f"{text}\nUsage for bootflash://sup-local\n{used:>12} bytes used\n{TOTAL - used:>12} bytes free\n"
                  f"{TOTAL:>12} bytes total\n")  # fmt: skip


def show_file(session: Session, found: Found) -> Output:
    """Text of a file, or its checksum."""
    name, kind = found.match.values["file"], found.match.words[-1]
    text = read(session, name)
    if kind in ("md5sum", "sha256sum"):
        return Output(hashlib.new(kind.removesuffix("sum"), content(session.device, name)).hexdigest() + "\n")
    return Output(text)


FILES: dict[str, Callable[[Session, Found], Output]] = {
    "checkpoint_file": checkpoint_file, "copy_running": copy_running, "delete": delete, "dir": show_dir,
    "show_file": show_file,
}  # fmt: skip
"""Name in the command table to function."""
