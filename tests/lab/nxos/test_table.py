"""The command table is data: every row has a source that is named, and what it renders it takes back."""

from __future__ import annotations

import pytest

from podwright.lab.nxos.checks import CHECKS
from podwright.lab.nxos.device import release
from podwright.lab.nxos.effects import EFFECTS
from podwright.lab.nxos.exec import HANDLERS
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.hardware import MODELS
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.syntax import Failure, compile_syntax, match, tokens
from podwright.lab.nxos.table import Command, table
from podwright.lab.world.model import World
from tests.lab.rack import LAB, Rack

ROWS = [row for rows in table().rows.values() for row in rows]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.mode}: {row.text[:50]}")
def test_every_row_names_a_known_source_release_models_and_existing_functions(row: Command) -> None:
    assert table().sources[row.source].title
    assert len(release(row.since)) == 3 and row.models
    assert set(row.models) <= {model.family for model in MODELS.values()}
    assert row.check is None or row.check in CHECKS
    assert row.effect is None or row.effect in EFFECTS
    assert row.enter is None or row.enter in table().modes
    assert (row.mode == "exec") == (row.do is not None)
    assert row.do is None or row.do in HANDLERS


@pytest.mark.parametrize("row", [r for r in ROWS if r.default], ids=lambda row: row.default)
def test_a_default_is_a_line_of_its_own_row(row: Command) -> None:
    found = match(row.sequence, tokens(str(row.default)), Failure())
    assert found is not None and found.line == row.default


@pytest.mark.parametrize("name", ["leaf-01", "leaf-02", "spine-01"])
def test_the_running_configuration_typed_into_a_fresh_switch_gives_itself(name: str) -> None:
    rack = Rack()
    text = rack.show(name, "show running-config").split("Bios:version 01.14\n", 1)[1]
    twin = build(rack.world, rack.world.switches[name], "admin", "other", "192.0.2.1")
    session = Session(twin, quiet=True)
    session.run("configure terminal")
    for line in text.splitlines():
        assert session.run(line) == "", line
    again = session.run("show running-config").split("Bios:version 01.14\n", 1)[1]
    assert again == text
    rack.world.close()


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_its_ports(model: str) -> None:
    world = World.load(LAB)
    world.switches["leaf-01"].model = model
    session = Session(build(world, world.switches["leaf-01"], "admin", "x", "192.0.2.1"), quiet=True)
    last = len(MODELS[model].ports)
    session.run("configure terminal")
    assert session.run(f"interface Ethernet1/{last}") == ""
    assert "Invalid interface" in session.run(f"interface Ethernet1/{last + 1}")
    world.close()


def test_keywords_beat_parameters_and_abbreviations_work() -> None:
    row = compile_syntax("a { none | <list:list:1-9> } [ x (on|off) ]")
    assert match(row, tokens("a none"), Failure()).words == ("a", "none")  # type: ignore[union-attr]
    assert match(row, tokens("a 1-3 x of"), Failure()).words == ("a", "1-3", "x", "off")  # type: ignore[union-attr]
    failure = Failure()
    assert match(row, tokens("a 1-3 x o"), failure) is None
    assert (failure.at, failure.message) == (3, "% Ambiguous command at '^' marker.")


@pytest.mark.parametrize("bad", ["a [ b", "a { b | c", "<x:nokind>"])
def test_a_broken_row_is_found_when_the_table_is_read(bad: str) -> None:
    with pytest.raises(ValueError, match=r"missing|unknown kind"):
        compile_syntax(bad)
