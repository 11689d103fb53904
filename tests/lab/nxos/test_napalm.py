"""NAPALM's nxos_ssh, unmodified: what its getters find against the lab's world, and its ways to change a switch."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.links import mac, state
from podwright.lab.nxos.shows.optics import received, sent
from podwright.lab.world.traffic import Flow
from tests.lab.nxos import site
from tests.lab.nxos.conftest import Switches
from tests.lab.prepared import prepared


@pytest.fixture(scope="module")
def driver(switches: Switches) -> Iterator[Any]:
    """A session with leaf-01, the fabric configured and carrying traffic."""
    site.configure(switches)
    prepared(switches.world).traffic([Flow("gpu-01:rail1", "gpu-02:rail1")], 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from napalm import get_network_driver

        options = {"port": switches.port(), "fast_cli": True}
        with get_network_driver("nxos_ssh")("127.0.0.1", "admin", switches.password, optional_args=options) as device:
            yield device


@pytest.fixture
def leaf(switches: Switches) -> Device:
    return switches.side.devices["leaf-01"]


def colons(dotted: str) -> str:
    digits = dotted.replace(".", "").upper()
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def test_the_session_lives(driver: Any) -> None:
    assert driver.is_alive() == {"is_alive": True}


def test_facts(driver: Any, leaf: Device) -> None:
    facts = driver.get_facts()
    assert facts["hostname"] == "leaf-01" and facts["fqdn"] == "leaf-01.example.com"
    assert facts["serial_number"] == leaf.switch.serial and facts["os_version"] == leaf.switch.release
    shown = {name.replace("port-", "Port-") for name in leaf.interfaces() if name.startswith(("Ethernet", "port-"))}
    assert shown <= set(facts["interface_list"]) and facts["uptime"] >= 0


def test_interfaces_are_as_configured_and_as_the_cables_make_them(driver: Any, leaf: Device) -> None:
    found = driver.get_interfaces()
    for name, block in leaf.interfaces("Ethernet").items():
        assert found[name]["is_up"] == state(leaf, name).up, name
        assert found[name]["is_enabled"] == leaf.admin_up(name, block), name
        assert found[name]["mtu"] == int(block.value("mtu", "bytes", "1500")), name
        assert found[name]["description"] == block.value("description", "text"), name
    assert found["Ethernet1/36"]["speed"] == 400_000.0


def test_addresses(driver: Any, leaf: Device) -> None:
    found = driver.get_interfaces_ip()
    expected = {name: block.value("ip address", "address") for name, block in leaf.interfaces().items()}
    for name, address in expected.items():
        if address:
            host, _, length = address.partition("/")
            assert found[name]["ipv4"] == {host: {"prefix_length": int(length)}}, name
    assert found["Vlan20"]["ipv6"]["2001:db8::1"] == {"prefix_length": 64}
    assert set(found) == {name for name, address in expected.items() if address}


def test_counters_are_those_of_the_world(driver: Any, switches: Switches, leaf: Device) -> None:
    found = driver.get_interfaces_counters()
    assert sum(row["tx_octets"] for row in found.values()) > 0
    for name in leaf.interfaces("Ethernet"):
        row = switches.world.counters["leaf-01", name]
        assert (found[name]["rx_octets"], found[name]["tx_octets"]) == (row["rx_bytes"], row["tx_bytes"])
        assert (found[name]["rx_errors"], found[name]["tx_discards"]) == (row["crc"], row["drops"])


def test_arp_knows_the_far_ends_of_routed_links(driver: Any, switches: Switches) -> None:
    found = {row["interface"]: row for row in driver.get_arp_table()}
    spine = switches.side.devices["spine-01"]
    routed = site.uplinks(switches.world, "leaf-01")[3:]
    assert set(found) == {own for own, _ in routed}
    for own, far in routed:
        assert found[own]["mac"] == colons(mac(spine, far))
        assert found[own]["ip"] == spine.interfaces()[far].value("ip address", "address").partition("/")[0]


def test_macs_stand_where_the_hosts_are(driver: Any, switches: Switches, leaf: Device) -> None:
    host, nic = switches.world.neighbor("leaf-01", "Ethernet1/1") or ("", "")
    found = driver.get_mac_address_table()
    learned = [(row["mac"], row["vlan"], row["interface"]) for row in found if not row["static"]]
    assert learned == [(switches.world.servers[host].nics[nic].mac.upper(), 10, "Ethernet1/1")]
    assert {row["mac"] for row in found if row["static"]} == {colons(mac(leaf))}


def test_lldp_tells_of_every_cable(driver: Any, switches: Switches) -> None:
    found = driver.get_lldp_neighbors()
    for own, far in site.uplinks(switches.world, "leaf-01"):
        assert found[own] == [{"port": far, "hostname": "spine-01"}]
    assert driver.get_lldp_neighbors_detail("Ethernet1/36") == {
        "Ethernet1/36": driver.get_lldp_neighbors_detail()["Ethernet1/36"]
    }


def test_bgp_neighbors_and_what_they_sent(driver: Any, switches: Switches, leaf: Device) -> None:
    found = driver.get_bgp_neighbors()["global"]
    assert found["router_id"] == "10.0.0.1"
    sessions = [s for s in switches.world.sessions() if (s.device, s.vrf) == ("leaf-01", "default")]
    assert set(found["peers"]) == {s.neighbor.peer for s in sessions}
    for s in sessions:
        row = found["peers"][s.neighbor.peer]
        assert (row["is_up"], row["remote_as"], row["local_as"]) == (s.up, s.neighbor.remote_as, 64601)
    up = next(row for row in found["peers"].values() if row["is_up"])
    assert up["address_family"]["ipv4"]["received_prefixes"] > 0


def test_bgp_of_another_vrf_stands_under_its_name(driver: Any, switches: Switches) -> None:
    """SVIs of one VLAN in one VRF are neighbours where a link carries the VLAN at both ends."""
    for name, far, asn, theirs in (("leaf-01", 3, 64601, 64603), ("spine-01", 1, 64603, 64601)):
        lines = ["configure terminal", f"router bgp {asn}", "vrf blue", "address-family ipv4 unicast",
                 f"neighbor 10.30.0.{far}", f"remote-as {theirs}", "address-family ipv4 unicast"]  # fmt: skip
        assert switches.world.fault({"kind": "cli", "switch": name, "user": "admin", "lines": lines})["output"] == ""
    found = driver.get_bgp_neighbors()
    assert set(found) == {"global", "blue"}
    (peer,) = found["blue"]["peers"].items()
    assert peer[0] == "10.30.0.3" and peer[1]["is_up"] and peer[1]["remote_as"] == 64603


def test_ways_to_a_prefix_with_what_bgp_knows_of_them(driver: Any, switches: Switches) -> None:
    (ways,) = driver.get_route_to("10.11.2.0/24").values()
    far = {s.neighbor.peer for s in switches.world.sessions() if s.device == "leaf-01" and s.up}
    assert len(ways) == 4 and {way["next_hop"] for way in ways} <= far
    best = next(way["protocol_attributes"] for way in ways if way["protocol_attributes"])
    assert (best["as_path"], best["remote_as"], best["local_as"]) == ("64603 64602", 64603, 64601)
    (own,) = driver.get_route_to("10.10.2.0/24", protocol="direct").values()
    assert own[0]["outgoing_interface"] == "Ethernet1/2"
    assert driver.get_route_to("203.0.113.0/24") == {}


def test_vlans_vrfs_users_time_servers_and_snmp(driver: Any) -> None:
    vlans = driver.get_vlans()
    assert vlans["10"]["name"] == "hosts" and "Ethernet1/1" in vlans["10"]["interfaces"]
    assert set(vlans) == {"1", "10", "20"} and "Ethernet1/1" not in vlans["20"]["interfaces"]
    blue = driver.get_network_instances("blue")["blue"]
    assert blue["state"] == {"route_distinguisher": "64601:10"} and set(blue["interfaces"]["interface"]) == {"Vlan20"}
    assert {name: user["level"] for name, user in driver.get_users().items()} == {"admin": 15, "watcher": 5}
    assert set(driver.get_ntp_servers()) == set(driver.get_ntp_peers()) == {"192.0.2.250", "192.0.2.251"}
    assert driver.get_snmp_information() == {
        "contact": "noc", "location": "row 1", "chassis_id": "",
        "community": {"watch": {"acl": "", "mode": "network-operator"}},
    }  # fmt: skip


def test_environment_and_optics(driver: Any, leaf: Device) -> None:
    found = driver.get_environment()
    assert found["cpu"]["0"]["%usage"] > 0 and found["memory"]["used_ram"] > 0
    assert all(not each["is_critical"] for each in found["temperature"].values()) and len(found["temperature"]) == 3
    optics = driver.get_optics()
    cabled = {n for n in leaf.interfaces("Ethernet") if leaf.world.cable_at("leaf-01", n) is not None}
    assert set(optics) == cabled
    for name, found in optics.items():
        assert found["state"]["vendor"] == "CISCO-INNOLIGHT"
        light = found["physical_channels"]["channel"][0]["state"]
        assert light["input_power"]["instant"] == received(leaf, name, 1), name
        assert light["output_power"]["instant"] == sent(leaf, name, 1), name


def test_ping_and_traceroute_go_where_the_routes_go(driver: Any) -> None:
    assert driver.ping("10.102.5.1")["success"]["packet_loss"] == 0
    assert driver.ping("203.0.113.1", count=1)["success"]["packet_loss"] == 1
    hops = driver.traceroute("10.11.2.1")["success"]
    assert [hops[n]["probes"][1]["ip_address"] for n in sorted(hops)] == ["10.102.4.1", "10.11.2.1"]
    assert {each["probes"][1]["ip_address"] for each in driver.traceroute("203.0.113.1")["success"].values()} == {"*"}


def test_configurations(driver: Any, leaf: Device) -> None:
    found = driver.get_config()
    assert "hostname leaf-01" in found["running"] and found["startup"] and found["candidate"] == ""
    assert "system jumbomtu 9216" in driver.get_config(retrieve="running", full=True)["running"]


def test_a_merge_is_compared_committed_and_rolled_back(driver: Any, leaf: Device) -> None:
    before = driver.get_config(retrieve="running")["running"]
    driver.load_merge_candidate(config="vlan 77\n  name merged\ninterface loopback7\n  ip address 10.7.7.7/32\n")
    assert driver.compare_config() == "vlan 77\n  name merged\ninterface loopback7\n  ip address 10.7.7.7/32"
    driver.commit_config()
    assert leaf.root.get("vlan 77") is not None and leaf.startup is not None
    assert leaf.startup.get("vlan 77") is not None
    driver.rollback()
    assert leaf.root.get("vlan 77") is None
    assert lines(driver.get_config(retrieve="running")["running"]) == lines(before)
    driver.load_merge_candidate(config="hardware qos nothing\n")
    with pytest.raises(Exception, match="Error while applying config"):
        driver.commit_config()
    driver.discard_config()


def test_a_replacement_is_compared_discarded_committed_and_rolled_back(driver: Any, leaf: Device) -> None:
    known = driver._get_checkpoint_file()
    wanted = known.replace("  name hosts", "  name guests")
    driver.load_replace_candidate(config=wanted)
    assert "name guests" in driver.compare_config()
    driver.discard_config()
    assert not any("candidate" in name for name in leaf.files)
    driver.load_replace_candidate(config=wanted)
    driver.commit_config()
    assert leaf.root.children["vlan 10"].value("name", "name") == "guests"
    driver.load_replace_candidate(config=known.replace("  name hosts", "  name hosts\n  colour blue"))
    with pytest.raises(Exception, match="Rollback failed"):
        driver.commit_config()
    assert leaf.root.children["vlan 10"].value("name", "name") == "guests"
    driver.load_replace_candidate(config=known)
    driver.commit_config()
    assert leaf.root.children["vlan 10"].value("name", "name") == "hosts"


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("!")]
