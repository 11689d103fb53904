"""What a run of `make rough` draws: by the commit, so that processes which share the tests agree, and one commit that
failed fails again.
"""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = 3
"""As many runs, each by another remainder of its number, leave nothing out."""
EACH_TIME = ("tests/e2e/test_demo.", "tests/e2e/test_kills.", "tests/e2e/test_secrets.")
"""Drills on whole sites that no commit goes without: the first thing a user does, Pulumi's commands killed, and no
secret left behind."""
DRAWN = (
    "tests/e2e/test_", "tests/design/fabric/test_mutants.", "tests/policies/test_mutants.",
    "tests/providers/nxos/test_variant_mutants.", "tests/lab/openshift/test_",
)  # fmt: skip
"""Where minutes each go: whole sites, clusters under faults, and mutants in their hundreds. (Beginnings of paths: a
whole one would be read as a file that every test depends on, `tools/affected.py`.)"""


def left_out(files: Iterable[str], number: int) -> set[str]:
    """Files that a run leaves out: of those of DRAWN, in the order of their names, all but every third one, from the
    first, second or third on by `number`."""
    long = sorted(each for each in set(files) if each.startswith(DRAWN) and not each.startswith(EACH_TIME))
    return set(long) - set(long[number % PARTS :: PARTS])


def seed(variable: str) -> int:
    """The number in this environment variable, or the commit's."""
    if given := os.environ.get(variable):
        return int(given)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return int(commit[:8], 16)
