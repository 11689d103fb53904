"""`python -m tools.coverage [--suite unit|soak|all] [--only WORD]`: break each claim, see its test fail."""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tools.coverage.patches import Patch, patches
from tools.coverage.trees import GREEN, Tree

SOAK_SECONDS = 3600.0
UNIT_SECONDS = 300.0


def check(chosen: Sequence[Patch], folder: Path, sound: bool = True) -> list[str]:
    """What is wrong with these patches: a test that does not fail, or one that fails on the sound tree.

    `folder` receives a copy of the tree. Prints a line for each patch. Those of suite soak need the lab's programs.
    """
    problems = []
    with Tree(folder) as tree:
        seconds = SOAK_SECONDS if any(patch.suite == "soak" for patch in chosen) else UNIT_SECONDS
        if sound:
            outcome = tree.run(sorted({test for patch in chosen for test in patch.tests}), seconds)
            if outcome.status != GREEN:
                problems.append(f"the tests do not pass as the tree stands:\n{outcome.output[-6000:]}")
        for patch in chosen:
            begun = time.monotonic()
            problem = tree.verdict(patch, seconds)
            print(f"{'NOT HELD' if problem else 'held':8} {time.monotonic() - begun:6.1f} s  {patch.name}", flush=True)
            problems += [problem] if problem else []
    return problems


def main() -> int:
    """Exit code 1 when a claim is not held."""
    parser = argparse.ArgumentParser(prog="python -m tools.coverage", description=__doc__)
    parser.add_argument("--suite", choices=("unit", "soak", "all"), default="unit")
    parser.add_argument("--only", default="", help="patches whose name or test has this word")
    parser.add_argument("--no-green", action="store_true", help="do not run the tests on the sound tree first")
    args = parser.parse_args()
    chosen = [
        patch for patch in patches()
        if args.suite in (patch.suite, "all") and any(args.only in word for word in (patch.name, *patch.tests))
    ]  # fmt: skip
    if not chosen:
        parser.error(f"no patch has {args.only} in its name or in a test of it")
    with tempfile.TemporaryDirectory(prefix="podwright-coverage-") as folder:
        problems = check(chosen, Path(folder), sound=not args.no_green)
    print("\n\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
