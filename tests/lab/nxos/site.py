"""Lab switches with all that operators look at: a routed fabric, VLANs over a bundle and a spare link, a VRF, OSPF."""

from __future__ import annotations

from podwright.lab.world.model import World
from tests.lab.nxos.conftest import Switches
from tests.lab.rack import lines_of

BUNDLE, SPARE, AREA = slice(0, 2), slice(2, 3), slice(3, 4)
"""Which uplinks of a leaf are bundled, which one is a second way that spanning tree blocks, and which one has OSPF."""

EVERYWHERE = """
feature scp-server
feature interface-vlan
feature lacp
feature ospf
feature hsrp
feature vpc
nv overlay evpn
feature nv overlay
feature vn-segment-vlan-based
ip domain-name example.com
ntp server 192.0.2.250 prefer use-vrf management
ntp server 192.0.2.251 use-vrf management
snmp-server contact noc
snmp-server location row 1
snmp-server community watch group network-operator
username watcher password Secret123 role network-operator
logging server 192.0.2.250 5 use-vrf management
ip prefix-list OWN seq 5 permit 10.0.0.0/8 le 32
route-map OUT permit 10
  match ip address prefix-list OWN
  set metric 5
vrf context blue
  rd 64601:10
  ip route 10.99.0.0/16 Null0
vlan 10
  name hosts
  vn-segment 10010
vlan 20
router ospf UNDERLAY
"""


def uplinks(world: World, name: str) -> list[tuple[str, str]]:
    """Own port and the spine's port of every cable between a leaf and the spine."""
    found = []
    for cable in world.cables:
        ends = {cable.a[0]: cable.a[1], cable.b[0]: cable.b[1]}
        if name in ends and "spine-01" in ends and name != "spine-01":
            found.append((ends[name], ends["spine-01"]))
    return found


def _trunks(pairs: list[tuple[str, str]], end: int, group: int) -> list[str]:
    lines = [f"interface port-channel{group}", "switchport", "switchport mode trunk"]
    for pair in pairs[BUNDLE]:
        lines += [f"default interface {pair[end]}", f"interface {pair[end]}", "switchport", "switchport mode trunk",
                  f"channel-group {group} mode active", "no shutdown"]  # fmt: skip
    for pair in pairs[SPARE]:
        lines += [f"default interface {pair[end]}", f"interface {pair[end]}", "switchport", "switchport mode trunk",
                  "no shutdown"]  # fmt: skip
    for pair in pairs[AREA]:
        lines += [f"interface {pair[end]}", "ip router ospf UNDERLAY area 0.0.0.0", "ip ospf network point-to-point"]
    return lines


def lines(world: World, name: str) -> list[str]:
    """What is typed into one switch."""
    number = list(world.switches).index(name) + 1
    typed = [*lines_of(world, name), *(line for line in EVERYWHERE.splitlines() if line)]
    typed += [f"interface loopback{number}", f"ip address 10.1.0.{number}/32", "ip router ospf UNDERLAY area 0.0.0.0",
              "interface Vlan10", f"ip address 10.20.0.{number}/24", "no shutdown", "hsrp version 2", "hsrp 10",
              f"priority {100 + number}", "ip 10.20.0.254", "interface Vlan20", "vrf member blue",
              f"ip address 10.30.0.{number}/24", "ipv6 address 2001:db8::1/64", "no shutdown"]  # fmt: skip
    typed += ["interface nve1", "host-reachability protocol bgp", f"source-interface loopback{number}",
              "member vni 10010", "ingress-replication protocol bgp", "no shutdown"]  # fmt: skip
    if name == "spine-01":
        for group, leaf in enumerate(("leaf-01", "leaf-02"), 1):
            typed += _trunks(uplinks(world, leaf), 1, group)
        return [*typed, "spanning-tree vlan 1-4094 priority 4096"]
    typed += ["default interface Ethernet1/1", "interface Ethernet1/1", "switchport", "switchport access vlan 10",
              "description first host", "no shutdown"]  # fmt: skip
    other = world.switches["leaf-02" if name == "leaf-01" else "leaf-01"].management
    typed += [*_trunks(uplinks(world, name), 0, 1), "vpc domain 10",
              f"peer-keepalive destination {other} source {world.switches[name].management}",
              "interface port-channel1", "vpc 1", f"router bgp {64600 + number}",
              "address-family ipv4 unicast", "maximum-paths 4"]  # fmt: skip
    return [*typed, *(line for peer in peers(world, name) for line in (f"neighbor {peer}", "bfd"))]


def peers(world: World, name: str) -> list[str]:
    """Addresses of the spine on the routed uplinks of a leaf."""
    found = [line.split()[1] for line in lines_of(world, name) if line.lstrip().startswith("neighbor ")]
    return found[3:]


def configure(switches: Switches) -> None:
    """Type it all, servers powered."""
    for host in switches.world.hosts.values():
        host.power = "On"
    for name in switches.world.switches:
        typed = ["configure terminal", *lines(switches.world, name), "end"]
        answer = switches.world.fault({"kind": "cli", "switch": name, "user": "admin", "lines": typed})["output"]
        assert answer == "", f"{name}: {answer}"
