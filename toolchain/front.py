"""`pulumi` as the clone's `.venv/bin` has it: the engine of this set-up, in the environment it needs.

It starts in a shell in which `.venv/bin/activate` was sourced and nothing else: Pulumi then finds the plugins that were
built, and the demo's backend is kept to the lab's stack.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from podwright.toolchain.environment import Whose, shell
from podwright.toolchain.errors import SetupError
from podwright.toolchain.keys import CLONE, INSTALLED, SETUP
from podwright.toolchain.ownership import refuse_foreign_stack

_ABOUT_LOGINS = {"login", "logout", "whoami"}


def start(words: Sequence[str], environ: Mapping[str, str], owner: Whose | None = None) -> NoReturn:
    """Become `pulumi <words>`; raise SetupError if it is not set up or the stack is not the demo's to touch."""
    if owner is None and words[:1] and words[0] in _ABOUT_LOGINS:
        owner = Whose.SITE  # a login made in the demo's environment would be lost in it
    env = shell(environ, CLONE, owner)
    refuse_foreign_stack(words, env)
    if not Path.cwd().is_relative_to(CLONE):
        # A project elsewhere (`podwright new`) names no plugin: the clone's own leads PATH.
        env.pop("PULUMI_IGNORE_AMBIENT_PLUGINS", None)
    program = Path(env["PODWRIGHT_BIN"]) / "pulumi"
    if not program.exists():
        raise SetupError("Pulumi is not set up", f"run {'' if INSTALLED else '`make setup`, or '}`{SETUP} preview`")
    os.execve(program, ["pulumi", *words], env)  # noqa: S606 -- the caller's own command line


def main() -> int:
    """Entry point of `.venv/bin/pulumi`."""
    try:
        start(sys.argv[1:], os.environ)
    except SetupError as problem:
        sys.stderr.write(f"pulumi: {problem}\n")
        return 2
