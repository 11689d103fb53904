"""The reference of change classes, from the table that provider and preview read."""

from collections.abc import Iterator

from podwright.components.changes.lines import LINES
from podwright.components.changes.objects import OBJECTS
from podwright.components.changes.row import ChangeClass, LineRow, Row
from podwright.components.changes.table import COMPONENTS_GONE, DELETIONS, ROWS

_HEAD = """# What a change does

Made by `python -m tools.docs` from `components/changes`; do not edit.

Each property of a resource has a class. `add` and `remove` are the classes of a value that had none before it, or gets
none after it; where they are not given, they are those of `change`.

| class | meaning |
|---|---|
"""
_COLUMNS = ("change", "add", "remove", "felt by", "how long", "why", "source")


def page() -> str:
    """The page."""
    meanings = {
        "program-only": "nothing is written to a device",
        "live": "written; nothing that runs notices",
        "disruptive": "something that runs is interrupted, inside one device",
        "two-ended": "both ends must change together; with one changed, what joins them is down or not lossless",
        "replaced": "the object is deleted and made again",
        "refused": "no device takes this change, and no approval lets it pass",
    }
    lines = [_HEAD + "\n".join(f"| {kind.word} | {meanings[kind.word]} |" for kind in ChangeClass), ""]
    lines += ["## Lines of a switch", "", "The first row that matches a line holds; patterns match from the beginning."]
    lines += ["", *_table(("section", "line"), ((_lines(row), row) for row in LINES))]
    for token, rows in ROWS.items():
        lines += ["", f"## {token}", "", *_table(("property",), (((f"`{row.name}`",), row) for row in _plain(rows)))]
        gone = DELETIONS[token]
        lines += ["", f"Deleted: {gone.change.word}; {gone.reason}."]
    heads = ("what leaves the plan", "class", "why")
    lines += ["", "## Leaving the plan", "", f"| {' | '.join(heads)} |", "|---|---|---|"]
    lines += [
        f"| `{token}` | {row.change.word} | {row.reason} |" for token, row in dict(COMPONENTS_GONE.values()).items()
    ]
    about = ("object", "what of it", "class", "why", "source")
    lines += [
        "",
        "## Objects of the cluster",
        "",
        "Shown, not limited: the engine asks another provider about them.",
        "",
    ]
    lines += [f"| {' | '.join(about)} |", "|" + "---|" * len(about)]
    for kind, rows in OBJECTS.items():
        lines += [
            f"| {kind} | {f'`{row.name}`' if row.name else ''} | {row.change.word} | {row.reason} | {row.source} |"
            for row in rows
        ]
    return "\n".join([*lines, ""])


def _plain(rows: tuple[Row, ...]) -> Iterator[Row]:
    return (row for row in rows if not isinstance(row, LineRow))


def _lines(row: LineRow) -> tuple[str, str]:
    below = "the section itself" if row.line is None else f"`{_cell(row.line)}`" if row.line else "every other line"
    return (f"`{_cell(row.section)}`" if row.section else "every other section"), below


def _table(heads: tuple[str, ...], rows: Iterator[tuple[tuple[str, ...], Row]]) -> Iterator[str]:
    yield f"| {' | '.join((*heads, *_COLUMNS))} |"
    yield "|" + "---|" * (len(heads) + len(_COLUMNS))
    for first, row in rows:
        add, remove = ("" if each is None else each.word for each in (row.add, row.remove))
        felt = "" if row.scope == "nothing" else row.scope
        cells = (*first, row.change.word, add, remove, felt, row.lasts, row.reason, row.source)
        yield f"| {' | '.join(cells)} |"


def _cell(pattern: str) -> str:
    return pattern.replace("|", "\\|")
