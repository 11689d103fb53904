"""`show ip route`: what is attached, said by hand and learned, as text, as data, and as public parsers read it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from ntc_templates.parse import parse_output

from tests.lab.rack import Rack, racks


@pytest.fixture
def rack() -> Iterator[Rack]:
    yield from racks()


def table(rack: Rack, command: str = "show ip route", name: str = "leaf-01") -> dict[str, dict[str, Any]]:
    """Rows of the structured form by prefix."""
    vrf = json.loads(rack.show(name, f"{command} | json"))["TABLE_vrf"]["ROW_vrf"]
    found = vrf["TABLE_addrf"]["ROW_addrf"].get("TABLE_prefix", {}).get("ROW_prefix", [])
    return {row["ipprefix"]: row for row in (found if isinstance(found, list) else [found])}


def paths(row: dict[str, Any]) -> list[dict[str, Any]]:
    found = row["TABLE_path"]["ROW_path"]
    return found if isinstance(found, list) else [found]


def test_a_port_is_attached_with_its_network_and_its_own_address(rack: Rack) -> None:
    rows = table(rack)
    network, own = rows["10.10.1.0/24"], rows["10.10.1.1/32"]
    assert (network["attached"], own["attached"]) == ("true", "true")
    assert [(each["clientname"], each["ifname"]) for each in (*paths(network), *paths(own))] == [
        ("direct", "Eth1/1"), ("local", "Eth1/1"),
    ]  # fmt: skip
    rack.type("leaf-01", "interface Ethernet1/1", "shutdown")
    assert "10.10.1.0/24" not in table(rack)


def test_a_remote_rail_has_a_way_over_every_uplink_that_is_up(rack: Rack) -> None:
    uplinks = [
        each
        for each in rack.world.cables
        if "leaf-01" in (each.a[0], each.b[0]) and "spine-01" in (each.a[0], each.b[0])
    ]
    row = table(rack)["10.11.1.0/24"]
    assert (row["ucast-nhops"], row["attached"]) == (str(len(uplinks)), "false")
    first = paths(row)[0]
    assert (first["pref"], first["metric"], first["clientname"], first["type"], first["tag"]) == (
        "20", "0", "bgp-64601", "external", "64603",
    )  # fmt: skip
    port = next(end[1] for end in (uplinks[0].a, uplinks[0].b) if end[0] == "leaf-01")
    rack.type("leaf-01", f"interface {port}", "shutdown")
    assert table(rack)["10.11.1.0/24"]["ucast-nhops"] == str(len(uplinks) - 1)


def test_ospf_tells_its_distance_and_process() -> None:
    rack = Rack(configured=False)
    cable = next(each for each in rack.world.cables if {each.a[0], each.b[0]} == {"leaf-01", "spine-01"})
    for number, (name, port) in enumerate((cable.a, cable.b)):
        rack.type(
            name, "feature ospf", "router ospf UNDERLAY", f"interface {port}", "no switchport",
            f"ip address 10.1.0.{number}/31", "ip router ospf UNDERLAY area 0.0.0.0", "no shutdown",
            "interface loopback0", f"ip address 10.0.0.{number + 1}/32", "ip router ospf UNDERLAY area 0.0.0.0",
        )  # fmt: skip
    here, there = cable.a, cable.b
    far = f"10.0.0.{2}/32"
    (way,) = paths(table(rack, name=here[0])[far])
    assert (way["clientname"], way["type"], way["pref"], way["metric"], way["ipnexthop"]) == (
        "ospf-UNDERLAY", "intra", "110", "2", "10.1.0.1",
    )  # fmt: skip
    assert way["ifname"] == here[1].replace("Ethernet", "Eth")
    rack.type(there[0], "no router ospf UNDERLAY")
    assert far not in table(rack, name=here[0])
    rack.world.close()


def test_a_route_said_by_hand_stands_while_its_next_hop_is_attached(rack: Rack) -> None:
    rack.type(
        "leaf-01",
        "ip route 172.16.0.0/16 10.10.1.9",
        "ip route 172.17.0.0/16 10.99.0.1",
        "ip route 172.18.0.0/16 Null0",
    )
    rows = table(rack, "show ip route static")
    assert list(rows) == ["172.16.0.0/16", "172.18.0.0/16"]
    assert paths(rows["172.16.0.0/16"])[0]["pref"] == "1"
    assert "*via Null0, [1/0]" in rack.show("leaf-01", "show ip route 172.18.0.0/16")
    rack.type("leaf-01", "ip route 172.16.0.0/16 10.10.2.9 250")
    assert table(rack, "show ip route static")["172.16.0.0/16"]["ucast-nhops"] == "1"


def test_each_vrf_has_its_own_table(rack: Rack) -> None:
    rack.type("leaf-01", "vrf context blue", "interface Ethernet1/2", "vrf member blue", "ip address 10.77.0.1/24")
    assert set(table(rack, "show ip route vrf blue")) == {"10.77.0.0/24", "10.77.0.1/32"}
    assert "10.77.0.0/24" not in table(rack)
    assert "0.0.0.0/0" in table(rack, "show ip route vrf management")
    assert "does not exist" in rack.show("leaf-01", "show ip route vrf red")


def test_one_prefix_and_what_an_address_takes(rack: Rack) -> None:
    assert set(table(rack, "show ip route 10.11.1.0/24")) == {"10.11.1.0/24"}
    assert set(table(rack, "show ip route 10.11.1.77")) == {"10.11.1.0/24"}
    assert "Route not found" in rack.show("leaf-01", "show ip route 192.168.1.1")
    assert {paths(row)[0]["clientname"] for row in table(rack, "show ip route bgp").values()} == {"bgp-64601"}


def test_the_text_parses_and_says_the_same_as_the_data(rack: Rack) -> None:
    rack.type("leaf-01", "interface loopback0", "ip address 10.0.9.9/32", "ip route 172.18.0.0/16 Null0")
    text = rack.show("leaf-01", "show ip route")
    assert "10.0.9.9/32, ubest/mbest: 2/0, attached\n    *via 10.0.9.9, Lo0, [0/0], " in text
    parsed = parse_output("cisco_nxos", "show ip route", text)
    rows = table(rack)
    assert len(parsed) == sum(int(row["ucast-nhops"]) for row in rows.values())
    assert {f"{each['network']}/{each['prefix_length']}" for each in parsed} == set(rows)


def test_unnumbered_neighbours_are_reached_by_their_link_local_address(rack: Rack) -> None:
    cable = next(each for each in rack.world.cables if {each.a[0], each.b[0]} == {"leaf-01", "spine-01"})
    for name, port in (cable.a, cable.b):
        asn = {"leaf-01": ("64601", "64603"), "spine-01": ("64603", "64601")}[name]
        rack.type(
            name, f"interface {port}", "no ip address", "ip forward", "ipv6 address use-link-local-only",
            f"router bgp {asn[0]}", f"neighbor {port}", f"remote-as {asn[1]}", "address-family ipv4 unicast",
        )  # fmt: skip
    port = next(end[1] for end in (cable.a, cable.b) if end[0] == "leaf-01").replace("Ethernet", "Eth")
    assert f"%default, {port}, [20/0]" in rack.show("leaf-01", "show ip route bgp")
