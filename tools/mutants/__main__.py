"""Writes docs/reference/mutants.md: `python -m tools.mutants [--check]`. It takes a minute: each is judged."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tools.generated import ROOT, main
from tools.mutants.verdicts import Verdict, code, texts

PAGE: Final = ROOT / "docs/reference/mutants.md"
_HEAD: Final = """# Mutants and the gates that stop them

Made by `python -m tools.mutants` from `tests/examples`, `components/design/fabric` and `policies/rules`; do not edit.

`text`: each line about QoS, MTU, VLANs or BFD of the examples' device texts is dropped, and each value in it changed,
on one switch of each role; of lines that look alike the first. `code`: each place that writes such a line is taken
away: members of lists and tuples, keys of dicts, statements that add, as the syntax tree has them. A gate is a rule of
the [policy pack](policies.md), the lab's switch that refuses a line, or a plan that does not render; a golden is none.
A mutant that no gate stops and that no row of the last table excuses fails `tests/design/fabric/test_mutants.py`.

| mutants of | about | number | stopped | without harm |
|---|---|---|---|---|
"""
_ORDER: Final = ("QoS", "MTU", "VLAN", "BFD", "several")


def page(found: Sequence[Verdict]) -> str:
    """The page, from every verdict."""
    lines = [*_totals(found), "", "## Gates", "", "| gate | text | code |", "|---|---|---|"]
    gates = {
        origin: Counter(gate for each in found if each.origin == origin for gate in each.gates) for origin in _FROM
    }
    for gate in sorted({*gates["text"], *gates["code"]}):
        name = f"[`{gate}`](policies.md#{gate})" if gate.startswith("fabric-") else gate
        lines.append(f"| {name} | {gates['text'][gate]} | {gates['code'][gate]} |")
    lines += ["", "A place in the code that several examples show may be stopped by several gates.", ""]
    lines += ["## Without harm", "", "| what, for example | number | why nothing stops it |", "|---|---|---|"]
    reasons = Counter((each.origin, each.reason) for each in found if each.reason)
    for (origin, reason), number in sorted(reasons.items()):
        first = min(each.what for each in found if (each.origin, each.reason) == (origin, reason))
        lines.append(f"| {origin}: `{first.replace('|', '')}` | {number} | {reason} |")
    return _HEAD + "\n".join([*lines, ""])


_FROM: Final = ("text", "code")


def _totals(found: Sequence[Verdict]) -> Iterator[str]:
    for origin in _FROM:
        for kind in _ORDER:
            these = [each for each in found if (each.origin, each.kind) == (origin, kind)]
            if these:
                stopped = sum(bool(each.gates) for each in these)
                yield f"| {origin} | {kind} | {len(these)} | {stopped} | {sum(bool(each.reason) for each in these)} |"


def files() -> dict[Path, str]:
    """The page and its text."""
    return {PAGE: page([*texts(), *code()])}


if __name__ == "__main__":
    sys.exit(main("tools.mutants", files()))
