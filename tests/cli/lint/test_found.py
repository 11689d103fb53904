"""What people write wrong on their own switches: one edit of a good configuration, the rule that says so, its line."""

from pathlib import Path

import pytest

from podwright.cli.lint.judge import judge, read
from podwright.cli.lint.report import text

CONFIGS = Path(__file__).with_name("configs")
VPC = "vpc domain 10\n  peer-keepalive destination 203.0.113.2 source 203.0.113.1\n"
SVI = "interface Vlan30\n  no shutdown\n  vrf member KEEP\n  ip address 192.0.2.1/30\n"

EDITS = (
    ("typed.cfg", "end\n", "hardware qos ecn threshold 20 80\n", "fabric-no-inert-lines", "hardware qos ecn"),
    ("typed.cfg", "end\n", "hardware profile portmode\n  buffer-boost\n", "fabric-no-inert-lines", "hardware profile"),
    ("typed.cfg", "end\n", VPC + "  vrf management\n", "fabric-no-inert-lines", "  vrf management"),
    ("typed.cfg", "end\n", VPC, "fabric-no-vpc-on-backend", "vpc domain 10"),
    ("typed.cfg", "AF31", "34", "fabric-priority-is-the-nics", "    pause pfc-cos 3"),
    ("typed.cfg", "threshold 150", "threshold 5000", "fabric-ecn-on-lossless-queue", "    random-detect"),
    ("typed.cfg", "threshold 150", "threshold 0", "fabric-ecn-on-lossless-queue", "    random-detect"),
    ("typed.cfg", " weight 0 ecn", " weight 0", "fabric-ecn-on-lossless-queue", "    random-detect"),
    ("typed.cfg", "    maximum-paths 16\n", "", "fabric-equal-paths-used", "  address-family ipv4 unicast"),
    ("typed.cfg", "    bfd\n", "", "fabric-bfd-bound", "  bfd interval"),
    ("typed.cfg", "match-any gpu", "match-any gpus", "fabric-pfc-on-every-hop", "  class gpu"),
    ("typed.cfg", "mode on send-tlv", "mode auto", "fabric-pfc-on-every-hop", "  priority-flow-control mode auto"),
    ("typed.cfg", "no-stats\n", "no-stats\n  no service-policy type qos input sorter\n",
     "fabric-pfc-on-every-hop", "  no service-policy"),
    ("typed.cfg", "  mtu 9216   !", "  no mtu   !", "fabric-mtu-agrees-on-path", "  no mtu"),
    ("bonded.cfg", "source 203.0.113.11\n", "source 192.0.2.1 vrf KEEP\n" + SVI,
     "fabric-keepalive-independent", "  peer-keepalive"),
    ("bonded.cfg", "  peer-keepalive", "  !", "fabric-keepalive-independent", "vpc domain 20"),
    ("bonded.cfg", "  service-policy type qos input MARKED\n", "", "fabric-pfc-on-every-hop", "interface Ethernet1/1"),
    ("bonded.cfg", "dog-interval on\n  service", "dog-interval off\n  service",
     "fabric-pfc-watchdog", "  priority-flow-control watch-dog-interval off"),
    ("bonded.cfg", "match qos-group 3\nclass-map type queuing", "match qos-group 4\nclass-map type queuing",
     "fabric-pfc-on-every-hop", "policy-map type network-qos NODROP"),
    ("vlan-policy.cfg", "  switchport access vlan 11\n  mtu", "  service-policy type queuing output NONE\n  mtu",
     "fabric-ecn-on-lossless-queue", "  service-policy type queuing output NONE"),
    ("bonded.cfg", "trunk\n  priority-flow-control mode on\n  ch", "trunk\n  switchport trunk allowed vlan 30\n"
     "  priority-flow-control mode on\n  ch", "fabric-bundles-hold", "  switchport trunk allowed vlan 30"),
    ("bonded.cfg", "priority-flow-control mode on\n  channel-group 101 mode active",
     "priority-flow-control mode on\n  channel-group 101", "fabric-bundles-hold", "  channel-group 101"),
    ("bonded.cfg", "interface mgmt0", "interface Ethernet1/9\n  switchport access vlan 31\ninterface mgmt0",
     "fabric-vlan-created", "  switchport access vlan 31"),
    ("bonded.cfg", "interface mgmt0", "interface Vlan31\n  no shutdown\n  ip address 192.0.2.1/24\ninterface mgmt0",
     "fabric-vlan-created", "interface Vlan31"),
    ("bonded.cfg", "interface mgmt0", "vrf context RED\n  vni 50001\ninterface nve1\n  no shutdown\ninterface mgmt0",
     "fabric-tenant-vni-whole", "interface nve1"),
    ("captured.log", "maximum-threshold 3000", "maximum-threshold 900", "fabric-ecn-on-lossless-queue", "    random"),
    ("captured.log", "\tmtu 9216\r\n", "\tmtu 1500\r\n", "fabric-mtu-agrees-on-path", "\tmtu 1500"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "rule", "line"), EDITS, ids=[f"{e[3]}: {e[2][:24]!r}" for e in EDITS])
def test_one_wrong_edit_is_named_at_its_line(
    name: str, old: str, new: str, rule: str, line: str, tmp_path: Path
) -> None:
    whole = (CONFIGS / name).read_bytes().decode()
    assert old in whole
    path = tmp_path / name
    path.write_bytes(whole.replace(old, new).encode())
    reading = read([path])
    found = [each for each in judge(reading) if each.rule.id == rule]
    assert found, [each.flaw.message for each in judge(reading)]
    lines = reading.configurations[0].source
    assert lines[found[0].line - 1].startswith(line), found[0].flaw.message


RIGHT = (
    "interface Ethernet1/9\n  switchport mode trunk\n  switchport access vlan 77\n",
    "interface Ethernet1/9\n  switchport access vlan 77\n  shutdown\n",
    "interface Vlan77\n  ip address 192.0.2.1/24\n",
    "interface Ethernet1/9\n  switchport access vlan 77\n  priority-flow-control mode on\n"
    "  channel-group 101 force mode active\n",
    "interface port-channel7\n  switchport mode trunk\n  vpc 7\n",
    "vrf context RED\n  vni 50001 l3\nvrf context BLUE\n  vni 50002 l3\n"
    "interface nve1\n  member vni 50001-50002 associate-vrf\n",
    "vlan 77\n  vn-segment 50001\nvrf context RED\n  vni 50001\ninterface nve1\n  no shutdown\n"
    "interface nve1\n  member vni 50001 associate-vrf\n"
    "interface Vlan77\n  no shutdown\n  mtu 9216\n  vrf member RED\n  ip forward\n",
    "interface Ethernet1/9\n  no switchport\n  ip address 192.0.2.0/31\n"
    "router bgp 65001\n  neighbor 192.0.2.1\n    bfd\n",
)  # fmt: skip
"""Lines that found switches have and that do what they say, or nothing, and nobody is misled by them."""


@pytest.mark.parametrize("lines", RIGHT)
def test_what_a_found_switch_may_have_is_no_finding(lines: str, tmp_path: Path) -> None:
    path = tmp_path / "store-01.cfg"
    path.write_text((CONFIGS / "bonded.cfg").read_text().replace("interface mgmt0", lines + "interface mgmt0"))
    assert [each.flaw.message for each in judge(read([path]))] == []


def test_a_finding_in_another_controllers_part_says_where_to_change_it(tmp_path: Path) -> None:
    path = tmp_path / "leaf.cfg"
    marked = "  description connected-to-dc1-spine1-Ethernet1/3\n  mtu 9216\n  priority-flow-control mode off\n"
    whole = (CONFIGS / "vlan-policy.cfg").read_text()
    path.write_text(whole.replace("  mtu 9216\n  priority-flow-control mode on\n", marked))
    reading = read([path])
    findings = judge(reading)
    assert [each.owner for each in findings] == ["Nexus Dashboard Fabric Controller"]
    assert "where: Nexus Dashboard Fabric Controller writes this part" in text(reading, findings)


@pytest.mark.parametrize(
    ("line", "tool"),
    [
        ("! Ansible managed: do not edit", "Ansible"),
        ("! this file is managed by Terraform", "Terraform"),
        ("banner motd # managed by NSO #", "Cisco NSO"),
    ],
)
def test_a_file_that_another_tool_writes_is_noted_once(line: str, tool: str, tmp_path: Path) -> None:
    path = tmp_path / "leaf.cfg"
    whole = (CONFIGS / "bonded.cfg").read_text()
    path.write_text(f"{line}\n{line}\n{whole}")
    reading = read([path])
    assert judge(reading) == []
    assert text(reading, []).count(f"note: line 1 says that {tool} writes this switch; change it there") == 1


def _together(folder: Path, **texts: str) -> list[str]:
    for name, lines in texts.items():
        (folder / f"{name}.cfg").write_text(f"hostname {name}\nfeature bgp\n{lines}")
    return [each.flaw.message for each in judge(read(sorted(folder.iterdir())))]


def test_a_routed_cable_with_one_address_is_found(tmp_path: Path) -> None:
    leaf = "interface Ethernet1/1\n  description to spine Ethernet1/2\n  no switchport\n  no shutdown\n"
    spine = (
        "interface Ethernet1/2\n  description to leaf Ethernet1/1\n  no switchport\n  ip address 192.0.2.1/31\n"
        "  no shutdown\n"
    )
    found = _together(tmp_path, leaf=leaf, spine=spine)
    assert found == ["leaf Ethernet1/1 has no address, the other end of its cable, spine Ethernet1/2, has 192.0.2.1/31"]


def _peers(folder: Path, ports: str, gateway: str = "") -> list[str]:
    """Findings where two vPC peers are alike but for what is said of the second."""
    trunk = "  switchport\n  switchport mode trunk\n  switchport trunk allowed vlan 30\n"
    bundled = "  channel-group {} mode active\n  no shutdown\n"
    whole = "".join(f"interface Ethernet1/{at}\n{trunk}{bundled.format(7 + at // 3)}" for at in (1, 2, 3, 4))
    svi = "  vrf member blue\n  ip address 192.0.2.65/26\n  fabric forwarding mode anycast-gateway\n  no shutdown\n"

    def peer(own: int, other: int, members: str, inside: str) -> str:
        return (
            "vrf context blue\nvlan 1,30\nfabric forwarding anycast-gateway-mac 2020.0000.00aa\n"
            f"vpc domain 1\n  peer-keepalive destination 192.0.2.{other} source 192.0.2.{own}\n"
            f"interface mgmt0\n  vrf member management\n  ip address 192.0.2.{own}/26\n"
            + "".join(f"interface port-channel{at}\n{trunk}  vpc {at}\n" for at in (7, 8))
            + f"{members}interface Vlan30\n{inside}"
        )

    old, _, new = ports.partition(" > ")
    assert not old or old in whole
    other, _, instead = gateway.partition(" > ")
    assert not other or other in svi
    return _together(
        folder,
        a=peer(1, 2, whole, svi),
        b=peer(2, 1, whole.replace(old, new, 1) if old else whole, svi.replace(other, instead, 1) if other else svi),
    )


TWINS: tuple[tuple[str, str, list[str]], ...] = (
    ("", "", []),
    ("  channel-group 7 mode active\n  no shutdown > ", "",
     ["a Ethernet1/1 is in vpc 7, on its peer b it is in no vPC; all other ports of vPCs are alike on both"]),
    ("no shutdown >   shutdown", "",
     ["a Ethernet1/1 is in vpc 7, on its peer b it is shut; all other ports of vPCs are alike on both"]),
    ("channel-group 7 > channel-group 8", "",
     ["a Ethernet1/1 is in vpc 7, on its peer b it is in vpc 8; all other ports of vPCs are alike on both"]),
    ("channel-group 7 > channel-group 9", "",
     ["b Ethernet1/1 is a member of port-channel9, which is not there",
      "a Ethernet1/1 is in vpc 7, on its peer b it is in no vPC; all other ports of vPCs are alike on both"]),
    ("", "vrf member blue\n > ",
     ["a Vlan30 is a gateway of vPCs in vrf blue, its peer b has its own in vrf default"]),
    ("", "  ip address 192.0.2.65/26\n > ",
     ["a Vlan30 is a gateway of vPCs in vrf blue, its peer b has no address there"]),
    ("", "no shutdown > shutdown",
     ["a Vlan30 is a gateway of vPCs in vrf blue, its peer b has one there that is shut"]),
    ("", "192.0.2.65/26 > 192.0.2.66/26",
     ["a Vlan30 is a gateway of vPCs in vrf blue, its peer b has 192.0.2.66/26 there: an anycast gateway has one "
      "address, 192.0.2.65/26"]),
)  # fmt: skip


@pytest.mark.parametrize(("ports", "gateway", "wanted"), TWINS, ids=[f"{e[0]}{e[1]}"[:40] for e in TWINS])
def test_peers_whose_ports_or_gateways_are_not_alike(
    ports: str, gateway: str, wanted: list[str], tmp_path: Path
) -> None:
    assert sorted(_peers(tmp_path, ports, gateway)) == sorted(wanted)


def test_a_vpc_without_members_on_one_peer_is_found(tmp_path: Path) -> None:
    def peer(own: int, other: int, member: str) -> str:
        return (
            f"vpc domain 1\n  peer-keepalive destination 192.0.2.{other} source 192.0.2.{own}\n"
            f"interface mgmt0\n  vrf member management\n  ip address 192.0.2.{own}/24\n"
            "interface port-channel7\n  switchport\n  switchport mode trunk\n  vpc 7\n"
            f"interface Ethernet1/1\n  switchport\n  switchport mode trunk\n{member}"
        )

    filled = "  channel-group 7 mode active\n  no shutdown\n"
    assert _together(tmp_path, a=peer(1, 2, filled), b=peer(2, 1, filled)) == []
    found = _together(tmp_path, a=peer(1, 2, filled), b=peer(2, 1, "  shutdown\n"))
    assert found == ["b port-channel7 has no member that is up, port-channel7 of its peer a has"]


def test_an_overlay_without_a_tunnel_is_found(tmp_path: Path) -> None:
    found = _together(tmp_path, leaf="feature nv overlay\nvrf context blue\n  vni 50001\n")
    assert found == ["leaf has VRFs with a VNI and no interface nve1"]
