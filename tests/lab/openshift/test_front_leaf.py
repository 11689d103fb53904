"""A front leaf is lost while the cluster stands: hosts with a bond stay reachable, and one without it does not.

Switches carry what the design writes for ports to hosts: a port channel by LACP on both peers, whose members pass
traffic alone while nobody at the far end speaks LACP.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design.compute import host_network
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.view import LiveView
from podwright.lab.openshift.heartbeats import SILENT_SECONDS
from tests.lab.openshift.rack import Rack, node_ready, world_file

pytestmark = pytest.mark.rough

PEERS = ("front-01", "front-02")
PLAIN = "gpu-2"
"""The host that was installed with one interface, as before hosts had bonds."""


class Site(Rack):
    """A rack whose hosts are cabled to both leaves of a pair."""

    def __init__(self, directory: Path) -> None:
        self._cabled = False
        super().__init__(directory)
        self.leaves: dict[str, Device] = {}
        for name in PEERS:
            switch = self.world.switches[name]
            leaf = self.leaves[name] = build(self.world, switch, "admin", "secret", "192.0.2.1")
            self.world.attach_switch(name, LiveView(leaf))
        for leaf in self.leaves.values():
            leaf.peers = self.leaves
        for number, _ in enumerate(self.world.servers, 1):
            for name in PEERS:
                self._type(
                    name, "feature lacp", f"interface port-channel{100 + number}", "switchport",
                    "switchport mode trunk", "no lacp suspend-individual",
                    f"interface Ethernet1/{number}", "switchport", "switchport mode trunk",
                    f"channel-group {100 + number} mode active", "no shutdown",
                )  # fmt: skip

    def _type(self, name: str, *lines: str) -> None:
        session = Session(self.leaves[name], quiet=True, dont_ask=True)
        answers = [session.run(line) for line in ("configure terminal", *lines)]
        assert not "".join(answers), answers

    def configs(self) -> tuple[dict[str, Any], dict[str, Any]]:
        install, agent = super().configs()
        for host, (name, server) in zip(agent["hosts"], self.world.servers.items(), strict=True):
            if name == PLAIN:
                continue
            macs = [server.nics[nic].mac for nic in ("mgmt0", "mgmt1")]
            (address,) = (each["ipv4"] for each in host["networkConfig"]["interfaces"])
            bond = host_network._bond("802.3ad", 9000) | {"ipv4": address}
            nics = [host_network._nic(each, 9000) for each in host_network.NICS]
            host["networkConfig"] = {"interfaces": [*nics, bond]}
            host["interfaces"] = [
                {"name": nic, "macAddress": mac} for nic, mac in zip(host_network.NICS, macs, strict=True)
            ]
        return install, agent

    def switch(self, name: str, down: bool) -> None:
        self.leaves[name].faults.down = down

    def ready(self) -> dict[str, str]:
        return {node["metadata"]["name"].partition(".")[0]: node_ready(node) for node in self.items("nodes")}


def cabled(path: Path) -> Path:
    """The world of a rack with a pair of front leaves, a leg of each host on both."""
    world = yaml.safe_load(world_file(path).read_text())
    for number, name in enumerate(PEERS, 1):
        world["switches"][name] = {**world["switches"]["leaf-01"], "serial": f"FDO0000001{number}",
                                   "management": f"192.0.2.{12 + number}"}  # fmt: skip
    for number, (name, server) in enumerate(world["servers"].items(), 1):
        server["nics"]["mgmt1"] = {
            **server["nics"]["mgmt0"], "mac": f"02:00:00:00:01:{number:02x}", "pci": "0000:01:00.1",
        }  # fmt: skip
        world["cables"] += [[f"{leaf}:Ethernet1/{number}", f"{name}:mgmt{side}", 25] for side, leaf in enumerate(PEERS)]
    path.write_text(yaml.safe_dump(world))
    return path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tests.lab.openshift.rack.world_file", lambda path, **_: cabled(path))
        made = Site(tmp_path_factory.mktemp("front"))
    try:
        made.install()
        yield made
    finally:
        made.close()


def test_01_every_bonded_host_has_a_leg_on_both_leaves(site: Site) -> None:
    legs = {name: [end[0] for end in site.world.legs(name)] for name in site.world.servers}
    assert legs == {name: list(PEERS[: 1 if name == PLAIN else 2]) for name in site.world.servers}
    assert set(site.ready().values()) == {"True"}


def test_02_without_the_first_leaf_only_the_host_without_a_bond_is_lost(site: Site) -> None:
    site.switch("front-01", down=True)
    took = site.wait("lost", lambda: site.ready()[PLAIN] == "Unknown", SILENT_SECONDS * 3)
    assert took > 1, "a lease runs out, a node is not lost at once"
    assert {name for name, state in site.ready().items() if state != "True"} == {PLAIN}
    site.kubectl("create", "configmap", "written-meanwhile", "-n", "default")


def test_03_the_host_without_a_bond_comes_back_with_its_leaf_and_restarts_nothing(site: Site) -> None:
    boots = site.world.hosts[PLAIN].boots
    site.switch("front-01", down=False)
    site.wait("back", lambda: set(site.ready().values()) == {"True"})
    assert site.world.hosts[PLAIN].boots == boots


def test_04_without_the_second_leaf_nobody_is_lost(site: Site) -> None:
    site.switch("front-02", down=True)
    with pytest.raises(AssertionError):
        site.wait("lost", lambda: set(site.ready().values()) != {"True"}, SILENT_SECONDS + 4)
    site.switch("front-02", down=False)


def test_05_without_both_nobody_answers_and_everything_comes_back(site: Site) -> None:
    for name in PEERS:
        site.switch(name, down=True)
    site.wait("silent", lambda: "refused" in _error(site) or "timed out" in _error(site), 60)
    for name in PEERS:
        site.switch(name, down=False)
    site.wait("back", lambda: site.ready_nodes() == len(site.world.servers), 90)


def _error(site: Site) -> str:
    return site.kubectl("get", "nodes", "--request-timeout=3s", check=False)
