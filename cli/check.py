"""`podwright check`: stack files validated offline, and what of them is open."""

import sys
from typing import Annotated, Literal

import typer
from rich.console import Console

from podwright.cli import summary
from podwright.cli.compute import adopted
from podwright.cli.engine.completion import StackFiles
from podwright.cli.review import offline, waivers
from podwright.cli.review.severity import FailOn, reached
from podwright.components import model
from podwright.components.model.load import errors_in

OK, PROBLEMS = 0, 1
"""Exit codes: every file is right; some file is not, or something in it is as severe as `--fail-on`."""

Format = Annotated[
    Literal["text", "sarif"], typer.Option("--format", "-f", help="Output format; problems are also on standard error.")
]
Least = Annotated[
    FailOn | None,
    typer.Option(
        "--fail-on", help="Exit code 1 for this severity or a higher one; problems are high, the rest is low."
    ),
]


def command(files: StackFiles, form: Format = "text", fail_on: Least = None) -> None:
    """Validate stack files offline: every problem with its place, else a summary of the plan."""
    console = Console() if sys.stdout.isatty() else Console(width=140)
    found, wrong, day = offline.Checked(), False, waivers.today()
    for path in files:
        try:
            cluster, where = model.located(path)
            if problems := [*adopted(cluster), *waivers.problems(cluster)]:
                raise errors_in(path, problems)
        except model.SpecErrors as errors:
            wrong = True
            typer.echo(errors.render(), err=True)
            found.refused(path, errors.problems)
        else:
            if form == "sarif" or fail_on is not None:
                found.passed(path, cluster, where, day)
            if form == "text":
                summary.show(console, path.name, cluster, waivers.rows(cluster, day))
    if form == "sarif":
        typer.echo(found.sarif())
    severe = reached((each.rule.severity for each in found.results), fail_on)
    raise typer.Exit(PROBLEMS if wrong or severe else OK)
