"""What is wrong with a stack file, put so that it can be corrected: where, what, and what to write instead."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

Loc = tuple[str | int, ...]
"""Path of a value from the cluster's root: ("fabric", "leaves", "leaf-01", "asn")."""

_WIDTH = 100
"""Longest piece of a source line that is shown, in characters."""
_FEW = 4
"""Other places of one cause that are named; the rest is counted."""


@dataclass(frozen=True)
class Position:
    """A place in a file: line and column count from 1, `length` characters are underlined."""

    line: int
    column: int
    length: int = 1
    file: str = ""
    """The file where it is not the one that was asked about: one that this is based on, as a person would type it."""

    def at(self, name: str) -> str:
        """File and line; `name` is the file that was asked about."""
        return f"{self.file or name}:{self.line}"


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
    cause: Loc = ()
    """The value this follows from where that is not the one at `loc`: what has one cause is one finding."""
    also: tuple[Loc, ...] = ()
    """Where else the same is wrong, by the same cause."""
    confidential: bool = False
    """The value is a secret: its line is not shown, whatever else is wrong in it."""

    def moved(self, change: Callable[[Loc], Loc]) -> "Problem":
        """The same below another root: its own path and those its message names are changed."""
        message = self.message
        for each in self.refers:
            message = message.replace(dotted(each), dotted(change(each)))
        refers = tuple(change(each) for each in self.refers)
        cause = change(self.cause) if self.cause else ()
        return replace(self, loc=change(self.loc), message=message, refers=refers, cause=cause)


@dataclass(frozen=True)
class Source:
    """The text problems are shown in; `lines` is empty where there is no file."""

    name: str
    lines: Sequence[str] = ()
    bases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Lines of the files it is based on, by their names."""

    def of(self, where: Position | None) -> Sequence[str]:
        """Lines of the file that a place is in."""
        return self.bases.get(where.file, ()) if where and where.file else self.lines


class Malformed(Exception):  # noqa: N818 - a state of a field, found while another is checked
    """A check read a field whose shape is wrong, which is reported already."""


class SpecErrors(Exception):  # noqa: N818  # plural on purpose: it always carries all of them
    """Every problem of one stack file at once, those of one cause as one."""

    def __init__(self, problems: Iterable[Problem], source: Source) -> None:
        self.problems = tuple(grouped(sorted(problems, key=_order)))
        self.source = source
        super().__init__(self.render())

    def render(self) -> str:
        """All problems, top to bottom, ready for a terminal."""
        count = len(self.problems)
        bases = sorted({each.position.file for each in self.problems if each.position and each.position.file})
        where = f"{self.source.name}, based on {', '.join(bases)}" if bases else self.source.name
        tail = f"{count} problem{'s' if count != 1 else ''} in {where}"
        places = (each.position for each in self.problems if each.confidential)
        hidden = frozenset((place.file, place.line) for place in places if place)
        return "\n".join([*(render(problem, self.source, hidden) for problem in self.problems), tail])


def _order(problem: Problem) -> tuple[str, int, int, str]:
    where = problem.position or Position(0, 0)
    return where.file, where.line, where.column, dotted(problem.loc)


def grouped(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Problems of one cause as the first of them, with the places of the others in `also`.

    One cause is one value that several devices cannot live with (the same place and hint, or `cause`), and one mistake
    that was made in several places alike (the same key, message and hint).
    """
    first: dict[Hashable, Problem] = {}
    others: dict[Hashable, list[Loc]] = {}
    keys: dict[Hashable, Hashable] = {}
    for problem in problems:
        ways: list[Hashable] = [(problem.loc[-1:], problem.message, problem.hint)]
        ways.append(problem.cause or (problem.position or problem.loc, problem.hint))
        known = next((keys[way] for way in ways if way in keys), ways[0])
        keys |= dict.fromkeys(ways, known)
        if known in first:
            others[known].append(problem.loc)
        else:
            first[known], others[known] = problem, []
    for known, problem in first.items():
        also = dict.fromkeys(each for each in others[known] if each != problem.loc)
        yield replace(problem, also=(*problem.also, *also))


def dotted(loc: Loc) -> str:
    """A path as it is printed: fabric.leaves.leaf-01.rails[2]."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def counted(number: int, what: str) -> str:
    """A number of things in a sentence: `1 server`, `2 servers`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def below(loc: Loc, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Problems of a part as those of the whole that has it at `loc`."""
    return (problem.moved(lambda inner: (*loc, *inner)) for problem in problems)


def render(problem: Problem, source: Source, hidden: frozenset[tuple[str, int]] = frozenset()) -> str:
    """`file:line:column: path: what is wrong`, the source line with a caret unless it is hidden, and the hint."""
    where = problem.position
    place = f"{where.at(source.name)}:{where.column}" if where else source.name
    lines = source.of(where)
    parts = [f"{place}: {dotted(problem.loc)}: {problem.message}" if problem.loc else f"{place}: {problem.message}"]
    if where and where.line <= len(lines) and (where.file, where.line) not in hidden and not problem.confidential:
        parts += _excerpt(lines[where.line - 1], where)
    if problem.also:
        few = ", ".join(dotted(each) for each in problem.also[:_FEW])
        rest = f" and {len(problem.also) - _FEW} more" if len(problem.also) > _FEW else ""
        parts.append(f"  also: {few}{rest}")
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
