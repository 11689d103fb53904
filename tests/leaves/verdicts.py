"""Each leaf of the reference plans: the gate that notices that it is gone, or the entry that says why none has to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tests.leaves import gates
from tests.leaves.dropping import Leaf, leaves, plan

EXAMPLES: Final = ("prod",)
HARMLESS: Final = Path(__file__).with_name("harmless.yaml")
MOST_HARMLESS: Final = 0.2


@dataclass(frozen=True)
class Verdict:
    """A leaf and what became of the plan without it; both are empty where nothing notices and nothing excuses."""

    example: str
    leaf: Leaf
    gate: str
    harmless: int | None
    """Position of the entry in `harmless.yaml`."""


@cache
def entries() -> tuple[dict[str, Any], ...]:
    """Entries of `harmless.yaml`: `leaves`, `why`, `source`."""
    return tuple(yaml.safe_load(HARMLESS.read_text()))


@cache
def verdicts() -> tuple[Verdict, ...]:
    """Every leaf of every example."""
    return tuple(each for example in EXAMPLES for each in _of(example))


def _of(example: str) -> Iterator[Verdict]:
    planned = plan(example)
    known = frozenset(gates.findings(planned))
    for leaf in leaves(planned):
        stopped = gates.gate(leaf, planned, known)
        yield Verdict(example, leaf, stopped, None if stopped else excuse(leaf))


def excuse(leaf: Leaf) -> int | None:
    """Position of the first entry that names a leaf."""
    for at, entry in enumerate(entries()):
        if any(re.fullmatch(pattern, leaf.name) for pattern in entry["leaves"]):
            return at
    return None
