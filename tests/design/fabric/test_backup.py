"""The routed path between two vPC peers: on both peers the same path, advertised routes and the gateways' delay."""

from ipaddress import IPv4Network

import yaml

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import backup
from podwright.components.design.fabric.verification import verified
from tools.generated import ROOT

SAID = yaml.safe_load((ROOT / "tests/examples/pairs/Pulumi.pairs.yaml").read_text())["config"]["podwright:cluster"]
SAID["fabric"]["storage"]["vpc"]["backup"] = {"subnet": "10.255.1.8/30"}
PAIRS = model.load(SAID)
PLAN = fabric.plan(PAIRS.network)


def test_the_peers_speak_bgp_over_a_vlan_on_the_peer_link_alone() -> None:
    one, two = (PLAN.switch(name).config for name in ("front-01", "front-02"))
    assert "ip address 10.255.0.9/30" in one["interface Vlan3900"]
    assert "ip address 10.255.0.10/30" in two["interface Vlan3900"]
    assert "neighbor 10.255.0.10\n  remote-as 64902" in one["router bgp 64901"]
    assert "neighbor 10.255.0.9\n  remote-as 64901" in two["router bgp 64902"]
    carrying = [line for line, text in one.items() if "trunk allowed vlan" in text and "3900" in text]
    assert carrying == []
    assert "switchport trunk allowed" not in one["interface port-channel10"]


def test_a_peer_advertises_what_is_behind_its_own_routed_ports() -> None:
    one, two = (PLAN.switch(name).config for name in ("front-01", "front-02"))
    advertised = [line for line in one if line.startswith("ip prefix-list")]
    assert advertised == [
        f"ip prefix-list {backup.ADVERTISED} seq 5 permit 0.0.0.0/0",
        f"ip prefix-list {backup.ADVERTISED} seq 10 permit 10.255.0.0/31",
    ]
    assert "  redistribute static route-map BACKUP_ADVERTISED" in one["router bgp 64901"]
    assert "  default-information originate" in one["router bgp 64901"]
    assert not [line for line in two if line.startswith(("ip prefix-list", "route-map"))]
    assert "redistribute" not in two["router bgp 64902"]


def test_a_route_that_is_no_default_route_is_advertised_without_originating_one() -> None:
    text = PLAN.switch("stor-01").config["router bgp 64911"]
    assert "redistribute static" in text
    assert "default-information" not in text
    pair = PAIRS.fabric.storage
    assert pair is not None
    assert backup._advertised(pair, "stor-01") == [IPv4Network("10.21.0.0/30"), IPv4Network("10.22.0.0/24")]


def test_the_session_is_looked_at() -> None:
    links = verified(PAIRS.network, PLAN, PLAN.switch("front-02"))["links"]
    session = links["Vlan3900"]
    assert (session.neighbor, session.protocol, session.session) == ("10.255.0.9", "bgp", True)


def test_gateways_wait_for_routes_after_a_reload_and_are_there_before_hosts() -> None:
    for switch in PLAN.switches:
        if switch.role in ("frontend-leaf", "storage-leaf"):
            (domain,) = (text for line, text in switch.config.items() if line.startswith("vpc domain"))
            assert "delay restore 150\ndelay restore interface-vlan 45" in domain


def test_a_pair_without_a_path_has_no_routing() -> None:
    breakout = model.load(ROOT / "tests/examples/breakout/Pulumi.breakout.yaml")
    config = fabric.plan(breakout.network).switch("front-01").config
    assert not [line for line in config if line.startswith(("router ", "feature bgp"))]
