"""Writes what each example's switches receive to tests/examples/<name>/expected: `python -m tools.goldens [--check]`.

An example is a folder with a stack file of its own, or one named after a stack of this project. Of a large one the text
of the first switch of each role is kept, and a digest of every switch's.
"""

import hashlib
import sys
from pathlib import Path

from podwright.components import model
from podwright.components.design import fabric
from tools.generated import ROOT, main

EXAMPLES = ROOT / "tests/examples"


WHOLE = 20
"""Switches up to which every text is kept."""


def stack_file(example: str) -> Path:
    """The example's stack file, or the project's of the same name."""
    own = EXAMPLES / example / f"Pulumi.{example}.yaml"
    return own if own.is_file() else ROOT / own.name


def examples() -> list[str]:
    """Names of all examples."""
    return sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())


def expected(example: str) -> dict[Path, str]:
    """Path and text of every golden of one example."""
    switches = fabric.plan(model.load(stack_file(example))).switches
    folder = EXAMPLES / example / "expected"
    if len(switches) <= WHOLE:
        return {folder / f"{switch.hostname}.cfg": switch.text() for switch in switches}
    first = {switch.role: switch for switch in reversed(switches)}
    digests = {switch.hostname: hashlib.sha256(switch.text().encode()).hexdigest() for switch in switches}
    kept = {folder / f"{switch.hostname}.cfg": switch.text() for switch in first.values()}
    return kept | {folder / "SHA256SUMS": "".join(f"{digest}  {name}.cfg\n" for name, digest in digests.items())}


def files() -> dict[Path, str]:
    """Every golden."""
    return {path: text for example in examples() for path, text in expected(example).items()}


if __name__ == "__main__":
    sys.exit(main("tools.goldens", files()))
