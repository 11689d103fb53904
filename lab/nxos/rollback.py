"""Going back and going elsewhere as a whole: rollback, `configure replace`, and the files of the boot flash."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

from podwright.lab.nxos.device import Device, Record, Replacing
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.patch import patch
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.render import running
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node

_HEAD = """Note: Applying config parallelly may fail Rollback verification
Collecting Running-Config
#Generating Rollback Patch
"""
_DONE = """Executing Rollback Patch
Generating Running-config for verification
Generating Patch for verification
Verification is Successful.

Rollback completed successfully.
"""
_FAILED = """Executing Rollback Patch
ERROR: Rollback Patch Execution Failed, Please check failure log using "show rollback log exec"
Rollback failed.
"""
_HEADER = re.compile(r"^(!|version |$|-----|Name: )")
REASON = "Patch execution failed"


def named(session: Session, name: str) -> Node:
    """The configuration in a checkpoint. Raises RefusedError."""
    try:
        return session.device.checkpoints[name].root
    except KeyError:
        raise RefusedError(f"ERROR: checkpoint {name} does not exist") from None


def rollback(session: Session, found: Found) -> Output:
    """The whole box goes back to a checkpoint; a fault may make it fail and leave things as they are."""
    name = found.match.values["name"]
    return _back(session, named(session, name), f"checkpoint {name}")


def rollback_file(session: Session, found: Found) -> Output:
    """The whole box goes back to a checkpoint that was written to a file."""
    name = found.match.values["file"]
    target, refused = _typed(session.device, _read(session, name))
    if refused:
        raise RefusedError(f"ERROR: {name} is not a checkpoint file")
    return _back(session, target, name)


def _back(session: Session, target: Node, name: str) -> Output:
    device = session.device
    device.writes += 1
    steps = patch(device, device.root, target)
    device.rollbacks = Record("Rollback to Checkpoint", name, session.user, device.clock.now(), steps)
    if not steps:
        return Output(_HEAD + "Rollback Patch is Empty\n\nRollback completed successfully.\n")
    if device.faults.rollback_fails:
        device.rollbacks.failed = REASON
        return Output(_HEAD + _FAILED)
    device.restore(target)
    return Output(_HEAD + _DONE)


def show_rollback_status(session: Session, _: Found) -> Output:
    """How the last rollback went."""
    return Output(_status(session.device.rollbacks, "rollback"))


def _status(record: Record | None, what: str) -> str:
    if record is None:
        return f"No {what} operation was performed\n"
    return (
        f"Last operation was '{record.operation.lower()}'\nOperation Details:\n  Target: {record.target}\n"
        f"  Done by: {record.user}\n  Operation Status: {'Failed' if record.failed else 'Success'}\n"
    )


def show_rollback_log(session: Session, found: Found) -> Output:
    """The lines of the last rollback, and what became of them."""
    return Output(_log(session.device, session.device.rollbacks, "rollback", found.match.words[-1]))


def _log(device: Device, record: Record | None, what: str, part: str) -> str:
    if record is None:
        return f"No {what} log is available\n"
    rule = "-" * 80 + "\n"
    head = (
        f"{rule}Operation            : {record.operation}\n{'Checkpoint name':<21}: {record.target}\n"
        f"{what.capitalize() + ' done By':<21}: {record.user}\nStart Time           : "
        f"{device.clock.stamp(record.started)}\n{rule}"
    )
    steps = "" if part == "verify" else "".join(f"{line}\n" for line in record.patch)
    return f"{head}{steps}\nOperation Status: {'Failed: ' + record.failed if record.failed else 'Success'}\n"


def checkpoint_file(session: Session, found: Found) -> Output:
    """Write the running configuration as a checkpoint to the boot flash."""
    return _write(session, found.match.values["file"], "Done\n")


def copy_running(session: Session, found: Found) -> Output:
    """Copy the running configuration to a file."""
    return _write(session, found.match.values["file"], "Copy complete, now saving to disk\nCopy complete.\n")


def _write(session: Session, name: str, answer: str) -> Output:
    device = session.device
    device.files[name] = running(device, "show running-config")
    device.writes += 1
    return Output(answer)


def _read(session: Session, name: str) -> str:
    try:
        return session.device.files[name]
    except KeyError:
        raise RefusedError(f"ERROR: {name}: No such file or directory") from None


def delete(session: Session, found: Found) -> Output:
    """Remove a file from the boot flash."""
    name = found.match.values["file"]
    _read(session, name)
    del session.device.files[name]
    session.device.writes += 1
    return Output("")


def show_dir(session: Session, _: Found) -> Output:
    """What lies on the boot flash."""
    stamp = session.device.clock.stamp()[4:]
    text = "".join(f"{len(body):>12}    {stamp}  {name.removeprefix('bootflash:')}\n"
                   for name, body in sorted(session.device.files.items()))  # fmt: skip
    used = sum(map(len, session.device.files.values()))
    return Output(f"{text}\nUsage for bootflash://\n{used:>12} bytes used\n115805708288 bytes total\n")


def show_file(session: Session, found: Found) -> Output:
    """Text of a file."""
    return Output(_read(session, found.match.values["file"]))


def _typed(device: Device, text: str) -> tuple[Node, list[str]]:
    """The configuration that a text means on this switch, and the lines of it that the switch refuses."""
    bare = dataclasses.replace(device, root=Node(""), files={}, checkpoints={}, timetable={})
    bare.root.children = {
        key: Node(node.line, node.command) for key, node in device.factory.children.items()
        if node.line.startswith(("interface Ethernet", "interface mgmt"))
    }  # fmt: skip
    session, refused = Session(bare, quiet=True, dont_ask=True), []
    session.run("configure terminal")
    for line in text.splitlines():
        if not _HEADER.match(line) and re.search(r"^ *\^\n|^%|^ERROR|^Invalid", session.run(line), re.MULTILINE):
            refused.append(line)
    return bare.root, refused


def replace_dry(session: Session, found: Found) -> Output:
    """What a replace would do: its patch, or whether the file is fit for it."""
    device = session.device
    target, refused = _typed(device, _read(session, found.match.values["file"]))
    if found.match.words[-1] == "show-patch":
        lines = patch(device, device.root, target)
        return Output("Collecting Running-Config\nConverting to checkpoint file\n#Generating Rollback Patch\n"
                      + ("".join(f"{line}\n" for line in lines) or "Rollback Patch is Empty\n"))  # fmt: skip
    return Output("Verification failed, Rolling back to previous configuration\n" + "".join(f"`{r}`\n" for r in refused)
                  if refused else "Verified config successfully\n")  # fmt: skip


def replace(session: Session, found: Found) -> Output:
    """Make a file the running configuration; with a timer it waits for `configure replace commit`."""
    device, words, name = session.device, found.match.words, found.match.values["file"]
    if device.replacing is not None:
        raise RefusedError("ERROR: a configure replace is waiting for its commit")
    target, refused = _typed(device, _read(session, name))
    device.writes += 1
    record = Record("Configure replace", name, session.user, device.clock.now(), patch(device, device.root, target))
    device.replaces = record
    head = "Collecting Running-Config\nConverting to checkpoint file\n"
    if not record.patch and not refused:
        return Output(head + "No difference between current running-config and the given configuration\n")
    if device.faults.rollback_fails or (refused and "best-effort" not in words):
        record.failed = f"`{refused[0]}` is not accepted" if refused else REASON
        return Output(head + "#Generating Rollback Patch\nExecuting Rollback Patch\nConfigure replace failed. "
                      "Use 'show config-replace log exec' to see reasons\n")  # fmt: skip
    before = device.root.copy()
    device.restore(target)
    if "commit-timeout" in words:
        device.replacing = Replacing(before, device.clock.now() + int(found.match.values["s"]))
    done = "Configure replace completed successfully" + (" with errors" if refused else "") + "\n"
    return Output(head + "#Generating Rollback Patch\nExecuting Rollback Patch\nGenerating Running-config for "
                  f"verification\nGenerating Patch for verification\n{done}")  # fmt: skip


def replace_commit(session: Session, _: Found) -> Output:
    """Keep what the last replace made; without a waiting timer there is nothing to commit."""
    if session.device.replacing is None:
        raise RefusedError("ERROR: there is no configure replace that waits for a commit")
    session.device.replacing = None
    session.device.writes += 1
    return Output("Commit successful\n")


def expire(device: Device) -> None:
    """Put the old configuration back when nobody committed a replace in time."""
    waiting = device.replacing
    if waiting is None or device.faults.down or device.clock.now() < waiting.deadline:
        return
    device.replacing = None
    if device.faults.rollback_fails:
        return
    device.restore(waiting.before)
    if device.replaces is not None:
        device.replaces.failed = "commit timer expired, configuration restored"


def show_replace(session: Session, found: Found) -> Output:
    """How the last configure replace went, or its log."""
    device, words = session.device, found.match.words
    if words[2] == "status":
        waiting = device.replacing
        left = "" if waiting is None else f"  Commit timer: {int(waiting.deadline - device.clock.now())} s left\n"
        return Output(_status(device.replaces, "config-replace") + left)
    return Output(_log(device, device.replaces, "config-replace", words[-1]))


ROLLBACKS: dict[str, Callable[[Session, Found], Output]] = {
    "rollback": rollback, "rollback_file": rollback_file, "checkpoint_file": checkpoint_file,
    "copy_running": copy_running, "delete": delete, "dir": show_dir, "show_file": show_file,
    "replace_dry": replace_dry, "replace": replace, "replace_commit": replace_commit, "show_replace": show_replace,
    "show_rollback_status": show_rollback_status, "show_rollback_log": show_rollback_log,
}  # fmt: skip
"""Name in the command table to function."""
