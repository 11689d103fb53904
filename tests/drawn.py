"""What a run of `make rough` draws: by the commit, so that processes which share the tests agree, and one commit that
failed fails again.
"""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EACH_TIME = ("tests/e2e/test_demo.", "tests/e2e/test_kills.", "tests/e2e/test_secrets.")
"""Drills on whole sites that no commit goes without: the first thing a user does, Pulumi's commands killed, and no
secret left behind."""
HALVED = (
    "tests/e2e/test_", "tests/design/fabric/test_mutants.", "tests/policies/test_mutants.",
    "tests/providers/nxos/test_variant_mutants.", "tests/lab/openshift/test_joint_budget.",
)  # fmt: skip
"""Where minutes each go: whole sites, and mutants in their hundreds. (Beginnings of paths: a whole one would be read as
a file that every test depends on, `tools/affected.py`.)"""


def other_half(files: Iterable[str], number: int) -> set[str]:
    """Files that a run leaves out: of those of HALVED, in the order of their names, every second one, from the first
    or the second on by `number`. Two numbers, one even and one odd, leave none out."""
    drawn = sorted(each for each in set(files) if each.startswith(HALVED) and not each.startswith(EACH_TIME))
    return set(drawn[number % 2 :: 2])


def seed(variable: str) -> int:
    """The number in this environment variable, or the commit's."""
    if given := os.environ.get(variable):
        return int(given)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return int(commit[:8], 16)
