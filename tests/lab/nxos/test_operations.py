"""What operators look at when something is wrong: spanning tree, who typed what, what an image would not take."""

from __future__ import annotations

import pytest

from podwright.lab.nxos.session import Session
from tests.lab.rack import Rack


@pytest.fixture
def rack() -> Rack:
    """Two ways between a leaf and the spine, one bundle and one link, and one way to the other leaf."""
    rack = Rack(configured=False)
    for name, ports in (("leaf-01", (33, 34, 35)), ("leaf-02", (33,)), ("spine-01", (1, 2, 3, 21))):
        rack.type(name, "feature lacp", "vlan 10")
        for port in ports:
            rack.type(name, f"interface Ethernet1/{port}", "switchport mode trunk")
    for name, members in (("leaf-01", (33, 34)), ("spine-01", (1, 2))):
        rack.type(name, "interface port-channel1", "switchport mode trunk")
        for port in members:
            rack.type(name, f"interface Ethernet1/{port}", "channel-group 1 mode active")
    rack.type("leaf-01", "interface Ethernet1/36-52", "shutdown")
    rack.type("leaf-02", "interface Ethernet1/34-52", "shutdown")
    rack.type("spine-01", "spanning-tree vlan 10 priority 4096")
    return rack


def test_the_root_is_the_lowest_priority_and_a_second_way_is_blocked(rack: Rack) -> None:
    """Of two ways of equal cost the one to the lower port of the spine is taken; bundles number from 4096."""
    here, root = rack.show("leaf-01", "show spanning-tree vlan 10"), rack.show("spine-01", "show spanning-tree vlan 10")
    assert "This bridge is the root" in root and "Priority    4106" in here
    assert "This bridge is the root" not in here and "35 (Ethernet1/35)" in here
    assert "Root FWD" in line(here, "Eth1/35") and "Altn BLK" in line(here, "Po1")
    assert "Desg FWD" in line(root, "Eth1/3") and " BLK " not in root
    assert line(rack.show("leaf-01", "show spanning-tree blockedports"), "VLAN0010").split()[-1] == "Po1"
    trunk = rack.show("leaf-01", "show interface trunk").rpartition("STP Forwarding")[2]
    assert "10" not in line(trunk, "Po1").split()[1].split(",")
    assert "10" in line(trunk, "Eth1/35").split()[1].split(",")


def test_the_other_way_opens_when_the_first_falls(rack: Rack) -> None:
    rack.type("spine-01", "interface Ethernet1/3", "shutdown")
    assert "Root FWD" in line(rack.show("leaf-01", "show spanning-tree vlan 10"), "Po1")
    assert line(rack.show("leaf-01", "show spanning-tree root"), "VLAN0010").endswith("port-channel1")


def test_in_mst_mode_all_vlans_are_one_tree(rack: Rack) -> None:
    for name in rack.devices:
        rack.type(name, "spanning-tree mode mst")
    assert "MST0000" in rack.show("leaf-01", "show spanning-tree summary")
    assert "VLAN0010" not in rack.show("leaf-01", "show spanning-tree")


def line(text: str, begin: str) -> str:
    return next(each for each in text.splitlines() if each.startswith(begin))


def test_the_accounting_log_names_people_and_lines_and_no_secret() -> None:
    rack = Rack(configured=False)
    session = Session(rack.devices["leaf-01"], user="ann", terminal="192.0.2.9@pts/0", quiet=True)
    for each in ("configure terminal", "interface Ethernet1/1", "mtu 9216", "colour blue",
                 "username bob password Hidden123 role network-admin", "end", "show version"):  # fmt: skip
        session.run(each)
    log = session.run("show accounting log last 5")
    assert ":id=192.0.2.9@pts/0:user=ann:cmd=configure terminal (SUCCESS)" in log
    assert "cmd=configure terminal ; interface Ethernet1/1 ; mtu 9216 (SUCCESS)" in log
    assert "colour blue (FAILURE)" in log and "show version" not in log
    assert "Hidden123" not in log and "password ******** role network-admin" in log
    session.run("clear accounting log")
    assert session.run("show accounting log").count("\n") == 1


def test_an_older_image_names_the_lines_that_it_does_not_have() -> None:
    rack = Rack(configured=False)
    device = rack.devices["leaf-01"]
    device.files["bootflash:nxos64-cs.9.3.2.bin"] = ""
    same = rack.show("leaf-01", "show incompatibility nxos bootflash:nxos64-cs.10.4.5.M.bin")
    assert same.count("No incompatible configurations") == 2
    rack.type("leaf-01", "interface breakout module 1 port 5 map 100g-4x")
    older = rack.show("leaf-01", "show incompatibility system bootflash:nxos64-cs.9.3.2.bin")
    assert "Capability : interface breakout module 1 port 5 map 100g-4x" in older
    assert "No such file" in rack.show("leaf-01", "show incompatibility nxos bootflash:nxos64-cs.9.3.5.bin")


def test_bgp_by_vrf_names_the_vrfs_that_it_runs_in() -> None:
    rack = Rack()
    rack.type("leaf-01", "vrf context blue", "router bgp 64601", "vrf blue", "address-family ipv4 unicast")
    both = rack.show("leaf-01", "show ip bgp summary vrf all")
    assert "for VRF default" in both and "for VRF blue" in both
    for command in ("show ip bgp vrf blue summary", "show bgp vrf blue ipv4 unicast summary"):
        assert rack.show("leaf-01", command).startswith("BGP summary information for VRF blue"), command
    assert "not running in VRF red" in rack.show("leaf-01", "show ip bgp vrf red")
    assert "10.11.2.0/24" in rack.show("leaf-01", "show ip bgp")
    assert "10.11.2.0/24" not in rack.show("leaf-01", "show ip bgp vrf blue")
    told = rack.show("spine-01", "show ip bgp neighbors 10.102.1.0 routes")
    assert "10.10.2.0/24" in told and "10.11.2.0/24" not in told
