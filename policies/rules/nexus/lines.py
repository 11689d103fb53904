"""Configuration lines as a tree, each with its place in the file it was read from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ..resource import UnknownValueError
from .spelling import child, top


@dataclass(frozen=True)
class Line:
    """One configuration line and the lines below it."""

    text: str
    """As it stands, without the blanks around it."""
    number: int = 0
    """Line of the file, from 1; 0 for a line that comes from a plan."""
    column: int = 1
    children: tuple["Line", ...] = ()
    below: bool = False
    """It stands below another line, so that its words are those of a mode, not of the whole switch."""

    @cached_property
    def command(self) -> str:
        """The line in the device's own spelling: abbreviations written out, one blank between words."""
        return child(self.text) if self.below else top(self.text)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of `command`."""
        return tuple(self.command.split())

    def walk(self) -> Iterator["Line"]:
        """This line and every line below it."""
        yield self
        for each in self.children:
            yield from each.walk()


class UnknownLine(Line):
    """A line of which nobody knows yet what stands below it: whoever reads that learns it."""

    def __init__(self, text: str, unknown: UnknownValueError) -> None:
        super().__init__(text)
        object.__setattr__(self, "unknown", unknown)

    def __getattribute__(self, name: str) -> Any:
        """An attribute; the lines below are not to be had."""
        if name == "children":
            raise object.__getattribute__(self, "unknown").with_traceback(None)
        return object.__getattribute__(self, name)


def planned(config: Mapping[str, object]) -> tuple[Line, ...]:
    """The blocks of a plan (top-level line to its child lines, two blanks per level) as a tree."""
    return tuple(_of_plan(config, header) for header in config)


def _of_plan(config: Mapping[str, object], header: str) -> Line:
    try:
        text = str(config[header])
    except UnknownValueError as unknown:
        return UnknownLine(str(header), unknown)
    return _block(str(header), text)


@lru_cache(maxsize=16384)
def _block(header: str, text: str) -> Line:
    """Kept: every rule reads every switch anew, and all switches share their QoS blocks."""
    return Line(header, children=_below(text.splitlines()))


def _below(raw: list[str]) -> tuple[Line, ...]:
    """Lines by indentation; a line that is indented less than the first one still belongs to the block."""
    found: list[Line] = []
    at = 0
    while at < len(raw):
        indent = _indent(raw[at])
        end = at + 1
        while end < len(raw) and _indent(raw[end]) > indent:
            end += 1
        if raw[at].strip():
            found.append(Line(raw[at].strip(), children=_below(raw[at + 1 : end]), below=True))
        at = end
    return tuple(found)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
