"""What a stack file approves, against a plan: what each approval lets pass, which have ended, which nothing needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from podwright.cli.compute import plan_of
from podwright.components import model
from podwright.components.changes.impact import Impact
from podwright.components.changes.server_changes import ServerChange
from podwright.components.design.compute.approvals import Granted, granted
from podwright.components.model.problems import dotted


@dataclass(frozen=True)
class Approved:
    """One approval of the file, and what a plan has for it."""

    key: str
    line: int | None
    file: str
    what: str
    until: str
    ended: bool
    passes: tuple[str, ...]
    """What of the plan it lets pass, each with the servers."""

    def sentence(self) -> str:
        """As a preview prints it."""
        at = f"{self.file}:{self.line}" if self.line else self.file
        state = "nothing of this plan needs it"
        if self.ended:
            state = "it has ended and approves nothing"
        elif self.passes:
            state = f"lets pass {'; '.join(self.passes)}"
        return f"approval {self.key} ({at}): {self.what} until {self.until}: {state}"

    def as_data(self) -> dict[str, Any]:
        """The same as plain data."""
        state = "ended" if self.ended else "used" if self.passes else "unused"
        about = {"key": self.key, "file": self.file, "line": self.line, "what": self.what, "until": self.until}
        return {**about, "state": state, "passes": list(self.passes)}


def approvals(
    path: Path, impacts: Iterable[Impact], servers: Iterable[ServerChange], now: datetime
) -> tuple[Approved, ...]:
    """Every approval of a stack file; none where the file cannot be read."""
    try:
        cluster, where = model.located(path)
    except (OSError, model.SpecErrors):
        return ()
    plan = plan_of(cluster, cluster.intersight) if cluster.intersight else None
    found = []
    listed, changed = list(impacts), list(servers)
    for each in granted(cluster.changes, cluster.servers, cluster.compute.roles, plan):
        ended = datetime.fromisoformat(each.until) <= now
        place = where(each.place)
        passes = () if ended else tuple(dict.fromkeys((*_of_servers(each, changed), *_of_class(each, listed))))
        line, file = (place.line, place.file or path.name) if place else (None, path.name)
        found.append(Approved(dotted(each.place), line, file, each.what, each.until, ended, passes))
    return tuple(found)


def _of_servers(given: Granted, servers: Iterable[ServerChange]) -> Iterator[str]:
    for change in servers:
        named = [name for name in change.servers if not given.on or name in given.on]
        if change.disruption.word == given.what and named:
            yield f"{change.what} on {', '.join(named)}"


def _of_class(given: Granted, impacts: Iterable[Impact]) -> Iterator[str]:
    for impact in impacts:
        if impact.change_class.word == given.what and (not given.on or impact.device in given.on):
            yield impact.device
