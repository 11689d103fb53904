"""The world: one shared, thread-safe object in which every side of the lab acts.

Sides never talk to each other: the BMC side powers a server, the world boots it, the OpenShift side hears of it.
Every public method takes the world's lock; listeners are called without it, so that they may call back.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from podwright.lab.world import faults, frontend, gpus, notifications, routes, traffic
from podwright.lab.world.interconnects import InterconnectView, Ports
from podwright.lab.world.inventory import (
    MODULE_PORT,
    Bond,
    Cable,
    Cpu,
    End,
    Gpus,
    Host,
    Medium,
    Nic,
    PowerAction,
    Server,
    Switch,
    Vnic,
    WorldError,
)
from podwright.lab.world.load import Inventory, read
from podwright.lab.world.power import PowerPlant
from podwright.lab.world.views import PortView, SwitchView

__all__ = [
    "Cable",
    "Cpu",
    "Gpus",
    "Host",
    "Nic",
    "PortView",
    "Server",
    "Switch",
    "SwitchView",
    "World",
    "WorldError",
]

BootListener = Callable[[str, Medium, Path | None], None]
"""Called as (server, medium, image file or None) when a host has come through power-on self-test."""
PowerListener = Callable[[str, str], None]
"""Called as (server, "On" or "Off") after the power state changed."""
SwapListener = Callable[[str, Server], None]
CertificateListener = Callable[[str, bytes, bytes], None]
"""Told of a server, and of the certificate and the key that its controller is to have, both as PEM text."""
"""Called as (server, the machine that stood there) when another one stands in its place."""
FaultHandler = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Takes the body of POST /fault, returns what was done. Raises WorldError when the request makes no sense."""

COUNTERS = (
    "tx_bytes",
    "rx_bytes",
    "drops",
    "tx_pause",
    "rx_pause",
    "ecn_marked",
    "out_of_sequence",
    "np_cnp_sent",
    "rp_cnp_handled",
    "watchdog",
    "crc",
    *notifications.QUEUES,
)


class World:
    """Inventory, hosts, counters and listeners of one lab."""

    def __init__(self, inventory: Inventory, media: Path | None = None) -> None:
        self.lock = threading.RLock()
        self.name = inventory.name
        self.variants = inventory.variants
        self.switches = inventory.switches
        self.servers = inventory.servers
        self._plugs: dict[End, Cable] = {}
        self.recable(inventory.cables)
        self.credentials = inventory.credentials
        self.cluster = inventory.cluster
        self.unclaimed = inventory.unclaimed
        self.hosts = {name: Host(name) for name in self.servers}
        self.interconnects = inventory.interconnects
        self.chassis = inventory.chassis
        self.interconnect_views = {n: InterconnectView(each.model) for n, each in self.interconnects.items()}
        self.views: dict[str, SwitchView] = dict(self.interconnect_views)
        self.counters: dict[End, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTERS, 0))
        self.cut: set[End] = set()
        self.bad_optics: dict[End, float] = {}
        self.storms: set[End] = set()
        self.gpu_states: dict[str, gpus.GpuState] = {}
        self.gpu_instances: dict[str, dict[int, dict[str, int]]] = {}
        """MIG instances by server, GPU and profile; a GPU without is whole."""
        """Of servers whose GPUs are not in order."""
        self.routes: dict[str, str] = {}
        """Site address "host:port" to loopback "host:port": how a BMC reaches a published image."""
        self.on_boot: list[BootListener] = []
        self.on_power: list[PowerListener] = []
        self.on_swap: list[SwapListener] = []
        self.on_certificate: list[CertificateListener] = []
        self.fault_handlers: dict[str, FaultHandler] = {}
        self.dark_feeds: set[str] = set()
        faults.register(self)
        self.post_seconds = float(inventory.timing.get("post_seconds", 0.5))
        self.timing = dict(inventory.timing)
        self._plant = PowerPlant(self, self.post_seconds, media)

    @classmethod
    def load(
        cls, path: Path | str, media: Path | None = None, variants: Mapping[str, str] = MappingProxyType({})
    ) -> World:
        """The world that the file at `path` describes; images that hosts boot from go to `media`. Raises WorldError."""
        return cls(read(Path(path), variants), media)

    # --- switches -------------------------------------------------------------------------------------------

    def attach_switch(self, name: str, view: SwitchView) -> None:
        """The NX-OS side says how to see switch `name` from now on."""
        with self.lock:
            if name not in self.switches:
                raise WorldError(f"no switch named {name}")
            self.views[name] = view

    def recable(self, cables: list[Cable]) -> None:
        """Replace all cables."""
        with self.lock:
            self.cables = cables
            self._plugs = {end: cable for cable in cables for end in (cable.a, cable.b)}

    def cable_at(self, device: str, port: str) -> Cable | None:
        """The cable plugged into this port, if any."""
        return self._plugs.get((device, port))

    def neighbor(self, device: str, port: str) -> End | None:
        """(device, port) at the far end of the cable in this port, whether or not the link is up."""
        cable = self.cable_at(device, port)
        return cable.other((device, port)) if cable else None

    def end_up(self, device: str, port: str) -> bool:
        """True when this end of a cable sends light: powered, enabled, not cut."""
        with self.lock:
            if (device, port) in self.cut:
                return False
            if device in self.chassis or (device in self.servers and MODULE_PORT.fullmatch(port)):
                return True  # modules and adapters have standby power
            if device in self.servers:
                return self.hosts[device].power == "On"
            view = self.views.get(device)
            return view is not None and view.alive and view.admin_up(port)

    def link_up(self, device: str, port: str) -> bool:
        """True when a cable is plugged in here and both its ends send light."""
        far = self.neighbor(device, port)
        return far is not None and self.end_up(device, port) and self.end_up(*far)

    def configure_interconnect(self, name: str, ports: Ports, *, restarts: bool = False) -> None:
        """What a profile made of an interconnect is in force from now on, or once it has started anew."""
        with self.lock:
            self.interconnect_views[name].configured = ports
            self.interconnect_views[name].starting = restarts

    def interconnect_started(self, name: str) -> None:
        """An interconnect that started anew is back."""
        with self.lock:
            self.interconnect_views[name].starting = False

    def put_vnics(self, server: str, vnics: Mapping[str, Vnic]) -> None:
        """The NICs that a profile makes of a blade's adapter, instead of those of the profile before."""
        with self.lock:
            own = {n: nic for n, nic in self.servers[server].nics.items() if not isinstance(nic, Vnic)}
            self.servers[server].nics = {**own, **vnics}

    def runs(self, server: str, bonds: tuple[Bond, ...]) -> None:
        """The system that a host has booted makes these bonds."""
        with self.lock:
            self.host(server).bonds = bonds

    def bond(self, server: str, nic: str) -> Bond | None:
        """The bond that a host's system has this NIC in; none without a system: firmware bonds nothing."""
        with self.lock:
            host = self.hosts[server]
            if host.power != "On" or host.state not in ("live", "running"):
                return None
            mac = self.servers[server].nics[nic].mac.lower() if nic in self.servers[server].nics else ""
            return next((bond for bond in host.bonds if mac in bond.macs), None)

    def legs(self, server: str, mac: str = "", vlan: int | None = None) -> list[End]:
        """Ports of switches that carry the untagged traffic of a host's system now, or that of a VLAN: those of the
        bond with the interface it boots by, or with another one by its MAC address; or of that interface alone. A
        blade's are its interconnects'. Empty where nothing carries it."""
        with self.lock:
            return list(frontend.legs(self, server, mac, vlan))

    def carries(self, server: str) -> bool:
        """True when some port carries the traffic of a host's system."""
        with self.lock:
            return any(frontend.legs(self, server))

    # --- servers --------------------------------------------------------------------------------------------

    def host(self, server: str) -> Host:
        """The moving part of `server`. Raises WorldError for an unknown name."""
        try:
            return self.hosts[server]
        except KeyError:
            raise WorldError(f"no server named {server}") from None

    def server_of_bmc(self, address: str) -> Server | None:
        """The server whose BMC has this site address."""
        return next((s for s in self.servers.values() if s.bmc == address), None)

    def system_uuid(self, server: str) -> str:
        """The UUID in its SMBIOS, which operating system and controller report."""
        return self.host(server).uuid or self.servers[server].uuid

    def power(self, server: str, action: PowerAction) -> None:
        """Press the button. Returns at once; the boot goes on in the background and ends in `on_boot`."""
        self._plant.press(server, action)

    def insert_media(self, server: str, url: str, path: Path | None = None) -> None:
        """Put the image at `url` into the virtual drive; `path` is its file if the BMC already fetched it."""
        with self.lock:
            host = self.host(server)
            host.media_url, host.media_path = url, path

    def eject_media(self, server: str) -> None:
        """Empty the virtual drive."""
        with self.lock:
            host = self.host(server)
            host.media_url = host.media_path = None

    def set_boot(self, server: str, target: Medium, once: bool = True) -> None:
        """Choose what the next boot (or every boot, with once=False) starts from."""
        with self.lock:
            host = self.host(server)
            host.boot_target, host.boot_once = target, once

    def bios(self, server: str) -> dict[str, object]:
        """A copy of the BIOS attributes in force."""
        with self.lock:
            return dict(self.host(server).bios)

    def stage_bios(self, server: str, attributes: Mapping[str, object]) -> None:
        """Attributes that come into force at the next reset."""
        with self.lock:
            self.host(server).bios_pending.update(attributes)

    def write_disk(self, server: str, image: Path) -> None:
        """An installer running on the host wrote `image` to the boot disk: the next Hdd boot starts it."""
        with self.lock:
            self.host(server).disk_image = image

    def close(self) -> None:
        """Stop background boots."""
        self._plant.close()

    # --- traffic --------------------------------------------------------------------------------------------

    def traffic(self, flows: list[traffic.Flow], seconds: float) -> list[traffic.FlowResult]:
        """Send these flows at once over the cables and configurations as they are now; counters move."""
        return traffic.run(self, flows, seconds)

    def sessions(self) -> list[routes.Session]:
        """Every BGP neighbour of every switch with its state."""
        return routes.sessions(self)

    # --- faults ---------------------------------------------------------------------------------------------

    def fault(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Do one fault; `kind` chooses the handler that a side registered in `fault_handlers`."""
        kind = str(body.get("kind", ""))
        handler = self.fault_handlers.get(kind)
        if handler is None:
            known = ", ".join(sorted(self.fault_handlers)) or "none"
            raise WorldError(f"unknown fault kind {kind!r}; known: {known}")
        return handler(body)
