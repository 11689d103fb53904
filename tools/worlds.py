"""Make the lab's world of the production site from its stack file, or with --check say that it is stale.

python -m tools.worlds [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

from podwright.cli import world
from podwright.components import model
from tools import generated

HEADER = """\
# The site of Pulumi.prod.yaml as it is delivered: racked, cabled, nothing configured.
# Made by `python -m tools.worlds`, as `podwright explain world` does for any stack file.

"""


def files() -> dict[Path, str]:
    """The world file and its content."""
    content = world.text(model.load(generated.ROOT / "Pulumi.prod.yaml"))
    return {generated.ROOT / "lab/worlds/prod.yaml": HEADER + content}


if __name__ == "__main__":
    sys.exit(generated.main("tools.worlds", files()))
