"""Where each value of a stack's cluster is from: a file and a line, what it replaced there, or no file at all."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic_core import to_jsonable_python

from podwright.components.model import describe
from podwright.components.model.based import document
from podwright.components.model.document import Document, Replaced
from podwright.components.model.explain import is_private
from podwright.components.model.load import checked
from podwright.components.model.problems import Loc, Position
from podwright.components.model.types import Spec

HIDDEN = "(a private key)"
"""What stands for a value that is repeated nowhere."""


@dataclass(frozen=True)
class Value:
    """One value of the cluster."""

    loc: Loc
    value: object
    """As JSON has it; None for a key that was taken out."""
    origin: Literal["file", "worked out", "default", "removed"]
    position: Position | None = None
    """Where it is set, or taken out; None where no file sets it."""
    written: Loc = ()
    """The path under which it is written, where that is another one: of a pattern, or of a short form."""
    replaced: tuple[Replaced, ...] = ()
    """What it took the place of, the lowest first."""


@dataclass(frozen=True)
class Origins:
    """Every value of a stack, and its files, the one that was asked about last."""

    files: tuple[str, ...]
    values: tuple[Value, ...]


def origins(path: Path) -> Origins:
    """Of a stack file. Raises SpecErrors as `load` does."""
    read = document(path)
    cluster = checked(read)
    found = [*_section(cluster, (), read, read.value), *_removed(read)]
    return Origins((*read.source.bases, read.source.name), tuple(found))


def _removed(read: Document) -> Iterator[Value]:
    for loc, where in read.removed.items():
        yield Value(loc, None, "removed", where, replaced=_readable(read.replaced[loc]))


def _section(model: Spec, loc: Loc, read: Document, raw: object) -> Iterator[Value]:
    for name in describe.fields(type(model)):
        yield from _values(getattr(model, name), (*loc, name), read, _below(raw, name))


def _values(value: object, loc: Loc, read: Document, raw: object) -> Iterator[Value]:
    """Values at and below a place; `raw` is what the file comes to there, _ABSENT where it has nothing."""
    if isinstance(value, Spec):
        yield from _section(value, loc, read, raw)
    elif isinstance(value, Mapping) and value:
        for name, each in value.items():
            yield from _values(each, (*loc, str(name)), read, _below(raw, name))
    elif isinstance(value, list | tuple) and value and isinstance(value[0], Spec):
        for number, each in enumerate(value):
            yield from _values(each, (*loc, number), read, _below(raw, number))
    else:
        yield _value(value, loc, read, raw)


def _value(value: object, loc: Loc, read: Document, raw: object) -> Value:
    plain = HIDDEN if is_private(value) else to_jsonable_python(value)
    if raw is _ABSENT:
        return Value(loc, plain, "default")
    written = read.written(loc)
    place = read.values.get(written)
    if place is None:
        return Value(loc, plain, "worked out")
    above = next((written[:length] for length in range(len(written), 0, -1) if written[:length] in read.replaced), ())
    replaced = _readable(read.replaced.get(above, ()))
    return Value(loc, plain, "file", place, written if written != loc else (), replaced)


def _readable(replaced: tuple[Replaced, ...]) -> tuple[Replaced, ...]:
    return tuple(Replaced(HIDDEN if is_private(each.value) else each.value, each.position) for each in replaced)


_ABSENT = object()


def _below(raw: object, name: object) -> object:
    if isinstance(raw, dict):
        return raw.get(name, _ABSENT)
    if isinstance(raw, list) and isinstance(name, int) and name < len(raw):
        return raw[name]
    return _ABSENT
