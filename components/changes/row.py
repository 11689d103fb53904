"""What one row of the table says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Literal

from podwright.components.changes.disruption import Disruption


class ChangeClass(IntEnum):
    """From nothing at all to never; a limit lets pass what is not above it."""

    PROGRAM_ONLY = 0
    """Nothing is written to a device."""
    LIVE = 1
    """Written; nothing that runs notices."""
    DISRUPTIVE = 2
    """Something that runs is interrupted, inside one device."""
    TWO_ENDED = 3
    """Both ends must change together; with one changed, what joins them is down or not lossless."""
    REPLACED = 4
    """The object is deleted and made again."""
    REFUSED = 5
    """No device takes this change; no approval lets it pass."""

    @property
    def word(self) -> str:
        """As a stack file and a message spell it."""
        return self.name.lower().replace("_", "-")


Scope = Literal[
    "nothing", "switch", "port", "cage", "server", "nodes", "interconnects", "cluster",
    "pool", "operator", "team", "volume", "workload",
]  # fmt: skip
"""Where a change is felt. `port`: what the section or its VLAN is on; `cage`: a port and its lanes; `nodes`: those
that the spec lists; the others: what the resource stands for."""


@dataclass(frozen=True)
class Row:
    """One property of a resource's spec."""

    name: str
    """Key of the spec; for lines of a configuration, `config`."""
    change: ChangeClass
    """Class when a value takes the place of another."""
    reason: str
    """Why, one clause."""
    source: str = ""
    """Who says so; empty where it follows from what podwright does."""
    add: ChangeClass | None = None
    """Class when there was nothing before. None: as `change`."""
    remove: ChangeClass | None = None
    """Class when nothing comes after. None: as `change`."""
    scope: Scope = "nothing"
    verb: str = ""
    """What the devices of its scope do, for the sum of a preview: `lose lossless traffic for a moment`."""
    lasts: str = ""
    """How long it is felt, roughly."""
    warning: str = ""
    """What a preview says of it: `{lines}` that changed, `{touched}` ports and GPUs. Empty: the reason."""
    named: bool = False
    """The sum of a preview names the devices of its scope."""
    at_reload: bool = False
    """The line stands at once and works only after the switch reloads."""
    staged: bool = False
    """Live while the spec's `action` is `stage`: the device takes it at its next restart."""
    disruption: Disruption | None = None
    """What servers go through for it; None where it is no matter of servers. Lost data passes under no limit."""
    beside: str = ""
    """Key that changes with this one: where it stays, an earlier release left this one out. Empty: none."""

    def of(self, *, removed: bool, added: bool) -> ChangeClass:
        """The class of a change that removed values, added values, or both."""
        if removed and added:
            return self.change
        other = self.remove if removed else self.add
        return self.change if other is None else other


@dataclass(frozen=True)
class LineRow(Row):
    """Lines of a switch's configuration: those below sections that match, or the section's own line."""

    section: str = ""
    """Pattern of the top-level line, from its beginning."""
    line: str | None = field(default=None)
    """Pattern of a line below it, from its beginning. None: the top-level line itself."""

    @cached_property
    def _section(self) -> re.Pattern[str]:
        return re.compile(self.section)

    @cached_property
    def _line(self) -> re.Pattern[str] | None:
        return None if self.line is None else re.compile(self.line)

    def matches(self, path: tuple[str, ...]) -> bool:
        """Whether this row is about a line, given as the top-level line and what leads from there to it."""
        if not self._section.match(path[0]):
            return False
        if len(path) == 1:
            return self._line is None
        return self._line is not None and bool(self._line.match(path[-1]))
