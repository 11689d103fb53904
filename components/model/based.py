"""A stack file with the files that it is based on, as one document whose values remember which file they are from.

Pulumi reads `Pulumi.<stack>.yaml` and knows of no files below it. An environment (`environment:`) needs Pulumi Cloud: a
backend of one's own does not support it (pulumi/pulumi, pull request 23811). A value of a stack takes the place of a
default of `Pulumi.yaml` as a whole (sdk/go/common/workspace/config.go, ValidateStackConfigAndApplyProjectConfig). The
program reads the stack's file itself, and these with it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from os.path import normpath
from pathlib import Path

import yaml

from podwright.components.model.document import Builder, Document, UnreadableError, place, read, shortest
from podwright.components.model.merge import merged
from podwright.components.model.problems import Loc, Position, Problem, Source, SpecErrors

KEY = "podwright:cluster"
"""Configuration key that holds the cluster."""
BASE = "podwright:base"
"""Configuration key that names the files a file is based on: a path relative to it, or a list of them, of which later
ones come over earlier ones. A file that is named again further up is read once, where it was first."""
_CONFIG = "config"
_NAMESPACE = KEY.partition(":")[0]
_BESIDE = ("cluster", "base", "secrets", "world")
"""What a program reads of a stack's configuration; Pulumi takes any other key without a word."""
_TEXT = "tag:yaml.org,2002:str"
_MOST_FILES = 32
"""More files than anybody follows."""


def document(path: Path, key: str = KEY, text: str | None = None) -> Document:
    """The cluster's values of a stack file, over those of the files it is based on; `text` in place of what it holds.

    Raises SpecErrors where one of the files cannot be read or has no cluster.
    """
    files = _Files(key)
    files.read(path, "", (_same(path),), text)
    own = files.lines.pop("", ())
    # The lowest file first; what could not be read is shown too.
    lines = {each.file: files.lines[each.file] for each in files.order if each.file} | files.lines
    source = Source(shortest(path), own, lines)
    if files.problems:
        raise SpecErrors(files.problems, source)
    found = files.order[0]
    for each in files.order[1:]:
        found = merged(found, each)
    found.source = source
    return found


class _Files:
    """What is read for one stack file."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.lines: dict[str, Sequence[str]] = {}
        """Lines of each file by its name."""
        self.order: list[Document] = []
        """Every file once, each behind those that it is based on."""
        self.problems: list[Problem] = []
        """What keeps one from being read."""
        self._seen: set[Path] = set()

    def read(self, path: Path, file: str, above: tuple[Path, ...], text: str | None = None) -> None:
        """Read a file, those that it is based on first; `above` are those that are based on it, and the file itself."""
        self._seen.add(_same(path))
        try:
            source, root = read(path, text)
            self.lines[file] = source.lines
            _, config = _child(root, _CONFIG, source, (), file)
            name, node = _child(config, self.key, source, (_CONFIG,), file)
        except UnreadableError as error:
            self.lines[file] = error.source.lines
            where = error.problem.position
            self.problems.append(replace(error.problem, position=where and replace(where, file=file)))
            return
        self._bases(config, path, file, above)
        own = Document(source, file=file)
        own.problems += _beside(config, file)
        own.value = Builder(own).build(node, ())
        own.keys[()] = place(name, file)
        if file:
            own.problems += _foreign(root, config, file)
        if file and not isinstance(own.value, dict):
            where = place(node, file)
            self._note((_CONFIG, self.key), "is not a mapping", "write the cluster's keys below it", where)
        self.order.append(own)

    def _bases(self, config: yaml.Node, path: Path, file: str, above: tuple[Path, ...]) -> None:
        """Read each file that is named, the lowest first."""
        listed: set[Path] = set()
        for loc, node in self._named(config, file):
            base = Path(normpath(path.parent / str(node.value)))
            if wrong := self._wrong(str(node.value), base, above, listed):
                self._note(loc, *wrong, place(node, file))
            elif _same(base) not in self._seen:
                known = len(self.problems)
                self.read(base, shortest(base), (*above, _same(base)))
                # What has no place of its own, such as that there is no such file, is wrong where it is named.
                for number, each in enumerate(self.problems[known:], known):
                    if each.position is None:
                        message, where = f"{shortest(base)} {each.message}", place(node, file)
                        self.problems[number] = Problem(loc, message, _PATH, position=where)
            listed.add(_same(base))

    def _wrong(self, text: str, base: Path, above: tuple[Path, ...], listed: set[Path]) -> tuple[str, str] | None:
        """Why a file that is named is not read: message and hint."""
        if not text.strip():
            return "is empty", _PATH
        if Path(text).is_absolute():
            return f'"{text}" is where it is on one machine alone', _PATH
        if _same(base) in above:
            way = [*above[above.index(_same(base)) :], _same(base)]
            names = " → ".join(each.name for each in way)
            return f'"{text}" is based on this file: {names}', "take one of these lines out: one file is the lowest"
        if _same(base) in listed:
            return f'"{text}" stands twice', "keep one of the two"
        if len(self._seen) > _MOST_FILES:
            return f"more than {_MOST_FILES} files are read for one stack", "base files on fewer others"
        return None

    def _named(self, config: yaml.Node, file: str) -> Iterator[tuple[Loc, yaml.ScalarNode]]:
        """Each path that stands in a file's `podwright:base`, and where."""
        found = [(key, node) for key, node in _pairs(config) if key.value == BASE]
        loc: Loc = (_CONFIG, BASE)
        if len(found) > 1:
            self._note(loc, "stands twice", "write one list", place(found[1][0], file))
            return
        for _, node in found:
            listed = isinstance(node, yaml.SequenceNode)
            for number, each in enumerate(node.value if isinstance(node, yaml.SequenceNode) else [node]):
                here: Loc = (*loc, number) if listed else loc
                if isinstance(each, yaml.ScalarNode) and each.tag == _TEXT:
                    yield here, each
                else:
                    self._note(here, "is not the path of a file", _PATH, place(each, file))
            if listed and not node.value:
                self._note(loc, "is an empty list", f"{_PATH}, or delete the line", place(node, file))

    def _note(self, loc: Loc, message: str, hint: str, where: Position) -> None:
        self.problems.append(Problem(loc, message, hint, position=where))


_PATH = "write the path of a file, relative to this one, such as base.yaml"


def _same(path: Path) -> Path:
    """What two paths to one file have alike."""
    return path.resolve()


def _pairs(node: yaml.Node | None) -> list[tuple[yaml.Node, yaml.Node]]:
    return list(node.value) if isinstance(node, yaml.MappingNode) else []


def _foreign(root: yaml.Node | None, config: yaml.Node, file: str) -> Iterator[Problem]:
    """Keys of a base that are read from no base: Pulumi's own, secrets among them, and other programs'."""
    hint = "Pulumi reads settings and secrets from the stack's own file alone: write it into Pulumi.<stack>.yaml"
    for above, node, known in (((), root, (_CONFIG,)), ((_CONFIG,), config, (KEY, BASE))):
        for name, _ in _pairs(node):
            if name.value not in known:
                loc = (*above, str(name.value))
                yield Problem(loc, "is not read from a file that a stack is based on", hint, position=place(name, file))


def _beside(config: yaml.Node, file: str) -> Iterator[Problem]:
    """Keys beside the cluster that nobody reads, although they are meant for this program."""
    for name, _ in _pairs(config):
        namespace, colon, key = str(name.value).partition(":")
        near = get_close_matches(namespace, [_NAMESPACE], cutoff=0.8)
        if not colon or not near or (namespace == _NAMESPACE and key in _BESIDE):
            continue
        meant = get_close_matches(key, _BESIDE, n=1, cutoff=0.6) or _BESIDE[:1]
        known = ", ".join(f"{_NAMESPACE}:{each}" for each in _BESIDE)
        hint = f"did you mean `{_NAMESPACE}:{meant[0]}`? Known: {known}"
        yield Problem((_CONFIG, str(name.value)), "is read by nobody", hint, position=place(name, file))


def _child(
    node: yaml.Node | None, key: str, source: Source, loc: tuple[str, ...], file: str
) -> tuple[yaml.Node, yaml.Node]:
    """The node of `key` and that of its value in a mapping node. Raises UnreadableError where there is none."""
    if not isinstance(node, yaml.MappingNode):
        what = "is empty" if node is None else "is not a mapping"
        where = place(node, file) if node is not None else None
        raise UnreadableError(Problem(loc, what, f"write `{key}:` below it", position=where), source)
    matches = [(name, child) for name, child in node.value if isinstance(name, yaml.ScalarNode) and name.value == key]
    if not matches:
        hint = f"add `{key}:`; Pulumi.lab.yaml in this project is an example"
        raise UnreadableError(Problem((*loc, key), "is missing", hint, position=place(node, file)), source)
    if len(matches) > 1:
        where = place(matches[1][0], file)
        raise UnreadableError(Problem((*loc, key), "stands twice", "keep one of the two", position=where), source)
    return matches[0]
