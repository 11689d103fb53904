"""Kubernetes objects of the rules' cases with a part missing, as a patch and a careless author leave it out."""

import copy
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


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield (*path, key)
            yield from _paths(each, (*path, key))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from _paths(each, (*path, at))
