from __future__ import annotations

import pytest

from podwright.components.providers.nxos.read.blocks import (
    IndentError,
    listed,
    members,
    parse,
    parse_lines,
    render,
    text_of,
)
from podwright.components.providers.nxos.read.resemblance import resembling
from podwright.components.providers.nxos.read.spelling import header, is_blank, same
from podwright.components.providers.nxos.write.change import with_foreign
from podwright.components.providers.nxos.write.remediation import remediation
from tests.providers.nxos.forms import config


def lines(live: str, want: str, *gone: str) -> str:
    return "\n".join(map(str, remediation(config(live), config(want), gone)))


QUEUE = """
policy-map type queuing QOS_EGRESS_PORT
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold {low} kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q7
    priority level 1
"""


def test_the_header_lines_of_a_running_configuration_are_not_configuration() -> None:
    text = "\n!Command: show running-config\n!Time: now\n\nversion 10.4(5) Bios:version 01.07\nhostname leaf-01\n"
    assert parse(text) == {"hostname leaf-01": ()}


def test_vlans_come_one_by_one_however_they_are_listed() -> None:
    assert list(parse("vlan 1,10-12\nvlan 11\n  name storage\n")) == ["vlan 1", "vlan 10", "vlan 11", "vlan 12"]
    assert render(parse("vlan 1,10-12\nvlan 11\n  name storage\n")["vlan 11"]) == "name storage"


def test_text_inside_a_banner_is_not_configuration() -> None:
    assert list(parse("banner motd ^\ninterface Ethernet1/1\n  shutdown\n^\nfeature bgp")) == [
        "banner motd ^interface Ethernet1/1 shutdown^",
        "feature bgp",
    ]


def test_what_is_parsed_renders_back() -> None:
    text = (
        "router bgp 64601\n  router-id 10.0.0.1\n  neighbor 10.2.0.1\n"
        "    remote-as 65001\n    address-family ipv4 unicast\n      allowas-in 1"
    )
    assert text_of(parse(text)) == text


@pytest.mark.parametrize("text", ["a\n    b\n  c", "  a\nb"])
def test_an_indent_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(IndentError, match="indented"):
        parse_lines(text)


def test_lists_of_numbers_have_one_spelling() -> None:
    assert members("10-12,1") == [1, 10, 11, 12]
    assert listed([12, 1, 11, 10]) == "1,10-12"


@pytest.mark.parametrize(
    ("device", "design"),
    [
        ("interface Ethernet1/1\n  mtu 9216", "interface ethernet 1/1\n  mtu 9216"),
        ("interface Ethernet1/1\n  mtu 9216", "interface Eth1/1\n  mtu   9216"),
        ("interface port-channel10", "interface Po10"),
        ("interface Vlan10\n  no shutdown", "interface vlan 10\n  no shutdown"),
        ("interface Ethernet1/1\n  speed auto\n  mtu 9216\n  switchport", "interface Ethernet1/1\n  mtu 9216"),
        ("interface Ethernet1/1\n  no switchport", "interface Ethernet1/1\n  no switchport\n  shutdown"),
        ("interface Ethernet1/1", "interface Ethernet1/1\n  no shutdown"),
        ("interface loopback0", "interface loopback0\n  no shutdown"),
        ("interface Ethernet1/1\n  priority-flow-control mode auto", "interface Ethernet1/1"),
        ("class-map type qos match-any X\n  match dscp 26", "class-map type qos match-any X\n  match dscp af31"),
        ("class-map type qos match-all X", "class-map type qos X"),
        ("interface Ethernet1/1\n  switchport trunk allowed vlan 10-12",
         "interface Ethernet1/1\n  switchport trunk allowed vlan 12,10,11"),
        ("router bgp 1\n  neighbor Ethernet1/33\n    remote-as 2", "router bgp 1\n  neighbor eth1/33\n    remote-as 2"),
        ("policy-map type network-qos q\n  class type network-qos c-8q-nq3\n    mtu 1500\n    pause pfc-cos 3",
         "policy-map type network-qos q\n  class type network-qos c-8q-nq3\n    pause pfc-cos 3"),
        ("router bgp 1\n  router-id 1.1.1.1\n  log-neighbor-changes",
         "router bgp 1\n  log-neighbor-changes\n  router-id 1.1.1.1"),
    ],
)  # fmt: skip
def test_spelling_order_and_defaults_are_not_drift(device: str, design: str) -> None:
    assert lines(device, design) == ""
    assert lines(design, device) == ""


@pytest.mark.parametrize(
    ("device", "design"),
    [
        ("interface Ethernet1/1\n  mtu 9215", "interface Ethernet1/1\n  mtu 9216"),
        ("interface Ethernet1/1\n  description rail0", "interface Ethernet1/1\n  description Rail0"),
        ("interface Ethernet1/1\n  no switchport", "interface Ethernet1/1\n  no switchport\n  no shutdown"),
        ("interface Ethernet1/1\n  shutdown", "interface Ethernet1/1"),
        ("class-map type qos match-any X\n  match dscp 24", "class-map type qos match-any X\n  match dscp 26"),
        ("policy-map type qos P\n  class A\n  class B", "policy-map type qos P\n  class B\n  class A"),
        ("route-map po10 permit 10", "route-map Po10 permit 10"),
    ],
)
def test_a_changed_digit_state_or_class_order_is_drift(device: str, design: str) -> None:
    assert lines(device, design) != ""


def test_ecn_is_overwritten_and_never_taken_away() -> None:
    assert lines(QUEUE.format(low=150), QUEUE.format(low=950)) == (
        "policy-map type queuing QOS_EGRESS_PORT\n"
        "  class type queuing c-out-8q-q3\n"
        "  random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn\n"
        "  exit"
    )


def test_policies_are_swapped_without_a_gap() -> None:
    live = "system qos\n  service-policy type network-qos old"
    assert lines(live, "system qos\n  service-policy type network-qos new") == (
        "system qos\n  service-policy type network-qos new"
    )


def test_what_others_refer_to_is_made_first_and_removed_last() -> None:
    want = """
interface Ethernet1/1
  no switchport
  mtu 9216
  vrf member tenant
  ip address 10.2.0.0/31
  service-policy type qos input P
  no shutdown
router bgp 64601
  router-id 10.0.0.1
system qos
  service-policy type network-qos N
policy-map type network-qos N
  class type network-qos c-8q-nq3
    pause pfc-cos 3
policy-map type qos P
  class C
    set qos-group 3
class-map type qos match-any C
  match dscp 26
vrf context tenant
feature bgp
"""
    made = remediation({}, config(want))
    assert [section.header.split(" type ")[0] for section in made] == [
        "feature bgp",
        "vrf context tenant",
        "class-map",
        "policy-map",
        "policy-map",
        "system qos",
        "interface Ethernet1/1",
        "router bgp 64601",
    ]
    port = next(section.lines for section in made if section.header == "interface Ethernet1/1")
    assert port[:2] == ("no switchport", "vrf member tenant")
    assert port[-1] == "no shutdown"
    gone = remediation(config(want), {}, list(config(want)))
    assert [str(section) for section in gone] == [
        "no router bgp 64601",
        "default interface Ethernet1/1",
        "system qos\n  no service-policy type network-qos N",
        "no policy-map type network-qos N",
        "no policy-map type qos P",
        "no class-map type qos match-any C",
        "no vrf context tenant",
        "no feature bgp",
    ]


def test_the_line_to_our_own_session_is_never_cut() -> None:
    text = "interface mgmt0\n  vrf member management\n  ip address 192.0.2.11/24"
    assert remediation(config(text), {}, list(config(text))) == ()


def test_a_value_that_moves_to_another_line_is_not_reset_by_removing_the_old_one() -> None:
    live, want = "priority-flow-control watch-dog interval 100", "priority-flow-control watch-dog interval 200"
    assert lines(live, want, live) == want


def test_a_new_asn_needs_the_old_process_gone_first() -> None:
    assert lines("router bgp 1\n  router-id 1.1.1.1", "router bgp 2\n  router-id 1.1.1.1", "router bgp 1") == (
        "no router bgp 1\nrouter bgp 2\n  router-id 1.1.1.1"
    )


def test_a_class_out_of_order_is_taken_out_and_entered_again() -> None:
    live = "policy-map type qos P\n  class B\n    set qos-group 1\n  class A\n    set qos-group 3"
    want = "policy-map type qos P\n  class A\n    set qos-group 3\n  class B\n    set qos-group 1"
    assert lines(live, want) == ("policy-map type qos P\n  no class B\n  class B\n  set qos-group 1\n  exit")


def test_a_port_that_turns_routed_says_its_admin_state() -> None:
    want = "interface Ethernet1/1\n  no switchport\n  ip address 10.2.0.0/31\n  no shutdown"
    assert lines("interface Ethernet1/1", want) == want


def test_an_owned_interface_loses_what_the_design_does_not_say() -> None:
    live = "interface Ethernet1/1\n  mtu 9216\n  description by hand\n  no ip redirects"
    assert lines(live, "interface Ethernet1/1\n  mtu 9216") == (
        "interface Ethernet1/1\n  no description by hand\n  ip redirects"
    )


def test_a_new_loopback_exists_even_when_nothing_is_said_of_it() -> None:
    assert lines("", "interface loopback7") == "interface loopback7"
    assert lines("", "interface Ethernet1/7") == ""


def test_a_blank_port_is_nobody_s() -> None:
    port = "interface Ethernet1/1"
    assert is_blank(port, config(f"{port}\n  switchport")[port])
    assert not is_blank(port, config(f"{port}\n  switchport", "routed-shut")[port])
    assert is_blank(port, config(f"{port}\n  no switchport\n  shutdown", "routed-shut")[port])
    assert not is_blank(port, config(f"{port}\n  mtu 9216")[port])
    assert not is_blank("feature bgp", ())


def test_names_of_objects_keep_their_case_and_spelling() -> None:
    assert header("policy-map type qos po10") == "policy-map type qos po10"
    assert header("route-map eth1 permit 10") == "route-map eth1 permit 10"


def test_drift_is_told_in_the_spec_s_order() -> None:
    spec = "description rail0\nno switchport\nmtu 9216\npriority-flow-control mode on\nno shutdown"
    device = (
        "no switchport\npriority-flow-control mode on\nmtu 9000\nip redirects\nbfd interval 50 min_rx 50 multiplier 3"
    )
    port = "interface Ethernet1/1"
    live = config(port + "\n" + "\n".join(f"  {line}" for line in device.splitlines()))
    assert resembling(port, spec, live[port]).splitlines() == [
        "no switchport",
        "mtu 9000",
        "priority-flow-control mode on",
        "shutdown",
        "bfd interval 50 min_rx 50 multiplier 3",
    ]


def test_every_remediation_undoes_to_where_it_began() -> None:
    live, want = config(QUEUE.format(low=150)), config(QUEUE.format(low=950) + "\nfeature bfd")
    assert same("x", live["policy-map type queuing QOS_EGRESS_PORT"], live["policy-map type queuing QOS_EGRESS_PORT"])
    assert [s.header for s in remediation(want, live, want)] == [
        "policy-map type queuing QOS_EGRESS_PORT",
        "no feature bfd",
    ]


def test_half_a_list_that_changes_is_nobody_else_s_line() -> None:
    before, half, want = (parse_lines(f"match dscp {values}") for values in ("26", "24,26", "24"))
    assert with_foreign(before, half, want) == before
    theirs = parse_lines("match dscp 24,26,28")
    assert render(with_foreign(before, theirs, want)) == "match dscp 26,28"
