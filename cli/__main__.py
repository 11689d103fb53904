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
    gpus,
    host_network,
    images,
    move,
    network,
    new,
    reach,
    size,
    summary,
    values,
    world,
)
from podwright.cli.engine import command as engine
from podwright.cli.engine.completion import StackFile, StackName
from podwright.cli.lint.command import lint
from podwright.cli.promotion import command as promotion
from podwright.cli.stack import StackError
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import baseline
from podwright.components.model import json_schema

OK, PROBLEMS, USAGE = 0, 1, 2
"""Exit codes: nothing wrong; something is; the command was not understood."""

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
explain = typer.Typer(no_args_is_help=True, help="Show what a stack file leads to, device by device.")
app.add_typer(explain, name="explain")
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


def _load(path: Path) -> model.Cluster:
    """The cluster, or the problems on standard error and exit code 1."""
    try:
        return model.load(path)
    except model.SpecErrors as errors:
        typer.echo(errors.render(), err=True)
        raise typer.Exit(PROBLEMS) from None


@explain.command("switch")
def explain_switch(file: StackFile, name: Annotated[str, typer.Argument(help="Hostname of a switch.")]) -> None:
    """Print the configuration a switch receives, in the order it is applied."""
    plan = fabric.plan(_load(file).network)
    try:
        typer.echo(plan.switch(name).text(), nl=False)
    except KeyError:
        known = ", ".join(switch.hostname for switch in plan.switches)
        typer.echo(f"there is no switch {name} in {file}; switches: {known}", err=True)
        raise typer.Exit(USAGE) from None


@explain.command("day0")
def explain_day0(file: StackFile, name: Annotated[str, typer.Argument(help="Hostname of a switch.")]) -> None:
    """Print the configuration of a switch's first boot, for POAP or the console; it holds no secret."""
    cluster = _load(file)
    known = {switch.hostname: switch for switch in fabric.plan(cluster.network).switches}
    if cluster.fabric.day0 is None or name not in known:
        why = f"there is no switch {name}" if name not in known else "fabric.day0 is not defined"
        typer.echo(f"{why} in {file}; switches: {', '.join(known)}", err=True)
        raise typer.Exit(USAGE)
    typer.echo(baseline.day0(cluster.network, known[name]), nl=False)


@explain.command("fabric")
def explain_fabric(file: StackFile) -> None:
    """Print underlay, detection time, lossless classes and what waits for a reload."""
    for line in network.lines(_load(file)):
        typer.echo(line)


@explain.command("server")
def explain_server(file: StackFile, name: Annotated[str, typer.Argument(help="Host name of a server.")]) -> None:
    """Print what a server or host is, and where each of its rails ends."""
    cluster = _load(file)
    known = cluster.network.hosts
    if name not in known:
        typer.echo(f"there is no server {name} in {file}; servers: {', '.join(known)}", err=True)
        raise typer.Exit(USAGE)
    for line in summary.server(cluster, name):
        typer.echo(line)


@explain.command("compute")
def explain_compute(
    stack: Annotated[str, typer.Argument(help="A stack file, or the server for every stack file here.")],
    name: Annotated[str, typer.Argument(help="Host name of a server.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Print each setting of a server, where it is set and why, and the policy and profile it lands in."""
    from podwright.cli import compute  # noqa: PLC0415 - the offline check need not load it

    files = [Path(stack)] if name else compute.stack_files(Path(), stack)
    server = name or stack
    known = {path: _load(path).servers for path in files}
    if not files or server not in known[files[0]]:
        servers = f" in {files[0]}; servers: {', '.join(known[files[0]])}" if files else ": name a stack file too"
        typer.echo(f"there is no server {server}{servers}", err=True)
        raise typer.Exit(USAGE)
    found = [compute.document(path, server) for path in files]
    if as_json:
        typer.echo(json.dumps(found[0] if name else found, indent=2))
    else:
        typer.echo("\n\n".join("\n".join(compute.lines(each)) for each in found))


@explain.command("world")
def explain_world(file: StackFile) -> None:
    """Print the rack that a file describes, as a lab builds it: python -m podwright.lab up --world FILE."""
    try:
        typer.echo(world.text(_load(file)), nl=False)
    except ValueError as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(USAGE) from None


@explain.command("images")
def explain_images(file: StackFile) -> None:
    """Print what a site without a way out mirrors for a file, as oc-mirror takes it; what is not pinned, on stderr."""
    images.show(_load(file))


@explain.command("host-network")
def explain_host_network(file: StackFile) -> None:
    """Print the policies that bring VLANs of a file to nodes that stand, as the NMState operator takes them."""
    host_network.show(_load(file))


@explain.command("values")
def explain_values(
    file: StackFile,
    path: Annotated[str, typer.Argument(help="What to show alone: fabric.lossless, servers.gpu-01, pools.")] = "",
    every: Annotated[bool, typer.Option("--all", help="Without a PATH: defaults and what is worked out too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print where each value is set, what it replaced in a file that this one is based on, and which are defaults."""
    try:
        values.show(file, path, every=every, as_json=as_json)
    except model.SpecErrors as errors:
        typer.echo(errors.render(), err=True)
        raise typer.Exit(PROBLEMS) from None
    except KeyError as sentence:
        typer.echo(sentence.args[0], err=True)
        raise typer.Exit(USAGE) from None


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

    cluster = _load(file)
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

    cluster = _load(file)
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
    cluster = _load(path)
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
def status(stack: StackName) -> None:
    """Show what came up: switches, servers, nodes, pods, where each runs and why; exit code 1 if anything is amiss."""
    from podwright.cli import status as live  # noqa: PLC0415 - brings SSH and HTTPS, which the offline check must not pay for

    console = Console() if sys.stdout.isatty() else Console(width=140)
    cluster = _load(Path(f"Pulumi.{stack}.yaml"))
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
        raise typer.Exit(OK if export.run(_load(path), listen, once, interval) else PROBLEMS)
    except ValueError as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(USAGE) from None


@app.command()
def accept(stack: StackName) -> None:
    """Measure RoCE under incast on every rail, now; exit code 1 under threshold, 2 where it could not be run."""
    from podwright.cli import accept as acceptance  # noqa: PLC0415 - brings SSH

    cluster = _load(Path(f"Pulumi.{stack}.yaml"))
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
