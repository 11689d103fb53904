"""`podwright preview`: what the plan does to what runs, in its first lines; then Pulumi's own preview."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import typer

from podwright.cli.engine import invocation
from podwright.cli.engine.approvals import approvals
from podwright.cli.review import findings as reviewed
from podwright.cli.review import report, waivers
from podwright.components import model
from podwright.components.changes.departures import in_cluster
from podwright.components.changes.impact import Impact, impacts
from podwright.components.changes.objects import SELECTING, node_restarts
from podwright.components.changes.row import ChangeClass
from podwright.components.changes.server_changes import ServerChange, Step, as_data, sentence, server_changes
from podwright.components.changes.total import document, sentences
from podwright.components.design import hardware

_OURS: Final = "podwright:"
_WORLD: Final = "podwright:index:World"
_ELSEWHERE: Final = ("kubernetes:",)
_GONE: Final = ("delete", "replace")
_POLICIES: Final = ("podwright:intersight:Policy", "podwright:intersight:Pool")
_NOTHING: Final = "nothing that runs is interrupted"


@dataclass(frozen=True)
class Plan:
    """What a preview is going to do, from the engine's events."""

    impacts: tuple[Impact, ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    """Objects of the cluster that are deleted or replaced: operation and URN."""
    servers: tuple[ServerChange, ...] = ()
    """What servers take, change by change."""


def run(
    name: str,
    flags: list[str],
    more: list[str],
    *,
    as_json: bool,
    sarif: Path | None = None,
    fail_on: report.FailOn | None = None,
) -> int:
    """Preview a stack; returns Pulumi's exit code, or 1 where `fail_on` has the preview fail. Raises StackError.

    `sarif` is a file that is written with what the policy pack finds.
    """
    path, day = _file(name), waivers.today()
    if problems := waivers.refused(path):
        typer.echo(problems, err=True)
        return report.FAILS
    colour = [] if as_json or not sys.stdout.isatty() or "--color" in more else ["--color", "always"]
    with tempfile.TemporaryDirectory(prefix="podwright-") as folder:
        events = Path(folder) / "events"
        status, printed = invocation.captured(invocation.words("preview", name, flags, [*more, *colour]), events)
        lines = events.read_text("utf-8").splitlines() if events.exists() else []
        plan, review = planned(lines), reviewed.review(path, lines, day)
    if sarif is not None:
        report.write(sarif, report.sarif(review, status))
    gpus, jobs = inhabitants(name)
    clauses = [*sentences(plan.impacts, gpus, jobs), *_objects(plan)]
    approved = approvals(path, plan.impacts, plan.servers, datetime.now(UTC))
    if as_json:
        classes = {each.word: sum(one.change_class is each for one in plan.impacts) for each in ChangeClass}
        whole = {"sum": clauses, "complete": status == 0, "classes": classes}
        listed = {"approvals": [each.as_data() for each in approved], **reviewed.as_data(review, day)}
        typer.echo(json.dumps({**whole, **_details(plan, gpus), **listed}, indent=2))
        typer.echo(printed if status else "", nl=False, err=True)
    else:
        begun = "" if status == 0 else "the plan stopped; until then: "
        typer.echo(f"{begun}{'; '.join(clauses) or _NOTHING}")
        typer.echo("".join(f"{each.sentence()}\n" for each in approved), nl=False)
        typer.echo("".join(f"{each}\n" for each in reviewed.sentences(review, day)), nl=False)
        typer.echo("".join(f"{sentence(each, gpus)}\n" for each in plan.servers))
        typer.echo(printed, nl=False)
    return status or report.fails(review.findings, fail_on)


def _details(plan: Plan, gpus: Mapping[str, int]) -> dict[str, Any]:
    return {
        "servers": [as_data(each, gpus) for each in plan.servers],
        "impacts": [document(each) for each in plan.impacts],
    }


def planned(lines: Iterable[str]) -> Plan:
    """Read the engine's events, one JSON object a line; a line that was cut off ends them."""
    found: list[Impact] = []
    leaving: list[Impact] = []
    gone: list[tuple[str, str]] = []
    steps: list[Step] = []
    others: list[Mapping[str, Any]] = []
    for step in _steps(lines):
        kind, op = str(step.get("type", "")), str(step.get("op", ""))
        others += [step] if kind.startswith(_ELSEWHERE) else []
        if kind.startswith(_ELSEWHERE) and op in _GONE:
            gone.append((op, str(step["urn"])))
        if kind.startswith(_OURS):
            old, new = (_spec(step.get(side)) for side in ("old", "new"))
            steps.append((kind, old, None if op == "delete" else new))
            if old is not None and op in ("update", "replace"):
                found += impacts(kind, old, new or {})
                leaving += in_cluster(old, new or {}) if kind == _WORLD else ()
            elif op == "delete":
                found += impacts(kind, old, None)
    found += _restarted(others)
    listed = {(each.token, each.device) for each in found}
    found += (each for each in leaving if (each.token, each.device) not in listed)
    # The engine plans resources side by side: one plan has one order all the same, switches before nodes.
    found.sort(key=lambda each: (each.token, each.device, each.properties))
    servers = server_changes(steps)
    return Plan(tuple(_with_servers(found, servers)), tuple(sorted(gone)), servers)


def _restarted(steps: Iterable[Mapping[str, Any]]) -> Iterator[Impact]:
    """Nodes that an operator restarts for an object that is new or changed; a node that only joins has no load yet."""
    objects = [(str(each.get("op", "")), _inputs(each.get("old")), _inputs(each.get("new"))) for each in steps]
    running = {
        str(new["metadata"]["name"]): str((new["metadata"].get("labels") or {}).get("podwright.io/pool", ""))
        for op, old, new in objects
        if old is not None and new is not None and new.get("kind") == "Node" and op != "delete"
    }
    for op, old, new in objects:
        if new is not None and new.get("kind") in SELECTING and op in ("create", "update", "replace"):
            found = node_restarts(old, new, running)
            if found is not None:
                yield found


def _inputs(state: Any) -> Mapping[str, Any] | None:
    found = (state or {}).get("inputs")
    return found if isinstance(found, Mapping) else None


def _with_servers(found: Iterable[Impact], servers: Iterable[ServerChange]) -> Iterator[Impact]:
    """A policy's own change is felt by those whose profile uses it, and by nobody where none does."""
    for each in found:
        if each.row.verb and each.token in _POLICIES:
            users = {name for one in servers if one.what.endswith(f" {each.device}") for name in one.servers}
            if users:
                yield replace(each, nodes=tuple(sorted(users)))
        else:
            yield each


def _steps(lines: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            return
        if metadata := (event.get("resourcePreEvent") or {}).get("metadata"):
            yield metadata


def _spec(state: Any) -> Mapping[str, Any] | None:
    spec = ((state or {}).get("inputs") or {}).get("spec")
    return spec if isinstance(spec, Mapping) else None


def _objects(plan: Plan) -> Iterator[str]:
    for op, word in (("delete", "deleted"), ("replace", "replaced")):
        if urns := [urn for each, urn in plan.gone if each == op]:
            named = ", ".join(urn.rsplit("::", 1)[-1] for urn in urns[:3]) + (" …" if len(urns) > 3 else "")
            count = f"{len(urns)} object{'s' * (len(urns) != 1)} of the cluster"
            yield f"{count} {'are' if len(urns) > 1 else 'is'} {word}: {named}"


def _file(name: str) -> Path:
    """The stack file of a stack, of the one that is selected where none is named."""
    chosen = name or invocation.answer(["pulumi", "stack", "--show-name"]).strip()
    return model.stack_file(Path(), chosen)


def inhabitants(name: str) -> tuple[dict[str, int], dict[str, tuple[str, ...]]]:
    """By server, its number of GPUs and the jobs that may run there; none where no stack file can be read."""
    try:
        cluster = model.load(_file(name))
    except (OSError, model.SpecErrors):
        return {}, {}
    training, inference = cluster.workloads.training, cluster.workloads.inference
    pools = {
        **{job: each.pool for job, each in training.items()},
        **{name: each.pool for _, name, each in model.versions(inference)},
    }
    gpus = {host: hardware.gpu_count(server) for host, server in cluster.network.hosts.items()}
    jobs = {
        host: tuple(job for job, pool in pools.items() if pool == server.pool)
        for host, server in cluster.servers.items()
    }
    return gpus, jobs
