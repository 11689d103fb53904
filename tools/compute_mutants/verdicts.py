"""Each mutant and the gate that stops it, or the entry of `harmless.yaml` that says why none has to."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tools.compute_mutants.plan import Plan
from tools.compute_mutants.sites import DROP, Mutant, mutants, sites

HARMLESS: Final = Path(__file__).with_name("harmless.yaml")
MOST_HARMLESS: Final = 0.2


@dataclass(frozen=True)
class Verdict:
    """A mutant, and what stops or excuses it; both are empty where nothing does."""

    name: str
    gate: str
    harmless: int | None
    """Position of the entry in `harmless.yaml`."""


@cache
def entries() -> tuple[dict[str, Any], ...]:
    """Entries of `harmless.yaml`: `values` or `default`, `why`, `source`."""
    return tuple(yaml.safe_load(HARMLESS.read_text()))


def verdicts(plan: Plan, chance: random.Random, most: int | None = None) -> Iterator[Verdict]:
    """Mutants of a stack's plan, each judged; `most` of them, if given, drawn from all."""
    every: Sequence[Mutant] = [mutant for site in sites(plan.resources) for mutant in mutants(site)]
    if most is not None and len(every) > most:
        every = chance.sample(every, most)
    by_urn = {each.urn: each for each in plan.resources}
    for mutant in every:
        gate = plan.gate(mutant.apply(by_urn))
        yield Verdict(mutant.name, gate, None if gate else excuse(mutant))


def excuse(mutant: Mutant) -> int | None:
    """Position of the first entry that excuses a mutant."""
    for at, entry in enumerate(entries()):
        default = entry.get("default") and mutant.to is DROP and _is_default(mutant)
        if default or any(re.search(each, mutant.name) for each in entry.get("values", ())):
            return at
    return None


def _is_default(mutant: Mutant) -> bool:
    rule = mutant.site.rule
    return "default" in rule and bool(rule["default"] == mutant.site.value)
