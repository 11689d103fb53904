"""Writes docs/reference/field-changes.md by changing fields of the examples: `python -m tools.field_page [--check]`."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from podwright.components.changes.impact import Impact
from podwright.components.changes.row import ChangeClass, LineRow
from tools import cluster_changes
from tools.cluster_changes import EXAMPLES as CLUSTERS
from tools.cluster_changes import Found
from tools.field_changes import EXAMPLES, FieldChange, found
from tools.generated import ROOT, main

PAGE = ROOT / "docs/reference/field-changes.md"
TABLES = {
    ROOT / "components/changes/fields/platform.py": "everything but workloads",
    ROOT / "components/changes/fields/workloads.py": "workloads",
}
_MODULE = '''"""What changing a field of {} does: made by `tools.field_page`."""

from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {{
'''
_HEAD = f"""# What changing a field does

Made by `python -m tools.field_page`; do not edit. Each field was given another value in one of the examples
({", ".join(EXAMPLES)}), alone; the table has the worst class that followed on any switch, and the lines that
changed. How long and why: [what a change does](changes.md).

Under `*` and `[]` the first entry was changed. "no line" means that no switch is written. Fields that take no other
value alone, because others must follow, are listed at the end.

## The network

| field | class | felt by | lines that change |
|---|---|---|---|
"""
_CLUSTER = f"""
## Servers, cluster and workloads

In {" and ".join(CLUSTERS)}, of servers the first of each model. What changes is a property of a resource, or an object
of the cluster by its kind; switches are here where a server's field changes them. `made or gone`: kinds of which one
comes or goes with the change.

| field | class | what changes | made or gone |
|---|---|---|---|
"""
_SHOWN = 6


def page() -> str:
    """The page."""
    table = dict(sorted(found().items()))
    rows = [_row(name, change) for name, change in table.items() if change is not None]
    alone = ", ".join(f"`{name}`" for name, change in table.items() if change is None)
    return f"{_HEAD}{''.join(rows)}\nNot changed alone: {alone}.\n{_of_clusters()}"


def _of_clusters() -> str:
    table = dict(sorted(cluster_changes.found().items()))
    rows = [_cluster_row(name, change) for name, change in table.items() if change is not None]
    alone = ", ".join(f"`{name}`" for name, change in table.items() if change is None)
    return f"{_CLUSTER}{''.join(rows)}\nNot changed alone: {alone}.\n"


def _cluster_row(name: str, change: Found) -> str:
    worst = max((each.change_class for each in change.impacts), default=ChangeClass.PROGRAM_ONLY)
    named = [
        f"{', '.join(sorted({_owner(each) for each in change.impacts if each.change_class is kind}))} ({kind.word})"
        for kind in reversed(ChangeClass)
        if any(each.change_class is kind for each in change.impacts)
    ]
    made = ", ".join(f"`{each.rsplit(':', 1)[-1]}`" for each in change.made)
    written = worst.word if change.impacts else "made or gone" if change.made else "nothing is written"
    return f"| `{name}` | {written} | {'; '.join(named)} | {made} |\n"


def _owner(impact: Impact) -> str:
    token = impact.token.rsplit(":", 1)[-1]
    if not impact.properties:
        return f"`{token}` is gone"
    is_property = not isinstance(impact.row, LineRow) and impact.row.name and ":" in impact.token
    return f"`{token}` `{impact.row.name}`" if is_property else f"`{token}`"


def _row(name: str, change: FieldChange) -> str:
    if not change.found:
        return f"| `{name}` | no line | | |\n"
    worst = max(each.change_class for each in change.found)
    felt = sorted({each.row.scope for each in change.found if each.change_class is worst} - {"nothing"})
    lines = [line for kind in reversed(ChangeClass) for line in _lines(change.found, kind)]
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return f"| `{name}` | {worst.word} | {', '.join(felt)} | {'; '.join(lines[:_SHOWN])}{more} |\n"


def _lines(found: tuple[Impact, ...], kind: ChangeClass) -> list[str]:
    """Rows of one class, by section and line as the table of changes has them."""
    rows = {each.row for each in found if each.change_class is kind}
    named = {_pattern(row) if isinstance(row, LineRow) else f"`{row.name}`" for row in rows}
    return sorted(named)


def _pattern(row: LineRow) -> str:
    line = "" if row.line is None else f" / {row.line or '…'}"
    return f"`{row.section or '…'}{line}`".replace("|", "\\|")


def tables(text: str) -> dict[Path, str]:
    """The page's classes as modules: of each field its class, and what has that class."""
    made = {}
    for path, what in TABLES.items():
        wanted = path.stem == "workloads"
        rows = [row for row in _read(text) if row[0].startswith("workloads.") is wanted]
        lines = [f'    "{name}": {_row_of(word, felt)},\n' for name, word, felt in rows]
        made[path] = f"{_MODULE.format(what)}{''.join(lines)}}}\n"
    return made


def _read(text: str) -> Iterator[tuple[str, str, list[str]]]:
    for name, word, what in re.findall(r"^\| `([^`]+)` \| ([^|]+) \|([^|]*)\|", text, re.MULTILINE):
        worst = what.partition("; ")[0].replace("`", "").strip()
        felt = worst.removesuffix(f" ({word})").split(", ") if worst else []
        yield name, word, felt[:2]


def _row_of(word: str, felt: list[str]) -> str:
    quoted = [f'"{each}"' for each in (word, *felt)]
    return f"({', '.join(quoted)})" if felt else f"({quoted[0]},)"


def files() -> dict[Path, str]:
    """The page and the table of it, and their texts."""
    text = page()
    return {PAGE: text, **tables(text)}


if __name__ == "__main__":
    sys.exit(main("tools.field_page", files()))
