"""The host's side of a pair's port channel: what its system bonds decides what both peers' ports do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from podwright.components.design.compute import host_network
from podwright.lab.openshift.install.hosts import members_of
from podwright.lab.openshift.uplinks import Uplinks
from podwright.lab.world.inventory import Bond
from podwright.lab.world.model import World
from tests.lab.nxos.test_frontend import PEERS, rack, stack
from tests.lab.rack import Rack

HOST, CHANNEL = "gpu-01", "port-channel101"
PORT = "Ethernet1/1"


class Site:
    """The pair of the production site with one of its servers."""

    def __init__(self, made: Rack) -> None:
        self.made, self.world = made, made.world
        self.macs = [self.world.servers[HOST].nics[f"to-{peer}"].mac for peer in PEERS]
        self.world.servers[HOST].boot_mac = self.macs[0]

    def boots(self, *bonds: Bond) -> None:
        host = self.world.hosts[HOST]
        host.power, host.state = "On", "running"
        self.world.runs(HOST, bonds)

    def types(self, *lines: str) -> None:
        for peer in PEERS:
            self.made.type(peer, f"interface {CHANNEL}", *lines)

    def summary(self) -> list[str]:
        """State of the member on each peer, and of the port channel."""
        found = []
        for peer in PEERS:
            line = next(each for each in show(self.made, peer, "show port-channel summary") if each.startswith("101 "))
            found.append(line.split()[1] + " " + line.split()[4])
        return found

    def lost(self, peer: str) -> list[tuple[str, str]]:
        """What carries the host's traffic without one of the peers."""
        self.made.devices[peer].faults.down = True
        try:
            return self.world.legs(HOST)
        finally:
            self.made.devices[peer].faults.down = False

    def silent_without(self, peer: str) -> bool:
        """Whether the host falls silent when one of the peers has no power; it comes back with it."""
        seen: list[tuple[str, str]] = []
        uplinks = Uplinks(self.world, lambda: (), lambda *what: seen.append(what), lambda _: seen.append((HOST, "On")))
        uplinks.look(HOST)
        self.made.devices[peer].faults.down = True
        uplinks.look(HOST)
        silent = not uplinks.runs(HOST)
        self.made.devices[peer].faults.down = False
        uplinks.look(HOST)
        uplinks.stop()
        assert uplinks.runs(HOST)
        assert seen == ([(HOST, "Off"), (HOST, "On")] if silent else [])
        return silent


def show(made: Rack, switch: str, command: str) -> list[str]:
    text: str = made.show(switch, command)
    return text.splitlines()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(rack(tmp_path, stack(backup=True)))
    yield made
    made.world.close()


def lacp(site: Site) -> Bond:
    return Bond("802.3ad", frozenset(site.macs))


def test_a_host_that_speaks_lacp_is_in_the_bundle_and_a_neighbor_of_both_peers(site: Site) -> None:
    site.boots(lacp(site))
    assert site.summary() == ["Po101(SU) Eth1/1(P)"] * 2
    for peer in PEERS:
        rows = [line for line in show(site.made, peer, "show lacp neighbor") if line.startswith("Eth1/1 ")]
        assert [row.split()[1] for row in rows] == ["65535,0200-0001-0101"], "one system on both peers"
    assert site.world.legs(HOST) == [(peer, PORT) for peer in PEERS]


def test_a_plain_interface_is_individual_where_the_port_lets_it_boot_and_suspended_where_not(site: Site) -> None:
    site.boots()
    assert site.summary() == ["Po101(SD) Eth1/1(I)"] * 2
    assert site.world.legs(HOST) == [("front-01", PORT)]
    site.types("lacp suspend-individual")
    assert site.summary() == ["Po101(SD) Eth1/1(s)"] * 2
    assert site.world.legs(HOST) == []
    brief = next(each for each in show(site.made, "front-01", "show interface brief") if each.startswith("Eth1/1 "))
    assert "down" in brief and "suspended(no LACP PDUs)" in brief


def test_firmware_speaks_no_lacp_and_neither_does_a_host_that_waits_for_its_image(site: Site) -> None:
    site.boots(lacp(site))
    site.world.hosts[HOST].state = "post"
    assert site.summary() == ["Po101(SD) Eth1/1(I)"] * 2
    site.types("lacp suspend-individual")
    assert site.summary() == ["Po101(SD) Eth1/1(s)"] * 2, "what boots over this port cannot"
    site.world.hosts[HOST].state = "live"
    assert site.summary() == ["Po101(SU) Eth1/1(P)"] * 2


def test_a_bond_of_another_mode_sends_no_lacp(site: Site) -> None:
    site.boots(Bond("active-backup", frozenset(site.macs)))
    assert site.summary() == ["Po101(SD) Eth1/1(I)"] * 2
    site.types("lacp suspend-individual")
    assert site.world.legs(HOST) == []


def test_either_front_leaf_may_go_where_the_host_bonds_and_only_the_other_one_where_not(site: Site) -> None:
    site.boots(lacp(site))
    assert [site.lost(peer) for peer in PEERS] == [[("front-02", PORT)], [("front-01", PORT)]]
    site.boots()
    assert [site.lost(peer) for peer in PEERS] == [[], [("front-01", PORT)]]


def test_a_suspended_port_carries_no_traffic(site: Site) -> None:
    site.boots(lacp(site))
    view = site.world.views["front-01"]
    assert not view.port(PORT).suspended
    site.types("lacp suspend-individual")
    assert not view.port(PORT).suspended, "its host speaks LACP"
    site.boots()
    assert view.port(PORT).suspended


def test_the_host_bonds_what_its_agent_config_names(site: Site) -> None:
    agent = {
        "hosts": [
            {
                "hostname": HOST,
                "interfaces": [{"name": f"n{n}", "macAddress": mac} for n, mac in enumerate(site.macs)],
                "networkConfig": {
                    "interfaces": [
                        {"name": "bond0", "type": "bond", "link-aggregation": {"mode": "802.3ad", "port": ["n0", "n1"]}}
                    ]
                },
            }
        ]
    }
    member = members_of(agent, site.world)[HOST]
    site.boots(*member.bonds)
    assert site.summary() == ["Po101(SU) Eth1/1(P)"] * 2


def test_a_host_of_a_world_without_frontend_has_no_legs() -> None:
    from tests.lab.rack import LAB

    world = World.load(LAB)
    try:
        assert world.legs("gpu-01") == []
    finally:
        world.close()


def test_what_the_design_gives_a_host_keeps_it_reached_without_either_leaf(site: Site) -> None:
    cluster = stack(backup=True)
    pair, openshift = cluster.fabric.frontend, cluster.openshift
    assert pair is not None and openshift is not None
    server = cluster.servers[HOST].model_copy(update={"bond_mac": site.macs[1]})
    frontend = host_network.Pairs(pair, cluster.fabric.frontend_mtu)
    network = host_network.spec(HOST, server, openshift, cluster.site, frontend)["network"]
    macs = [{"name": nic, "macAddress": mac} for nic, mac in zip(host_network.NICS, site.macs, strict=True)]
    host = {"hostname": HOST, "interfaces": macs, "networkConfig": network["state"]}
    site.boots(*members_of({"hosts": [host]}, site.world)[HOST].bonds)
    assert [site.silent_without(peer) for peer in PEERS] == [False, False]


def test_a_host_is_silent_without_its_last_leg_and_back_with_the_first(site: Site) -> None:
    site.boots()
    assert [site.silent_without(peer) for peer in PEERS] == [True, False]
    site.boots(lacp(site))
    assert [site.silent_without(peer) for peer in PEERS] == [False, False]


def test_a_host_that_no_cable_of_the_world_carries_is_reached_by_other_means() -> None:
    from tests.lab.rack import LAB

    world = World.load(LAB)
    uplinks = Uplinks(world, lambda: (), lambda *_: None, lambda _: None)
    try:
        world.hosts[HOST].power, world.hosts[HOST].state = "On", "running"
        uplinks.look(HOST)
        assert uplinks.runs(HOST)
    finally:
        uplinks.stop()
        world.close()
