"""The reference of mistakes about Kubernetes that the requirement documents make: what stops each one, and its test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

HERE: Final = Path(__file__).parent
GATES: Final = {
    "API server": "refuses the object",
    "policy": "a rule of the policy pack stops the preview, whoever wrote the object",
    "check": "`podwright check` refuses the stack file, with a caret",
    "plan": "the program writes it; no field leads to the mistake",
    "no field": "the stack file has no such thing",
}
LIVE: Final = {
    "refused": "by the API server",
    "audit": "`podwright audit` names it, within ten seconds",
    "status": "`podwright status` says, within ten seconds, why pods in a team's namespace wait or ended",
    "put back": "its operator writes the right value again",
    "not an object": "of a cluster: a file, a program, or a sum",
    "unseen": "nobody names it: the API server takes it, its fault shows beside the stack file, or once it runs",
}
"""What happens to the object where somebody types it into the cluster."""
_BY_GATE: Final = {"API server": "refused", "policy": "audit"}
_HEAD: Final = """# Mistakes about Kubernetes

Made by `python -m tools.docs` from `tools/mistakes/kubernetes.yaml`; do not edit.

What the requirement documents write about Kubernetes and is wrong, most of it accepted by a cluster without a word.
Each is stopped at its gate, a preview or `podwright check`; the column *live* says what becomes of it where somebody
types it into a cluster by hand. Gates:

"""


@dataclass(frozen=True)
class Mistake:
    """One row."""

    number: int
    """Of the mistake in the review; some are two, with a gate each."""
    what: str
    gate: str
    where: str
    """The rule's id, the field, or what writes it."""
    test: str
    """A test, or a file of tests, that fails without the gate; empty where there is nothing to gate yet."""
    live: str
    """One of LIVE."""


def mistakes() -> tuple[Mistake, ...]:
    """Every row, in the order of the review."""
    found: list[Mistake] = []
    for row in yaml.safe_load((HERE / "kubernetes.yaml").read_text(encoding="utf-8")):
        number = row.get("of") or max((each.number for each in found), default=0) + 1
        live = row.get("live") or _BY_GATE.get(row["gate"], "not an object")
        found.append(Mistake(number, row["what"], row["gate"], row["where"], row["test"], live))
    return tuple(found)


def page() -> str:
    """The page."""
    return _HEAD + "".join(_lines())


def _lines() -> Iterator[str]:
    yield from (f"- **{gate}**: {words}.\n" for gate, words in GATES.items())
    yield "\nLive:\n\n"
    yield from (f"- **{live}**: {words}.\n" for live, words in LIVE.items())
    yield "\n| # | mistake | gate | where | live | test |\n|---|---|---|---|---|---|\n"
    for each in mistakes():
        yield f"| {each.number} | {each.what} | {each.gate} | {_place(each)} | {each.live} | {_proof(each)} |\n"


def _place(each: Mistake) -> str:
    if each.gate == "policy":
        return f"[{each.where}](policies.md#{each.where})"
    code: Any = "/" in each.where or each.gate == "API server"
    return f"`{each.where}`" if code else each.where


def _proof(each: Mistake) -> str:
    return f"`{each.test}`" if each.test else "none"
