"""The table of changes: a row for every property of every resource, and for every line that the design writes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podwright.components import model
from podwright.components.changes.lines import LINES, OTHER
from podwright.components.changes.row import LineRow
from podwright.components.changes.section import paths
from podwright.components.changes.table import DELETIONS, ROWS, line_row
from podwright.components.design import fabric
from podwright.components.package import Served
from tools.goldens import examples, stack_file

SCHEMA: dict[str, Any] = json.loads(Served().schema())
SPECS = {
    token: SCHEMA["types"][about["inputProperties"]["spec"]["$ref"].removeprefix("#/types/")]
    for token, about in SCHEMA["resources"].items()
    if not about.get("isComponent") and "spec" in about["inputProperties"]
}


def test_the_table_has_the_resources_of_the_schema() -> None:
    assert set(ROWS) == set(DELETIONS) == set(SPECS)


def snake(name: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name)


@pytest.mark.parametrize("token", SPECS)
def test_every_property_of_a_spec_has_one_row_and_every_row_a_property(token: str) -> None:
    rows = [row.name for row in ROWS[token] if not isinstance(row, LineRow)]
    lines = ["config"] if any(isinstance(row, LineRow) for row in ROWS[token]) else []
    assert sorted(rows + lines) == sorted(map(snake, SPECS[token]["properties"]))


def configs() -> list[dict[str, str]]:
    plans = [fabric.plan(model.load(stack_file(name)).network) for name in examples() if name != "pod-128"]
    return [dict(switch.config) for plan in plans for switch in plan.switches]


BY_HAND = {
    "class-map x": "match cos 3",
    "interface Ethernet1/1": "speed 100000\nshutdown",
    "hardware access-list tcam region ing-racl 512": "x",
    "system routing template-lpm-heavy": "x",
    "boot nxos bootflash:nxos.bin": "x",
}
"""Lines of a site's own (`extra`) that have rows though no example holds them."""


def test_every_line_that_the_design_writes_has_a_row_of_its_own_and_every_row_a_line() -> None:
    every = {path for config in [*configs(), BY_HAND] for path in paths(config)}
    assert [" / ".join(path) for path in every if line_row(path) in OTHER] == []
    used = {line_row(path) for path in every}
    assert [(row.section, row.line) for row in LINES if row not in used and row not in OTHER] == []


def test_a_row_gives_its_reason_and_what_is_disruptive_says_where_and_how_long() -> None:
    rows = [row for rows in ROWS.values() for row in rows] + list(DELETIONS.values())
    assert [row for row in rows if not row.reason] == []
    felt = [row for row in rows if row.scope != "nothing" and row.verb]
    assert felt
    assert [row for row in rows if row.verb and row.scope == "nothing"] == []
