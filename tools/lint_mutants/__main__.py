"""`python -m tools.lint_mutants [EXAMPLE …] [--seed N] [--most N]`: how many mutants that matter does the lint name?

Reads published configurations too, where PODWRIGHT_GROUND_TRUTH names their folder. Prints the numbers of each site,
and each mutant that makes switches forward or peer otherwise and that no rule names.
"""

import argparse
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.lint_mutants.measure import Verdict, verdicts
from tools.lint_mutants.sites import Published, Site, planned

GROUND_TRUTH = "PODWRIGHT_GROUND_TRUTH"


def sites() -> Iterator[Site]:
    """Every example, and what was published."""
    yield from planned()
    if os.environ.get(GROUND_TRUTH):
        yield Published(Path(os.environ[GROUND_TRUTH]))


def report(found: Sequence[Verdict]) -> Iterator[str]:
    """Numbers of one site, and what survives."""
    effective = [each for each in found if each.effect and not each.refused]
    named = sum(not each.survives for each in effective)
    yield (
        f"{found[0].site}: {len(found)} mutants, {sum(each.refused for each in found)} refused by the switch, "
        f"{len(effective)} change something, {named} named ({100 * named / max(len(effective), 1):.1f} %)"
    )
    yield f"  rules: {dict(Counter(rule for each in effective for rule in each.named).most_common())}"
    for each in effective:
        if each.survives:
            yield f"  survives: {each.switch} {each.what}\n      {'; '.join(sorted(each.effect)[:2])}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; status 1 if fewer than 95 of 100 are named."""
    parser = argparse.ArgumentParser(prog="python -m tools.lint_mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="EXAMPLE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=None, help="mutants of each site, drawn from all")
    given = parser.parse_args(arguments)
    every: list[Verdict] = []
    for site in sites():
        if not given.names or site.name in given.names:
            found = list(verdicts(site, random.Random(given.seed), given.most))  # noqa: S311 - a seeded sample
            every += found
            print(*report(found), sep="\n", flush=True)
    effective = [each for each in every if each.effect and not each.refused]
    named = sum(not each.survives for each in effective)
    print(f"in all: {len(effective)} change something, {named} named ({100 * named / max(len(effective), 1):.1f} %)")
    return 0 if named >= 0.95 * len(effective) else 1


if __name__ == "__main__":
    sys.exit(main())
