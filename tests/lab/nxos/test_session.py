"""What the switch takes and refuses, line by line."""

from __future__ import annotations

import dataclasses

import pytest

from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.world.model import World
from tests.lab.rack import LAB, QOS, SWITCHED, Rack


@pytest.fixture
def rack() -> Rack:
    return Rack(configured=False)


def console(rack: Rack, *lines: str) -> str:
    return rack.console("leaf-01", *lines)


REFUSED = [
    (["hardware qos ecn"], "% Invalid command at '^' marker."),
    (["hardware qos ecn threshold 20 80"], "% Invalid command at '^' marker."),
    (["hardware profile portmode"], "% Invalid command at '^' marker."),
    (["interface Ethernet1/67"], "Invalid interface format at '^' marker."),
    (["interface Ethernet2/1"], "Invalid interface format at '^' marker."),
    (["interface Ethernet1/60-70"], "Invalid interface format at '^' marker."),
    (["interface Vlan10"], "Invalid interface format at '^' marker."),
    (["interface Ethernet1/1", "mtu 9217"], "% Invalid number, range is (576:9216) at '^' marker."),
    (["interface Ethernet1/1", "mtu 575"], "% Invalid number, range is (576:9216) at '^' marker."),
    (["interface Ethernet1/1", "mtu 9000"], "MTU on L2 interfaces"),
    (["interface Ethernet1/1", "ip address 10.0.0.0/31"], "% Invalid command at '^' marker."),
    (["interface Ethernet1/1", "no switchport", "switchport access vlan 2"], "ERROR: Ethernet1/1"),
    (["interface Ethernet1/1", "service-policy type qos input NONE"], "ERROR: policy-map NONE does not exist"),
    (["interface Ethernet1/65", "speed 400000"], "ERROR: Ethernet1/65"),
    (["interface Ethernet1/1", "buffer-boost"], "% Invalid command at '^' marker."),
    (["system qos", "service-policy type network-qos NONE"], "ERROR: policy-map NONE does not exist"),
    (["policy-map type network-qos n", "class type network-qos c-8q-nq8"], "does not exist"),
    (["policy-map type queuing q", "class type queuing c-out-8q-q8"], "does not exist"),
    (["policy-map type qos p", "class NONE"], "ERROR: class-map NONE does not exist"),
    (["policy-map type queuing q", "class type queuing c-out-8q-q3", "bandwidth remaining percent 60",
      "class type queuing c-out-8q-q2", "bandwidth remaining percent 50"], "exceeds 100"),
    (["policy-map type queuing q", "class type queuing c-out-8q-q3",
      "random-detect minimum-threshold 3000 kbytes maximum-threshold 950 kbytes drop-probability 7 weight 0 ecn"],
     "minimum-threshold must be less"),
    (["policy-map type queuing q", "class type queuing c-out-8q-q3",
      "random-detect minimum-threshold 2 mbytes maximum-threshold 2000 kbytes drop-probability 7 weight 0 ecn"],
     "minimum-threshold must be less"),
    (["policy-map type queuing q", "class type queuing c-out-8q-q7", "priority level 1", "bandwidth percent 5"],
     "priority class"),
    (["router bgp 65001"], "% Invalid command at '^' marker."),
    (["router ospf UNDERLAY"], "% Invalid command at '^' marker."),
    (["vpc domain 10"], "% Invalid command at '^' marker."),
    (["bfd interval 100 min_rx 100 multiplier 3"], "% Invalid command at '^' marker."),
    (["feature bgp", "router bgp 65001", "router bgp 65002"], "BGP is already running; AS is 65001"),
    (["interface Ethernet1/1", "channel-group 1 mode active"], "ERROR: LACP feature is not enabled"),
    (["feature vpc", "interface port-channel10", "vpc peer-link"], "vPC domain is not configured"),
    (["hardware profile dlb"], "% Invalid command at '^' marker."),
    (["hostname"], "% Incomplete command at '^' marker."),
    (["vlan 4095"], "Invalid range at '^' marker."),
    (["vlan 3968"], "reserved"),
    (["feature nonsense"], "% Invalid command at '^' marker."),
    (["no vdc leaf-01 id 1"], "cannot be deleted"),
    (["feature hsrp", "interface Ethernet1/1", "no switchport", "hsrp 300"], "need hsrp version 2"),
    (["no interface Ethernet1/1"], "% Invalid command at '^' marker."),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "words"), REFUSED, ids=[" / ".join(lines)[:60] for lines, _ in REFUSED])
def test_the_switch_refuses_what_the_device_refuses(rack: Rack, lines: list[str], words: str) -> None:
    *before, last = lines
    rack.type("leaf-01", *before)
    saved, writes = rack.show("leaf-01", "show running-config").split("version", 1)[1], rack.devices["leaf-01"].writes
    answer = console(rack, *lines)
    assert words in answer
    assert rack.show("leaf-01", "show running-config").split("version", 1)[1] == saved, f"{last!r} left a trace"
    assert rack.devices["leaf-01"].writes - writes <= len(before)


@pytest.mark.parametrize(
    ("line", "column"),
    [("hardware qos ecn", 13), ("interface Ethernet1/99", 10), ("hostname", 8), ("no foo", 3), ("feature bg x", 11)],
)
def test_the_caret_stands_under_the_offending_word(rack: Rack, line: str, column: int) -> None:
    session = Session(rack.devices["leaf-01"], quiet=True)
    session.run("configure terminal")
    prompt = session.prompt
    caret = session.run(line).splitlines()[0]
    assert caret == " " * (len(prompt) + column) + "^"


def test_attached_policies_and_class_maps_cannot_be_deleted(rack: Rack) -> None:
    rack.type("leaf-01", *[line for line in QOS.splitlines() if line])
    rack.type("leaf-01", "interface Ethernet1/1", "service-policy type qos input QOS_CLASSIFICATION")
    for line in ("policy-map type qos QOS_CLASSIFICATION", "policy-map type network-qos qos_network",
                 "policy-map type queuing QOS_EGRESS_PORT", "class-map type qos match-any ROCEv2"):  # fmt: skip
        assert "in use" in console(rack, f"no {line}")
    rack.type("leaf-01", "interface Ethernet1/1", "no service-policy type qos input QOS_CLASSIFICATION", "system qos",
              "no service-policy type network-qos qos_network", "no service-policy type queuing output QOS_EGRESS_PORT",
              "no policy-map type qos QOS_CLASSIFICATION", "no policy-map type network-qos qos_network",
              "no policy-map type queuing QOS_EGRESS_PORT", "no class-map type qos ROCEv2",
              "no class-map type qos CNP")  # fmt: skip
    assert "policy-map" not in rack.show("leaf-01", "show running-config")


def test_an_empty_system_qos_block_is_not_shown_and_a_rollback_empties_it_again(rack: Rack) -> None:
    rack.show("leaf-01", "checkpoint bare")
    rack.type("leaf-01", *[line for line in QOS.splitlines() if line])
    assert "\nsystem qos\n" in rack.show("leaf-01", "show running-config")
    patch = rack.show("leaf-01", "show diff rollback-patch running-config checkpoint bare")
    assert "no service-policy type queuing output QOS_EGRESS_PORT\n" in patch.partition("\nsystem qos\n")[2]
    rack.type("leaf-01", "system qos", "no service-policy type network-qos qos_network",
              "no service-policy type queuing output QOS_EGRESS_PORT")  # fmt: skip
    assert "system qos" not in rack.show("leaf-01", "show running-config")


def test_modes_fall_back_to_their_parents_and_prompts_say_where_one_stands(rack: Rack) -> None:
    session = Session(rack.devices["leaf-01"], quiet=True)
    seen = []
    for line in ("conf t", "int e1/1", "int eth1/1-4, e1/9", "vlan 10", "name x", "show clock", "exit", "exit", "exit"):
        seen.append(session.prompt)
        assert "%" not in session.run(line), line
    assert seen == [
        "leaf-01# ", "leaf-01(config)# ", "leaf-01(config-if)# ", "leaf-01(config-if-range)# ",
        "leaf-01(config-vlan)# ", "leaf-01(config-vlan)# ", "leaf-01(config-vlan)# ", "leaf-01(config)# ", "leaf-01# ",
    ]  # fmt: skip
    assert session.closed


def test_a_range_changes_each_member(rack: Rack) -> None:
    rack.type("leaf-01", "interface Ethernet1/1-3, Ethernet1/7", "description uplink")
    shown = rack.show("leaf-01", "show running-config interface Ethernet1/1-8")
    assert shown.count("description uplink") == 4 and "Ethernet1/4\n\n" in shown


def test_defaults_are_not_shown_and_no_returns_to_them(rack: Rack) -> None:
    rack.type("leaf-01", "interface Ethernet1/1", "mtu 9216", "mtu 1500", "priority-flow-control mode auto",
              "switchport", "switchport mode access", "switchport access vlan 1", "no shutdown")  # fmt: skip
    assert _block(rack, "Ethernet1/1") == "interface Ethernet1/1"
    rack.type("leaf-01", "interface Ethernet1/1", "shutdown", "priority-flow-control mode on", "mtu 9216")
    assert _block(rack, "Ethernet1/1").splitlines()[1:] == [
        "  priority-flow-control mode on",
        "  mtu 9216",
        "  shutdown",
    ]
    rack.type("leaf-01", "interface Ethernet1/1", "no shutdown", "no priority-flow-control mode", "no mtu 9216")
    assert _block(rack, "Ethernet1/1") == "interface Ethernet1/1"


def test_all_spells_the_defaults_out_and_means_the_same(rack: Rack) -> None:
    rack.type("leaf-01", *[line for line in QOS.splitlines() if line], "interface Ethernet1/1", "no switchport",
              "ip address 10.0.0.0/31", "no shutdown", "interface Ethernet1/2", "mtu 9216")  # fmt: skip
    plain = rack.show("leaf-01", "show running-config").split("Bios:version 01.14\n", 1)[1]
    full = rack.show("leaf-01", "show running-config all").split("Bios:version 01.14\n", 1)[1]
    assert set(plain.splitlines()) <= set(full.splitlines())
    block = rack.show("leaf-01", "show running-config interface Ethernet1/1 all").rpartition("\n\n")[2].splitlines()
    assert {"  no switchport", "  mtu 1500", "  speed auto", "  priority-flow-control mode auto", "  no shutdown",
            "  ip redirects", "  lldp transmit"} <= set(block)  # fmt: skip
    assert not [line for line in block if "switchport access" in line]
    assert "spanning-tree mode rapid-pvst\n" in full and "  switchport mode access\n" in full
    twin = build(rack.world, rack.world.switches["leaf-01"], "admin", "other", "192.0.2.1")
    session = Session(twin, quiet=True, dont_ask=True)
    session.run("configure terminal")
    assert {line: answer for line in full.splitlines() if (answer := session.run(line))} == {}
    again = session.run("show running-config").split("Bios:version 01.14\n", 1)[1]
    assert again == plain


def _block(rack: Rack, name: str) -> str:
    return rack.show("leaf-01", f"show running-config interface {name}").rpartition("\n\n")[2].rstrip()


def test_a_routed_port_is_down_until_no_shutdown_and_changing_layer_drops_the_other_layers_lines(rack: Rack) -> None:
    rack.type("leaf-01", "interface Ethernet1/1", "switchport access vlan 5", "no switchport", "ip address 10.0.0.0/31")
    assert _block(rack, "Ethernet1/1").splitlines()[1:] == ["  no switchport", "  ip address 10.0.0.0/31"]
    assert "Administratively down" in rack.show("leaf-01", "show interface Ethernet1/1 brief")
    rack.type("leaf-01", "interface Ethernet1/1", "no shutdown")
    assert "no shutdown" in _block(rack, "Ethernet1/1")
    rack.type("leaf-01", "interface Ethernet1/1", "switchport")
    assert "ip address" not in _block(rack, "Ethernet1/1") and "switchport" not in _block(rack, "Ethernet1/1")


def test_overlapping_addresses_are_refused_per_vrf(rack: Rack) -> None:
    rack.type("leaf-01", "interface Ethernet1/1", "no switchport", "ip address 10.0.0.0/31", "interface Ethernet1/2",
              "no switchport")  # fmt: skip
    assert "overlaps with address configured on Ethernet1/1" in console(
        rack, "interface Ethernet1/2", "ip address 10.0.0.1/24"
    )
    rack.type("leaf-01", "vrf context red", "interface Ethernet1/2", "vrf member red", "ip address 10.0.0.1/24")


def test_removing_a_feature_removes_its_lines(rack: Rack) -> None:
    rack.type("leaf-01", "feature bgp", "feature bfd", "feature interface-vlan", "vlan 10", "interface Vlan10",
              "ip address 10.1.1.1/24", "bfd interval 100 min_rx 100 multiplier 3", "router bgp 65001",
              "neighbor 10.1.1.2 remote-as 65002", "bfd", "address-family ipv4 unicast")  # fmt: skip
    text = rack.show("leaf-01", "show running-config")
    assert "  neighbor 10.1.1.2\n    bfd\n    remote-as 65002\n    address-family ipv4 unicast\n" in text
    rack.type("leaf-01", "no feature bfd")
    assert "bfd" not in rack.show("leaf-01", "show running-config")
    rack.type("leaf-01", "no feature bgp", "no feature interface-vlan")
    text = rack.show("leaf-01", "show running-config")
    assert "router bgp" not in text and "interface Vlan" not in text and "vlan 1,10" in text


def test_match_lines_of_a_class_add_up(rack: Rack) -> None:
    rack.type("leaf-01", "class-map type qos match-any R", "match dscp 24-26", "match dscp af31,cs6")
    assert "  match dscp 24-26,48\n" in rack.show("leaf-01", "show running-config")
    rack.type("leaf-01", "class-map type qos match-any R", "no match dscp 24-25")
    assert "  match dscp 26,48\n" in rack.show("leaf-01", "show running-config")


def test_class_order_in_a_policy_is_kept_and_a_reentered_class_keeps_its_place(rack: Rack) -> None:
    rack.type("leaf-01", "class-map type qos match-any B", "class-map type qos match-any A",
              "policy-map type qos P", "class B", "set qos-group 1", "class A", "set qos-group 2", "class B",
              "set qos-group 3")  # fmt: skip
    text = rack.show("leaf-01", "show running-config ipqos")
    assert "policy-map type qos P\n  class B\n    set qos-group 3\n  class A\n    set qos-group 2\n" in text


def test_trunk_lists_are_edited_in_place(rack: Rack) -> None:
    rack.type("leaf-01", "interface Ethernet1/1", "switchport mode trunk", "switchport trunk allowed vlan 10-20",
              "switchport trunk allowed vlan add 30", "switchport trunk allowed vlan remove 11-19")  # fmt: skip
    assert "  switchport trunk allowed vlan 10,20,30" in _block(rack, "Ethernet1/1")


def test_aliases_banners_and_users_are_taken(rack: Rack) -> None:
    rack.type("leaf-01", "cli alias name podwright show clock", "banner motd #two", "lines#",
              "username robot password Secret123 role network-admin")  # fmt: skip
    text = rack.show("leaf-01", "show running-config")
    assert "cli alias name podwright show clock" in text and "banner motd ^\ntwo\nlines\n^\n" in text
    assert "Secret123" not in text and "username robot password 5 $5$" in text
    assert rack.devices["leaf-01"].check_password("robot", "Secret123")


def test_pipes(rack: Rack) -> None:
    whole = rack.show("leaf-01", "show running-config")
    assert rack.show("leaf-01", "show running-config | include copp") == "copp profile strict\n"
    assert rack.show("leaf-01", "show running-config | section vrf | exclude limit") == (
        "vrf context management\n  ip route 0.0.0.0/0 192.0.2.1\n  vrf member management\n"
    )
    assert rack.show("leaf-01", "show running-config | count") == f"{len(whole.splitlines())}\n"
    assert rack.show("leaf-01", "show running-config | exclude a | include mgmt0") == "interface mgmt0\n"[:0]
    assert rack.show("leaf-01", "show queuing interface ethernet 1/1 | include pause") == "", "include minds the case"
    assert "does not support" in rack.show("leaf-01", "show users | json")


def test_dlb_needs_release_and_silicon() -> None:
    for model, release, taken in (
        ("N9K-C9364D-GX2A", "10.5(1)", True),
        ("N9K-C9364D-GX2A", "10.4(5)", False),
        ("N9K-C9336C-FX2", "10.5(1)", False),
    ):
        world = World.load(LAB, variants=SWITCHED)
        switch = dataclasses.replace(world.switches["leaf-01"], model=model, release=release)
        session = Session(build(world, switch, "admin", "x", "192.0.2.1"), quiet=True)
        session.run("configure terminal")
        assert (session.run("hardware profile dlb") == "") is taken
        assert ("reload" in session.run("show system config reload-pending")) is taken
        world.close()
