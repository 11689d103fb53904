"""What the demo keeps of its stack: made by it, marked as its own, and taken away without touching a file beside."""

import json
import shutil
from pathlib import Path

PROJECT = "podwright"
MARK = "demo.json"
_FILES = ("json", "json.bak", "json.gz", "json.gz.bak", "pulumi-tags")


class ForeignStackError(Exception):
    """A stack of the demo's name lies in its place and the demo did not make it."""


def _files(state: Path, stack: str) -> list[Path]:
    # Spelled out: `lab.*` would take the stack lab.eu along.
    folder = state / ".pulumi" / "stacks" / PROJECT
    return [folder / f"{stack}.{suffix}{metadata}" for suffix in _FILES for metadata in ("", ".attrs")]


def _folders(state: Path, stack: str) -> list[Path]:
    remaining = [state / ".pulumi" / what / PROJECT / stack for what in ("history", "backups")]
    locks = state / ".pulumi" / "locks" / "organization" / PROJECT / stack
    return [*remaining, locks, state / "installations" / PROJECT / stack]


def _marked(state: Path, stack: str) -> bool:
    try:
        return bool(json.loads((state / MARK).read_text())["stack"] == stack)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def claim(state: Path, stack: str) -> None:
    """Mark the stack as the demo's, before it is made; raise if there is one that the demo did not make."""
    if _marked(state, stack):
        return
    if there := [file for file in _files(state, stack) if file.exists()]:
        raise ForeignStackError(
            f"{there[0]} is a stack {stack} that this demo did not make\n"
            f"  what to do: if it is left over from a demo and its lab is down, remove {state}; else move it away"
        )
    state.mkdir(parents=True, exist_ok=True)
    (state / MARK).write_text(json.dumps({"stack": stack, "project": PROJECT}) + "\n")


def forget(state: Path, stack: str) -> None:
    """Remove the files of the demo's own stack, the mark last; other stacks, and one the demo did not make, stay."""
    if not _marked(state, stack):
        return
    for folder in _folders(state, stack):
        shutil.rmtree(folder, ignore_errors=True)
    for file in _files(state, stack):
        file.unlink(missing_ok=True)
    (state / MARK).unlink()
