"""`podwright setup` and `podwright env`: the programs that Pulumi and the lab need, and a shell that finds them."""

import os
import sys
from typing import Annotated, NoReturn

import typer

_TOOLCHAIN = "podwright.toolchain"

Steps = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[STEP…]", help="preview: what a plan or an update needs. lab: what the lab needs. None: all."
    ),
]
NoWait = Annotated[bool, typer.Option("--no-wait", help="Fail at once if another set-up is running.")]


def setup(steps: Steps = None, no_wait: NoWait = False) -> None:
    """Make Pulumi, its plugins and the lab's programs ready: those on PATH that fit, else built from pinned sources."""
    _become("setup", *(["--no-wait"] if no_wait else []), *(steps or ()))


def env() -> None:
    """Print what makes a shell find these programs: eval "$(podwright env)"."""
    _become("env")


def _become(*words: str) -> NoReturn:
    command = [sys.executable, "-m", _TOOLCHAIN, *words]
    os.execv(sys.executable, command)  # noqa: S606 - this package's own module
