"""Going back and going elsewhere as a whole: rollback and `configure replace`."""

from __future__ import annotations

import dataclasses
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from podwright.lab.nxos.bootflash import CHECKPOINT_HEAD, read
from podwright.lab.nxos.device import Device, Record, Replacing
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.patch import additions, patch
from podwright.lab.nxos.refusal import RefusedError
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
    """The whole box goes back, or elsewhere, to a checkpoint in a file. A line that it refuses fails the whole."""
    target, refused = from_file(session, found.match.values["file"])
    return _back(session, target, found.match.values["file"], refused)


def from_file(session: Session, name: str) -> tuple[Node, list[str]]:
    """The configuration that a checkpoint file means here, and lines that are refused. Raises RefusedError."""
    text = read(session, name)
    if CHECKPOINT_HEAD not in text:
        raise RefusedError(f"ERROR: {name} is not a checkpoint file\nRollback failed.")
    return _typed(session.device, text)


def _back(session: Session, target: Node, name: str, refused: Sequence[str] = ()) -> Output:
    device = session.device
    device.writes += 1
    steps = patch(device, device.root, target)
    device.rollbacks = Record("Rollback to Checkpoint", name, session.user, device.clock.now(), steps)
    if not steps and not refused:
        return Output(_HEAD + "Rollback Patch is Empty\n\nRollback completed successfully.\n")
    refused = refused or _in_the_way(device, target)
    if device.faults.rollback_fails or refused:
        device.rollbacks.failed = f"`{refused[0].strip()}` is not accepted" if refused else REASON
        return Output(_HEAD + _FAILED)
    device.restore(target)
    return Output(_HEAD + _DONE)


def _in_the_way(device: Device, target: Node) -> list[str]:
    """Lines of the target that are refused while what goes still stands: where additions come first, they fail the
    whole, which is atomic by default."""
    if device.form("patch") == "removals-first":
        return []
    return _refused(_bare(device, device.root.copy()), additions(device, device.root, target))


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


def _typed(device: Device, text: str) -> tuple[Node, list[str]]:
    """The configuration that a text means on this switch, and the lines of it that the switch refuses."""
    bare = _bare(device, Node(""))
    bare.root.children = {
        key: Node(node.line, node.command) for key, node in device.factory.children.items()
        if node.line.startswith(("interface Ethernet", "interface mgmt"))
    }  # fmt: skip
    refused = _refused(bare, text.splitlines())
    return bare.root, refused


def _bare(device: Device, root: Node) -> Device:
    """The same switch with another configuration, for a try: what is typed there is of no consequence."""
    return dataclasses.replace(
        device, root=root, files={}, checkpoints={}, timetable={}, accounting=deque(maxlen=0)
    )  # fmt: skip


def _refused(device: Device, lines: Iterable[str]) -> list[str]:
    """Type lines; those that the switch does not take."""
    session = Session(device, quiet=True, dont_ask=True)
    session.run("configure terminal")
    typed = (line for line in lines if not _HEADER.match(line))
    return [line for line in typed if re.search(r"^ *\^\n|^%|^ERROR|^Invalid", session.run(line), re.MULTILINE)]


def replace_dry(session: Session, found: Found) -> Output:
    """What a replace would do: its patch, or whether the file is fit for it."""
    device = session.device
    target, refused = _typed(device, read(session, found.match.values["file"]))
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
    target, refused = _typed(device, read(session, name))
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
    "rollback": rollback, "rollback_file": rollback_file,
    "replace_dry": replace_dry, "replace": replace, "replace_commit": replace_commit, "show_replace": show_replace,
    "show_rollback_status": show_rollback_status, "show_rollback_log": show_rollback_log,
}  # fmt: skip
"""Name in the command table to function."""
