"""`python -m tools.rule_mutants [FILE …] [--all] [--seed N] [--most N]`: mutants of the rules' conditions.

FILE is one of the pack, such as `gpus` or `servers/bios`; without any those about Kubernetes objects. Prints numbers by
file, and each mutant that no case notices and nothing excuses.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence

from tools.rule_mutants.verdicts import ABOUT_KUBERNETES, LEAST, Verdict, verdicts


def report(found: Sequence[Verdict]) -> Iterator[str]:
    """Numbers by file, then in all, and what survives."""
    yield from (f"  survives: {each.file}:{each.line} {each.what}" for each in found if each.survives)
    for file in dict.fromkeys(each.file for each in found):
        yield _line(file, [each for each in found if each.file == file])
    yield _line("in all", found)


def _line(what: str, found: Sequence[Verdict]) -> str:
    harmless = sum(each.harmless is not None for each in found)
    red = sum(bool(each.red) for each in found)
    return f"{what}: {len(found)} mutants, {red} turn a case red, {harmless} harmless: {100 * share(found):.1f} %"


def share(found: Sequence[Verdict]) -> float:
    """Of the mutants that change an answer, the share that a case notices."""
    about = [each for each in found if each.harmless is None]
    return sum(bool(each.red) for each in about) / max(len(about), 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; status 1 if less than LEAST is noticed."""
    parser = argparse.ArgumentParser(prog="python -m tools.rule_mutants", description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--all", action="store_true", help="every file of the pack")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=None, help="mutants, drawn from all")
    given = parser.parse_args(arguments)
    only = () if given.all else given.files or ABOUT_KUBERNETES
    found = list(verdicts(only, random.Random(given.seed), given.most))  # noqa: S311 - a seeded sample
    print(*report(found), sep="\n", flush=True)
    return 0 if share(found) >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
