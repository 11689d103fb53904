"""What a channel of an operator installs, and which fields the API of that has: a table of data."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Operands:
    """The table of one operator, a TOML file: `channels` by name, each with the minor release that it brings, and
    `fields` by the minor release since which the API has them."""

    file: Path

    @property
    def table(self) -> Mapping[str, Any]:
        """All of the file."""
        return _read(self.file)

    def operand(self, channel: str) -> str | None:
        """Minor release that a channel brings, such as 0.16; None: not known here."""
        found = self.table["channels"].get(channel)
        return str(found) if found is not None else None

    def fields(self, version: str) -> frozenset[str]:
        """`Kind path` of every field that a minor release has."""
        rows = self.table["fields"]
        return frozenset(path for since, paths in rows.items() if number(since) <= number(version) for path in paths)


@cache
def _read(file: Path) -> Mapping[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def number(version: str) -> tuple[int, ...]:
    """A release as it is compared: (0, 16) of 0.16."""
    return tuple(int(part) for part in version.split("."))
