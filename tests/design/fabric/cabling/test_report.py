"""What agents, DPUs and switches write into LLDP: no spelling makes an alarm, and no vague word counts as right."""

from podwright.components.design.fabric.cabling import interface
from podwright.components.design.fabric.cabling.report import check
from podwright.components.design.fabric.cabling.sightings import Sighting
from tests.design.fabric.cabling.test_check import L1, LAB, PROD, S1, TOR, port
from tests.design.fabric.wires import heard, named, nameless, swapped


def test_spellings_make_no_false_alarm() -> None:
    seen = heard(PROD, PROD.partner)
    serial = PROD.switches[S1].serial
    for name, sightings in seen.items():
        spelt = []
        for number, each in enumerate(sightings):
            far = [each.name.upper(), f"{each.name}.pod.example.com", f"{each.name}.other.example.net", each.name][
                number % 4
            ]
            local = [each.port, interface(each.port), interface(each.port).replace("net", "net "), each.port.lower()]
            distant = each.far_port.replace("Ethernet", ["Eth", "ethernet ", "Ethernet", "eth"][number % 4])
            if each.name == S1 and number % 4 == 3:
                far = f"{each.name}({serial})"
            spelt.append(Sighting(name, local[number % 4], far, distant))
        seen[name] = spelt
    assert check(PROD, seen).findings == []


def test_a_port_id_that_is_an_address_gives_way_to_the_description() -> None:
    seen = {
        name: [Sighting(name, each.port, each.name, "0200.0000.0001", each.far_port) for each in sightings]
        for name, sightings in heard(LAB, LAB.partner).items()
    }
    report = check(LAB, seen)
    assert (report.findings, len(report.right)) == ([], 40)
    described = {
        name: [Sighting(name, s.port, s.name, "", "leaf-01 Ethernet1/33") for s in seen[name]] for name in seen
    }
    assert not check(LAB, described).right, "a description in a person's words proves no port"


def test_firmware_and_operating_system_may_both_speak_on_one_port() -> None:
    """A DPU sends frames of its own beside those of the host's agent."""
    wires = dict(LAB.partner)
    swapped(wires, (L1, port(1)), (L1, port(5)))
    both = heard(LAB, wires, host=lambda end: Sighting("", "", end[0], "0200.0000.0001"))
    for name, sightings in heard(LAB, wires, host=nameless).items():
        both[name] += [each for each in sightings if each.name == "null"]
    (finding,) = check(LAB, both).findings
    assert (finding.kind, {row.peer for row in finding.cables}) == ("swap", {"gpu-01", "gpu-02"})
    both = heard(LAB, LAB.partner, host=named)
    for name, sightings in heard(LAB, LAB.partner, host=nameless).items():
        both[name] += [each for each in sightings if each.name == "null"]
    assert len(check(LAB, both).right) == 80


def test_another_box_under_the_same_name_is_a_stranger() -> None:
    seen = heard(PROD, PROD.partner)
    leaf = next(each for each in seen[L1] if each.name == S1)
    seen[L1] = [each for each in seen[L1] if each is not leaf]
    seen[L1].append(Sighting(L1, leaf.port, f"{S1}(FDO99999999)", leaf.far_port))
    found = check(PROD, seen).findings
    assert [each.kind for each in found] == ["one-way", "stranger"]


def test_two_leaves_that_hear_one_port_of_a_switch_nobody_asked_are_both_doubted() -> None:
    seen = heard(LAB, LAB.partner, asked=[L1, "leaf-02"])
    seen["leaf-02"].append(Sighting("leaf-02", "Eth1/60", S1, port(1)))
    report = check(LAB, seen)
    assert [each.kind for each in report.findings] == ["contradiction", "contradiction", "unasked"]
    assert (L1, port(33)) not in {end for each in report.right for end in each.ends}


def test_a_raw_block_on_a_planned_port_hides_no_stranger() -> None:
    end = ("tor-a", port(9))
    assert end in TOR.foreign and end in TOR.partner
    seen = heard(TOR, TOR.partner)
    seen["tor-a"].append(Sighting("tor-a", "Eth1/9", "core-9", "Ethernet1/7"))
    assert [(each.kind, each.ports) for each in check(TOR, seen).findings] == [("stranger", (end,))]
