"""A pulumi command line as this package runs it: which program, with which pack, plugin and interpreter."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import typer
import yaml

from podwright.cli import stack
from podwright.cli.engine.file_backend import address, of_project, without_attributes
from podwright.cli.stack import StackError

NOT_STARTED = 127
"""Exit code where there is no pulumi, as a shell has it."""
_BY_SIGNAL = 128
_ANSWERED_BEFOREHAND = ("--yes", "-y", "--skip-preview", "-f", "--non-interactive")


def pack() -> Path:
    """The folder of the policy pack, beside this command's own package. Raises StackError if it cannot run there."""
    folder = Path(__file__).resolve().parents[2] / "policies"
    return runnable(folder)


def runnable(folder: Path) -> Path:
    """A pack's folder. Pulumi runs packs in virtual environments only: raises StackError if it is in none."""
    runtime = yaml.safe_load((folder / "PulumiPolicy.yaml").read_text(encoding="utf-8"))["runtime"]
    python = folder / runtime["options"]["virtualenv"] / "bin" / "python"
    if python.exists():
        return folder
    raise StackError(
        f"the policy pack cannot run from {folder}: Pulumi runs a pack in a virtual environment only\n"
        "install podwright into one: python3 -m venv ENVIRONMENT, then ENVIRONMENT/bin/pip install podwright (or pipx)"
    )


def environ(given: Mapping[str, str]) -> dict[str, str]:
    """`given`, with this package's interpreter and its plugin where Pulumi looks for them.

    A program that names no environment of its own runs in PULUMI_PYTHON_CMD; the plugin's executable is found on
    PATH. So a command that was installed for itself (pipx) works without an activated environment. A backend that is a
    folder gets no attributes files from us.
    """
    scripts = str(Path(sys.executable).parent)
    path = given.get("PATH", os.defpath)
    if scripts not in path.split(os.pathsep):
        path = os.pathsep.join([path, scripts])
    made = {"PULUMI_PYTHON_CMD": sys.executable, **given, "PATH": path}
    backend = address(given, Path.cwd())
    # A project that names its backend keeps it: Pulumi resolves that address itself.
    if backend.startswith("file://") and backend != of_project(Path.cwd()):
        made["PULUMI_BACKEND_URL"] = without_attributes(backend)
    return made


def words(verb: str, name: str, flags: Sequence[str], more: Sequence[str]) -> list[str]:
    """`pulumi VERB`, the stack if one is named, our flags, and what the person adds."""
    chosen = ["--stack", name] if name else []
    return ["pulumi", verb, *chosen, *flags, *more]


def answers(more: Sequence[str]) -> list[str]:
    """Of a person's own words those that answer questions beforehand: they hold for every command of a series."""
    return [each for each in more if each in _ANSWERED_BEFOREHAND]


def become(command: Sequence[str]) -> NoReturn:
    """Print the command and become it: its exit code is ours, and Ctrl-C its own. Raises StackError."""
    program = _located(command)
    try:
        os.execvpe(program[0], program, environ(os.environ))  # noqa: S606 - the command line that was just printed
    except OSError as problem:
        raise StackError(f"{program[0]} cannot be started: {problem.strerror}") from problem


def run(command: Sequence[str]) -> int:
    """Print the command and wait for it; returns its exit code. Ctrl-C reaches it, and we wait for how it ends."""
    program = _located(command)
    # A handler, not SIG_IGN: that would be handed on, and Pulumi would not be interrupted either.
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        status = subprocess.run(program, env=environ(os.environ), check=False).returncode
    except OSError as problem:
        raise StackError(f"{program[0]} cannot be started: {problem.strerror}") from problem
    finally:
        signal.signal(signal.SIGINT, before)
    return _BY_SIGNAL - status if status < 0 else status


def captured(command: Sequence[str], events: Path) -> tuple[int, str]:
    """Print the command, wait for it, and return its exit code and what it printed; `events` is written by the engine.

    What it asks a person, as for a passphrase, goes to standard error and reaches the terminal. Raises StackError.
    """
    program = [*_located(command), "--event-log", os.fspath(events)]
    env = {**environ(os.environ), "PULUMI_DEBUG_COMMANDS": "true"}  # without it Pulumi does not know the flag
    try:
        with subprocess.Popen(program, env=env, stdout=subprocess.PIPE, text=True) as process:
            before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
            try:
                printed, _ = process.communicate()
            finally:
                signal.signal(signal.SIGINT, before)
    except OSError as problem:
        raise StackError(f"{program[0]} cannot be started: {problem.strerror}") from problem
    status = process.returncode
    return (_BY_SIGNAL - status if status < 0 else status), printed


def answer(command: Sequence[str]) -> str:
    """What the command prints, without a word to the person; empty where it fails."""
    done = subprocess.run(
        _located(command, printed=False), env=environ(os.environ), capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.stdout if done.returncode == 0 else ""


def _located(command: Sequence[str], *, printed: bool = True) -> list[str]:
    """The command line with the person's own pulumi, or the clone's; printed as it can be typed again."""
    line = [*stack.program(), *command[1:]]
    if printed:
        typer.echo(f"+ {shlex.join(line)}", err=True)
    return line
