"""The reference of change classes, from the table that provider and preview read."""

from collections.abc import Iterator

from podwright.components.changes.disruption import Disruption
from podwright.components.changes.lines import LINES
from podwright.components.changes.objects import FILES, OBJECTS
from podwright.components.changes.policies import AS_OF
from podwright.components.changes.policies import ROWS as POLICY_ROWS
from podwright.components.changes.row import ChangeClass, LineRow, Row
from podwright.components.changes.stores import STORE
from podwright.components.changes.table import COMPONENTS_GONE, DELETIONS, ROWS

_HEAD = """# What a change does

Made by `python -m tools.docs` from `components/changes`; do not edit.

Each property of a resource has a class. `add` and `remove` are the classes of a value that had none before it, or gets
none after it; where they are not given, they are those of `change`.

| class | meaning |
|---|---|
"""
_PROPERTIES = f"""What changing one costs what it is deployed to, as known on {AS_OF}. `[?]`: nothing was found that
says it, and the class is the worst that is likely. Intersight's own word, `ConfigChanges.Disruptions`, is compared with
it before anything is handed over: a restart that the table does not have stops the deployment. SDK: docstrings of
Cisco's Python SDK; UCSM: the configuration guide of UCS Manager; netascode: Cisco's data model pages."""
_COSTS = {
    Disruption.NONE: "taken when the profile is deployed; nothing that runs notices",
    Disruption.FLAP: "taken when the profile is deployed; a link is down, or traffic is lost, for a moment",
    Disruption.REBOOT: "waits for a restart: of a server in its pool's roll-out, of an interconnect at its deployment",
    Disruption.WIPE: "data on disks is lost; refused under every limit without an approval of `wipe`",
}
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
        files = FILES.items() if kind == "MachineConfig" else ()
        lines += [
            f"| {kind} | `{path}` alone | {row.change.word} | {row.reason} | {row.source} |" for path, row in files
        ]
        if kind == "Deployment":
            what = f"{STORE.change.word} | {STORE.reason} | {STORE.source}"
            lines.append(f"| {kind} | of `rendezvous_store` | {what} |")
    return "\n".join([*lines, *_intersight(), ""])


def _intersight() -> Iterator[str]:
    yield from ("", "## Properties of Intersight objects", "", _PROPERTIES, "", "| class | meaning |", "|---|---|")
    yield from (f"| {kind.word} | {_COSTS[kind]} |" for kind in Disruption)
    yield from ("", "| type | property | class | felt by | why | source |", "|" + "---|" * 6)
    for kind, rows in sorted(POLICY_ROWS.items()):
        for name, row in sorted(rows.items()):
            what = {"": "added or removed", "*": "every other"}.get(name, f"`{name}`")
            felt = "" if row.felt_by == "nobody" else row.felt_by
            yield f"| {kind} | {what} | {row.disruption.word} | {felt} | {row.reason} | {row.source} |"


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
