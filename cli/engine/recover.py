"""`podwright recover`: what a person does after an update that was killed, in the order that works."""

import json
from collections.abc import Sequence

import typer

from podwright.cli.engine import invocation
from podwright.cli.engine.file_backend import FileBackend

LOCKED = 3
"""Exit code where another command is at work on the stack."""


def recover(name: str, more: Sequence[str], flags: Sequence[str], *, cancel: bool) -> int:
    """Repair and go on; returns the exit code of the last pulumi. Raises StackError where there is none."""
    _, locked = free(name, cancel=cancel)
    if locked:
        return locked
    update = invocation.words("up", name, [*flags, "--refresh", "--run-program"], more)
    return invocation.run(update) or forget_cut_off_creations(name, more)


def free(name: str, *, cancel: bool) -> tuple[str, int]:
    """Repair what a kill left of a stack, and let go of its lock: the stack's name, and 0 if it is free then."""
    backend = repaired(name)
    stack = name or invocation.answer(["pulumi", "stack", "--show-name", "--non-interactive"]).strip()
    return stack, _let_go(backend, stack, cancel=cancel)


def repaired(name: str) -> FileBackend | None:
    """The backend, where it is a folder; without its attributes file a state is read, with an empty one it is not."""
    backend = FileBackend.current()
    for path in backend.empty_attributes(_plain(name)) if backend else ():
        path.unlink()
        typer.echo(f"removed {path}: it was empty, and Pulumi fails on it (failed to load checkpoint: EOF)", err=True)
    return backend


def _let_go(backend: FileBackend | None, stack: str, *, cancel: bool) -> int:
    """Cancel what holds the stack, unless it is at work; 0 if the stack is free then."""
    locks = backend.locks(_plain(stack)) if backend else []
    for lock in locks:
        typer.echo(f"the stack {stack} is locked by {lock.holder}", err=True)
    if any(lock.alive for lock in locks) and not cancel:
        typer.echo("that process is running: wait until it ends, or let go of the lock by --cancel", err=True)
        return LOCKED
    if not locks and not cancel:
        return 0
    return invocation.run(invocation.words("cancel", stack, ["--yes"], ()))


def forget_cut_off_creations(name: str, more: Sequence[str]) -> int:
    """A creation that was cut off is finished by the update; the engine keeps a note of it until it is told."""
    chosen = ["--stack", name] if name else []
    try:
        exported = json.loads(invocation.answer(["pulumi", "stack", "export", *chosen, "--non-interactive"]))
    except ValueError:
        return 0
    pending = (exported.get("deployment") or {}).get("pending_operations") or ()
    if not any(each.get("type") == "creating" for each in pending):
        return 0
    flags = ["--run-program", "--clear-pending-creates"]
    return invocation.run(invocation.words("refresh", name, flags, invocation.answers(more)))


def _plain(name: str) -> str:
    """A stack's name without organisation and project."""
    return name.rpartition("/")[2]
