"""`podwright failures`: every single loss of a stack's network, and what it leaves."""

import csv
import io
import json

from rich.console import Console
from rich.table import Table

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric.failures import effects, report


def show(console: Console, cluster: model.Cluster) -> None:
    """Print alike losses as one row each, and what the stack file accepts."""
    groups = report.grouped(effects(cluster.network, fabric.plan(cluster.network)))
    table = Table(title=f"{cluster.name}: what fails when", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for head in ("loss", "verdict", "leaves", "bisection", "server", "whole", "what it means"):
        table.add_column(head, no_wrap=head in ("verdict", "bisection"))
    for group in groups:
        row = report.figures(group.first)
        bisection = f"{int(str(row[4])) / 1000:g} Tb/s" if row[4] != "" else ""
        table.add_row(
            f"{row[0]}: {group.name}", str(row[2]), str(row[3]), bisection, str(row[5]), str(row[6]), str(row[9])
        )
    console.print(table)
    console.print(
        "leaves: share left between the two leaves that lose most. server: share left to the server that loses most.\n"
        "whole: share of the servers that keep every rail.",
        style="dim",
        highlight=False,
    )
    console.print(accepted(cluster), highlight=False)


def explain(cluster: model.Cluster, name: str) -> list[str]:
    """Everything one loss leaves, line by line; empty where nothing is called so."""
    found = [
        each
        for each in effects(cluster.network, fabric.plan(cluster.network))
        if each.loss.name.partition(" – ")[0] == name
    ]
    lines = []
    for effect in found:
        lines.append(f"{effect.loss.kind} {effect.loss.name}: {effect.verdict}, {effect.why}")
        for what, left in report.details(effect).items():
            lines += [f"  {what:<26} {key:<28} {gbps:g}" for key, gbps in left.items()]
    return lines


def accepted(cluster: model.Cluster) -> str:
    """What `fabric.survive` asks; a stack that is shown at all holds it."""
    limits = cluster.fabric.survive
    asked = {key: value for key, value in limits.model_dump().items() if value is not None} if limits else {}
    if not asked:
        return "fabric.survive asks for nothing: no loss stops a plan"
    return "fabric.survive holds: " + ", ".join(f"{key} {value:g}" for key, value in asked.items())


def text(cluster: model.Cluster, form: str) -> str:
    """Every loss as csv, json or svg; the picture shows alike ones together."""
    found = effects(cluster.network, fabric.plan(cluster.network))
    if form == "svg":
        return report.picture(cluster.name, report.grouped(found))
    rows = [report.figures(each) for each in found]
    if form == "json":
        records = [dict(zip(report.COLUMNS, row, strict=True)) for row in rows]
        for effect, row in zip(found, records, strict=True):
            if effect.loss.kind != "optic":  # what goes with a transceiver stands at its cable
                row.update(report.details(effect))
        return json.dumps(records, indent=2) + "\n"
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(report.COLUMNS)
    writer.writerows(rows)
    return out.getvalue()
