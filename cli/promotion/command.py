"""`podwright diff FIRST SECOND`: the differences of two stacks by section, and what promoting each would do."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from podwright.cli.engine.completion import stack_files
from podwright.cli.promotion.differences import ABSENT, Difference, differences
from podwright.cli.promotion.effects import effect
from podwright.components import model
from podwright.components.model.explain import is_private, show
from podwright.components.model.origins import HIDDEN
from podwright.components.model.problems import Loc, Position, dotted

SAME, DIFFERENT, UNREADABLE = 0, 1, 2
"""Exit codes with --exit-code; a file that is wrong has the last one with and without."""
_WIDE = 48
"""Longest value that is printed whole, in characters."""

First = Annotated[
    Path, typer.Argument(autocompletion=stack_files, help="The stack file whose values would be promoted.")
]
Second = Annotated[Path, typer.Argument(autocompletion=stack_files, help="The stack file that would take them.")]
Every = Annotated[
    bool, typer.Option("--all", help="Names, addresses, serial numbers, VLANs and numbers of devices too.")
]
Form = Annotated[Literal["text", "json"], typer.Option("--format", "-f", help="Output format.")]
Code = Annotated[bool, typer.Option("--exit-code", help="Exit code 1 where there is a difference that is shown.")]


@dataclass(frozen=True)
class Side:
    """One of the two stacks."""

    file: Path
    cluster: model.Cluster
    where: Any

    @property
    def name(self) -> str:
        """The stack's, by its file."""
        return self.file.name.removeprefix("Pulumi.").removesuffix(".yaml")

    def place(self, loc: Loc) -> Position | None:
        """Where a value is set; None for a default."""
        found: Position | None = self.where(loc)
        return found


def command(first: First, second: Second, every: Every = False, form: Form = "text", exit_code: Code = False) -> None:
    """Show in what two stacks differ by meaning, and what promoting the first one's values would do to the second."""
    sides = [_side(first), _side(second)]
    if any(each is None for each in sides):
        raise typer.Exit(UNREADABLE)
    before, after = (each for each in sides if each is not None)
    found = differences(before.cluster, after.cluster)
    shown = [each for each in found if every or not each.identity]
    if form == "json":
        typer.echo(json.dumps(document(before, after, found, shown), indent=2))
    else:
        typer.echo("\n".join(lines(before, after, len(found) - len(shown), shown)))
    raise typer.Exit(DIFFERENT if exit_code and shown else SAME)


def _side(file: Path) -> Side | None:
    try:
        return Side(file, *model.located(file))
    except model.SpecErrors as errors:
        typer.echo(errors.render(), err=True)
        return None


def lines(first: Side, second: Side, folded: int, shown: list[Difference]) -> Iterator[str]:
    """For a terminal: section by section, each difference with both values and what a promotion does."""
    count = f"{len(shown)} difference{'s' * (len(shown) != 1)}"
    rest = f"; {folded} of names, addresses, serial numbers and numbers of devices (--all)" if folded else ""
    yield f"{first.file.name} -> {second.file.name}: {count}{rest}"
    names = (first.name, second.name) if first.name != second.name else ("first", "second")
    for section, within in groupby(_alike(shown), key=lambda each: str(each[0].loc[0])):
        yield f"\n{section}"
        for each, also in within:
            name = dotted(each.loc[1:]) or section
            more = f" and {also} more" if also else ""
            does = effect(each)
            yield f"  {name}{more}: {names[0]} {_text(each.first)}, {names[1]} {_text(each.second)}"
            yield f"    promoted: {does.change}{f', {does.reason}' if does.reason else ''}"


def _alike(found: Iterable[Difference]) -> Iterator[tuple[Difference, int]]:
    """What is the same difference of several entries once, with how many more there are."""
    grouped: dict[str, list[Difference]] = {}
    for each in found:
        grouped.setdefault(repr((each.path, each.first, each.second)), []).append(each)
    for alike in grouped.values():
        several = "*" in alike[0].path and alike[0].kind == "changed"
        yield from [(alike[0], len(alike) - 1)] if several else ((each, 0) for each in alike)


def _text(value: object) -> str:
    if value is None or value is ABSENT:
        return "none"
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else show(value).strip('"')
    return text if len(text) <= _WIDE else f"{text[: _WIDE - 3]}..."


def document(first: Side, second: Side, found: list[Difference], shown: list[Difference]) -> dict[str, Any]:
    """The same as plain data; a value that a stack does not have is null, and has no place."""
    return {
        "first": str(first.file),
        "second": str(second.file),
        "folded": len(found) - len(shown),
        "differences": [
            {
                "section": str(each.loc[0]),
                "path": dotted(each.loc),
                "kind": each.kind,
                "identity": each.identity,
                "first": _of_side(first, each.loc, each.first),
                "second": _of_side(second, each.loc, each.second),
                "promoted": {"class": effect(each).change, "reason": effect(each).reason},
            }
            for each in shown
        ],
    }


def _of_side(side: Side, loc: Loc, value: object) -> Mapping[str, Any]:
    if value is ABSENT or loc[0] == "waivers":
        return {"value": None if value is ABSENT else value, "file": None, "line": None}
    place = side.place(loc)
    plain = HIDDEN if is_private(value) else value
    return {"value": plain, "file": (place.file or str(side.file)) if place else None, "line": place and place.line}
