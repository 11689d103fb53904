"""`podwright bill FILE`: the network's bill of materials, counted from the plan, against a site's own prices."""

import csv
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
from podwright.components.design import fabric
from podwright.components.design.fabric import materials
from podwright.components.design.fabric.materials import Bill

_PROBLEMS = 1
NOT_CHECKED = "not checked"

File = Annotated[Path, typer.Argument(help="A stack file, Pulumi.<stack>.yaml.")]
RatesFile = Annotated[
    Path | None, typer.Option("--rates", help="The site's prices, lead times and power: a dated YAML file.")
]
Since = Annotated[
    Path | None, typer.Option("--since", help="An earlier stack file: only what changed since it, added or left over.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]


def command(
    file: File, rates: RatesFile = None, since: Since = None, as_json: Json = False, as_csv: Csv = False
) -> None:
    """Count the switches, transceivers and cables a stack takes; what is not known is listed, never guessed."""
    if as_json and as_csv:
        raise typer.BadParameter("take --json or --csv")
    try:
        cluster, earlier = model.load(file), model.load(since) if since else None
        prices = model.rates(rates) if rates else None
    except model.SpecErrors as errors:
        typer.echo(errors.render(), err=True)
        raise typer.Exit(_PROBLEMS) from None
    found, title = materials.bill(cluster.network, fabric.plan(cluster.network)), f"{cluster.name}: network"
    if earlier is not None:
        found = materials.change(materials.bill(earlier.network, fabric.plan(earlier.network)), found)
        title = f"{cluster.name}: network, what changes since {since}"
    if as_json:
        typer.echo(json.dumps(document(found, prices), indent=2))
    elif as_csv:
        write(found, prices)
    else:
        show(Console() if sys.stdout.isatty() else Console(width=140), title, found, prices, signed=since is not None)


def document(found: Bill, rates: model.Rates | None) -> dict[str, Any]:
    """The bill as plain data; a figure nobody gave is null."""
    lines = [{**asdict(line), **_figures(line.product, rates)} for line in found.lines]
    made: dict[str, Any] = {"lines": lines, "open": [asdict(each) for each in found.open], "rates": None}
    if rates is not None:
        priced = materials.price(found, rates)
        made["rates"] = {
            **{"as_of": rates.as_of.isoformat(), "source": rates.source, "currency": rates.currency},
            "stale": rates.stale(_today()),
            **asdict(priced),
            "complete": not found.open and not any(priced.unknown.values()),
        }
    return made


def write(found: Bill, rates: model.Rates | None) -> None:
    """CSV on standard output: one line a product, then what is open."""
    head = ("kind", "product", "count", "where", "price", "lead_days", "watts", "as_of")
    writer = csv.DictWriter(sys.stdout, head, lineterminator="\n")
    writer.writeheader()
    as_of = rates.as_of.isoformat() if rates else ""
    for line in found.lines:
        known = {key: NOT_CHECKED if value is None else value for key, value in _figures(line.product, rates).items()}
        writer.writerow({**asdict(line), **known, "as_of": as_of})
    for each in found.open:
        writer.writerow({"kind": "open", "product": each.what, "count": each.count, "where": each.why, "as_of": as_of})


def show(console: Console, title: str, found: Bill, rates: model.Rates | None, *, signed: bool = False) -> None:
    """Print the table, what is open, and what it comes to; a change with the sign of each count."""
    if signed and not found.lines and not found.open:
        console.print(f"{title}: nothing")
        return
    sign = "+" if signed else ""
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1))
    for column in ("count", "product", "kind", "for", *(("price each", "lead days", "W each") if rates else ())):
        table.add_column(column, justify="left" if column in ("product", "kind", "for") else "right")
    for line in found.lines:
        cells = [f"{line.count:{sign}}", line.product, line.kind, line.where]
        if rates:
            cells += [NOT_CHECKED if each is None else f"{each:g}" for each in _figures(line.product, rates).values()]
        table.add_row(*cells)
    console.print(table)
    for each in found.open:
        console.print(f"open: {each.count:{sign}} × {each.what}: {each.why}", soft_wrap=True)
    if rates is None:
        console.print("prices, lead times and power: not checked; give the site's own file with --rates")
    else:
        _totals(console, rates, found, sign)


def _totals(console: Console, rates: model.Rates, found: Bill, sign: str) -> None:
    priced = materials.price(found, rates)

    def least(figure: str) -> str:
        """What stands before a sum that leaves something out; of a change it may be more or less."""
        partly = found.open or priced.unknown[figure]
        return ("as far as known " if sign else "at least ") if partly else ""

    console.print(f"figures of {rates.as_of} from {rates.source}")
    if stale := rates.stale(_today()):
        console.print(f"STALE: {stale}")
    leads = f"{least('lead_days')}{priced.lead_days} days"
    for figure, text in (
        ("price", f"{least('price')}{priced.price:{sign},.2f} {rates.currency}"),
        ("lead_days", NOT_CHECKED if priced.lead_days is None else leads),
        ("watts", f"{least('watts')}{priced.watts:{sign},.0f} W"),
    ):
        lacking = priced.unknown[figure]
        label = {"price": "price", "lead_days": "lead time", "watts": "power"}[figure]
        rest = f"; {NOT_CHECKED}: {', '.join(lacking)}" if lacking else ""
        console.print(f"{label}: {text}{rest}", soft_wrap=True)


def _figures(product: str, rates: model.Rates | None) -> dict[str, float | int | None]:
    rate = rates.of(product) if rates else model.Rate()
    return {"price": rate.price, "lead_days": rate.lead_days, "watts": rate.watts}


def _today() -> date:
    return datetime.now(tz=UTC).date()
