"""What a run of `make rough` draws: by the commit, so that processes which share the tests agree, and one commit that
failed fails again.
"""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def seed(variable: str) -> int:
    """The number in this environment variable, or the commit's."""
    if given := os.environ.get(variable):
        return int(given)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return int(commit[:8], 16)
