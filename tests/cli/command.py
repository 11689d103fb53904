"""The command as people and pipelines start it."""

import subprocess
import sys
from pathlib import Path

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
