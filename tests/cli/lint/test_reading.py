"""Configurations as people and terminals write them: read for what the switch would do, not for how they look."""

from pathlib import Path

import pytest

from podwright.cli.lint.judge import Configuration, judge, read
from podwright.policies.rules.nexus.device import Lossless

CONFIGS = Path(__file__).with_name("configs")
FIVE = tuple(f"Ethernet1/{number}" for number in (1, 2, 3, 4, 7))


def one(name: str) -> Configuration:
    reading = read([CONFIGS / name])
    assert reading.skipped == []
    (found,) = reading.configurations
    return found


def carried(name: str) -> tuple[Lossless, list[str]]:
    lossless = one(name).device.lossless
    assert lossless is not None
    return lossless, [port.name for port in lossless.ports]


@pytest.mark.parametrize("path", sorted(CONFIGS.iterdir()), ids=lambda path: path.name)
def test_unusual_is_not_wrong(path: Path) -> None:
    """Each file does what it should in an unusual spelling; a finding here is a false alarm."""
    assert [(each.line, each.flaw.message) for each in judge(read([path]))] == []


@pytest.mark.parametrize("name", ["typed.cfg", "flat.txt"])
def test_ranges_abbreviations_and_names_of_values(name: str) -> None:
    lossless, ports = carried(name)
    assert ports == list(FIVE)
    assert (lossless.group, lossless.priority, set(lossless.dscps), lossless.cnp) == (3, 3, {26}, 48)
    device = one(name).device
    assert device.port("Ethernet1/3").mtu == 9216
    assert device.port("Ethernet1/7.10").mtu == 9216, "a sub-interface takes its parent's"
    assert "Ethernet1/8" not in device.ports, "`default interface` takes everything back"
    assert device.bgp is not None
    assert (device.bgp.paths, [each.asn for each in device.bgp.neighbors]) == (16, ["65001", "65001"])
    assert all(each.bfd for each in device.bgp.neighbors), "from the template"


def test_a_description_is_no_command() -> None:
    assert one("typed.cfg").device.port("Ethernet1/1").value("pfc") == "on"


def test_members_inherit_from_port_channel_and_profile() -> None:
    lossless, ports = carried("bonded.cfg")
    assert ports == ["Ethernet1/1", "Ethernet1/2"]
    assert (lossless.dscps, lossless.cnp) == (frozenset(), None), "sorted by CoS"
    port = one("bonded.cfg").device.port("Ethernet1/1")
    assert {slot: port.value(slot) for slot in ("pfc", "mtu", "mode", "watchdog", "qos")} == {
        "pfc": "on", "mtu": "9216", "mode": "trunk", "watchdog": "on", "qos": "MARKED",
    }  # fmt: skip
    channel = one("bonded.cfg").device.port("port-channel101")
    assert channel.value("allowed") == "30,31-40", "a long list goes on in a second line"


def test_a_policy_on_a_vlan_sorts_what_enters_its_ports() -> None:
    found = one("vlan-policy.cfg").device
    sorted_by = found.classifying(found.port("Ethernet1/1"))
    assert sorted_by is not None
    assert (sorted_by[0], sorted_by[1].number) == ("IN", 26)
    assert carried("vlan-policy.cfg")[1] == ["Ethernet1/1"], "two others only say the default"


def test_a_capture_without_what_is_no_configuration() -> None:
    found = one("captured.log")
    _, ports = carried("captured.log")
    assert (found.device.name, ports) == ("leaf-07", ["Ethernet1/1", "Ethernet1/33"])
    assert found.neighbours["Ethernet1/33"] == ("spine-07", "Ethernet1/7")
    watchdog = found.device.top("priority-flow-control", "watch-dog-interval", "on")
    assert watchdog is not None, "the line behind the pager's mark"
    assert found.source[watchdog.number - 1].endswith("priority-flow-control watch-dog-interval on")
    assert found.device.network is not None, "the scheduler's job is not entered"


@pytest.mark.parametrize("name", ["fcoe.cfg", "voice.cfg", "dashboard.cfg"])
def test_other_uses_of_the_same_commands_are_no_roce(name: str) -> None:
    assert one(name).device.lossless is None


def test_what_another_controller_writes_is_told_by_lines() -> None:
    owned = one("dashboard.cfg").owned
    assert [(part.first, part.last) for part in owned] == [(5, 7), (9, 9), (10, 11), (12, 17)]
    assert {part.controller for part in owned} == {"Nexus Dashboard Fabric Controller"}


def test_a_cutting_is_judged_for_what_stands_in_it(tmp_path: Path) -> None:
    cut = tmp_path / "cut.txt"
    cut.write_text((CONFIGS / "fragment.txt").read_text().replace("control mode on", "control mode off"))
    (found,) = judge(read([cut]))
    assert (found.rule.id, found.line) == ("fabric-pfc-on-every-hop", 5)


@pytest.mark.parametrize("release", ["6.0(2)U6(1)", "7.3(5)N1(1)", "8.2(2)"])
def test_other_families_are_left_to_their_own_rules(release: str, tmp_path: Path) -> None:
    other = tmp_path / "other.cfg"
    other.write_text(f"version {release}\nhostname other\n" + (CONFIGS / "fragment.txt").read_text())
    (found,) = read([other]).configurations
    assert found.device.lossless is None
    assert release in found.notes[0]


NOISE = (
    b"interface\n", b"interface Ethernet\n", b"interface Ethernet1/1-\n", b"interface Ethernet1/9-1\n",
    b"interface Ethernet1/1-999999999\n", b"no\n", b"!\n", b" deep\n  deeper\n shallow\nnone\n", b"policy-map\n",
    b"policy-map type\n", b"policy-map type qos\n  class\n    set\n    set qos-group\n",
    b"class-map type qos\n  match\n",
    b"class-map type qos x\n  match dscp\n  match dscp 99-1,a-b\n  match cos x\n  match qos-group\n",
    b"system qos\n  service-policy\n  service-policy type\n  service-policy type qos input\n", b"vpc domain\n",
    b"vpc domain 1\n  peer-keepalive\n  peer-keepalive destination\n", b"router bgp\n  neighbor\n  address-family\n",
    b"policy-map type queuing q\n  class type queuing c-out-8q-q3\n    random-detect minimum-threshold\n",
    b"policy-map type queuing q\n  class type queuing c-out-8q-q3\n    bandwidth x\n",
    b"policy-map type network-qos n\n  class type network-qos c-8q-nq3\n    pause pfc-cos\n    pause\n    mtu x\n",
    b"banner motd\n", b"banner motd #\n", b"-----BEGIN X-----\n", b"port-profile\n", b"hostname\n", b"\xff\xfe\x00",
    b"interface Ethernet1/1\n  channel-group\n  channel-group 1\n  inherit port-profile a\n  vpc\n  mtu\n",
    b"port-profile type ethernet a\n  inherit port-profile b\nport-profile type ethernet b\n  inherit port-profile a\n",
    b"interface port-channel1\n  channel-group 1\ninterface Ethernet1/1\n  channel-group 1\n", b"switch-profile x\n",
    b"vlan configuration\n  service-policy type qos input\n", b"default interface\n", b"vrf context\n",
    "é ü\n".encode(), b"interface Vlan1.1\n  no shutdown\n", b"interface Vlan\n  no shutdown\n",
    b"vlan\nvlan x\nvlan 1-\n",
    b"interface Ethernet1/1\n  switchport\n  switchport access vlan x\n",
    b"interface Ethernet1/1\n  switchport mode trunk\n  switchport trunk allowed vlan 9-x,,none\n",
    b"interface Ethernet1/1\n  switchport mode trunk\n  switchport trunk native vlan\n  switchport access vlan\n",
    b"vrf context t\n  vni\n  vni x\n", b"vlan 5\n  vn-segment\n  vn-segment x\n",
    b"interface nve1\n  member vni\n  member vni x associate-vrf\n  source-interface\n",
    b"router bgp x\n  neighbor 1\n    bfd x\n  vrf\n    neighbor\n", b"router ospf\n  bfd\n", b"feature\nno feature\n",
    b"interface Ethernet1/1\n  bfd\n  bfd interval x min_rx multiplier\n  ip address\n  ip address 1.2.3\n",
    b"interface port-channel\n  vpc x\ninterface port-channel1.1\n  vpc 1\n", b"interface Ethernet1/1/1.7\n  mtu 9\n",
    b"interface Ethernet1/1\n  channel-group x mode on\n  channel-group 1 mode\n  lacp\n",
)  # fmt: skip


@pytest.mark.parametrize("noise", NOISE, ids=range(len(NOISE)))
@pytest.mark.parametrize("name", ["typed.cfg", "bonded.cfg", "flat.txt"])
def test_no_line_makes_it_fail(name: str, noise: bytes, tmp_path: Path) -> None:
    """Each broken piece before, inside and behind a whole configuration."""
    whole = (CONFIGS / name).read_bytes()
    middle = whole.index(b"\n", len(whole) // 2) + 1
    for number, data in enumerate((noise + whole, whole[:middle] + noise + whole[middle:], whole + noise, noise)):
        path = tmp_path / f"{number}.cfg"
        path.write_bytes(data)
    judge(read(sorted(tmp_path.iterdir())))
