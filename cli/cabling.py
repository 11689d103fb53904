"""`podwright cabling` and `verify cabling`: the schedule of a stack, and what the switches hear against it."""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import cabling
from podwright.components.design.fabric.cabling import Cable, End, picture, spreadsheet
from podwright.components.design.fabric.cabling.check import Observed
from podwright.components.design.fabric.cabling.report import Finding, Report, check, name
from podwright.components.design.fabric.cabling.sightings import Planned, Sighting, expected
from podwright.components.providers.status import neighbors


def text(cluster: model.Cluster, form: str) -> str:
    """The schedule as csv, json, neighbors or svg."""
    plan = fabric.plan(cluster.network)
    rows = cabling.schedule(cluster.network, plan)
    if form == "csv":
        return spreadsheet.write(rows)
    if form == "json":
        return json.dumps([_row(each) for each in rows], indent=2) + "\n"
    if form == "svg":
        return picture.picture(cluster.network, plan, rows)
    if form == "neighbors":
        pairs = expected(Planned(cluster.network, plan))
        return "".join(f"{here[0]:<20} {here[1]:<16} {there[0]:<20} {there[1]}\n" for here, there in pairs)
    raise ValueError(form)


def show(console: Console, cluster: model.Cluster) -> None:
    """Print the schedule as a table."""
    rows = cabling.schedule(cluster.network, fabric.plan(cluster.network))
    count = cabling.plugs(rows)
    title = f"{cluster.name}: {count} cables" + (f" with {len(rows)} links" if count != len(rows) else "")
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for head in ("device", "port", "rack", "peer", "peer port", "rack", "Gb/s", "role"):
        table.add_column(head, no_wrap=True)
    for each in rows:
        gbps = str(each.gbps)
        table.add_row(each.device, each.port, each.rack, each.peer, each.peer_port, each.peer_rack, gbps, each.role)
    console.print(table)


def _row(cable: Cable) -> dict[str, Any]:
    return {column: getattr(cable, column) for column in spreadsheet.COLUMNS}


def heard(
    cluster: model.Cluster, captures: Path | None, schedule: Path | None
) -> tuple[dict[str, list[Sighting]], dict[str, str]]:
    """Sightings by switch, and the reason by switch that gave none.

    From a folder of captures or a cable list where one is given, else from the switches. Raises ValueError in words
    for people, or OSError.
    """
    plan = fabric.plan(cluster.network)
    if schedule is not None:
        try:
            return _written(Planned(cluster.network, plan), schedule), {}
        except spreadsheet.CsvError as wrong:
            raise ValueError(f"{wrong}\n{len(wrong.mistakes)} mistakes in {schedule}") from None
    switches = {switch.hostname: str(switch.management) for switch in plan.switches}
    if captures is not None:
        answers = neighbors.captures(captures, tuple(switches))
    else:
        defined = cluster.fabric
        answers = asyncio.run(neighbors.listen(switches, defined.user, defined.credential, os.environ))
    found = {
        each.switch: [_sighting(each.switch, one) for one in each.neighbors] for each in answers if not each.problem
    }
    return found, {each.switch: each.problem for each in answers if each.problem}


def _written(planned: Planned, path: Path) -> dict[str, list[Sighting]]:
    """A cable list somebody wrote, as if every switch had heard it."""
    # Bytes: the reader of CSV sees line ends itself, because a quoted field may hold one.
    rows = spreadsheet.read(path.read_bytes().decode("utf-8", errors="replace"))
    found: dict[str, list[Sighting]] = {switch: [] for switch in planned.switches}
    for row in rows:
        for here, there in (row.ends, row.ends[::-1]):
            if here[0] in found:
                found[here[0]].append(Sighting(here[0], here[1], there[0], there[1]))
    return found


def _sighting(switch: str, heard: neighbors.Neighbor) -> Sighting:
    return Sighting(switch, heard.port, heard.name, heard.far_port, heard.description, heard.chassis)


def judge(cluster: model.Cluster, observed: Observed) -> Report:
    """The report on a stack's cables."""
    return check(Planned(cluster.network, fabric.plan(cluster.network)), observed)


def lines(report: Report, silent: Mapping[str, str]) -> list[str]:
    """The report for people: faults first, each with its fix, then what could not be proven."""
    output = []
    for each in report.findings:
        output.append(f"{each.kind}{'' if each.certain else ' (by elimination)'}: {each.what}")
        why = silent.get(each.ports[0][0]) if each.kind == "unasked" else None
        output.append(f"  why: {why}" if why else f"  fix: {each.fix}")
    reasons: dict[str, list[str]] = {}
    for cable, why in report.unproven:
        reasons.setdefault(why, []).append(cable.label)
    for why, labels in reasons.items():
        names = ", ".join(labels[:3]) + (f" and {len(labels) - 3} more" if len(labels) > 3 else "")
        output.append(f"not proven, {why}: {names}")
    count = len(report.findings)
    summary = f"{len(report.right)} cables heard where they belong, {len(report.unproven)} not proven"
    output.append(f"{summary}, {count or 'no'} finding{'' if count == 1 else 's'}")
    return output


def document(stack: str, report: Report, silent: Mapping[str, str]) -> dict[str, Any]:
    """The report for programs."""
    return {
        "stack": stack,
        "right": len(report.right),
        "unproven": [{"cable": _ends(cable.ends), "why": why} for cable, why in report.unproven],
        "silent": dict(silent),
        "findings": [_finding(each) for each in report.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "certain": finding.certain,
        "ports": _ends(finding.ports),
        "what": finding.what,
        "fix": finding.fix,
        "moves": [{"from": name(each.one), "to": name(each.two), "swap": each.swap} for each in finding.moves],
        "cables": [_ends(each.ends) for each in finding.cables],
    }


def _ends(ends: tuple[End, ...]) -> list[str]:
    return [name(end) for end in ends]
