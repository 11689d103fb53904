"""A stack file as values that remember where they stood.

PyYAML's own loader would drop positions, keep the last of two equal keys and turn 2026.10 into a number without a
trace; this one walks the node tree, so each of these becomes a sentence with a place. The tree comes from libyaml's
parser where PyYAML was built with it: PyYAML's own takes nine times as long.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml
from yaml.composer import Composer
from yaml.resolver import Resolver

from podwright.components.model.problems import Loc, Position, Problem, Source

_MOST_BYTES = 8_000_000
_MOST_VALUES = 400_000
"""More values than any stack has; aliases inside aliases reach it within a few lines."""
_TAG = "tag:yaml.org,2002:"
_TEXT = {f"{_TAG}str", f"{_TAG}timestamp", f"{_TAG}value"}


@dataclass(frozen=True)
class Replaced:
    """A value that another file's took the place of."""

    value: object
    position: Position


class UnreadableError(Exception):
    """The file holds no node tree at all; carries the one problem that says why."""

    def __init__(self, problem: Problem, source: Source) -> None:
        self.problem = problem
        self.source = source
        super().__init__(problem.message)


@dataclass
class Document:
    """Values of a file, the places of keys and values, and what was wrong already at this level."""

    source: Source
    value: object = None
    keys: dict[Loc, Position] = field(default_factory=dict)
    values: dict[Loc, Position] = field(default_factory=dict)
    plain: dict[Loc, str] = field(default_factory=dict)
    """Text of unquoted scalars, which YAML may have made something else of."""
    problems: list[Problem] = field(default_factory=list)
    origin: dict[Loc, Loc] = field(default_factory=dict)
    """Where values that were written once for many stand, by the path each of them has."""
    file: str = ""
    """The name that places have; empty in the file that was asked about."""
    replaced: dict[Loc, tuple["Replaced", ...]] = field(default_factory=dict)
    """What a value took the place of in files that this is based on, the first one first."""
    removed: dict[Loc, Position] = field(default_factory=dict)
    """Keys of such files that are taken out, and where."""

    def locate(self, loc: Loc, at_key: bool = False) -> Position | None:
        """Place of a value (or its key), or of the nearest thing above it that stands in the file."""
        loc = self.written(loc)
        if loc in self.removed:
            return self.removed[loc]
        if at_key and loc in self.keys:
            return self.keys[loc]
        if loc in self.values:
            return self.values[loc]
        while loc:
            loc = self.written(loc[:-1])
            found = self.keys.get(loc) or self.values.get(loc)
            if found:
                return found
        return None

    def written(self, loc: Loc) -> Loc:
        """The path under which a value, or what it is a part of, was written."""
        for length in range(len(loc), 0, -1):
            if loc[:length] in self.origin:
                return (*self.origin[loc[:length]], *loc[length:])
        return loc


def read(path: Path, text: str | None = None) -> tuple[Source, yaml.Node | None]:
    """The file's text and its node tree; None for an empty file. `text` in place of what it holds.

    Raises UnreadableError.
    """
    name = shortest(path)
    if text is None:
        try:
            data = path.read_bytes()
        except OSError as error:
            reason = error.strerror or "unknown reason"
            hint = "give the path of a stack file, Pulumi.<stack>.yaml"
            raise UnreadableError(Problem((), f"cannot be read: {reason}", hint), Source(name)) from None
        text = _decode(data, name)
    source = Source(name, text.splitlines())
    try:
        return source, _compose(text)
    except yaml.reader.ReaderError as error:
        raise UnreadableError(_odd_character(text, error), source) from None
    except yaml.MarkedYAMLError as error:
        raise UnreadableError(_syntax(error), source) from None
    except RecursionError:
        problem = Problem((), "is nested too deeply", "look for brackets that are opened again and again")
        raise UnreadableError(problem, source) from None


def _compose(text: str) -> yaml.Node | None:
    """The node tree. What libyaml refuses is read again by PyYAML's parser, which says more about it."""
    if yaml.__with_libyaml__:
        try:
            return _quick_loader()(text).get_single_node()
        except (yaml.YAMLError, RecursionError):
            pass
    return yaml.compose(text, Loader=yaml.SafeLoader)


@cache
def _quick_loader() -> Callable[[str], Composer]:
    """libyaml's parser with PyYAML's composer: libyaml's would end the process where brackets are nested deeply."""
    from yaml._yaml import CParser  # noqa: PLC0415 - PyYAML may be built without it

    class QuickLoader(Composer, CParser, Resolver):
        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            Composer.__init__(self)
            Resolver.__init__(self)

    return QuickLoader


def shortest(path: Path) -> str:
    """The path as a person would type it from here."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _decode(data: bytes, name: str) -> str:
    if len(data) > _MOST_BYTES:
        problem = Problem((), f"is {len(data)} bytes long", f"a stack file has at most {_MOST_BYTES} bytes")
        raise UnreadableError(problem, Source(name))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        lines = data.decode("utf-8", "replace").splitlines()
        where = Position(before.count("\n") + 1, len(before) - before.rfind("\n"))
        problem = Problem((), f"is not UTF-8 text (byte 0x{data[error.start]:02x})", "save it as UTF-8", position=where)
        raise UnreadableError(problem, Source(name, lines)) from None


def _odd_character(text: str, error: yaml.reader.ReaderError) -> Problem:
    before = text[: error.position]
    where = Position(before.count("\n") + 1, len(before) - before.rfind("\n"))
    return Problem((), "holds a control character YAML does not allow", "delete the character", position=where)


def _syntax(error: yaml.MarkedYAMLError) -> Problem:
    mark = error.problem_mark or error.context_mark
    where = Position(mark.line + 1, mark.column + 1) if mark else None
    message = f"is not valid YAML: {error.problem or error.context}"
    hint = "check the indentation, colons and brackets here"
    if error.problem and "'\\t'" in error.problem:
        hint = "indent with spaces: YAML does not take tabs"
    elif error.problem and "alias" in error.problem:
        hint = "quote a value that begins with *, or define the anchor before its alias"
    elif error.context_mark and mark and error.context_mark.line != mark.line:
        hint = f"{error.context} begun in line {error.context_mark.line + 1}: is its end or an indentation missing?"
    return Problem((), message, hint, position=where)


class Builder:
    """Turns a node tree into plain values, noting places and problems in a Document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._above: set[int] = set()
        self._count = 0

    def build(self, node: yaml.Node, loc: Loc) -> object:
        """The value of `node`; a wrong node becomes a problem and None."""
        self.document.values[loc] = self._place(node)
        self._count += 1
        if id(node) in self._above:
            return self._wrong(loc, "an alias that contains itself", "write the value out")
        if self._count > _MOST_VALUES:
            return self._wrong(loc, f"more than {_MOST_VALUES} values", "write values out instead of nesting aliases")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, loc)
        if node.tag not in (f"{_TAG}map", f"{_TAG}seq"):
            return self._wrong(loc, f"the tag {_displayed(node.tag)}", "leave the tag out")
        self._above.add(id(node))
        try:
            if isinstance(node, yaml.SequenceNode):
                return [self.build(child, (*loc, index)) for index, child in enumerate(node.value)]
            return self._mapping(node, loc) if isinstance(node, yaml.MappingNode) else None
        finally:
            self._above.discard(id(node))

    def _mapping(self, node: yaml.MappingNode, loc: Loc) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._note(loc, "has a key that is a list or a mapping", "keys are plain names", self._place(key))
                continue
            name, here = key.value, (*loc, key.value)
            if key.tag == f"{_TAG}merge":
                self._note(here, "merge keys are not read", "write the keys out, one block each", self._place(key))
            elif name in found:
                first = self.document.keys[here].line
                self._note(here, f"stands twice; first in line {first}", "keep one of the two", self._place(key))
            else:
                self.document.keys[here] = self._place(key)
                found[name] = self.build(child, here)
        return found

    def _scalar(self, node: yaml.ScalarNode, loc: Loc) -> object:
        text = str(node.value)
        if not node.style:
            self.document.plain[loc] = text
        if node.tag in _TEXT:
            if any("\ud800" <= char <= "\udfff" for char in text):
                return self._wrong(loc, "half a Unicode character", "write the character itself")
            return text
        if node.tag == f"{_TAG}null":
            return None
        try:
            if node.tag == f"{_TAG}bool":
                return yaml.SafeLoader.bool_values[text.lower()]
            if node.tag == f"{_TAG}int":
                return int(yaml.SafeLoader("").construct_yaml_int(node))
            if node.tag == f"{_TAG}float":
                return self._float(node, loc)
        except (ValueError, OverflowError, KeyError, IndexError):
            return self._wrong(loc, f"{_displayed(text)}, which cannot be read", "write a plain decimal number")
        return self._wrong(loc, f"the tag {_displayed(node.tag)}", "leave the tag out")

    def _float(self, node: yaml.ScalarNode, loc: Loc) -> object:
        number = float(yaml.SafeLoader("").construct_yaml_float(node))
        if math.isfinite(number):
            return number
        return self._wrong(loc, f"{_displayed(str(node.value))}, which is no finite number", "write a plain number")

    def _place(self, node: yaml.Node) -> Position:
        return place(node, self.document.file)

    def _wrong(self, loc: Loc, what: str, hint: str) -> object:
        """Note the problem; None stands where the value would."""
        self._note(loc, f"holds {what}", hint, self.document.values[loc])
        return None

    def _note(self, loc: Loc, message: str, hint: str, where: Position) -> None:
        self.document.problems.append(Problem(loc, message, hint, position=where))


def place(node: yaml.Node, file: str = "") -> Position:
    """Where a node begins; scalars on one line are underlined whole."""
    start, end = node.start_mark, node.end_mark
    one_line = isinstance(node, yaml.ScalarNode) and start.line == end.line
    return Position(start.line + 1, start.column + 1, max(1, end.column - start.column) if one_line else 1, file)


def _displayed(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}... ({len(text)} characters)"
