"""`podwright explain`: what a stack file leads to, device by device, and where each of its values is set."""

import json
from pathlib import Path
from typing import Annotated

import typer

from podwright.cli import host_network, images, network, summary, values, world
from podwright.cli.engine.completion import StackFile
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import baseline

PROBLEMS, USAGE = 1, 2
"""Exit codes: something is wrong; the command was not understood."""

app = typer.Typer(no_args_is_help=True, help="Show what a stack file leads to, device by device.")


def loaded(path: Path, code: int = PROBLEMS) -> model.Cluster:
    """The cluster, or the problems on standard error and an exit code: 2 where 1 says what was found on devices."""
    try:
        return model.load(path)
    except model.SpecErrors as errors:
        typer.echo(errors.render(), err=True)
        raise typer.Exit(code) from None


@app.command("switch")
def explain_switch(file: StackFile, name: Annotated[str, typer.Argument(help="Hostname of a switch.")]) -> None:
    """Print the configuration a switch receives, in the order it is applied."""
    plan = fabric.plan(loaded(file).network)
    try:
        typer.echo(plan.switch(name).text(), nl=False)
    except KeyError:
        known = ", ".join(switch.hostname for switch in plan.switches)
        typer.echo(f"there is no switch {name} in {file}; switches: {known}", err=True)
        raise typer.Exit(USAGE) from None


@app.command("day0")
def explain_day0(file: StackFile, name: Annotated[str, typer.Argument(help="Hostname of a switch.")]) -> None:
    """Print the configuration of a switch's first boot, for POAP or the console; it holds no secret."""
    cluster = loaded(file)
    known = {switch.hostname: switch for switch in fabric.plan(cluster.network).switches}
    if cluster.fabric.day0 is None or name not in known:
        why = f"there is no switch {name}" if name not in known else "fabric.day0 is not defined"
        typer.echo(f"{why} in {file}; switches: {', '.join(known)}", err=True)
        raise typer.Exit(USAGE)
    typer.echo(baseline.day0(cluster.network, known[name]), nl=False)


@app.command("fabric")
def explain_fabric(file: StackFile) -> None:
    """Print underlay, detection time, lossless classes and what waits for a reload."""
    for line in network.lines(loaded(file)):
        typer.echo(line)


@app.command("server")
def explain_server(file: StackFile, name: Annotated[str, typer.Argument(help="Host name of a server.")]) -> None:
    """Print what a server or host is, and where each of its rails ends."""
    cluster = loaded(file)
    known = cluster.network.hosts
    if name not in known:
        typer.echo(f"there is no server {name} in {file}; servers: {', '.join(known)}", err=True)
        raise typer.Exit(USAGE)
    for line in summary.server(cluster, name):
        typer.echo(line)


@app.command("compute")
def explain_compute(
    stack: Annotated[str, typer.Argument(help="A stack file, or the server for every stack file here.")],
    name: Annotated[str, typer.Argument(help="Host name of a server.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Print each setting of a server, where it is set and why, and the policy and profile it lands in."""
    from podwright.cli import compute  # noqa: PLC0415 - the offline check need not load it

    files = [Path(stack)] if name else compute.stack_files(Path(), stack)
    server = name or stack
    known = {path: loaded(path).servers for path in files}
    if not files or server not in known[files[0]]:
        servers = f" in {files[0]}; servers: {', '.join(known[files[0]])}" if files else ": name a stack file too"
        typer.echo(f"there is no server {server}{servers}", err=True)
        raise typer.Exit(USAGE)
    found = [compute.document(path, server) for path in files]
    if as_json:
        typer.echo(json.dumps(found[0] if name else found, indent=2))
    else:
        typer.echo("\n\n".join("\n".join(compute.lines(each)) for each in found))


@app.command("world")
def explain_world(file: StackFile) -> None:
    """Print the rack that a file describes, as a lab builds it: python -m podwright.lab up --world FILE."""
    try:
        typer.echo(world.text(loaded(file)), nl=False)
    except ValueError as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(USAGE) from None


@app.command("images")
def explain_images(file: StackFile) -> None:
    """Print what a site without a way out mirrors for a file, as oc-mirror takes it; what is not pinned, on stderr."""
    images.show(loaded(file))


@app.command("host-network")
def explain_host_network(file: StackFile) -> None:
    """Print the policies that bring VLANs of a file to nodes that stand, as the NMState operator takes them."""
    host_network.show(loaded(file))


@app.command("values")
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
