"""Echoes between neighbours follow cables, addresses and MTUs; BFD stands where both ends ask for it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

import pytest

from tests.lab.nxos.conftest import Switches
from tests.lab.rack import Rack, racks

LEAF, SPINE = "10.102.1.0", "10.102.1.1"
"""Both ends of leaf-01 Ethernet1/33 to spine-01 Ethernet1/1."""


@pytest.fixture
def rack() -> Iterator[Rack]:
    yield from racks()


def got(rack: Rack, words: str, switch: str = "leaf-01") -> tuple[int, int]:
    """Packets sent and received."""
    found = re.search(r"^(\d+) packets transmitted, (\d+) packets received", rack.show(switch, f"ping {words}"), re.M)
    assert found
    return int(found[1]), int(found[2])


def test_an_echo_looks_as_captured_on_a_nexus_9000(rack: Rack) -> None:
    lines = rack.show("leaf-01", f"ping {SPINE} packet-size 9188 df-bit").splitlines()
    assert lines[0] == f"PING {SPINE} ({SPINE}): 9188 data bytes"
    assert re.fullmatch(rf"9196 bytes from {SPINE}: icmp_seq=0 ttl=254 time=[\d.]+ ms", lines[1])
    assert lines[-2] == "5 packets transmitted, 5 packets received, 0.00% packet loss"
    lines = rack.show("leaf-01", f"ping {SPINE} packet-size 9189 df-bit count 2").splitlines()
    assert lines[1:] == [
        "Request 0 timed out",
        "Request 1 timed out",
        "",
        f"--- {SPINE} ping statistics ---",
        "2 packets transmitted, 0 packets received, 100.00% packet loss",
    ]


def test_a_smaller_mtu_at_either_end_is_felt_at_both(rack: Rack) -> None:
    big, small = "packet-size 9188 df-bit count 1", "packet-size 1472 df-bit count 1"
    rack.type("spine-01", "interface Ethernet1/1", "mtu 1500")
    assert got(rack, f"{SPINE} {big}") == got(rack, f"{LEAF} {big}", "spine-01") == (1, 0)
    assert got(rack, f"{SPINE} {small}") == got(rack, f"{LEAF} {small}", "spine-01") == (1, 1)
    assert got(rack, f"{SPINE} packet-size 9188 count 1") == (1, 1), "without df-bit it is cut in pieces"
    assert got(rack, f"10.102.2.1 {big}") == (1, 1), "another link"


def test_the_class_that_an_echo_is_in_bounds_it_too(rack: Rack) -> None:
    rack.type(
        "spine-01", "policy-map type network-qos qos_network", "class type network-qos c-8q-nq-default", "mtu 1500"
    )
    assert got(rack, f"{SPINE} packet-size 9188 df-bit count 1") == (1, 0)


@pytest.mark.parametrize(
    "lines",
    [
        ["interface Ethernet1/1", "shutdown"],
        ["interface Ethernet1/1", "ip address 10.102.1.3/31"],
        ["interface Ethernet1/1", "no ip address"],
    ],
)
def test_who_is_not_there_does_not_answer(rack: Rack, lines: list[str]) -> None:
    rack.type("spine-01", *lines)
    assert got(rack, f"{SPINE} count 3") == (3, 0)


def test_other_places_do_not_answer(rack: Rack) -> None:
    assert got(rack, "203.0.113.1") == (5, 0)
    assert got(rack, f"{SPINE} vrf management") == (5, 0)
    assert got(rack, f"{SPINE} source 10.102.1.7") == (5, 0)
    assert got(rack, f"{SPINE} source {LEAF}") == (5, 5)
    assert got(rack, f"{LEAF} count 1") == (1, 1), "its own address"
    rack.world.fault({"kind": "link", "end": "leaf-01:Ethernet1/33", "state": "down"})
    assert got(rack, SPINE) == (5, 0)


@pytest.mark.parametrize(
    "words", ["packet-size 0", "packet-size 70000", "size 9000", "count", "vrf management df-bit 1"]
)
def test_what_is_no_option_is_refused(rack: Rack, words: str) -> None:
    assert re.search(r"^% In(valid|complete)", rack.show("leaf-01", f"ping {SPINE} {words}"), re.M)


def test_options_come_in_any_order_and_abbreviated(rack: Rack) -> None:
    assert got(rack, f"{SPINE} df count 2 packet 9188 t 1") == got(rack, f"{SPINE} packet-size 9188 count 2 df-bit")


def test_napalm_reads_the_answer(switches: Switches) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from napalm import get_network_driver

        driver = get_network_driver("nxos_ssh")
        with driver("127.0.0.1", "admin", switches.password, optional_args={"port": switches.port()}) as device:
            answer = device.ping("203.0.113.1", count=3, vrf="management")
    assert (answer["success"]["probes_sent"], answer["success"]["packet_loss"]) == (3, 3)


def test_a_vrf_has_neighbours_of_its_own(rack: Rack) -> None:
    for name, port, own, far, asn, other in (
        ("leaf-01", "Ethernet1/33", LEAF, SPINE, 64601, 64603),
        ("spine-01", "Ethernet1/1", SPINE, LEAF, 64603, 64601),
    ):
        rack.type(name, "vrf context blue", f"interface {port}", "vrf member blue", f"ip address {own}/31")
        rack.type(name, f"router bgp {asn}", f"no neighbor {far}", "vrf blue", f"neighbor {far}", f"remote-as {other}",
                  "bfd", "address-family ipv4 unicast")  # fmt: skip
    assert got(rack, SPINE) == (5, 0)
    assert got(rack, f"{SPINE} vrf blue packet-size 9188 df-bit") == (5, 5)
    assert bfd(rack, "leaf-01") == {"Eth1/33": "Up"}
    everywhere = rack.show("leaf-01", "show ip bgp summary vrf all")
    assert everywhere.count("BGP summary information for VRF") == 2
    assert SPINE in rack.show("leaf-01", "show ip bgp summary vrf blue")
    assert SPINE not in rack.show("leaf-01", "show ip bgp summary")
    assert "not running in VRF red" in rack.show("leaf-01", "show ip bgp summary vrf red")
    rack.type("spine-01", "interface Ethernet1/1", "no vrf member blue", f"ip address {SPINE}/31")
    assert bfd(rack, "leaf-01") == {"Eth1/33": "Down"}, "the far end is in another VRF and has no such neighbour there"


def bfd(rack: Rack, switch: str) -> dict[str, str]:
    """State by port of every session on the links."""
    rows = re.findall(
        r"^\d\S+\s+\d\S+\s+\d+/\d+\s+\S+\s+\S+\s+(\S+)\s+(Eth\S+)", rack.show(switch, "show bfd neighbors"), re.M
    )
    return {port: state for state, port in rows}


def test_bfd_is_between_two_neighbours_not_between_two_boxes(rack: Rack) -> None:
    for leaf, asn, links in (("leaf-01", 64601, range(1, 3)), ("spine-01", 64603, range(1, 3))):
        end = 1 if leaf == "leaf-01" else 0
        for link in links:
            rack.type(leaf, f"router bgp {asn}", f"neighbor 10.102.{link}.{end}", "bfd")
    assert bfd(rack, "leaf-01") == {"Eth1/33": "Up", "Eth1/34": "Up"}
    rack.type("spine-01", "router bgp 64603", f"neighbor {LEAF}", "no bfd")
    assert bfd(rack, "leaf-01") == {"Eth1/33": "Down", "Eth1/34": "Up"}
    assert bfd(rack, "spine-01") == {"Eth1/2": "Up"}


def test_ospf_asks_for_bfd_on_all_its_interfaces(rack: Rack) -> None:
    for name, port in (("leaf-01", "Ethernet1/33"), ("spine-01", "Ethernet1/1")):
        rack.type(name, "feature ospf", "router ospf UNDERLAY", "bfd", f"interface {port}")
        rack.type(name, f"interface {port}", "ip router ospf UNDERLAY area 0")
    assert bfd(rack, "leaf-01") == {"Eth1/33": "Up"}
    rack.type("spine-01", "router ospf UNDERLAY", "no bfd")
    assert bfd(rack, "leaf-01") == {"Eth1/33": "Down"}
    assert bfd(rack, "spine-01") == {}
