"""What a switch knows to do with the rows of the command table; the factory hands a device all of it.

A session takes lines of modules that type lines themselves (maintenance mode, the scheduler, a replace): so neither it
nor `configure` imports them; they find them here, by the name in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node

Handler = Callable[[Any, Found], Output]
"""Carries an exec command out in a session."""
Effect = Callable[[Any], list[Node]]
"""Carries a configuration line (`change.Change`) out; returns the blocks it enters."""
Question = Callable[[Any], str]
"""What is asked before a line (`change.Change`) is taken; empty for nothing."""


@dataclass(frozen=True)
class Commands:
    """Functions by their names in the command table: `do`, `effect` and `asks`."""

    handlers: Mapping[str, Handler]
    effects: Mapping[str, Effect]
    questions: Mapping[str, Question]
