"""`python -m tools.compute_mutants [STACK …] [--seed N] [--most N]`: mutants of the compute plan, and what stops them.

Prints each stack's numbers, rule by rule, and each mutant that nothing stops or excuses.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from tests.design.goldens import STACKS
from tools.compute_mutants.plan import CHECK, plan
from tools.compute_mutants.verdicts import MOST_HARMLESS, Verdict, verdicts


def report(stack: str, found: Sequence[Verdict]) -> Iterator[str]:
    """Numbers of one stack, and what survives."""
    gates = Counter(each.gate for each in found if each.gate)
    rules = sum(count for gate, count in gates.items() if gate != CHECK)
    harmless = sum(each.harmless is not None for each in found)
    share = 100 * harmless / max(len(found), 1)
    yield (
        f"{stack}: {len(found)} mutants, {rules} stopped by {len(gates - Counter({CHECK: gates[CHECK]}))} rules, "
        f"{gates[CHECK]} by {CHECK}, {harmless} harmless ({share:.1f} %), {len(surviving(found))} survive"
    )
    yield from (f"  {count:5} {gate}" for gate, count in gates.most_common())
    yield from (f"  survives: {each.name}" for each in surviving(found))


def surviving(found: Sequence[Verdict]) -> list[Verdict]:
    """Mutants that nothing stops or excuses."""
    return [each for each in found if not each.gate and each.harmless is None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; status 1 if a mutant survives, or more than a fifth is harmless."""
    parser = argparse.ArgumentParser(prog="python -m tools.compute_mutants", description=__doc__)
    parser.add_argument("stacks", nargs="*", metavar="STACK", help=f"of {', '.join(STACKS)}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=None, help="mutants of each stack, drawn from all")
    given = parser.parse_args(arguments)
    good = True
    for stack in given.stacks or STACKS:
        found = list(verdicts(plan(stack), random.Random(given.seed), given.most))  # noqa: S311 - a seeded sample
        print(*report(stack, found), sep="\n", flush=True)
        harmless = sum(each.harmless is not None for each in found)
        good = good and not surviving(found) and harmless <= MOST_HARMLESS * len(found)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
