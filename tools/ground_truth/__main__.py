"""`python -m tools.ground_truth FOLDER`: does the lab take what people really run, and does the lint leave it alone?

Reads local copies of published configurations, which stay out of the repository. Each is typed into a lab switch of its
model, its ports by default in each form that agrees with the text, and linted. With `--shapes` the shapes of its lines
are written for the tests that run everywhere, and the digests of the files they came from.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from podwright.cli.lint.judge import judge
from podwright.cli.lint.judge import read as read_for_lint
from tools.generated import ROOT
from tools.ground_truth import captures, shapes
from tools.ground_truth.paste import console, ours, refused, vocabulary

HERE = ROOT / "tests" / "ground_truth"
SHAPES, DIGESTS = HERE / "shapes.txt", HERE / "SHA256SUMS"


def report(found: Sequence[captures.Capture]) -> Iterator[str]:
    """A line for each capture and form of ports, and each refused line of a block that we write."""
    for each in found:
        if not each.model:
            yield f"{each.path.name}: gives no model; not typed"
            continue
        for form in each.forms:
            wrong = refused(each.lines, console(each.model, each.release, form))
            own = [refusal for refusal in wrong if refusal.ours]
            yield (
                f"{each.path.name}: {each.model} {each.release}, ports {form}: {len(each.lines)} lines, refused "
                f"{len(own)} in blocks of ours, {len(wrong) - len(own)} in others"
            )
            yield from (f"  REFUSED in {refusal.block!r}: {refusal.line!r}: {refusal.answer}" for refusal in own)


def findings(found: Sequence[captures.Capture]) -> Iterator[str]:
    """What the lint says of all of them together, counted by rule."""
    reading = read_for_lint([each.path for each in found])
    yield from (f"{path.name}: the lint left it out: {why}" for path, why in reading.skipped)
    for rule, count in sorted(Counter(each.rule.id for each in judge(reading)).items()):
        yield f"lint {rule}: {count} findings"


def listed(found: Sequence[captures.Capture]) -> str:
    """The shapes of all lines in blocks that we write, each once, in order."""
    words = vocabulary()
    lines = (line for each in found for block in each.blocks() if ours(block[0]) for line in block)
    return "".join(f"{' | '.join(path)}\n" for path in sorted(set(shapes.paths(lines, words))))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was found; status 1 if a switch refused a line of a block that we write."""
    parser = argparse.ArgumentParser(prog="python -m tools.ground_truth", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shapes", action="store_true", help="write the shapes and the digests of the files")
    given = parser.parse_args(arguments)
    found = list(captures.read(given.folder))
    if not found:
        sys.stderr.write(f"no file below {given.folder} holds a running configuration ({captures.COMMAND})\n")
        return 2
    lines = list(report(found))
    print("\n".join([*lines, *findings(found)]))
    if given.shapes:
        SHAPES.write_text(listed(found))
        DIGESTS.write_text("".join(f"{each.digest}  {each.path.name}\n" for each in found))
    return int(any("  REFUSED" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
