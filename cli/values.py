"""`podwright explain values`: which file and line sets each value of a stack, and what it took the place of."""

import json
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer

from podwright.components.model.document import Replaced
from podwright.components.model.explain import show as shown
from podwright.components.model.origins import Origins, Value, origins
from podwright.components.model.problems import dotted

_WIDE = 40
"""Characters of a value beside which its place stands on the same line."""


def show(file: Path, path: str, *, every: bool, as_json: bool) -> None:
    """Print the values at and below a path; KeyError, with a sentence, for one that has none. Raises SpecErrors."""
    found = origins(file)
    chosen = [each for each in found.values if _below(dotted(each.loc), path)]
    if not chosen:
        raise KeyError(_unknown(found, path, file))
    if not path and not every:
        chosen = [each for each in chosen if each.position is not None]
    chosen.sort(key=lambda each: _section(found, each))
    if as_json:
        typer.echo(
            json.dumps({"files": found.files, "values": [_data(each, found.files[-1]) for each in chosen]}, indent=2)
        )
    else:
        typer.echo("\n".join(lines(found, chosen)))


def _section(found: Origins, value: Value) -> int:
    """Keys that are taken out stand with their section."""
    sections = list(dict.fromkeys(each.loc[0] for each in found.values))
    return sections.index(value.loc[0])


def lines(found: Origins, chosen: Sequence[Value]) -> Iterator[str]:
    """For a terminal: path, value, where it is from."""
    *below, own = found.files
    yield f"{own}, based on {', then '.join(below)}" if below else own
    wide = max(len(dotted(each.loc)) for each in chosen) if chosen else 0
    for each in chosen:
        value = "removed" if each.origin == "removed" else _text(each.value)
        yield f"{dotted(each.loc):{wide}}  {value:{_WIDE // 2}}  {_origin(each, own)}"


def _origin(value: Value, file: str) -> str:
    if value.position is None:
        return value.origin
    at = value.position.at(file)
    pattern = f" ({dotted(value.written)})" if value.written else ""
    before = ", before that ".join(_former(each, file) for each in reversed(value.replaced))
    return f"{at}{pattern}{f', in place of {before}' if before else ''}"


def _former(former: Replaced, file: str) -> str:
    return f"{_text(former.value)} ({former.position.at(file)})"


def _text(value: object) -> str:
    if value is None:
        return "null"
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else shown(value).strip('"')
    return text if len(text) <= _WIDE else f"{text[: _WIDE - 3]}..."


def _data(value: Value, file: str) -> dict[str, Any]:
    place = value.position
    return {
        "path": dotted(value.loc),
        "value": value.value,
        "origin": value.origin,
        "file": (place.file or file) if place else None,
        "line": place.line if place else None,
        "written": dotted(value.written) or None,
        "replaced": [
            {"value": each.value, "file": each.position.file or file, "line": each.position.line}
            for each in value.replaced
        ],
    }


def _below(text: str, path: str) -> bool:
    return not path or text == path or text.startswith((f"{path}.", f"{path}["))


def _unknown(found: Origins, path: str, file: Path) -> str:
    """What is near a path that has no value, or what there is at the longest part of it that has one."""
    known = {dotted(each.loc[:length]) for each in found.values for length in range(1, len(each.loc) + 1)}
    near = get_close_matches(path, known, n=1)
    sections = ", ".join(sorted({str(each.loc[0]) for each in found.values}))
    hint = f"did you mean {near[0]}?" if near else f"sections: {sections}"
    return f"there is no {path} in {file}; {hint}"
