"""Cables between the frontend and Fabric Interconnects: a pair says its name with -A or -B, and a port of its own."""

import pytest

from podwright.components.design.fabric.cabling import End
from podwright.components.design.fabric.cabling.report import Report, check
from podwright.components.design.fabric.cabling.sightings import Sighting
from tests.design.fabric.cabling.test_check import PROD
from tests.design.fabric.wires import heard, mended, named, swapped

PAIR = ("x-series-a", "x-series-b")
ENDS = [end for end in PROD.partner if PROD.partner[end][0] in PAIR]
"""Ports of the frontend that interconnects are plugged into."""


def reported(wires: dict[End, End], port: str = "Eth1/1", name: str = "") -> Report:
    """What a check makes of wires when interconnects say `<system>-A` and the same port each."""

    def words(end: End) -> Sighting:
        if end[0] not in PAIR:
            return named(end)
        return Sighting("", "", (name or end[0][:-2]) + end[0][-2:].upper(), port)

    return check(PROD, heard(PROD, wires, host=words))


def test_an_interconnect_that_says_its_name_and_an_uplink_proves_its_cable() -> None:
    report = reported(dict(PROD.partner))
    assert report.findings == []
    assert {end for each in report.right for end in each.ends if end in ENDS} == set(ENDS)
    assert len(ENDS) == 4


def test_swapped_uplinks_of_the_two_fabrics_are_one_finding_with_the_plugs_to_swap() -> None:
    wires = dict(PROD.partner)
    first, second = sorted(end for end in ENDS if end[0] == "front-01")
    swapped(wires, first, second)
    (finding,) = reported(wires).findings
    assert finding.kind == "swap"
    assert {row.peer for row in finding.cables} == set(PAIR)
    assert finding.fix.startswith("swap the plugs in front-01 Ethernet1/17 and Ethernet1/18")
    mended(wires, finding.moves)
    assert reported(wires).findings == []


def test_a_cable_in_a_port_that_is_no_uplink_is_named_with_that_port() -> None:
    found = reported(dict(PROD.partner), port="Ethernet1/9").findings
    assert {each.kind for each in found} == {"stranger"}
    assert {each.ports[0] for each in found} == set(ENDS)
    assert all("Ethernet1/9, which is none of its uplinks" in each.what for each in found)


def test_a_pair_of_another_name_is_a_stranger() -> None:
    found = reported(dict(PROD.partner), name="other").findings
    assert {each.kind for each in found} == {"stranger"}
    assert len(found) == 4


@pytest.mark.parametrize("silent", [True, False])
def test_interconnects_that_say_nothing_are_unproven_and_no_fault(silent: bool) -> None:
    seen = heard(PROD, PROD.partner, host=lambda end: None if silent or end[0] not in PAIR else named(end))
    report = check(PROD, seen)
    assert report.findings == []
    theirs = {end for cable, _ in report.unproven for end in cable.ends if end in ENDS}
    assert theirs == (set(ENDS) if silent else set())
