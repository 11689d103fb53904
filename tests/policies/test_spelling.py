"""What the rules take a word of a switch's line for: names of DSCP values, ranges, abbreviations."""

import string

import pytest

from podwright.policies.rules.nexus.spelling import child, dscps, interfaces, known, numbers, top

NAMED = {
    "default": 0,
    "ef": 46,
    **{f"cs{number}": 8 * number for number in range(1, 8)},
    **{f"af{of}{drop}": 8 * of + 2 * drop for of in range(1, 5) for drop in range(1, 4)},
}
"""RFC 2474: a class selector is the three bits of the old precedence; RFC 2597: class and drop precedence; RFC 3246."""


@pytest.mark.parametrize(("name", "value"), NAMED.items())
def test_a_name_of_a_class_is_its_rfcs_value(name: str, value: int) -> None:
    assert dscps([name]) == {value} == dscps([name.upper()])


def test_ranges_end_where_values_do_and_what_is_no_number_is_left_out() -> None:
    assert dscps(["60-70", "af31,48"]) == {26, 48, 60, 61, 62, 63}
    assert numbers("4093-5000, 7") == {7, 4093, 4094}
    assert dscps(["x-3", "3-x", "x"]) == numbers("x-3,3-x") == set()


def test_a_range_of_ports_is_each_of_them_and_a_slip_of_the_pen_is_none() -> None:
    assert interfaces("interface eth1/1-2,5, po7") == ["Ethernet1/1", "Ethernet1/2", "Ethernet1/5", "port-channel7"]
    assert interfaces("interface eth1/48,2/1-2") == ["Ethernet1/48", "Ethernet2/1", "Ethernet2/2"]
    assert interfaces("interface eth1/3.40") == ["Ethernet1/3.40"]
    assert len(interfaces("interface Ethernet1/1-4096")) == 4096
    for line in ("interface Ethernet1/1-4097", "interface 1/1", "interface x1/1", "vlan 10", "interface Ethernet1/4-3"):
        assert interfaces(line) == [], line


def test_one_port_is_named_in_full_and_a_range_stays_as_it_is() -> None:
    assert top("int eth 1/1") == "interface Ethernet1/1"
    assert top("int eth1/1-2") == "interface eth1/1-2"


def test_what_begins_one_keyword_is_that_keyword_and_a_letter_is_none() -> None:
    assert child("sw mode tr") == "switchport mode trunk"
    assert child("no sw") == "no switchport"
    assert child("switchport NO") == "switchport NO"
    assert child("vrf mem") == "vrf mem", "a VRF may be called so"
    assert child("channel-group auto mod act") == "channel-group auto mod act", "a number stands there"
    for letter in string.ascii_lowercase:
        assert child(f"{letter} 1") == f"{letter} 1"
    assert known("no shutdown", below=True) and known("shutdown", below=True)
    assert not known("shutdwn", below=True) and not known("no shutdwn", below=True)
