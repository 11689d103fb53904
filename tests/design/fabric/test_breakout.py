"""Ports broken out, from the stack file to lines, cables, bill and failures."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from podwright.cli.world import world
from podwright.components import model
from podwright.components.design import fabric, hardware
from podwright.components.design.fabric import breakout, cabling, materials
from podwright.components.design.fabric.cabling import spreadsheet
from podwright.components.design.fabric.cabling.report import check
from podwright.components.design.fabric.cabling.sightings import Planned
from podwright.components.design.fabric.failures import effects
from podwright.components.design.fabric.sizing.bill import Lengths, bill
from podwright.components.design.fabric.sizing.models import Ask, propose
from podwright.components.model.catalogue import SERVERS
from podwright.lab.world.traffic import Flow, run
from tests.design.fabric.wires import heard, mended, named, swapped
from tests.lab.prepared import prepared
from tests.lab.rack import Rack
from tests.model.changes import LAB
from tools import goldens

CLUSTER = model.load(goldens.stack_file("breakout"))
PLAN = fabric.plan(CLUSTER.network)
_PART = re.compile(r"^interface Ethernet1/(\d+)/(\d)$")
_LINE = re.compile(r"^interface breakout module 1 port (\d+) map (\d+)g-(\d)x$")


@pytest.mark.parametrize("switch", PLAN.switches, ids=lambda each: each.hostname)
def test_every_part_in_use_has_its_breakout_and_comes_behind_it(switch: fabric.SwitchPlan) -> None:
    lines = list(switch.config)
    broken = {int(found[1]): int(found[3]) for line in lines if (found := _LINE.match(line))}
    parts = [(int(found[1]), int(found[2]), at) for at, line in enumerate(lines) if (found := _PART.match(line))]
    last = max((at for at, line in enumerate(lines) if _LINE.match(line)), default=-1)
    assert all(lane <= broken[port] and at > last for port, lane, at in parts)
    whole = {int(found[1]) for line in lines if (found := re.match(r"^interface Ethernet1/(\d+)$", line))}
    assert not whole & set(broken)


def test_nics_share_ports_in_order_and_the_next_server_goes_on_where_the_last_one_ended() -> None:
    ports = {key: PLAN.host_ports[key].port for key in PLAN.host_ports if key[0] in ("gpu-01", "gpu-02") and key[1] < 4}
    assert list(ports.values()) == [f"Ethernet1/{port}/{part}" for port in (1, 2, 3, 4) for part in (1, 2)]
    assert {PLAN.host_ports[key].gbps for key in PLAN.host_ports} == {200}


def test_a_port_that_breaks_out_with_another_is_said_too() -> None:
    alone = [link for link in PLAN.links if (link.device, link.port) == ("front-01", "Ethernet1/1/1")]
    assert list(breakout.lines("N9K-C93600CD-GX", "front-01", alone)) == [
        "interface breakout module 1 port 1 map 25g-4x",
        "interface breakout module 1 port 3 map 25g-4x",
    ]


def test_the_schedule_has_a_row_for_each_end_and_one_label_for_the_shared_plug() -> None:
    rows = cabling.schedule(CLUSTER.network, PLAN)
    first, second = (row for row in rows if row.device == "leaf-01" and row.shared == "Ethernet1/1")
    assert first.label == second.label == "leaf-01 Eth1/1 > gpu-01 rail0, gpu-01 rail1"
    assert (first.peer_label, second.peer_label) == (
        "gpu-01 rail0 > leaf-01 Eth1/1/1",
        "gpu-01 rail1 > leaf-01 Eth1/1/2",
    )
    assert spreadsheet.read(spreadsheet.write(rows)) == rows
    older = spreadsheet.write(rows).replace(",shared", "", 1)
    older = "\r\n".join([older.split("\r\n")[0], *(each.rpartition(",")[0] for each in older.split("\r\n")[1:])])
    assert spreadsheet.read(older) == tuple(replace(row, shared="") for row in rows)
    several = Counter((row.device, row.shared) for row in rows if row.shared)
    assert cabling.plugs(rows) == len(rows) - sum(count - 1 for count in several.values())


def test_a_swap_of_two_parts_is_mended_at_the_servers_where_the_ends_move_alone() -> None:
    planned = Planned(CLUSTER.network, PLAN)
    wires = dict(planned.partner)
    swapped(wires, ("gpu-01", "rail0"), ("gpu-01", "rail2"))
    (finding,) = check(planned, heard(planned, wires, host=named)).findings
    assert finding.kind == "swap"
    assert finding.fix.startswith("swap the plugs in gpu-01 rail0 and rail2")
    mended(wires, finding.moves)
    assert wires == planned.partner


def test_a_part_that_must_move_is_called_one() -> None:
    planned = Planned(CLUSTER.network, PLAN)
    wires = dict(planned.partner)
    swapped(wires, ("leaf-01", "Ethernet1/1/1"), ("leaf-01", "Ethernet1/20/1"))
    (finding,) = check(planned, heard(planned, wires, host=named)).findings
    assert finding.fix.startswith("move the breakout part in leaf-01 Ethernet1/20/1 to Ethernet1/1/1")


def test_a_lost_plug_takes_every_part_of_its_port_with_it() -> None:
    found = {effect.loss.name: effect for effect in effects(CLUSTER.network, PLAN) if effect.loss.kind == "optic"}
    assert len(found["leaf-01 Ethernet1/1"].loss.links) == 2
    assert found["leaf-01 Ethernet1/1"].why.startswith("gpu-01 without rails 0, 1")
    assert len(found["leaf-01 Ethernet1/33"].loss.links) == 1


def test_what_the_catalogue_has_no_breakout_for_is_open() -> None:
    (found,) = (each for each in materials.bill(CLUSTER.network, PLAN).open if "200G" in each.what)
    assert (found.count, found.why) == (
        40,
        "the catalogue has nothing for 200G between QSFP-DD broken out in 2 and QSFP112",
    )


@pytest.fixture
def hundred(monkeypatch: pytest.MonkeyPatch) -> model.Cluster:
    """A cluster whose NICs run at 100G in QSFP28: four of them on a leaf port."""
    server = SERVERS["UCSC-885A-M8"]
    slow = replace(server, rails=tuple(replace(nic, gbps=100, cage="QSFP28") for nic in server.rails))
    monkeypatch.setitem(SERVERS, server.name, slow)
    said = {**LAB, "fabric": {**LAB["fabric"], "cables": {"same_rack_m": 3, "other_rack_m": 15}}}
    return model.load(said)


def test_a_bill_has_one_module_and_one_fan_out_for_each_port_and_a_module_for_each_nic(hundred: model.Cluster) -> None:
    plan = fabric.plan(hundred.network)
    ports = Counter((link.device, materials.cage(link.port)) for link in plan.links if link.role == "host")
    assert set(ports.values()) == {4}
    lines = {
        line.product: line.count
        for line in materials.bill(hundred.network, plan).lines
        if line.where == "host links 100G"
    }
    fans = {product: count for product, count in lines.items() if "fan-out" in product}
    assert lines["QDD-400G-DR4-S"] == len(ports) == sum(fans.values())
    assert lines["QSFP-100G-DR-S"] == sum(ports.values())
    assert "MPO-12 APC to 4 × duplex LC OS2 fan-out, 3 m" in fans


def test_a_copper_cable_with_two_ends_is_counted_once() -> None:
    cable = hardware.pluggable("QDD-2Q200-CU")
    assert cable is not None
    choice = hardware.Choice(cable, cable, 2)
    assert list(materials.pieces(choice, 2.0)) == [("cable", "QDD-2Q200-CU3M")]
    assert list(materials.pieces(choice, 2.0, first=False)) == []


def test_the_lab_carries_traffic_over_the_parts_that_the_plan_breaks_out(tmp_path: Path) -> None:
    path = tmp_path / "world.yaml"
    path.write_text(yaml.safe_dump(world(CLUSTER)))
    rack = Rack(configured=False, path=path)
    assert not rack.world.link_up("leaf-01", "Ethernet1/1/2")
    for switch in PLAN.switches:
        lines = (each for line, below in switch.config.items() for each in (line, *below.splitlines()))
        rack.console(switch.hostname, *lines)
    hosts = [link for link in PLAN.links if link.peer_port.startswith("rail")]
    assert all(rack.world.link_up(link.device, link.port) for link in hosts)
    told = rack.show("leaf-01", "show lldp neighbors").split()
    assert all(cabling.short(link.port) in told for link in hosts if link.device == "leaf-01")
    (result,) = run(prepared(rack.world), [Flow("gpu-01:rail0", "gpu-02:rail0", gbps=400)], 1.0)
    assert 190 < result.gbps <= 200, result
    rack.world.close()


def test_a_size_with_ports_broken_out_has_a_bill_of_its_own() -> None:
    ask = Ask(16, 8, 100, leaf="N9K-C9332D-GX2B")
    (option,) = propose(ask).options
    counts = {
        line.product: line.count for line in bill(ask, option, Lengths(host=15)).lines if line.where == "host links"
    }
    assert option.plugs * 4 >= option.size.host_links == counts["QSFP-100G-DR-S"]
    assert counts["QDD-400G-DR4-S"] == option.plugs
    assert counts["MPO-12 APC to 4 × duplex LC OS2 fan-out, 15 m"] == option.plugs
    slow = Ask(16, 8, 200, leaf="N9K-C9332D-GX2B")
    (found,) = (each for each in bill(slow, propose(slow).options[0], Lengths(host=15)).open if "host" in each.what)
    assert "200G between QSFP-DD broken out in 2 and QSFP112" in found.why
