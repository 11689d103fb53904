"""JSON Patch (RFC 6902) as an update: applied to what a client reads, then only what it changed is written."""

from __future__ import annotations

import copy
from typing import Any

from podwright.lab.intersight.errors import malformed
from podwright.lab.intersight.schema import ObjectType


def patched(document: dict[str, Any], operations: Any, kind: ObjectType) -> dict[str, Any]:
    """The properties that the operations change, as a merge body. Raises ApiError 400."""
    if not isinstance(operations, list):
        raise malformed("A JSON patch is a list of operations.")
    work: Any = copy.deepcopy(document)
    for operation in operations:
        try:
            _apply(work, operation)
        except (KeyError, IndexError, TypeError, ValueError) as problem:
            raise malformed(f"The JSON patch cannot be applied: {problem}.") from problem
    names = [n for n in {*document, *work} if document.get(n) != work.get(n)]
    return {n: _as_sent(work.get(n), kind.properties.get(n, {}).get("t")) for n in names}


def _as_sent(value: Any, kind: str | None) -> Any:
    """Without what the server adds when it replies."""
    if kind != "ref" or value is None:
        return value
    if isinstance(value, list):
        return [_as_sent(item, kind) for item in value]
    return {k: v for k, v in value.items() if k != "link"}


def _apply(work: Any, operation: dict[str, Any]) -> None:
    op, path = operation["op"], operation["path"]
    if op in ("move", "copy"):
        value = _read(work, operation["from"])
        if op == "move":
            _remove(work, operation["from"])
        _add(work, path, copy.deepcopy(value))
    elif op == "add":
        _add(work, path, operation["value"])
    elif op == "replace":
        _read(work, path)
        _remove(work, path)
        _add(work, path, operation["value"])
    elif op == "remove":
        _remove(work, path)
    elif op == "test":
        if _read(work, path) != operation["value"]:
            raise ValueError(f"the test of {path} does not hold")
    else:
        raise ValueError(f"{op!r} is no operation")


def _parts(path: str) -> list[str]:
    if not path.startswith("/"):
        raise ValueError(f"{path!r} is no JSON pointer")
    return [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]


def _parent(work: Any, path: str) -> tuple[Any, str]:
    *parents, last = _parts(path)
    for part in parents:
        work = work[int(part)] if isinstance(work, list) else work[part]
    return work, last


def _read(work: Any, path: str) -> Any:
    parent, last = _parent(work, path)
    return parent[int(last)] if isinstance(parent, list) else parent[last]


def _add(work: Any, path: str, value: Any) -> None:
    parent, last = _parent(work, path)
    if isinstance(parent, list):
        parent.insert(len(parent) if last == "-" else int(last), value)
    else:
        parent[last] = value


def _remove(work: Any, path: str) -> None:
    parent, last = _parent(work, path)
    del parent[int(last) if isinstance(parent, list) else last]
