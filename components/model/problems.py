"""What is wrong with a stack file, said so that it can be mended: where, what, and what to write instead."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

Loc = tuple[str | int, ...]
"""Path of a value from the cluster's root: ("fabric", "leaves", "leaf-01", "asn")."""

_WIDTH = 100
"""Longest piece of a source line that is shown, in characters."""


@dataclass(frozen=True)
class Position:
    """A place in a file: line and column count from 1, `length` characters are underlined."""

    line: int
    column: int
    length: int = 1


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong."""

    loc: Loc
    message: str
    hint: str = ""
    at_key: bool = False
    """The key is wrong, not its value."""
    position: Position | None = None
    """Where it stands; None until a file was looked at, or where none is."""
    refers: tuple[Loc, ...] = ()
    """Other places that the message names by their path."""

    def moved(self, change: Callable[[Loc], Loc]) -> "Problem":
        """The same below another root: its own path and those its message names are changed."""
        message = self.message
        for each in self.refers:
            message = message.replace(dotted(each), dotted(change(each)))
        refers = tuple(change(each) for each in self.refers)
        return replace(self, loc=change(self.loc), message=message, refers=refers)


@dataclass(frozen=True)
class Source:
    """The text problems are shown in; `lines` is empty where there is no file."""

    name: str
    lines: Sequence[str] = ()


class SpecErrors(Exception):  # noqa: N818  # plural on purpose: it always carries all of them
    """Every problem of one stack file at once."""

    def __init__(self, problems: Iterable[Problem], source: Source) -> None:
        self.problems = tuple(sorted(problems, key=_order))
        self.source = source
        super().__init__(self.render())

    def render(self) -> str:
        """All problems, top to bottom, ready for a terminal."""
        count = len(self.problems)
        tail = f"{count} problem{'s' if count != 1 else ''} in {self.source.name}"
        return "\n".join([*(render(problem, self.source) for problem in self.problems), tail])


def _order(problem: Problem) -> tuple[int, int, str]:
    where = problem.position or Position(0, 0)
    return where.line, where.column, dotted(problem.loc)


def dotted(loc: Loc) -> str:
    """A path as it is printed: fabric.leaves.leaf-01.rails[2]."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def below(loc: Loc, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Problems of a part as those of the whole that has it at `loc`."""
    return (problem.moved(lambda inner: (*loc, *inner)) for problem in problems)


def render(problem: Problem, source: Source) -> str:
    """`file:line:column: path: what is wrong`, the source line with a caret, and the hint."""
    where = problem.position
    place = f"{source.name}:{where.line}:{where.column}" if where else source.name
    parts = [f"{place}: {dotted(problem.loc)}: {problem.message}" if problem.loc else f"{place}: {problem.message}"]
    if where and where.line <= len(source.lines):
        parts += _excerpt(source.lines[where.line - 1], where)
    if problem.hint:
        parts.append(f"  hint: {problem.hint}")
    return "\n".join(parts)


def _excerpt(line: str, where: Position) -> list[str]:
    """The source line and its caret, cut to a window around the caret when the line is long."""
    visible = "".join(char if char.isprintable() or char == "\t" else "�" for char in line)
    start = 0 if where.column <= _WIDTH - 20 else where.column - 40
    window = visible[start : start + _WIDTH]
    lead = visible[start : where.column - 1]
    padding = "".join(char if char == "\t" else " " for char in lead)
    room = max(1, len(window) - len(lead))
    return [f"    {window}", f"    {padding}{'^' * max(1, min(where.length, room))}"]
