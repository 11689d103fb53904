"""The storage pair's port channels and what a host makes of its two interfaces there: nothing, a bond, half of one."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.cli import world as worlds
from podwright.components import model
from podwright.components.design import fabric
from podwright.lab.openshift.install.hosts import members_of
from podwright.lab.world.inventory import Bond
from tests.design.compute.test_storage_bonds import TAGGED, changed, network
from tests.lab.rack import Rack
from tests.model.changes import drop
from tests.model.storage_bond_cases import MACS

HOST, PEERS = "gpu-01", ("stor-01", "stor-02")
PORT, CHANNEL = "Ethernet1/1", "101"
BOTH = [(peer, PORT) for peer in PEERS]


class Site:
    """The storage pair as the plan configures it, with the one server at its ports."""

    def __init__(self, folder: Path) -> None:
        self.said = changed(TAGGED, drop("fabric/baseline"), drop("fabric/dlb"))
        cluster = model.load(copy.deepcopy(self.said))
        plan = fabric.plan(cluster.network)
        (folder / "world.yaml").write_text(worlds.text(cluster))
        self.made = Rack(configured=False, path=folder / "world.yaml")
        self.world = self.made.world
        for peer in PEERS:
            self.made.type(peer, *plan.switch(peer).text().splitlines())

    def boots(self, *bonds: Bond) -> None:
        host = self.world.hosts[HOST]
        host.power, host.state = "On", "running"
        self.world.runs(HOST, bonds)

    def installed(self, *macs: str) -> None:
        """The host runs what the design gives it, with these addresses in the file."""
        found = copy.deepcopy(network(self.said))
        found["interfaces"] |= dict(zip(("stor0", "stor1"), macs, strict=True))
        named = [{"name": nic, "macAddress": mac} for nic, mac in found["interfaces"].items()]
        host: dict[str, Any] = {"hostname": HOST, "interfaces": named, "networkConfig": found["state"]}
        self.boots(*members_of({"hosts": [host]}, self.world)[HOST].bonds)

    def summary(self) -> list[str]:
        found = []
        for peer in PEERS:
            lines = self.made.show(peer, "show port-channel summary").splitlines()
            words = next(line for line in lines if line.startswith(f"{CHANNEL} ")).split()
            found.append(f"{words[1]} {words[4]}")
        return found

    def lost(self, peer: str) -> list[tuple[str, str]]:
        """What carries the host's storage traffic without one of the peers."""
        self.made.devices[peer].faults.down = True
        try:
            return self.world.legs(HOST, MACS[0])
        finally:
            self.made.devices[peer].faults.down = False


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    yield made
    made.world.close()


def test_interfaces_from_the_factory_are_in_no_bundle_and_nx_os_suspends_their_ports(site: Site) -> None:
    site.boots()
    assert site.summary() == ["Po101(SD) Eth1/1(s)"] * 2
    assert site.world.legs(HOST, MACS[0]) == site.world.legs(HOST, MACS[1]) == []
    site.world.hosts[HOST].state = "post"
    assert site.summary() == ["Po101(SD) Eth1/1(s)"] * 2, "nor does firmware speak LACP"


def test_the_planned_bond_is_in_the_bundle_of_both_and_has_every_vlan_of_the_port(site: Site) -> None:
    site.installed(*MACS)
    assert site.summary() == ["Po101(SU) Eth1/1(P)"] * 2
    assert site.world.legs(HOST, MACS[0]) == site.world.legs(HOST, MACS[1]) == BOTH
    assert {vlan: site.world.legs(HOST, MACS[0], vlan) for vlan in (20, 21, 30)} == {20: BOTH, 21: BOTH, 30: []}
    for peer in PEERS:
        site.made.type(peer, f"interface port-channel{CHANNEL}", "switchport trunk allowed vlan 20")
    assert site.world.legs(HOST, MACS[0], 21) == [], "a VLAN of the host that the pair does not bring it"


def test_either_storage_leaf_may_go(site: Site) -> None:
    site.installed(*MACS)
    assert [site.lost(peer) for peer in PEERS] == [BOTH[1:], BOTH[:1]]


def test_an_address_that_no_interface_has_leaves_its_port_suspended(site: Site) -> None:
    site.installed(MACS[0], "02:00:00:00:04:99")
    assert site.summary() == ["Po101(SU) Eth1/1(P)", "Po101(SD) Eth1/1(s)"]
    assert [site.lost(peer) for peer in PEERS] == [[], BOTH[:1]], "the first leaf takes the host along"


def test_interfaces_in_two_bonds_are_in_no_common_bundle(site: Site) -> None:
    """Swapped with somebody else's: each leaf sees another system, and the host's storage has one leg."""
    site.boots(Bond("802.3ad", frozenset({MACS[0]})), Bond("active-backup", frozenset({MACS[1]})))
    assert site.summary() == ["Po101(SU) Eth1/1(P)", "Po101(SD) Eth1/1(s)"]


def test_what_carries_the_machine_network_is_not_what_carries_storage(site: Site) -> None:
    """A host that the frontend has lost is lost, however well it reaches its storage."""
    site.installed(*MACS)
    assert site.world.legs(HOST) == []
    assert not site.world.carries(HOST)


def test_a_world_made_from_a_stack_has_these_interfaces_on_both_leaves_and_no_others(site: Site) -> None:
    nics = site.world.servers[HOST].nics
    assert {name: nic.mac for name, nic in nics.items() if name.startswith("to-")} == dict(
        zip(("to-stor-01", "to-stor-02"), MACS, strict=True)
    )
    assert [site.world.neighbor(peer, PORT) for peer in PEERS] == [(HOST, "to-stor-01"), (HOST, "to-stor-02")]
    others = (nic for name, server in site.world.servers.items() if name != HOST for nic in server.nics)
    assert not [nic for nic in others if nic.startswith("to-")]
