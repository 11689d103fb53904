"""A lab of any switches, their texts typed in, whose cables are those of a plan or of a capture."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.view import LiveView
from podwright.lab.variants import chosen
from podwright.lab.world.inventory import Cable, End, Nic, Server, Switch
from podwright.lab.world.load import Inventory
from podwright.lab.world.model import World
from podwright.lab.world.views import RoutingView
from tools.ground_truth.paste import HEADER, REFUSED
from tools.mutants.gates import REFUSALS

_GBPS = 400


@dataclass(frozen=True)
class Racked:
    """A switch to put into a rack."""

    model: str
    release: str
    management: str
    text: str
    links: Mapping[str, End]
    """Its cables: own port to the device and port at the far end."""


class _Typed(LiveView):
    """A switch that was typed once and is not changed: its routing is read once."""

    @cached_property
    def _routing(self) -> RoutingView:
        return super().routing()

    def routing(self) -> RoutingView:
        """Routing configuration."""
        return self._routing


class Rack:
    """Switches that run what was typed; every one can be given another text for a while."""

    def __init__(self, racked: Mapping[str, Racked], ports: str) -> None:
        """`ports` is the form of ports that nobody configured (lab/variants.py)."""
        self.racked = racked
        switches = {
            name: Switch(name, each.model, f"FDO{at:08}", each.release, each.management)
            for at, (name, each) in enumerate(racked.items(), 1)
        }
        servers: dict[str, Server] = {}
        cables = list(_cables(racked, servers))
        self.world = World(Inventory("rack", switches, servers, cables, {}, {}, {}, chosen({"ports": ports})))
        self.devices: dict[str, Device] = {}
        self.refused: dict[str, list[str]] = {}
        """Lines that a switch did not take."""
        for host in self.world.hosts.values():
            host.power = "On"
        for name, each in racked.items():
            self.type(name, each.text)

    def type(self, name: str, text: str) -> None:
        """Replace a switch by a new one with this text."""
        device = build(self.world, self.world.switches[name], "admin", "none", "192.0.2.1")
        self.put(name, device)
        session = Session(device, quiet=True, dont_ask=True)
        session.run("configure terminal")
        lines = [line for line in text.splitlines() if not HEADER.match(line)]
        self.refused[name] = [line for line in lines if _refused(session.run(line))]
        self.put(name, device)

    def put(self, name: str, device: Device) -> None:
        """Let a switch be this one."""
        self.devices[name] = device
        device.peers = self.devices
        self.world.attach_switch(name, _Typed(device))


def _refused(answer: str) -> bool:
    return bool(REFUSED.search(answer)) or any(mark in answer for mark in REFUSALS)


def _cables(racked: Mapping[str, Racked], servers: dict[str, Server]) -> Iterable[Cable]:
    for name, each in racked.items():
        for port, (device, far) in each.links.items():
            if device not in racked:
                host = servers.setdefault(device, Server(device, "", "", "", "", ""))
                host.nics[f"{name}-{port}"] = Nic(f"{name}-{port}", _GBPS, "02:00:00:00:00:00")
                yield Cable((name, port), (device, f"{name}-{port}"), _GBPS)
            elif (name, port) < (device, far):
                yield Cable((name, port), (device, far), _GBPS)
