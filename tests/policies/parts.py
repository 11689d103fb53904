"""What the rules' cases are about with a part missing: objects without a key, switches with a line cut off."""

import copy
import re
from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]


def without_parts(case: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The case again for each key of its objects: without the key, and with null in it; with where that is."""
    for at, each in enumerate(case):
        if not each["type"].startswith("kubernetes:"):
            continue  # what a provider of ours registers is whole: it was checked there
        for path in _paths(each["props"]):
            for left in ("missing", "null"):
                changed = [*case[:at], copy.deepcopy(each), *case[at + 1 :]]
                owner = changed[at]["props"]
                for step in path[:-1]:
                    owner = owner[step]
                if left == "null":
                    owner[path[-1]] = None
                else:
                    del owner[path[-1]]
                yield f"{each['name']} {'.'.join(map(str, path))} {left}", changed


def with_lines_cut(case: list[dict[str, Any]], known: set[str]) -> Iterator[list[dict[str, Any]]]:
    """The case again for each word of each line of its switches that is not in `known`, the line ending before it."""
    for at, each in enumerate(case):
        config = each["props"]["spec"]["config"] if each["type"] == "podwright:nxos:Switch" else {}
        for header, below in config.items():
            lines = [header, *below.splitlines()]
            for place, line in enumerate(lines):
                starts = [] if line in known else [found.start() for found in re.finditer(r"(?<=\S) ", line)]
                known.add(line)
                for start in starts:
                    cut = [*lines[:place], line[:start], *lines[place + 1 :]]
                    changed = {key: value for key, value in config.items() if key != header}
                    changed[cut[0]] = "\n".join(cut[1:])
                    spec = {**each["props"]["spec"], "config": changed}
                    yield [*case[:at], {**each, "props": {**each["props"], "spec": spec}}, *case[at + 1 :]]


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield (*path, key)
            yield from _paths(each, (*path, key))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from _paths(each, (*path, at))
