"""Random wires against the plan: exactly what was moved is named, and doing what the report says restores the plan."""

import random
from collections.abc import Callable

import networkx as nx
import pytest

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric.cabling import End, interface
from podwright.components.design.fabric.cabling.check import Move
from podwright.components.design.fabric.cabling.report import Report, check
from podwright.components.design.fabric.cabling.sightings import Planned, Sighting, expected
from tests.design.fabric.wires import Wires, heard, mended, named, nameless, pulled, swapped
from tools.generated import ROOT


def planned_of(path: str) -> Planned:
    cluster = model.load(ROOT / path)
    return Planned(cluster.network, fabric.plan(cluster.network))


LAB, PROD = planned_of("Pulumi.lab.yaml"), planned_of("Pulumi.prod.yaml")
TOR = planned_of("tests/examples/top-of-rack/Pulumi.top-of-rack.yaml")
L1, L2, S1 = "leaf-01", "leaf-02", "spine-01"


def port(number: int) -> str:
    return f"Ethernet1/{number}"


def kinds(report: Report) -> list[str]:
    return [each.kind for each in report.findings]


def accounted(planned: Planned, report: Report) -> None:
    """Every planned cable is right, unproven or in a finding, and never two of these."""
    right, unproven = {each.ends for each in report.right}, {each.ends for each, _ in report.unproven}
    wrong = {row.ends for each in report.findings for row in each.cables}
    assert right | unproven | wrong == {each.ends for each in planned.cables}
    assert not right & unproven | right & wrong | unproven & wrong


@pytest.mark.parametrize("planned", [LAB, PROD, TOR], ids=["lab", "prod", "tor"])
def test_a_rack_as_planned_has_no_fault_and_silent_hosts_are_not_right(planned: Planned) -> None:
    report = check(planned, heard(planned, planned.partner))
    assert report.findings == []
    between = [each for each in planned.cables if each.peer in planned.switches]
    assert report.right == between
    assert {why for _, why in report.unproven} == {"not seen: the far end sends no LLDP"}
    accounted(planned, report)


def test_hosts_count_as_right_only_when_they_say_name_and_nic() -> None:
    anonymous = check(LAB, heard(LAB, LAB.partner, host=nameless))
    assert {why for _, why in anonymous.unproven} == {"a station is there; it gives no name"}
    unported = check(LAB, heard(LAB, LAB.partner, host=lambda end: Sighting("", "", end[0], "02:00:00:00:00:01")))
    assert {why for _, why in unported.unproven} == {
        f"gpu-0{number} is there; it does not tell on which NIC" for number in range(1, 6)
    }
    assert not anonymous.findings and not unported.findings
    full = check(LAB, heard(LAB, LAB.partner, host=named))
    assert (len(full.right), full.unproven, full.findings) == (80, [], [])


def test_an_agent_names_the_nic_by_its_linux_name_too() -> None:
    """Names that follow from the PCI address, before and after the driver has named the port."""
    by_description = {"rail0": "enp9s0f0np0", "rail1": "enp35s0f0", "rail2": "enp83s0np0", "rail3": "enp105s0"}

    def agent(end: End) -> Sighting | None:
        nic = by_description.get(end[1])
        return (
            Sighting("", "", f"{end[0]}.lab.example.com", "0200.0000.0001", f"Interface  9 as {nic}") if nic else None
        )

    report = check(LAB, heard(LAB, LAB.partner, host=agent))
    assert report.findings == []
    assert sum(each.role == "host" for each in report.right) == 20


def displaced(planned: Planned, wires: Wires) -> tuple[set[End], int]:
    """Places whose cable leads elsewhere, and the fewest swaps that mend it: cables less rings."""
    off = {end for end, far in planned.partner.items() if wires[end] != far}
    rings = nx.Graph([(end, wires[end]) for end in off] + [(end, planned.partner[end]) for end in off])
    return off, len(off) // 2 - sum(1 for _ in nx.connected_components(rings))


@pytest.mark.parametrize(
    ("planned", "host", "runs"),
    [(LAB, named, 400), (PROD, named, 250), (LAB, None, 350)],
    ids=["lab-naming-hosts", "prod-naming-hosts", "lab-switch-cables"],
)
def test_random_swaps_are_named_exactly(planned: Planned, host: Callable[[End], Sighting] | None, runs: int) -> None:
    """1,000 runs. Plugs anywhere change places: both ends of cables, rings of three and more, across switches."""
    dice = random.Random(f"{runs}")
    # Plugs in switches: a NIC that ends in a NIC is heard by nobody. Silent hosts' cables cannot be told apart.
    ends = [end for end in planned.partner if end[0] in planned.switches]
    ends = [end for end in ends if not planned.partner[end][1].startswith("to-")]
    if host is None:
        ends = [end for end in ends if planned.partner[end][0] in planned.switches]
    rings = set()
    for _ in range(runs):
        wires = dict(planned.partner)
        for _ in range(dice.randint(1, 6)):
            swapped(wires, *dice.sample(ends, 2))
        off, swaps = displaced(planned, wires)
        report = check(planned, heard(planned, wires, host=host or (lambda end: None)))
        assert {end for each in report.findings for row in each.cables for end in row.ends} == off
        assert {end for each in report.findings for end in each.ports} == off
        for each in report.findings:
            rings.add(len(each.cables))
            assert each.certain
            assert each.kind == ("swap" if len(each.cables) == 2 else "rotation")
            assert len(each.moves) == len(each.cables) - 1
        assert sum(len(each.moves) for each in report.findings) == swaps
        accounted(planned, report)
        mended(wires, (move for each in report.findings for move in each.moves))
        assert wires == planned.partner
    assert {2, 3, 4} <= rings


def test_a_swap_is_told_from_two_unrelated_faults() -> None:
    wires = dict(LAB.partner)
    swapped(wires, (L1, port(33)), (L1, port(34)))
    (finding,) = check(LAB, heard(LAB, wires)).findings
    assert finding.kind == "swap"
    assert finding.what == (
        "leaf-01 Ethernet1/33 reaches spine-01 Ethernet1/2 (planned: spine-01 Ethernet1/1); "
        "leaf-01 Ethernet1/34 reaches spine-01 Ethernet1/1 (planned: spine-01 Ethernet1/2)"
    )
    assert finding.fix == "swap the plugs in leaf-01 Ethernet1/33 and Ethernet1/34 (rack r1)"
    wires = dict(LAB.partner)
    swapped(wires, (L1, port(33)), (L1, port(60)))
    swapped(wires, (L1, port(34)), (L1, port(61)))
    report = check(LAB, heard(LAB, wires))
    assert kinds(report) == ["misplugged", "misplugged"]
    assert [each.fix for each in report.findings] == [
        "move the plug in leaf-01 Ethernet1/60 to Ethernet1/33 (rack r1)",
        "move the plug in leaf-01 Ethernet1/61 to Ethernet1/34 (rack r1)",
    ]


def test_the_side_with_less_walking_is_chosen() -> None:
    wires = dict(LAB.partner)
    swapped(wires, (L1, port(33)), (L2, port(33)))
    (finding,) = check(LAB, heard(LAB, wires)).findings
    assert finding.moves == (Move((S1, port(1)), (S1, port(21)), True),)


def test_a_missing_cable_and_a_dark_direction() -> None:
    wires = dict(LAB.partner)
    pulled(wires, (L1, port(40)))
    report = check(LAB, heard(LAB, wires))
    assert [(each.kind, each.ports) for each in report.findings] == [("missing", ((L1, port(40)), (S1, port(8))))]
    seen = heard(LAB, LAB.partner)
    seen[L1] = [each for each in seen[L1] if interface(each.port) != port(41)]
    report = check(LAB, seen)
    assert [(each.kind, each.ports) for each in report.findings] == [("one-way", ((S1, port(9)), (L1, port(41))))]
    accounted(LAB, report)


def test_strangers_and_cables_nobody_planned() -> None:
    seen = heard(LAB, LAB.partner)
    seen[L1].append(Sighting(L1, "Eth1/60", "core-9.example.com", "Ethernet1/7"))
    seen[L2].append(Sighting(L2, "mgmt0", "oob-switch", "Gi1/0/7"))
    seen[S1].append(Sighting(S1, "Eth1/60", "null", "0200.0000.0001", chassis="0200.0000.0001"))
    report = check(LAB, seen)
    assert [each.what for each in report.findings] == [
        "leaf-01 Ethernet1/60 hears core-9.example.com Ethernet1/7 (no cable is planned there)",
        "spine-01 Ethernet1/60 hears a station that gives no name (0200.0000.0001) (no cable is planned there)",
    ]
    wires = LAB.partner | {(L1, port(60)): (L2, port(60)), (L2, port(60)): (L1, port(60))}
    (finding,) = check(LAB, heard(LAB, wires)).findings
    assert (finding.kind, finding.fix) == (
        "unplanned",
        "take out the cable between leaf-01 Ethernet1/60 and leaf-02 Ethernet1/60",
    )


def test_what_raw_blocks_plan_is_no_stranger() -> None:
    raw = planned_of("Pulumi.lab.yaml")
    raw.foreign = {(L1, port(60))}
    seen = heard(raw, raw.partner)
    seen[L1].append(Sighting(L1, "Eth1/60", "border-01", "Ethernet1/1"))
    assert check(raw, seen).findings == []
    assert TOR.foreign == {("tor-a", port(9))}
    # The raw block of this leaf mutes a host's port, too: nothing there can be one-way.
    assert ("tor-a", port(9)) in TOR.mute


def test_a_muted_port_is_not_expected_to_be_heard() -> None:
    quiet = planned_of("Pulumi.lab.yaml")
    quiet.mute = frozenset({(L1, port(33))})
    seen = heard(quiet, quiet.partner)
    seen[S1] = [each for each in seen[S1] if interface(each.port) != port(1)]
    assert check(quiet, seen).findings == []
    assert ((S1, port(1)), (L1, port(33))) not in expected(quiet)
    assert ((L1, port(33)), (S1, port(1))) in expected(quiet)


@pytest.mark.parametrize("host", [None, nameless], ids=["silent", "nameless"])
def test_a_host_cable_in_a_spine_port_is_found_by_elimination(host: Callable[[End], Sighting] | None) -> None:
    wires = dict(LAB.partner)
    swapped(wires, (L1, port(3)), (L1, port(33)))
    report = check(LAB, heard(LAB, wires, host=host or (lambda end: None)))
    (finding,) = report.findings
    assert (finding.kind, finding.certain) == ("swap", False)
    assert finding.fix.startswith("swap the plugs in leaf-01 Ethernet1/3 and Ethernet1/33 (rack r1)")
    assert ("if it is empty" in finding.fix) == (host is None)
    accounted(LAB, report)


def test_a_host_that_tells_its_name_only_is_paired_by_elimination() -> None:
    def box(end: End) -> Sighting:
        return Sighting("", "", end[0], "0200.0000.0001")

    wires = dict(LAB.partner)
    swapped(wires, (L1, port(1)), (L1, port(5)))  # gpu-01 rail0, gpu-02 rail0
    (finding,) = check(LAB, heard(LAB, wires, host=box)).findings
    assert (finding.kind, {row.peer for row in finding.cables}) == ("swap", {"gpu-01", "gpu-02"})


def test_a_switch_that_does_not_answer_is_said_and_its_cables_are_judged_from_the_far_end() -> None:
    report = check(LAB, heard(LAB, LAB.partner, asked=[L1, L2]))
    assert kinds(report) == ["unasked"]
    assert sum(each.role == "fabric" for each in report.right) == 40
    dead = {end: far for end, far in LAB.partner.items() if S1 not in (end[0], far[0])}
    report = check(LAB, heard(LAB, dead, asked=[L1, L2]))
    assert kinds(report) == ["unasked"]
    assert sum(why == "spine-01 did not answer" for _, why in report.unproven) == 40
    nobody = check(LAB, {})
    assert (nobody.right, kinds(nobody)) == ([], ["unasked"] * 3)


def test_two_devices_that_claim_one_port_contradict_each_other() -> None:
    seen = heard(LAB, LAB.partner)
    seen[L2].append(Sighting(L2, "Eth1/60", S1, port(1)))
    report = check(LAB, seen)
    assert [(each.kind, each.ports) for each in report.findings] == [("contradiction", ((L2, port(60)), (S1, port(1))))]
    assert "while spine-01 Ethernet1/1 is in a cable with leaf-01 Ethernet1/33" in report.findings[0].what


def test_random_vandalism_is_accounted_for_and_never_named_right() -> None:
    """Plugs moved to spare ports, cables pulled, extra ones laid: no cable is right that is not where it belongs."""
    dice = random.Random(7)
    spare = [(name, port(number)) for name in (L1, L2, S1) for number in range(60, 65)]
    ends = [end for end in LAB.partner if end[0] in LAB.switches and LAB.partner[end][0] in LAB.switches]
    for _ in range(300):
        wires = dict(LAB.partner)
        for _ in range(dice.randint(1, 5)):
            deed = dice.choice(["swap", "move", "pull"])
            if deed == "pull" and (present := [end for end in ends if end in wires]):
                pulled(wires, dice.choice(present))
            else:
                swapped(wires, dice.choice(ends), dice.choice(ends if deed == "swap" else spare))
        report = check(LAB, heard(LAB, wires))
        accounted(LAB, report)
        right = {end for each in report.right for end in each.ends}
        truly = {end for end in ends if wires.get(end) == LAB.partner[end]}
        assert right == truly
        for each in report.findings:
            if each.take_out:
                pulled(wires, each.take_out[0])
        mended(wires, (move for each in report.findings for move in each.moves))
        after = check(LAB, heard(LAB, wires))
        assert set(kinds(after)) <= {"missing"}, "one round is enough, but for cables that are not there"
