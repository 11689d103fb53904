"""LLDP answers in the shapes switches give, captures in a folder, and a swapped cable seen through real SSH."""

from __future__ import annotations

import asyncio
import json
import os
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from podwright.cli.__main__ import app
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric.cabling.check import Observed
from podwright.components.design.fabric.cabling.report import check
from podwright.components.design.fabric.cabling.sightings import Planned, Sighting
from podwright.components.providers.status import neighbors
from podwright.components.providers.status.neighbors import CaptureError, Neighbor, captures, listen, parse
from podwright.lab.nxos.side import NxosSide
from podwright.lab.world.model import World
from tests.lab.rack import ROOT, Rack

CLUSTER = model.load(ROOT / "Pulumi.lab.yaml")
PLANNED = Planned(CLUSTER.network, fabric.plan(CLUSTER.network))
SWITCHES = {name: str(switch.management) for name, switch in PLANNED.switches.items()}

TEXT = """leaf-01# show lldp neighbors detail
Capability codes:
  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device
Device ID            Local Intf      Hold-time  Capability  Port ID

Chassis id: 0200.0000.00aa
Port id: Ethernet1/52
Local Port id: Eth1/33
Port Description: leaf-01 Ethernet1/33
System Name: spine-01.lab.example.com
System Description: Cisco Nexus Operating System (NX-OS) Software 10.4(5)
Copyright (c) 2002-2025
Time remaining: 97 seconds
Management Address: 192.0.2.21
Vlan ID: not advertised


Chassis id: 0200.0000.00bb
Local Port id: Eth1/1
Port Description: null
System Name: null
Vlan ID: 1

Total entries displayed: 2
leaf-01#
"""
ROWS = {
    "TABLE_nbor_detail": {
        "ROW_nbor_detail": [
            {
                "chassis_id": "0200.0000.00aa",
                "port_id": "Ethernet1/52",
                "l_port_id": "Eth1/33",
                "port_desc": "leaf-01 Ethernet1/33",
                "sys_name": "spine-01.lab.example.com",
            },
            {"chassis_id": "0200.0000.00bb", "l_port_id": "Eth1/1", "port_desc": "null", "sys_name": "null"},
        ]
    }
}
BOTH = (
    Neighbor("Eth1/33", "spine-01.lab.example.com", "Ethernet1/52", "leaf-01 Ethernet1/33", "0200.0000.00aa"),
    Neighbor("Eth1/1", "", "", "", "0200.0000.00bb"),
)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        json.dumps(ROWS),
        json.dumps({"ins_api": {"outputs": {"output": {"body": ROWS, "code": "200"}}}}),
        json.dumps([{"result": {"body": ROWS}}]),
    ],
    ids=["text", "crlf", "json", "nxapi", "json-rpc"],
)
def test_text_and_json_say_the_same_and_a_lacking_port_id_is_not_its_neighbours(text: str) -> None:
    assert parse(text) == BOTH


def test_one_row_stands_alone_and_none_is_an_answer_too() -> None:
    row = ROWS["TABLE_nbor_detail"]["ROW_nbor_detail"][0]
    assert parse(json.dumps({"TABLE_nbor_detail": {"ROW_nbor_detail": row}})) == BOTH[:1]
    assert parse("ERROR: No neighbour information\n") == ()
    assert parse("Total entries displayed: 0\n") == ()


@pytest.mark.parametrize("text", ["", "show version\nCisco Nexus", '{"TABLE_'])
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(CaptureError):
        parse(text)


def test_a_folder_of_captures_is_judged_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "leaf-01.txt").write_text(TEXT)
    (tmp_path / "LEAF-02.lab.example.com.json").write_text(json.dumps(ROWS))
    first, second, third = captures(tmp_path, ("leaf-01", "leaf-02", "spine-01"))
    assert (first.neighbors, second.neighbors) == (BOTH, BOTH)
    assert third.problem.startswith("no file of it in ")
    (tmp_path / "leaf-1.txt").write_text(TEXT)
    (tmp_path / "leaf-01.json").write_text("{}")
    (tmp_path / "spine-01.txt").write_text("nothing")
    with pytest.raises(CaptureError) as wrong:
        captures(tmp_path, ("leaf-01", "leaf-02", "spine-01"))
    assert len(str(wrong.value).splitlines()) == 4


def observed(rack: Rack) -> Observed:
    found: dict[str, list[Sighting]] = {}
    for name in rack.devices:
        heard = parse(rack.show(name, neighbors.COMMAND))
        found[name] = [Sighting(name, n.port, n.name, n.far_port, n.description, n.chassis) for n in heard]
    return found


def test_the_labs_switches_agree_with_the_plan_and_show_every_random_swap() -> None:
    """Fifty racks' worth of swaps done to the world's cables; reading and judging know nothing of them."""
    rack = Rack()
    fresh = check(PLANNED, observed(rack))
    assert (fresh.findings, len(fresh.right)) == ([], 40)
    assert {why for _, why in fresh.unproven} == {"a station is there; it gives no name"}
    dice, cables = random.Random(int(os.environ.get("PODWRIGHT_SWAPS_SEED", "11"))), list(rack.world.cables)
    between = [each for each in fresh.right]
    for _ in range(50):
        pairs = dice.sample(between, 4)
        for one, two in (pairs[:2], pairs[2:]):
            rack.world.fault({"kind": "swap", "a": ":".join(one.ends[0]), "b": ":".join(two.ends[0])})
        report = check(PLANNED, observed(rack))
        named = {frozenset(row.ends for row in each.cables) for each in report.findings}
        assert named == {frozenset(each.ends for each in pairs[:2]), frozenset(each.ends for each in pairs[2:])}
        rack.world.recable(list(cables))
    rack.world.close()


def test_a_swapped_cable_shows_through_ssh_with_its_fix(planned: tuple[NxosSide, World]) -> None:
    side, world = planned
    writes, run = side.writes, CliRunner().invoke
    done = run(app, ["verify", "cabling", "lab"])
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (
        0,
        "40 cables heard where they belong, 40 not proven, no findings",
    )
    world.fault({"kind": "swap", "a": "leaf-01:Ethernet1/35", "b": "leaf-01:Ethernet1/36"})
    world.fault({"kind": "link", "end": "leaf-02:Ethernet1/40", "state": "down"})
    done = run(app, ["verify", "cabling", "lab"])
    assert done.exit_code == 1
    assert done.stdout.splitlines()[:4] == [
        "missing: leaf-02 Ethernet1/40 and spine-01 Ethernet1/28 hear nothing of each other",
        "  fix: plug in the cable leaf-02 Eth1/40 > spine-01 Eth1/28, or look at its optics: both ports must be up",
        "swap: leaf-01 Ethernet1/35 reaches spine-01 Ethernet1/4 (planned: spine-01 Ethernet1/3); "
        "leaf-01 Ethernet1/36 reaches spine-01 Ethernet1/3 (planned: spine-01 Ethernet1/4)",
        "  fix: swap the plugs in leaf-01 Ethernet1/35 and Ethernet1/36 (rack r1)",
    ]
    document = json.loads(run(app, ["verify", "cabling", "lab", "--json"]).stdout)
    assert [each["kind"] for each in document["findings"]] == ["missing", "swap"]
    assert document["findings"][1]["moves"] == [
        {"from": "leaf-01 Ethernet1/35", "to": "leaf-01 Ethernet1/36", "swap": True}
    ]
    assert side.writes == writes, "looking writes nothing"


def test_a_switch_without_lldp_or_without_power_is_said_and_not_guessed(planned: tuple[NxosSide, World]) -> None:
    _, world = planned
    world.fault({"kind": "cli", "switch": "leaf-02", "lines": ["configure terminal", "no feature lldp"]})
    world.fault({"kind": "switch", "switch": "spine-01", "state": "down"})
    said = CLUSTER.fabric
    one, two, three = asyncio.run(listen(SWITCHES, said.user, said.credential, os.environ))
    assert not one.problem
    assert two.problem.endswith("is `feature lldp` on?")
    assert three.problem.startswith("spine-01: 192.0.2.21")
    done = CliRunner().invoke(app, ["verify", "cabling", "lab"])
    assert done.exit_code == 1
    assert "missing" not in done.stdout
    assert "feature lldp" in done.stdout


@pytest.mark.parametrize("name", ["\x1b]0;owned\x07spine", "spine\x1b[2J", "a\x9b31m", "a\u202eb", "a\x08\x08b"])
def test_control_characters_of_a_neighbour_reach_no_terminal(name: str) -> None:
    text = TEXT.replace("System Name: spine-01.lab.example.com", f"System Name: {name}")
    rows = json.dumps(ROWS).replace("spine-01.lab.example.com", json.dumps(name)[1:-1])
    for answer in (text, rows):
        for heard in parse(answer):
            assert all(each.isprintable() for each in (heard.port, heard.name, heard.far_port, heard.description))
    assert any("\N{REPLACEMENT CHARACTER}" in heard.name for heard in parse(text))


def test_a_neighbour_of_a_megabyte_is_cut() -> None:
    (first, _) = parse(TEXT.replace("spine-01.lab.example.com", "s" * 1_000_000))
    assert len(first.name) < 600
