"""Writes the URNs of each stack of this project: `python -m tests.components.pin_urns [--check]`.

State is a contract: an URN that moves is a resource replaced at a site unless it is aliased.
"""

import sys
from pathlib import Path

from tests.components.recording import register
from tests.design import goldens
from tools.generated import ROOT, main

HOME = ROOT / "tests/components/goldens"


def files() -> dict[Path, str]:
    """Every golden."""
    return {
        HOME / f"{stack}.urns": "\n".join(sorted(register(goldens.cluster(stack)))) + "\n" for stack in goldens.STACKS
    }


if __name__ == "__main__":
    sys.exit(main("tests.components.pin_urns", files()))
