"""`python -m tools.rule_mutants [FILE …] [--all] [--seed N] [--most N]`: mutants of the rules' conditions.

FILE is one of the pack, such as `gpus` or `servers/bios`; without any those about Kubernetes objects. Prints each
mutant that no case notices and nothing excuses, and numbers: of a file when it is done, then of what rules are about.
With `--all` it takes about an hour of one processor, of which the rules about switches are three quarters.
"""

import argparse
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tools.rule_mutants.verdicts import ABOUT_KUBERNETES, LEAST, Verdict, verdicts


def report(found: Iterable[Verdict], every: list[Verdict]) -> Iterator[str]:
    """What survives and numbers, by file as these are done, then by what rules are about; `every` keeps them all."""
    for file, those in groupby(found, lambda each: each.file):
        done = list(those)
        every += done
        yield from (f"  survives: {each.file}:{each.line} {each.what}" for each in done if each.survives)
        yield _line(file, done)
    yield from (_line(f"about {about}", part) for about, part in by_subject(every).items())


def by_subject(found: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """The mutants by what their rules are about, subjects without any left out."""
    parts = {each: [one for one in found if one.subject == each] for each in LEAST}
    return {each: those for each, those in parts.items() if those}


def missing(found: Sequence[Verdict]) -> list[str]:
    """Subjects of whose mutants less is noticed than has to be."""
    return [about for about, those in by_subject(found).items() if share(those) < LEAST[about]]


def _line(what: str, found: Sequence[Verdict]) -> str:
    harmless = sum(each.harmless is not None for each in found)
    red = sum(bool(each.red) for each in found)
    return f"{what}: {len(found)} mutants, {red} turn a case red, {harmless} harmless: {100 * share(found):.1f} %"


def share(found: Sequence[Verdict]) -> float:
    """Of the mutants that change an answer, the share that a case notices."""
    about = [each for each in found if each.harmless is None]
    return sum(bool(each.red) for each in about) / max(len(about), 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; status 1 where less is noticed than LEAST says."""
    parser = argparse.ArgumentParser(prog="python -m tools.rule_mutants", description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--all", action="store_true", help="every file of the pack")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=None, help="mutants, drawn from all")
    given = parser.parse_args(arguments)
    only = () if given.all else given.files or ABOUT_KUBERNETES
    every: list[Verdict] = []
    for line in report(verdicts(only, random.Random(given.seed), given.most), every):  # noqa: S311 - a seeded sample
        print(line, flush=True)
    return 1 if missing(every) else 0


if __name__ == "__main__":
    sys.exit(main())
