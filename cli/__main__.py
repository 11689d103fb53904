"""What people do around preview and up, on a stack file, a running stack or the switches they already have."""

import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from podwright import __version__
from podwright.cli import (
    add,
    bill,
    check,
    explain,
    gpus,
    move,
    new,
    reach,
    size,
)
from podwright.cli.engine import command as engine
from podwright.cli.engine.completion import StackFile, StackName
from podwright.cli.explain import PROBLEMS, USAGE, loaded
from podwright.cli.lint.command import lint
from podwright.cli.promotion import command as promotion
from podwright.cli.stack import StackError
from podwright.components.model import json_schema

OK = 0
"""Exit code: nothing wrong."""

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.add_typer(explain.app, name="explain")
verify = typer.Typer(no_args_is_help=True, help="Compare what exists with the stack file.")
app.add_typer(verify, name="verify")

app.command()(lint)
app.command("check")(check.command)
app.command("diff")(promotion.command)


def _release(asked: bool) -> None:
    if asked:
        typer.echo(f"podwright {__version__}")
        raise typer.Exit


_Version = Annotated[bool, typer.Option("--version", callback=_release, is_eager=True, help="Print the release.")]


@app.callback(help=__doc__)
def _main(version: _Version = False) -> None:
    """Options that stand before a command."""


@app.command()
def schema(
    part: Annotated[
        bool, typer.Option("--part", help="Of a file that stacks are based on, and of a stack that is based on one.")
    ] = False,
) -> None:
    """Print the JSON Schema of a stack file, for editors."""
    typer.echo(json.dumps(json_schema.document(part=part), indent=2))


@app.command("cabling")
def show_cabling(
    file: StackFile,
    form: Annotated[
        Literal["table", "csv", "json", "neighbors", "svg"],
        typer.Option("--format", help="`neighbors` are the expected LLDP neighbours."),
    ] = "table",
) -> None:
    """Print the cabling schedule, port by port: labels and racks of both ends, or a picture of it."""
    from podwright.cli import cabling  # noqa: PLC0415 - brings networkx, which the offline check must not pay for

    cluster = loaded(file)
    if form == "table":
        cabling.show(Console() if sys.stdout.isatty() else Console(width=140), cluster)
    else:
        # Bytes: a line of CSV ends as the RFC has it, whatever the terminal's custom.
        sys.stdout.buffer.write(cabling.text(cluster, form).encode())


@app.command("failures")
def show_failures(
    file: StackFile,
    form: Annotated[Literal["table", "csv", "json", "svg"], typer.Option("--format", help="Output format.")] = "table",
    loss: Annotated[str, typer.Option(help="One failure in full: leaf-03, feed-a, 'leaf-01 Ethernet1/17'")] = "",
) -> None:
    """Show the impact of every single failure: switches, links, transceivers, supplies, power domains."""
    from podwright.cli import failures  # noqa: PLC0415 - the offline check need not load it

    cluster = loaded(file)
    if loss:
        lines = failures.explain(cluster, loss)
        typer.echo("\n".join(lines) or f"nothing in {file} is called {loss}", err=not lines)
        raise typer.Exit(OK if lines else USAGE)
    if form == "table":
        failures.show(Console() if sys.stdout.isatty() else Console(width=180), cluster)
    else:
        sys.stdout.buffer.write(failures.text(cluster, form).encode())


@verify.command("cabling")
def verify_cabling(
    stack: StackName,
    captures: Annotated[
        Path | None, typer.Option(help="Folder of `show lldp neighbors detail`, a file a switch: opens no connections.")
    ] = None,
    schedule: Annotated[Path | None, typer.Option(help="A cabling CSV to check in place of switches.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Name swapped, missing and unexpected cables from LLDP; exit code 1 if any, 2 without any LLDP data."""
    from podwright.cli import cabling  # noqa: PLC0415 - brings SSH

    path = Path(stack) if stack.endswith((".yaml", ".yml")) else Path(f"Pulumi.{stack}.yaml")
    cluster = loaded(path)
    try:
        observed, silent = cabling.heard(cluster, captures, schedule)
    except (ValueError, OSError) as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(USAGE) from None
    report = cabling.judge(cluster, observed)
    if as_json:
        typer.echo(json.dumps(cabling.document(cluster.name, report, silent), indent=2))
    else:
        typer.echo("\n".join(cabling.lines(report, silent)))
    raise typer.Exit(USAGE if not observed else PROBLEMS if report.findings else OK)


@app.command()
def audit(
    stack: StackName, as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False
) -> None:
    """Check every object on the cluster by the rules of the policy pack, whoever made it; exit code 1: findings."""
    from podwright.cli import audit as live  # noqa: PLC0415 - brings HTTPS, which the offline check must not pay for

    cluster = loaded(Path(f"Pulumi.{stack}.yaml"), USAGE)
    try:
        seen = live.run(stack, cluster)
    except (StackError, ValueError) as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(USAGE) from None
    typer.echo(live.as_json(seen) if as_json else live.text(seen))
    raise typer.Exit(OK if seen.well else PROBLEMS)


@app.command()
def status(stack: StackName) -> None:
    """Show what came up: switches, servers, nodes, pods, where each runs and why; exit code 1 if anything is amiss."""
    from podwright.cli import status as live  # noqa: PLC0415 - brings SSH and HTTPS, which the offline check must not pay for

    console = Console() if sys.stdout.isatty() else Console(width=140)
    cluster = loaded(Path(f"Pulumi.{stack}.yaml"), USAGE)
    try:
        raise typer.Exit(OK if live.show(console, stack, cluster) else PROBLEMS)
    except (StackError, ValueError) as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(USAGE) from None


@app.command("export")
def show_metrics(
    stack: StackName,
    listen: Annotated[str, typer.Option(help="Address and port of /metrics.")] = "127.0.0.1:9417",
    once: Annotated[
        bool, typer.Option("--once", help="Scrape once and print; exit code 1 if a switch or a command gave no answer.")
    ] = False,
    interval: Annotated[float, typer.Option(help="Seconds between two scrapes of a switch, at least 5.")] = 30.0,
) -> None:
    """Export what switches count, for Prometheus: PFC, ECN, watchdog, errors, optics, BGP, BFD, by server and rail."""
    from podwright.cli import export  # noqa: PLC0415 - brings SSH

    path = Path(stack) if stack.endswith((".yaml", ".yml")) else Path(f"Pulumi.{stack}.yaml")
    try:
        raise typer.Exit(OK if export.run(loaded(path), listen, once, interval) else PROBLEMS)
    except ValueError as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(USAGE) from None


@app.command()
def accept(stack: StackName) -> None:
    """Measure RoCE under incast on every rail, now; exit code 1 under threshold, 2 where it could not be run."""
    from podwright.cli import accept as acceptance  # noqa: PLC0415 - brings SSH

    cluster = loaded(Path(f"Pulumi.{stack}.yaml"), USAGE)
    try:
        raise typer.Exit(acceptance.run(stack, cluster))
    except StackError as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(USAGE) from None


app.command("size")(size.command)
app.command("gpus")(gpus.command)
app.command("new")(new.command)
app.add_typer(add.app, name="add")
app.add_typer(move.app, name="move")
app.command("bill")(bill.command)
app.command("reach")(reach.command)
engine.register(app)


def main() -> None:
    """Entry point of the `podwright` command."""
    app()


if __name__ == "__main__":
    main()
