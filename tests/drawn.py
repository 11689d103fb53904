"""What a run of `make rough` draws: by the commit, so that processes which share the tests agree, and one commit that
failed fails again.
"""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = 6
"""As many runs, each by another remainder of its number, leave nothing out."""
EACH_TIME = (
    "tests/e2e/test_demo.", "tests/e2e/test_kills.", "tests/e2e/test_secrets.", "tests/coverage/", "tests/platforms/",
    "tests/queue_sets/", "tests/training_pools/",
)  # fmt: skip
"""Drills that no commit goes without: the first thing a user does, Pulumi's commands killed, no secret left behind, and
those that draw cases themselves. (Beginnings of paths: a whole one would be read as a file that every test depends on,
`tools/affected.py`.)"""


def left_out(files: Iterable[str], number: int) -> set[str]:
    """Files that a run leaves out: in the order of their names, all but those of EACH_TIME and every sixth other one,
    from which of the first six on by `number`."""
    drawn = sorted(each for each in set(files) if not each.startswith(EACH_TIME))
    return set(drawn) - set(drawn[number % PARTS :: PARTS])


def seed(variable: str) -> int:
    """The number in this environment variable, or the commit's."""
    if given := os.environ.get(variable):
        return int(given)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return int(commit[:8], 16)
