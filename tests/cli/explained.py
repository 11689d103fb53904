"""Writes what `explain compute` prints of the example `roles`: `python -m tests.cli.explained [--check]`."""

import sys
from pathlib import Path

from podwright.cli import compute
from tools.generated import ROOT, main

FOLDER = ROOT / "tests/examples/roles"
SERVERS = ("cp-1", "cp-3", "gpu-1", "gpu-2")
"""One of each role, and those with a setting of their own."""


def files() -> dict[Path, str]:
    """Every golden."""
    stack = FOLDER / "Pulumi.roles.yaml"
    return {
        FOLDER / "explained" / f"{name}.txt": "\n".join(compute.lines(compute.document(stack, name))) + "\n"
        for name in SERVERS
    }


if __name__ == "__main__":
    sys.exit(main("tests.cli.explained", files()))
