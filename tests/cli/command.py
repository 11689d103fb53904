"""The command as people and pipelines start it."""

import contextlib
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from podwright.cli.__main__ import app
from tools.generated import ROOT


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """`podwright ARGUMENTS…` in the project's folder; whatever its exit code."""
    return subprocess.run(
        [sys.executable, "-m", "podwright.cli", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def inside(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The same without a process of its own, which takes most of the time of a quick command."""
    with contextlib.chdir(ROOT):
        answer = CliRunner().invoke(app, [*map(str, arguments)])
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    return subprocess.CompletedProcess([*map(str, arguments)], answer.exit_code, answer.stdout, answer.stderr)
