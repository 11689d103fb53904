"""The command table: rows of `commands/*.yaml`, compiled, by mode."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from lab.nxos.syntax import Failure, Match, Sequence, Token, compile_syntax, match

FOLDER = Path(__file__).parent / "commands"
_KEYS = {
    "s": "text", "src": "source", "enter": "enter", "default": "default", "toggle": "toggle", "feature": "feature",
    "since": "since", "dlb": "needs_dlb", "check": "check", "effect": "effect", "slot": "slot", "blank": "blank",
    "keep": "keep", "kinds": "on", "layer": "layer", "do": "do", "json": "json",
}  # fmt: skip
_NOT_CONFIG = ("sources.yaml", "modes.yaml")


@dataclass(frozen=True)
class Command:
    """One row. `order` is its place in its mode, hence in the running configuration."""

    mode: str
    text: str
    source: str
    order: int
    sequence: Sequence
    enter: str | None = None
    default: str | None = None
    toggle: bool | str | None = None
    feature: str | None = None
    since: str | None = None
    needs_dlb: bool = False
    check: str | None = None
    effect: str | None = None
    slot: str | None = None
    blank: str | None = None
    keep: bool = False
    on: tuple[str, ...] | None = None
    layer: int | None = None
    do: str | None = None
    json: bool = False

    def setting(self, found: Match) -> str:
        """Name of the setting that a match of this row concerns; two lines with one name replace each other."""
        if self.slot is None:
            return found.setting
        blanks = {piece.name: "" for piece in _parameters(self.sequence)}
        return self.slot.format(**{**blanks, **found.values})


def _parameters(sequence: Any) -> list[Any]:
    found = []
    for element in sequence:
        if hasattr(element, "branches"):
            for branch in element.branches:
                found += _parameters(branch)
        elif hasattr(element, "kind"):
            found.append(element)
    return found


@dataclass(frozen=True)
class Mode:
    """A configuration mode: what the prompt shows and where unknown lines are tried next."""

    name: str
    prompt: str
    parent: str | None


@dataclass(frozen=True)
class Found:
    """What a typed line turned out to be."""

    command: Command
    match: Match


class Table:
    """All rows, by mode."""

    def __init__(self) -> None:
        self.sources: dict[str, str] = _yaml("sources.yaml")
        self.modes = {name: Mode(name, *row) for name, row in _yaml("modes.yaml").items()}
        self.rows: dict[str, list[Command]] = {name: [] for name in self.modes}
        for path in sorted(FOLDER.glob("*.yaml")):
            if path.name not in _NOT_CONFIG:
                for mode, rows in _yaml(path.name).items():
                    self.rows[mode] += [_command(mode, i, row) for i, row in enumerate(rows)]

    def find(self, mode: str, typed: list[Token], failure: Failure, usable: Any, partial: bool = False) -> Found | None:
        """The row of `mode` that takes the line, with keywords beating parameters and abbreviations.

        `usable(command)` says whether the row exists on this switch now (feature, release, silicon).
        """
        best: Found | None = None
        for command in self.rows[mode]:
            if not usable(command):
                continue
            found = match(command.sequence, typed, failure, partial)
            if found is not None and (best is None or found.exact > best.match.exact):
                best = Found(command, found)
        return best


def _yaml(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def _command(mode: str, order: int, row: dict[str, Any]) -> Command:
    unknown = set(row) - set(_KEYS)
    if unknown or "s" not in row or "src" not in row:
        raise ValueError(f"row {row.get('s')!r} of mode {mode}: needs s and src; unknown keys {sorted(unknown)}")
    values: dict[str, Any] = {
        _KEYS[key]: tuple(value) if isinstance(value, list) else value for key, value in row.items()
    }
    return Command(mode=mode, order=order, sequence=compile_syntax(row["s"]), **values)


@cache
def table() -> Table:
    """The one table; it never changes."""
    return Table()
