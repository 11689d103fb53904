"""Writes docs/reference/leaves.md: `python -m tests.leaves.page`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.leaves.gates import API, SCHEMA
from tests.leaves.verdicts import EXAMPLES, MOST_HARMLESS, Verdict, entries, verdicts
from tools.generated import ROOT

PAGE: Final[Path] = ROOT / "docs/reference/leaves.md"
_HEAD: Final = """# Leaves of Kubernetes objects

Made by `python -m tests.leaves.page` from {examples}; do not edit.

Each value of an object that `pulumi up` registers is dropped once: of objects of one kind with the same leaves, the
first. A gate is the lab's API server, a published schema, a rule of the [policy pack](policies.md), or a check of the
objects against each other in `tests/leaves`. A leaf that no gate misses and no row of the last table excuses fails
`tests/leaves/test_leaves.py`; so do more harmless ones than {most:.0%}.

{total} leaves, {stopped} noticed, {harmless} harmless ({share:.1%}).

| kind | leaves | noticed | harmless |
|---|---|---|---|
"""


def text(found: Sequence[Verdict]) -> str:
    """The page, from every verdict."""
    harmless = [each for each in found if each.harmless is not None]
    head = _HEAD.format(
        examples=" and ".join(f"`tests/examples/{each}`" for each in EXAMPLES), most=MOST_HARMLESS, total=len(found),
        stopped=len(found) - len(harmless), harmless=len(harmless), share=len(harmless) / len(found),
    )  # fmt: skip
    kinds, spared = Counter(each.leaf.kind for each in found), Counter(each.leaf.kind for each in harmless)
    lines = [f"| {kind} | {count} | {count - spared[kind]} | {spared[kind]} |" for kind, count in sorted(kinds.items())]
    lines += ["", "## Gates", "", "| gate | leaves |", "|---|---|"]
    counted = Counter(each.gate for each in found if each.gate)
    lines += [
        f"| {_named(gate)} | {count} |" for gate, count in sorted(counted.items(), key=lambda pair: pair[0].lower())
    ]
    lines += ["", "## Without harm", "", "| leaf, for example | leaves | why |", "|---|---|---|"]
    for at, entry in enumerate(entries()):
        these = [each.leaf.name for each in harmless if each.harmless == at]
        if these:
            lines.append(f"| `{min(these)}` | {len(these)} | {entry['why']} [Source]({entry['source']}) |")
    return head + "\n".join([*lines, ""])


def _named(gate: str) -> str:
    if gate in (API, SCHEMA):
        return gate
    return f"`{gate}`" if "." in gate else f"[`{gate}`](policies.md#{gate})"


if __name__ == "__main__":
    PAGE.write_text(text(verdicts()))
