"""A rack for tests: switches of the lab's world with a fabric typed into them, no SSH, all servers powered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.view import LiveView
from podwright.lab.world.model import World

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / "lab" / "worlds" / "lab.yaml"
SWITCHED = {"ports": "layer2-up"}
"""The form of ports in which tests of the lab itself type: a configuration that leaves layer and state to it."""

QOS = """
feature bgp
feature bfd
feature lldp
priority-flow-control watch-dog-interval on
class-map type qos match-any ROCEv2
  match dscp 26
class-map type qos match-any CNP
  match dscp 48
policy-map type qos QOS_CLASSIFICATION
  class ROCEv2
    set qos-group 3
  class CNP
    set qos-group 7
  class class-default
    set qos-group 0
policy-map type network-qos qos_network
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing QOS_EGRESS_PORT
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 50
  class type queuing c-out-8q-q7
    priority level 1
system qos
  service-policy type queuing output QOS_EGRESS_PORT
  service-policy type network-qos qos_network
route-map redis-map permit 10
"""
PORT = """
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input QOS_CLASSIFICATION
  no shutdown
"""


def lines_of(world: World, name: str) -> list[str]:
    """The configuration of one switch: routed ports to hosts and spines, eBGP over every uplink."""
    number = list(world.switches).index(name)
    text = QOS
    neighbors = ""
    for cable in world.cables:
        for mine, far in ((cable.a, cable.b), (cable.b, cable.a)):
            if mine[0] != name:
                continue
            address, peer, asn = _addresses(world, mine, far)
            text += f"interface {mine[1]}\n  no switchport{PORT}  ip address {address}\n"
            if peer:
                neighbors += f"  neighbor {peer}\n    remote-as {asn}\n    address-family ipv4 unicast\n"
    text += f"router bgp {64601 + number}\n  router-id 10.0.0.{number + 1}\n  address-family ipv4 unicast\n"
    text += f"    redistribute direct route-map redis-map\n    maximum-paths 64\n{neighbors}"
    return [line for line in text.splitlines() if line.strip()]


def _addresses(world: World, mine: tuple[str, str], far: tuple[str, str]) -> tuple[str, str, int]:
    names = list(world.switches)
    port = int(mine[1].rpartition("/")[2])
    if far[0] not in world.switches:
        return f"10.{10 + names.index(mine[0])}.{port}.1/24", "", 0
    spine, leaf = (mine, far) if mine[0].startswith("spine") else (far, mine)
    base = f"10.{100 + names.index(spine[0])}.{spine[1].rpartition('/')[2]}"
    own, peer = (0, 1) if mine == leaf else (1, 0)
    return f"{base}.{own}/31", f"{base}.{peer}", 64601 + names.index(far[0])


class Rack:
    """Devices by name, and a console to type at."""

    def __init__(self, configured: bool = True, path: Path = LAB, world: World | None = None) -> None:
        self.world = world or World.load(path, variants=SWITCHED)
        self.devices: dict[str, Device] = {}
        for name, switch in self.world.switches.items():
            self.devices[name] = build(self.world, switch, "admin", "secret", "192.0.2.1")
            self.devices[name].peers = self.devices
            self.world.attach_switch(name, LiveView(self.devices[name]))
            if configured:
                self.type(name, *lines_of(self.world, name))
        for host in self.world.hosts.values():
            host.power = "On"

    def type(self, name: str, *lines: str) -> str:
        """Type configuration lines; anything the switch prints fails the test that did not expect it."""
        answer = self.console(name, *lines)
        assert not answer, answer
        return answer

    def console(self, name: str, *lines: str) -> str:
        """Type configuration lines and return what the switch printed."""
        session = Session(self.devices[name], quiet=True, dont_ask=True)
        session.run("configure terminal")
        return "".join(session.run(line) for line in lines)

    def show(self, name: str, command: str) -> str:
        """Output of one exec command."""
        return Session(self.devices[name], quiet=True).run(command)


def racks() -> Iterator[Rack]:
    """A fresh configured rack."""
    rack = Rack()
    yield rack
    rack.world.close()
