"""Writes what each example's switches receive to tests/examples/<name>/expected: `python -m tools.goldens [--check]`.

An example is a folder with a stack file of its own, or one named after a stack of this project.
"""

import sys
from pathlib import Path

from components import spec
from components.design import fabric
from tools.generated import ROOT, main

EXAMPLES = ROOT / "tests/examples"


def stack_file(example: str) -> Path:
    """The example's stack file, or the project's of the same name."""
    own = EXAMPLES / example / f"Pulumi.{example}.yaml"
    return own if own.is_file() else ROOT / own.name


def examples() -> list[str]:
    """Names of all examples."""
    return sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())


def expected(example: str) -> dict[Path, str]:
    """Path and text of every switch of one example."""
    plan = fabric.plan(spec.load(stack_file(example)))
    folder = EXAMPLES / example / "expected"
    return {folder / f"{switch.hostname}.cfg": switch.text() for switch in plan.switches}


def files() -> dict[Path, str]:
    """Every golden."""
    return {path: text for example in examples() for path, text in expected(example).items()}


if __name__ == "__main__":
    sys.exit(main("tools.goldens", files()))
