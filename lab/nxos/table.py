"""The command table: rows of `commands/*.yaml`, compiled, by mode."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from podwright.lab import reading
from podwright.lab.nxos.syntax import INVALID, Failure, Match, Sequence, Token, compile_syntax, initials, match

FOLDER = Path(__file__).parent / "commands"
_KEYS = {
    "s": "text", "src": "source", "enter": "enter", "default": "default", "toggle": "toggle", "feature": "feature",
    "since": "since", "models": "models", "check": "check", "effect": "effect", "slot": "slot", "blank": "blank",
    "keep": "keep", "kinds": "on", "layer": "layer", "do": "do", "json": "json", "hollow": "hollow",
    "says": "says", "asks": "asks", "closes": "closes",
}  # fmt: skip
_NOT_CONFIG = ("sources.yaml", "modes.yaml", "help.yaml")


@dataclass(frozen=True, eq=False)
class Command:
    """One row, itself and equal to no other. `order` is its place in its mode, hence in the running configuration.

    `since` is the release and `models` the silicon families from which on the command is known, by its source
    unless the row narrows them.
    """

    mode: str
    text: str
    source: str
    since: str
    models: tuple[str, ...]
    order: int
    sequence: Sequence
    enter: str | None = None
    default: str | None = None
    toggle: bool | str | None = None
    feature: str | None = None
    check: str | None = None
    effect: str | None = None
    slot: str | None = None
    blank: str | None = None
    keep: bool = False
    on: tuple[str, ...] | None = None
    layer: int | None = None
    do: str | None = None
    json: bool = False
    hollow: bool = False
    says: str = ""
    asks: str = ""
    closes: str = ""

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
class Source:
    """A public document, the oldest edition of it and the silicon families that it speaks for."""

    title: str
    since: str
    models: tuple[str, ...]


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
        self.sources = {
            name: Source(title, since, tuple(models)) for name, (title, since, models) in _yaml("sources.yaml").items()
        }
        self.modes = {name: Mode(name, *row) for name, row in _yaml("modes.yaml").items()}
        self.rows: dict[str, list[Command]] = {name: [] for name in self.modes}
        self._index: dict[tuple[str, str], list[Command]] = {}
        for path in sorted(FOLDER.glob("*.yaml")):
            if path.name not in _NOT_CONFIG:
                for mode, rows in _yaml(path.name).items():
                    self.rows[mode] += [self._command(mode, i, row) for i, row in enumerate(rows)]

    def _command(self, mode: str, order: int, row: dict[str, Any]) -> Command:
        unknown = set(row) - set(_KEYS)
        if unknown or "s" not in row or row.get("src") not in self.sources:
            raise ValueError(
                f"row {row.get('s')!r} of mode {mode}: needs s and a known src; unknown: {sorted(unknown)}"
            )
        source = self.sources[row["src"]]
        values: dict[str, Any] = {"since": source.since, "models": source.models} | {
            _KEYS[key]: tuple(value) if isinstance(value, list) else value for key, value in row.items()
        }
        return Command(mode=mode, order=order, sequence=compile_syntax(row["s"]), **values)

    def _beginning(self, mode: str, letter: str) -> list[Command]:
        """Rows of a mode that may take a line which begins with this letter; all of them for none."""
        if (mode, letter) not in self._index:
            ways = ((command, initials(command.sequence)) for command in self.rows[mode])
            self._index[mode, letter] = [c for c, way in ways if not letter or way is None or letter in way]
        return self._index[mode, letter]

    def find(self, mode: str, typed: list[Token], failure: Failure, usable: Any, partial: bool = False) -> Found | None:
        """The row of `mode` that takes the line, with keywords beating parameters and abbreviations.

        `usable(command)` says whether the row exists on this switch now (feature, release, silicon).
        """
        best: Found | None = None
        candidates = self._beginning(mode, typed[0].text[:1] if typed else "")
        if typed and len(candidates) < len(self.rows[mode]):
            failure.note(0, INVALID)  # what each of the other rows would say
        for command in candidates:
            if not usable(command):
                continue
            found = match(command.sequence, typed, failure, partial)
            if found is not None and (best is None or found.exact > best.match.exact):
                best = Found(command, found)
        return best


def _yaml(name: str) -> Any:
    return reading.read((FOLDER / name).read_text(encoding="utf-8"))


@cache
def table() -> Table:
    """The one table; it never changes."""
    return Table()
