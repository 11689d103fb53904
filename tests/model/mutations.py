"""Wrong stack files made from right ones: one place changed, in every way the field can be wrong."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from podwright.components.model import Cluster, describe
from podwright.components.model.problems import Loc

REFERENCES = {"release", "rack", "pool", "team", "storage_class", "domain", "group", "model", "gpus", "mig", "slice"}
OPEN = {"extra", "parameters"}
"""Mappings whose keys are the site's own text: any key is right there."""


@dataclass(frozen=True)
class Mutation:
    """A changed file and the line (from 1) a problem must point at."""

    kind: str
    loc: Loc
    text: str
    line: int
    alone: bool
    """Every problem points there; otherwise one does, and others follow from it elsewhere."""


@dataclass(frozen=True)
class Entry:
    """A key with its value in a mapping, and its neighbours."""

    loc: Loc
    key: yaml.ScalarNode
    value: yaml.Node
    parent: yaml.MappingNode
    parent_line: int
    before: yaml.Node | None
    after: yaml.ScalarNode | None


def entries(text: str) -> list[Entry]:
    """Every key of the cluster in a stack file."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert root is not None
    config = root.value[0][1]
    key, cluster = config.value[0]
    return list(_entries(cluster, (), key.start_mark.line + 1))


def _entries(node: yaml.Node, loc: Loc, parent_line: int) -> Iterator[Entry]:
    if isinstance(node, yaml.SequenceNode):
        for index, child in enumerate(node.value):
            yield from _entries(child, (*loc, index), child.start_mark.line + 1)
    if not isinstance(node, yaml.MappingNode):
        return
    for index, (key, value) in enumerate(node.value):
        before = node.value[index - 1][1] if index else None
        after = node.value[index + 1][0] if index + 1 < len(node.value) else None
        here = (*loc, key.value)
        yield Entry(here, key, value, node, parent_line, before, after)
        yield from _entries(value, here, key.start_mark.line + 1)


def mutations(text: str) -> Iterator[Mutation]:
    """Every mutation of every field."""
    for entry in entries(text):
        if OPEN & set(entry.loc[:-1]):
            continue
        yield from _values(text, entry)
        yield from _keys(text, entry)


def _values(text: str, entry: Entry) -> Iterator[Mutation]:
    annotation = describe.at(Cluster, entry.loc)
    if annotation is None:
        return
    shape = describe.shape(annotation)
    line = entry.value.start_mark.line + 1
    wrong = {"a list of nonsense": "[[1]]"} if shape.kind is not dict else {"a list": "[1]"}
    wrong |= {"text": '"~ no ~"', "a boolean": "true" if shape.kind is not bool else "[true]"}
    if shape.kind is str and shape.metadata == ():
        wrong = {"a list": "[a]", "a number": "12", "a boolean": "true"}
    if shape.kind in (int, float):
        wrong |= {
            "a negative number": "-7",
            "a huge number": "9" * 30,
            "too many digits": "9" * 5000,
            "infinity": ".inf",
        }
    if not shape.optional and shape.kind is not str:
        wrong |= {"nothing": "null"}
    for kind, value in wrong.items():
        yield Mutation(kind, entry.loc, _replaced(text, entry.value, value), line, True)
    named = entry.loc[-1] in REFERENCES and entry.loc[:2] != ("workloads", "inference")
    if named and (shape.kind is str or entry.loc[-1] == "group"):
        value = "63" if shape.kind is int else '"2020.01"' if entry.loc[-1] == "release" else "nowhere"
        yield Mutation("a wrong reference", entry.loc, _replaced(text, entry.value, value), line, False)


def _keys(text: str, entry: Entry) -> Iterator[Mutation]:
    line = entry.key.start_mark.line + 1
    renamed = _replaced(text, entry.key, f"{entry.key.value}_x")
    yield Mutation("a wrong name", entry.loc, renamed, line, False)
    start = entry.key.start_mark
    joint = ", " if entry.parent.flow_style else "\n" + " " * start.column
    unknown = text[: start.index] + "bogus_key: [[1]]" + joint + text[start.index :]
    yield Mutation("an unknown key", entry.loc, unknown, line, True)
    double = text[: start.index] + f'{_quoted(entry.key)}: "~"' + joint + text[start.index :]
    yield Mutation("a key twice", entry.loc, double, line + (0 if entry.parent.flow_style else 1), False)
    parent = describe.shape(describe.at(Cluster, entry.loc[:-1]))
    if describe.is_model(parent) and entry.key.value in describe.required(parent.kind):
        yield Mutation("a missing key", entry.loc, _without(text, entry), entry.parent_line, True)


def _quoted(key: yaml.ScalarNode) -> str:
    return f'"{key.value}"'


def _replaced(text: str, node: yaml.Node, value: str) -> str:
    """`text` with a node's own text replaced; a block node takes the value on its first line."""
    end = node.end_mark.index
    piece = text[node.start_mark.index : end]
    kept = piece[len(piece.rstrip()) :]
    return text[: node.start_mark.index] + value + kept + text[end:]


def _without(text: str, entry: Entry) -> str:
    if entry.after is not None:
        return text[: entry.key.start_mark.index] + text[entry.after.start_mark.index :]
    if entry.before is not None:
        end = entry.value.end_mark.index
        piece = text[entry.before.end_mark.index : end]
        return text[: entry.before.end_mark.index].rstrip() + piece[len(piece.rstrip()) :] + text[end:]
    return _replaced(text, entry.parent, "{}")


def one_of_each(text: str, seed: int) -> list[Mutation]:
    """One mutation of every kind for every field, the device or workload it is tried on drawn by `seed`."""
    groups: dict[tuple[str, ...], list[Mutation]] = {}
    for mutation in mutations(text):
        groups.setdefault((mutation.kind, *_field(mutation.loc)), []).append(mutation)
    draw = random.Random(seed)
    return [draw.choice(each) for each in groups.values()]


def _field(loc: Loc) -> tuple[str, ...]:
    """A path with names of things replaced: servers.*.rack."""
    found = []
    for depth, part in enumerate(loc):
        parent = describe.at(Cluster, loc[:depth])
        found.append(str(part) if describe.is_model(describe.shape(parent)) else "*")
    return tuple(found)
