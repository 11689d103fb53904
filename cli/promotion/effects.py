"""What a difference would do to the second stack if it were as the first: by its field, as changing that was tried.

The table of fields is of examples, each field changed alone. The preview counts what the servers of a stack that runs
go through.
"""

from dataclasses import dataclass
from typing import Final

from podwright.cli.promotion.differences import Difference
from podwright.components.changes.fields import FIELDS
from podwright.components.changes.objects import OBJECTS
from podwright.components.changes.table import COMPONENTS_GONE, ROWS

NOT_KNOWN: Final = "not known"
_ORDER: Final = ("no line", "nothing is written", "made or gone", "program-only", "live", "disruptive", "two-ended")
_WORST: Final = ("replaced", "refused")
_GONE: Final = {
    ("pools", "*"): "pools",
    ("openshift", "teams", "*"): "teams",
    ("storage", "volumes", "*"): "volumes",
    ("workloads", "training", "*"): "training",
    ("workloads", "inference", "*"): "inference",
}
"""Entries whose removal has a class of its own."""
_PROGRAM: Final = ("changes", "waivers")
"""Sections of which nothing is made."""


@dataclass(frozen=True)
class Effect:
    """What a promotion does with one value."""

    change: str
    """The class, as docs/reference/changes.md has it; `made` for what is new; NOT_KNOWN."""
    reason: str = ""
    """Why, or where it is felt."""


def effect(difference: Difference) -> Effect:
    """Of one difference."""
    path = difference.path
    if path[0] in _PROGRAM:
        return Effect("program-only", "decides what passes, and until when")
    if path in _GONE:
        if difference.kind == "first only":
            return Effect("made")
        row = COMPONENTS_GONE[_GONE[path]][1]
        return Effect(row.of(removed=True, added=False).word, row.reason)
    known = FIELDS.get(_longest(path)) or _worst(path)
    if not known:
        return Effect(NOT_KNOWN)
    word, *felt = known
    if word == "made or gone":
        return Effect("made" if difference.kind == "first only" else word)
    return Effect("program-only" if word in _ORDER[:2] else word, "; ".join(_reason(each) for each in felt[:1]))


def _longest(path: tuple[str, ...]) -> str:
    """The field that a path is, or is within."""
    ways = (".".join(path[:length]) for length in range(len(path), 0, -1))
    return next((each for each in ways if each in FIELDS), "")


def _worst(path: tuple[str, ...]) -> tuple[str, ...]:
    """The worst that a field of a whole section does."""
    below = [each for name, each in FIELDS.items() if name.startswith(f"{'.'.join(path)}.")]
    order = (*_ORDER, *_WORST)
    return max(below, key=lambda each: order.index(each[0]), default=())


def _reason(felt: str) -> str:
    """The reason of the row that decides, for an object or a property; else where it is felt."""
    name, _, key = felt.partition(" ")
    rows = [row for token, found in ROWS.items() if token.endswith(f":{name}") for row in found if key == row.name]
    rows += [row for row in OBJECTS.get(name, ()) if row.name == key]
    return rows[0].reason if rows else felt
