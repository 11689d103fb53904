"""Tenancy by VXLAN EVPN, OSPF and unnumbered underlays, AAA, headroom, TCAM: taken, refused, shown back."""

from __future__ import annotations

import pytest

from podwright.lab.nxos.session import Session
from tests.lab.rack import QOS, Rack

EVPN = """nv overlay evpn
feature nv overlay
feature ospf
feature bgp
feature interface-vlan
feature vn-segment-vlan-based
fabric forwarding anycast-gateway-mac 0200.0000.0001
vlan 10
  name blue-hosts
  vn-segment 10010
vlan 3001
  name blue-l3
  vn-segment 50001
vrf context blue
  description tenant blue
  vni 50001
  rd auto
  address-family ipv4 unicast
    route-target both auto
    route-target both auto evpn
interface Vlan10
  mtu 9216
  vrf member blue
  no ip redirects
  ip address 10.20.0.1/24
  fabric forwarding mode anycast-gateway
  no shutdown
interface Vlan3001
  vrf member blue
  ip forward
  no shutdown
interface nve1
  host-reachability protocol bgp
  source-interface loopback1
  member vni 10010
    suppress-arp
    ingress-replication protocol bgp
  member vni 50001 associate-vrf
  no shutdown
interface loopback1
  ip address 10.1.0.1/32
  ip ospf network point-to-point
  ip router ospf UNDERLAY area 0.0.0.0
route-map NEXT_HOP_UNCHANGED permit 10
  set ip next-hop unchanged
router ospf UNDERLAY
  router-id 10.0.0.1
  log-adjacency-changes
  maximum-paths 64
router bgp 65200
  router-id 10.0.0.1
  address-family l2vpn evpn
    retain route-target all
  neighbor 10.0.0.21
    remote-as 65200
    update-source loopback0
    address-family l2vpn evpn
      send-community
      send-community extended
  vrf blue
    address-family ipv4 unicast
      redistribute direct route-map REDIST
      maximum-paths 64
      maximum-paths ibgp 64
      advertise l2vpn evpn
evpn
  vni 10010 l2
    rd auto
    route-target import auto
    route-target export auto
"""

AAA = """feature tacacs+
tacacs-server host 192.0.2.200 key 7 "abcdef"
tacacs-server host 192.0.2.201
aaa group server tacacs+ TACACS
  server 192.0.2.200
  server 192.0.2.201
  use-vrf management
  source-interface mgmt0
aaa authentication login default group TACACS local
aaa authorization config-commands default group TACACS local
aaa authorization commands default group TACACS local
aaa accounting default group TACACS
"""

UNNUMBERED = """feature bgp
feature bfd
interface Ethernet1/33
  no switchport
  mtu 9216
  bfd interval 100 min_rx 100 multiplier 3
  no ip redirects
  ip forward
  no ipv6 redirects
  ipv6 address use-link-local-only
  no shutdown
router bgp 64601
  neighbor Ethernet1/33
    bfd
    remote-as 65001
    address-family ipv4 unicast
"""

QUEUES = """policy-map type queuing QOS_INGRESS_300M
  class type queuing c-in-q3
    pause buffer-size 250000 pause-threshold 120000 resume-threshold 115000
policy-map type queuing QOS_EGRESS_PORT_100G
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
interface Ethernet1/1
  service-policy type queuing input QOS_INGRESS_300M
  service-policy type queuing output QOS_EGRESS_PORT_100G
"""


@pytest.fixture
def rack() -> Rack:
    return Rack(configured=False)


@pytest.mark.parametrize("text", [EVPN, AAA, UNNUMBERED, QUEUES], ids=["evpn", "aaa", "unnumbered", "queues"])
def test_every_line_is_taken_and_shown_back_where_it_stands(rack: Rack, text: str) -> None:
    rack.type("leaf-01", *text.splitlines())
    shown = rack.show("leaf-01", "show running-config").splitlines()
    wanted = text.splitlines()
    assert [line for line in wanted if line not in shown] == []
    block = ""
    for line in wanted:
        block = line if not line.startswith(" ") else block
        inside = shown[shown.index(block) + 1 :]
        end = next((i for i, below in enumerate(inside) if below and not below.startswith(" ")), len(inside))
        assert line == block or line in inside[:end], (block, line)


@pytest.mark.parametrize("text", [EVPN, AAA], ids=["evpn", "aaa"])
def test_what_is_shown_can_be_typed_again_and_rolled_back(rack: Rack, text: str) -> None:
    rack.show("leaf-01", "checkpoint bare")
    before = rack.show("leaf-01", "show running-config").split("version", 1)[1]
    rack.type("leaf-01", *text.splitlines())
    after = rack.show("leaf-01", "show running-config").split("Bios:version 01.14\n", 1)[1]
    rack.type("leaf-02", *[line for line in after.splitlines() if not line.startswith(("vdc", "hostname", "  limit"))])
    patch = rack.show("leaf-01", "show diff rollback-patch running-config checkpoint bare").splitlines()[2:]
    rack.type("leaf-01", *[line for line in patch if line.strip() and line != "!!"])
    assert rack.show("leaf-01", "show running-config").split("version", 1)[1] == before


REFUSED = [
    (["interface nve1"], "Invalid interface format"),
    (["feature nv overlay", "interface nve2"], "Invalid interface format"),
    (["fabric forwarding anycast-gateway-mac 0200.0000.0001"], "% Invalid command at '^' marker."),
    (["feature vn-segment-vlan-based", "vlan 10", "vn-segment 16777215"], "% Invalid number, range is (1:16777214)"),
    (["feature vn-segment-vlan-based", "vlan 10", "vn-segment 77", "vlan 11", "vn-segment 77"], "under vlan 10"),
    (["feature nv overlay", "interface nve1", "member vni 5", "ingress-replication protocol bgp"], "not configured"),
    (["feature nv overlay", "interface nve1", "ip address 10.0.0.1/24"], "% Invalid command at '^' marker."),
    (["feature nv overlay", "interface nve1", "source-interface Ethernet1/1"], "must be a loopback"),
    (["evpn"], "% Invalid command at '^' marker."),
    (["vrf context blue", "rd 65000"], "% Invalid command at '^' marker."),
    (["tacacs-server host 192.0.2.200"], "% Invalid command at '^' marker."),
    (["aaa authentication login default group NONE local"], "server group NONE"),
    (["feature tacacs+", "aaa group server tacacs+ T", "server 192.0.2.9"], "server not found"),
    (["hardware access-list tcam region ing-racl 300"], "multiples"),
    (["policy-map type queuing q", "class type queuing c-out-8q-q3",
      "pause buffer-size 9 pause-threshold 8 resume-threshold 7"], "ingress"),
    (["policy-map type queuing q", "class type queuing c-in-q3",
      "pause buffer-size 9 pause-threshold 8 resume-threshold 7", "bandwidth percent 5"], "pause buffer-size"),
    (["policy-map type queuing q", "class type queuing c-in-q3", "class type queuing c-out-8q-q3"], "mixed"),
    (["policy-map type queuing q", "class type queuing c-in-q3", "interface Ethernet1/1",
      "service-policy type queuing output q"], "direction"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "words"), REFUSED, ids=[" / ".join(lines)[:60] for lines, _ in REFUSED])
def test_the_switch_refuses_what_the_device_refuses(rack: Rack, lines: list[str], words: str) -> None:
    rack.type("leaf-01", *lines[:-1])
    saved = rack.show("leaf-01", "show running-config").split("version", 1)[1]
    assert words in rack.console("leaf-01", *lines)
    assert rack.show("leaf-01", "show running-config").split("version", 1)[1] == saved


def test_a_key_is_scrambled_and_a_host_line_without_one_keeps_it(rack: Rack) -> None:
    rack.type("leaf-01", "feature tacacs+", "tacacs-server host 192.0.2.200 key S3cret",
              "tacacs-server host 192.0.2.200", "tacacs-server host 192.0.2.200 timeout 9")  # fmt: skip
    line = rack.show("leaf-01", "show running-config | include tacacs-server")
    assert line.startswith('tacacs-server host 192.0.2.200 key 7 "') and "S3cret" not in line
    assert line.endswith('" timeout 9\n')


def test_per_command_authorisation_asks_first(rack: Rack) -> None:
    rack.type("leaf-01", *AAA.splitlines()[:8])
    session = Session(rack.devices["leaf-01"], quiet=True)
    session.run("configure terminal")
    for answer, taken in (("n", False), ("y", True)):
        assert "Proceed (y/n)?" in session.run("aaa authorization commands default group TACACS local")
        assert session.run(answer) == ""
        assert ("aaa authorization" in rack.show("leaf-01", "show running-config")) is taken


def test_switching_the_overlay_off_takes_its_lines(rack: Rack) -> None:
    rack.type("leaf-01", *EVPN.splitlines(), "no nv overlay evpn", "no feature nv overlay")
    text = rack.show("leaf-01", "show running-config")
    assert "l2vpn" not in text and "\nevpn" not in text and "nve1" not in text and "vni 50001" not in text
    assert "vrf context blue" in text and "anycast" not in text


def test_tcam_carving_warns_and_waits_for_a_reload(rack: Rack) -> None:
    answer = rack.console("leaf-01", "hardware access-list tcam region ing-racl 1024")
    assert answer.startswith("Warning: ") and "reload" in answer
    assert "tcam region ing-racl 1024" in rack.show("leaf-01", "show system config reload-pending")


def test_thresholds_of_a_port_beat_those_of_the_system(rack: Rack) -> None:
    rack.type("leaf-01", *[line for line in QOS.splitlines() if line], *QUEUES.splitlines())
    view = rack.world.views["leaf-01"]
    assert view.port("Ethernet1/1").ecn == {3: (150_000, 3_000_000)}
    assert view.port("Ethernet1/2").ecn == {3: (950_000, 3_000_000)}
    text = rack.show("leaf-01", "show queuing interface Ethernet1/1")
    assert "Egress Queuing for Ethernet1/1 [Interface]" in text
