"""Alerts of a cluster, what is exported for them, and which others are wrong: `alerts.toml`."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

FILE = Path(__file__).with_name("alerts.toml")
Severity = Literal["critical", "warning", "info"]
Need = Literal["gpus", "heat", "training", "inference", "teams", "queues"]


@dataclass(frozen=True)
class Alert:
    """One row: when it fires, how urgent it is, whom it is for, what to do."""

    name: str
    group: str
    """The rules that are evaluated together: gpus, workloads, queues."""
    needs: frozenset[str]
    """What a cluster must have for it ever to fire."""
    expr: str
    """PromQL, with words between @ where the stack file says more."""
    severity: Severity
    summary: str
    action: str
    """What to do."""
    source: str
    """Where its numbers are from."""
    pending: str = ""
    """For how long the expression must hold, such as 10m. Empty: it fires at once."""
    team: str = ""
    """Label whose value is the namespace of the team that it is for. Empty: it is for the owner of the platform."""
    rule: str = ""
    """The rule of the policy pack that says the same of a plan."""


@dataclass(frozen=True)
class Refused:
    """An alert that others have and that is wrong."""

    what: str
    written: str
    """How it is written elsewhere."""
    pattern: str
    """Regular expression that an alert of its form matches."""
    why: str


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def alerts() -> dict[str, Alert]:
    """Every alert by its name, in the order of the table."""
    found = {}
    for name, row in _table()["alerts"].items():
        assert set(row["needs"]) <= set(get_args(Need)), name
        rest = {key: value.strip() for key, value in row.items() if key not in ("needs", "for")}
        found[name] = Alert(name, needs=frozenset(row["needs"]), pending=row.get("for", ""), **rest)
    return found


def exported() -> dict[str, str]:
    """By metric, what exports it."""
    return {metric: row["by"] for row in _table()["exported"] for metric in row["metrics"]}


def refused() -> tuple[Refused, ...]:
    """Alerts that are wrong."""
    return tuple(Refused(**row) for row in _table()["refused"])
