"""`python -m cli size`: what a number of servers takes of switches and links, model by model."""

import json
import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from components.design.fabric import sizing_models
from components.design.fabric.sizing import Layout
from components.design.fabric.sizing_models import Ask, Option, Proposal

_NOTHING = 1
"""Exit code where no model carries what was asked."""

Servers = Annotated[int, typer.Option(min=1, max=10_000, help="GPU servers.")]
Rails = Annotated[int, typer.Option(min=1, max=16, help="NICs of a server on this fabric.")]
Gbps = Annotated[int, typer.Option(min=10, max=1600, help="Speed of a NIC in Gb/s.")]
Ratio = Annotated[float, typer.Option(min=0.1, max=32, help="Largest host over uplink bandwidth; 1 is non-blocking.")]
Where = Annotated[
    str, typer.Option(help="rail: NICs of one number on one leaf; rack: a server on one leaf; packed: fewest leaves.")
]
Model = Annotated[str | None, typer.Option(help="Only this model.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def command(  # noqa: PLR0913 - one argument an option
    *,
    servers: Servers,
    rails: Rails = 8,
    gbps: Gbps = 400,
    oversubscription: Ratio = 1.0,
    layout: Where = "rail",
    leaf: Model = None,
    spine: Model = None,
    as_json: Json = False,
) -> None:
    """Size a two-tier fabric: every model that carries the servers, side by side, and why the others do not."""
    places: dict[str, Layout] = {"rail": "rail", "rack": "rack", "packed": "packed"}
    if layout not in places:
        raise typer.BadParameter(f"{layout} is not one of {', '.join(places)}", param_hint="--layout")
    ask = Ask(servers, rails, gbps, oversubscription, places[layout], leaf, spine)
    answer = sizing_models.propose(ask)
    if as_json:
        typer.echo(json.dumps(document(ask, answer), indent=2))
    else:
        show(Console() if sys.stdout.isatty() else Console(width=170), ask, answer)
    raise typer.Exit(0 if answer.options else _NOTHING)


def document(ask: Ask, answer: Proposal) -> dict[str, Any]:
    """The answer as plain data; bandwidths one direction, Gb/s unless the key says otherwise."""
    options = [
        asdict(each) | {"switches": each.switches, "single_point_of_failure": each.single_point}
        for each in answer.options
    ]
    return {"ask": asdict(ask), "options": options, "refused": [asdict(each) for each in answer.refusals]}


_HEAD = (
    *("leaf", "spine", "leaves", "spines", "links per pair", "host links", "fabric links", "host : uplink"),
    *("bisection Tb/s", "transceivers", "RU", "a leaf takes", "two tiers end at"),
)


def show(console: Console, ask: Ask, answer: Proposal) -> None:
    """Print the table, then what does not do."""
    title = f"{ask.servers} servers × {ask.rails} × {ask.gbps}G, {ask.layout}, at most {ask.ratio:g}:1"
    if answer.options:
        table = Table(title=title, title_justify="left", box=None, padding=(0, 1))
        for name in _HEAD:
            model = name in ("leaf", "spine")
            table.add_column(name, justify="left" if model or name == "a leaf takes" else "right", no_wrap=model)
        for option in answer.options:
            table.add_row(*_cells(ask, option))
        console.print(table)
    else:
        console.print(f"{title}: no model carries this")
    if any(option.single_point for option in answer.options):
        console.print("A single leaf is a single point of failure: its loss stops every server.")
    for refusal in answer.refusals:
        console.print(f"not {refusal.model}: {refusal.why}", soft_wrap=True)


def _cells(ask: Ask, option: Option) -> tuple[str, ...]:
    size = option.size
    alone = option.single_point
    return (
        option.leaf,
        option.spine or "none",
        str(size.leaves),
        str(size.spines),
        "-" if alone else str(size.links_per_pair),
        str(size.host_links),
        str(size.fabric_links),
        "-" if alone else f"{size.oversubscription:.2f}:1",
        "-" if alone else f"{size.bisection_tbps:.1f}",
        str(option.modules),
        str(option.rack_units),
        f"{size.rails_per_leaf} of {ask.rails} rails",
        f"{option.most_servers} servers",
    )
