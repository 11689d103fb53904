"""`podwright size`: what a number of servers takes of switches and links, model by model."""

import json
import sys
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from podwright.components import model
from podwright.components.design.fabric import materials
from podwright.components.design.fabric.sizing import Layout, models
from podwright.components.design.fabric.sizing.bill import Lengths, bill
from podwright.components.design.fabric.sizing.models import Ask, Option, Proposal

_NOTHING = 1
"""Exit code where no model carries what was asked, or the price file is wrong."""

Servers = Annotated[int, typer.Option(min=1, max=10_000, help="GPU servers.")]
Rails = Annotated[int, typer.Option(min=1, max=16, help="NICs of a server on this fabric.")]
Gbps = Annotated[int, typer.Option(min=10, max=1600, help="Speed of a NIC in Gb/s.")]
Ratio = Annotated[float, typer.Option(min=0.1, max=32, help="Largest host over uplink bandwidth; 1 is non-blocking.")]
Where = Annotated[
    str, typer.Option(help="rail: NICs of one number on one leaf; rack: a server on one leaf; packed: fewest leaves.")
]
Model = Annotated[str | None, typer.Option(help="Only this model.")]
Metres = Annotated[float | None, typer.Option(min=0.1, max=10_000, help="Cable length in metres, for the bill.")]
RatesFile = Annotated[
    Path | None, typer.Option("--rates", help="The site's prices, lead times and power: a dated YAML file.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, with the bill of each option.")]


def command(  # noqa: PLR0913 - one argument an option
    *,
    servers: Servers,
    rails: Rails = 8,
    gbps: Gbps = 400,
    oversubscription: Ratio = 1.0,
    layout: Where = "rail",
    leaf: Model = None,
    spine: Model = None,
    host_m: Metres = None,
    fabric_m: Metres = None,
    rates: RatesFile = None,
    as_json: Json = False,
) -> None:
    """Size a two-tier fabric: every model that carries the servers, side by side, and why the others do not."""
    places: dict[str, Layout] = {"rail": "rail", "rack": "rack", "packed": "packed"}
    if layout not in places:
        raise typer.BadParameter(f"{layout} is not one of {', '.join(places)}", param_hint="--layout")
    ask = Ask(servers, rails, gbps, oversubscription, places[layout], leaf, spine)
    try:
        prices = model.rates(rates) if rates else None
    except model.SpecErrors as errors:
        typer.echo(errors.render(), err=True)
        raise typer.Exit(_NOTHING) from None
    answer, lengths = models.propose(ask), Lengths(host_m, fabric_m)
    if as_json:
        typer.echo(json.dumps(document(ask, answer, lengths, prices), indent=2))
    else:
        show(Console() if sys.stdout.isatty() else Console(width=170), ask, answer)
        if prices is not None and answer.options:
            _prices(Console() if sys.stdout.isatty() else Console(width=170), ask, answer, lengths, prices)
    raise typer.Exit(0 if answer.options else _NOTHING)


def document(ask: Ask, answer: Proposal, lengths: Lengths, rates: model.Rates | None) -> dict[str, Any]:
    """The answer as plain data; bandwidths one direction, Gb/s unless the key says otherwise."""
    options = [_option(ask, each, lengths, rates) for each in answer.options]
    made: dict[str, Any] = {"ask": asdict(ask), "options": options}
    made["refused"] = [asdict(each) for each in answer.refusals]
    if rates is not None:
        named = {"as_of": rates.as_of.isoformat(), "source": rates.source, "currency": rates.currency}
        made["rates"] = {**named, "stale": rates.stale(_today())}
    return made


def _option(ask: Ask, option: Option, lengths: Lengths, rates: model.Rates | None) -> dict[str, Any]:
    found = bill(ask, option, lengths)
    made = asdict(option) | {"switches": option.switches, "single_point_of_failure": option.single_point}
    made["no_stack_file"] = models.unwritable(option)
    made["bill"] = asdict(found)
    if rates is not None:
        priced = materials.price(found, rates)
        complete = not found.open and not any(priced.unknown.values())
        made["priced"] = {**asdict(priced), "complete": complete}
    return made


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
    for option in answer.options:
        if option.single_point:
            console.print(f"{option.leaf} alone is a single point of failure: its loss stops every server")
    for option in answer.options:
        if why := models.unwritable(option):
            console.print(f"{option.leaf} fits no stack file yet: {why}", soft_wrap=True)
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


def _prices(console: Console, ask: Ask, answer: Proposal, lengths: Lengths, rates: model.Rates) -> None:
    """What each option comes to, and what that leaves out."""
    console.print(f"figures of {rates.as_of} from {rates.source}")
    if stale := rates.stale(_today()):
        console.print(f"STALE: {stale}")
    for option in answer.options:
        found = bill(ask, option, lengths)
        priced = materials.price(found, rates)
        least = "at least " if priced.unknown["price"] or found.open else ""
        text = f"{option.leaf}: {least}{priced.price:,.2f} {rates.currency}, {priced.watts:,.0f} W"
        text += f", {priced.lead_days} days" if priced.lead_days is not None else ""
        lacking = [*dict.fromkeys(each for figure in priced.unknown.values() for each in figure)]
        lacking += [f"{each.what} ({each.why})" for each in found.open]
        rest = f"; not checked: {', '.join(lacking)}" if lacking else ""
        console.print(text + rest, soft_wrap=True)


def _today() -> date:
    return datetime.now(tz=UTC).date()
