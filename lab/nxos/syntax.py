"""The syntax language of the command table, and matching typed tokens against it.

`word` keyword, `(a|b)` one keyword of several, `<name:kind:argument>` parameter, `[ ... ]` may be left out,
`{ ... | ... }` alternatives of several tokens, `~` everything before it names the setting, after it is the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from podwright.lab.nxos.kinds import KINDS, KindError

INVALID = "% Invalid command at '^' marker."
INCOMPLETE = "% Incomplete command at '^' marker."
AMBIGUOUS = "% Ambiguous command at '^' marker."

_PIECE = re.compile(r"<[^>]+>|\([^)]+\)|[\[\]{}|~]|[^\s\[\]{}|]+")


@dataclass(frozen=True)
class Token:
    """One typed word and the column where it starts."""

    text: str
    column: int


_SPLIT_NAME = re.compile(r"(?i)(?:^|[,-])(e|eth|ethernet|po|port-channel|lo|loopback|vlan|mgmt)$")


def tokens(line: str) -> list[Token]:
    """The words of a typed line with their columns.

    After `interface` the device takes "ethernet 1/1" for "ethernet1/1" and blanks after the commas of a range.
    """
    found: list[Token] = []
    named = False
    for piece in re.finditer(r"\S+", line):
        text = piece.group()
        last = found[-1].text if found else ""
        joins = (text[:1].isdigit() and _SPLIT_NAME.search(last)) or last.endswith(",")
        if named and joins and len(found) > 1:
            found[-1] = Token(last + text, found[-1].column)
            continue
        found.append(Token(text, piece.start()))
        named = named or (len(text) > 2 and "interface".startswith(text))
    return found


@dataclass(frozen=True)
class Keyword:
    """One of several fixed words; any unambiguous beginning of a word does."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Parameter:
    """A value of a kind of `lab.nxos.kinds`, or the rest of the line (`line`)."""

    name: str
    kind: str
    argument: str


@dataclass(frozen=True)
class Group:
    """Alternative sequences; `optional` adds the empty one."""

    branches: tuple[Sequence, ...]
    optional: bool


@dataclass(frozen=True)
class Slot:
    """The `~`: what stands before it names the setting."""


Element = Keyword | Parameter | Group | Slot
Sequence = tuple[Element, ...]


def compile_syntax(text: str) -> Sequence:
    """Parse one row's syntax. Raises ValueError when brackets do not match."""
    pieces = _PIECE.findall(text)
    sequence, rest = _sequence(pieces, 0, "")
    if rest != len(pieces):
        raise ValueError(f"syntax does not end where it should: {text!r}")
    return sequence


def initials(sequence: Sequence) -> frozenset[str] | None:
    """First letters of the lines that a sequence takes; None where a line may begin with any."""
    if not sequence or isinstance(sequence[0], Parameter):
        return None
    head, rest = sequence[0], sequence[1:]
    if isinstance(head, Keyword):
        return frozenset(word[0] for word in head.words)
    if isinstance(head, Slot):
        return initials(rest)
    ways = [initials((*branch, *rest)) for branch in head.branches] + [initials(rest)] * head.optional
    return None if None in ways else frozenset().union(*(way for way in ways if way))


def _sequence(pieces: list[str], at: int, closer: str) -> tuple[Sequence, int]:
    found: list[Element] = []
    while at < len(pieces) and pieces[at] not in (closer, "|"):
        piece = pieces[at]
        if piece in "[{":
            group, at = _group(pieces, at + 1, "]" if piece == "[" else "}")
            found.append(group)
            continue
        at += 1
        found.append(_single(piece))
    return tuple(found), at


def _single(piece: str) -> Element:
    if piece == "~":
        return Slot()
    if piece.startswith("<"):
        name, kind, argument = (*piece[1:-1].split(":"), "", "")[:3]
        if kind != "line" and kind not in KINDS:
            raise ValueError(f"unknown kind in {piece}")
        return Parameter(name, kind, argument)
    return Keyword(tuple(piece.strip("()").split("|")))


def _group(pieces: list[str], at: int, closer: str) -> tuple[Group, int]:
    branches: list[Sequence] = []
    while True:
        branch, at = _sequence(pieces, at, closer)
        branches.append(branch)
        if at >= len(pieces):
            raise ValueError(f"missing {closer}")
        if pieces[at] == closer:
            return Group(tuple(branches), closer == "]"), at + 1
        at += 1


@dataclass(frozen=True)
class Match:
    """A row that took all tokens. `words` is the device's spelling, `slot` how many of them name the setting."""

    words: tuple[str, ...]
    values: dict[str, str]
    slot: int
    exact: tuple[int, ...]
    whole: bool = True

    @property
    def line(self) -> str:
        """The command as the device spells it."""
        return " ".join(self.words)

    @property
    def setting(self) -> str:
        """The part of the line that names the setting."""
        return " ".join(self.words[: self.slot])


@dataclass
class Failure:
    """The furthest point any row came to: the caret and the sentence go there."""

    at: int = -1
    message: str = INVALID
    ambiguous: set[str] = field(default_factory=set)

    def note(self, at: int, message: str) -> None:
        """Keep the furthest; at one place a specific sentence beats the general one."""
        if at > self.at or (at == self.at and self.message == INVALID):
            self.at, self.message = at, message


@dataclass(frozen=True)
class _State:
    at: int
    words: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    slot: int | None = None
    exact: tuple[int, ...] = ()


def match(sequence: Sequence, typed: list[Token], failure: Failure, partial: bool = False) -> Match | None:
    """The best way in which `sequence` takes all of `typed`, or None with `failure` brought up to date.

    `partial` lets the line end anywhere after the slot mark: the form that `no` takes.
    """
    best: Match | None = None
    for state, whole in _walk(sequence, typed, _State(0), failure, partial):
        if state.at != len(typed):
            failure.note(state.at, INVALID)
            continue
        slot = len(state.words) if state.slot is None else state.slot
        found = Match(state.words, dict(state.values), slot, state.exact, whole)
        if best is None or found.exact > best.exact:
            best = found
    return best


def _walk(
    sequence: Sequence, typed: list[Token], state: _State, failure: Failure, partial: bool
) -> Iterator[tuple[_State, bool]]:
    if not sequence:
        yield state, True
        return
    head, rest = sequence[0], sequence[1:]
    if isinstance(head, Slot):
        marked = _State(state.at, state.words, state.values, len(state.words), state.exact)
        yield from _walk(rest, typed, marked, failure, partial)
        return
    if isinstance(head, Group):
        for branch in head.branches:
            yield from _walk(branch + rest, typed, state, failure, partial)
        if head.optional:
            yield from _walk(rest, typed, state, failure, partial)
        return
    if state.at >= len(typed):
        if partial and state.slot is not None:
            yield state, False
        else:
            failure.note(state.at, INCOMPLETE)
        return
    taken = _take(head, typed, state, failure)
    if taken is not None:
        yield from _walk(rest, typed, taken, failure, partial)


def _take(head: Keyword | Parameter, typed: list[Token], state: _State, failure: Failure) -> _State | None:
    text = typed[state.at].text
    if isinstance(head, Keyword):
        if text in head.words:
            return _next(state, text, (), 2)
        begun = [word for word in head.words if word.startswith(text)]
        if len(begun) == 1:
            return _next(state, begun[0], (), 0)
        failure.note(state.at, AMBIGUOUS if begun else INVALID)
        return None
    if head.kind == "line":
        spelling = " ".join(token.text for token in typed[state.at :])
        taken = _next(state, spelling, ((head.name, spelling),), 1)
        return _State(len(typed), taken.words, taken.values, taken.slot, taken.exact)
    try:
        spelling = KINDS[head.kind](text, head.argument)
    except KindError as refusal:
        failure.note(state.at, refusal.message or INVALID)
        return None
    return _next(state, spelling, ((head.name, spelling),), 1)


def _next(state: _State, word: str, value: tuple[tuple[str, str], ...], exact: int) -> _State:
    return _State(state.at + 1, (*state.words, word), (*state.values, *value), state.slot, (*state.exact, exact))


def following(sequence: Sequence, typed: list[Token], partial: bool = False) -> Iterator[Keyword | Parameter | None]:
    """What may come next in this row after all of `typed`: a word, a value, or None where the line may end."""
    yield from _next_of(sequence, typed, _State(0), partial)


def _next_of(
    sequence: Sequence, typed: list[Token], state: _State, partial: bool
) -> Iterator[Keyword | Parameter | None]:
    done = state.at >= len(typed)
    if not sequence:
        if done:
            yield None
        return
    head, rest = sequence[0], sequence[1:]
    if isinstance(head, Slot):
        if done and partial:
            yield None
        yield from _next_of(rest, typed, state, partial)
    elif isinstance(head, Group):
        for branch in (*head.branches, *(((),) if head.optional else ())):
            yield from _next_of(branch + rest, typed, state, partial)
    elif done:
        yield head
    elif (taken := _take(head, typed, state, Failure())) is not None:
        yield from _next_of(rest, typed, taken, partial)
