"""Which lines of a push a test strikes at: a third of them, others each run; all of them where a seed is given."""

import os
import random

SEED = os.environ.get("PODWRIGHT_VARIANTS_SEED") or str(random.SystemRandom().randrange(10**6))
"""Drawn anew each run; the variable repeats one that failed, and `make soak SUITE=variants` sets it for each run."""
APART = 1 if "PODWRIGHT_VARIANTS_SEED" in os.environ else 3
"""Lines from one strike to the next."""


def moments(total: int, first: int = 0) -> range:
    """Numbers of the lines from `first` to before `total`, APART from each other."""
    begin = first + random.Random(f"{SEED} {total}").randrange(APART)
    print(f"PODWRIGHT_VARIANTS_SEED={SEED}: lines {begin} to {total - 1} of {total}, {APART} apart")
    return range(begin, total, APART)
