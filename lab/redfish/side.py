"""The Redfish side of the lab: a BMC per server and the image web server."""

from __future__ import annotations

import logging
import ssl
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from podwright.lab.pki import write_private
from podwright.lab.redfish import registry, updates
from podwright.lab.redfish.bmc import Controller
from podwright.lab.redfish.gate import MODES, Fault, Gate
from podwright.lab.redfish.listener import Listener
from podwright.lab.redfish.publish import PublishServer
from podwright.lab.redfish.restarts import Restarts
from podwright.lab.redfish.sessions import Sessions
from podwright.lab.redfish.systems import WorldSystem
from podwright.lab.sides import LabContext
from podwright.lab.world.model import Server, World, WorldError

log = logging.getLogger("lab.redfish")
BMC_PORT = 443
DEFAULT_CREDENTIAL = {"user": "admin", "secret": "bmc-admin"}


class RedfishSide:
    """Running BMCs. `publish` says where the image web server's folder is and under which URL it is seen."""

    def __init__(self, world: World, lab: LabContext) -> None:
        self._world = world
        self._lab = lab
        self._credential = {**DEFAULT_CREDENTIAL, **world.credentials.get("bmc", {})}
        lab.secret(self._credential["secret"])
        self._lock = threading.Lock()
        self._writes = 0
        self._gates: dict[str, Gate] = {}
        self._systems: dict[str, WorldSystem] = {}
        self._listeners: dict[str, Listener] = {}
        self.forward: dict[str, str] = {}
        self.sessions: dict[str, Sessions] = {}
        self.restarts: dict[str, Restarts] = {}
        self.image_server = PublishServer(lab.dir / "publish")
        self.publish = {"directory": str((lab.dir / "publish").resolve()), "url": self.image_server.url}
        if "publish" in world.cluster:
            # The web server's address at the site, as a BMC is told it: "192.0.2.2:8080".
            world.routes[str(world.cluster["publish"])] = self.image_server.address
            self.forward[str(world.cluster["publish"])] = self.image_server.address
        for server in world.servers.values():
            self._serve(server)
        world.on_swap.append(lambda name, _old: self._as_shipped(world.servers[name]))
        world.on_certificate.append(self._certified)
        world.fault_handlers["redfish"] = self.fault

    def _as_shipped(self, server: Server) -> None:
        with self._world.lock:
            host = self._world.host(server.name)
            host.bios = {**registry.defaults(server), **host.bios}
            host.firmware = {**updates.factory(server), **host.firmware}

    def _certified(self, name: str, certificate: bytes, key: bytes) -> None:
        """A profile brought a certificate; one whose key is another's leaves the controller with the one it has."""
        folder = self._lab.dir / "bmc" / name
        chain, private = folder / "shown.crt", folder / "shown.key"
        write_private(private, key)
        chain.write_bytes(certificate)
        try:
            self._listeners[name].present(chain, private)
        except ssl.SSLError as wrong:
            log.warning("%s keeps its certificate: %s", name, wrong)

    def _serve(self, server: Server) -> None:
        self._as_shipped(server)
        system = WorldSystem(self._world, server)
        secret = server.bmc_secret or self._credential["secret"]
        self._lab.secret(secret)
        log_ins = Sessions(self._credential["user"], lambda: self._lab.secret(secret))
        self.sessions[server.name] = log_ins
        own = self.restarts[server.name] = Restarts()
        own.happens.append(log_ins.forget)
        controller = Controller(self._world, system, self._lab.dir / "bmc" / server.name, log_ins, own)
        gate = Gate(controller, log_ins, self._world.variants["logins"], self._wrote, own.away)
        listener = Listener(gate, f"bmc-{server.name}", self._lab.ca.issue(server.bmc))
        self._gates[server.name] = gate
        self._systems[server.name] = system
        self._listeners[server.name] = listener
        self.forward[f"{server.bmc}:{BMC_PORT}"] = listener.address

    def _wrote(self) -> None:
        with self._lock:
            self._writes += 1

    @property
    def writes(self) -> int:
        """Accepted requests that change something: PATCH, POST, DELETE answered 2xx."""
        return self._writes

    def fault(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """POST /fault {"kind": "redfish", "server", "mode", "times", "seconds", "power_seconds"}.

        `mode` is one of hang, 503, 401, cut (act, then close without a reply) or none, for the next `times`
        requests; `power_seconds` sets how long power takes to change; `power_lost` (true) takes the rack's power away
        for a moment: tasks and firmware that waits for a reset are gone. Without `server`: every BMC.
        """
        names = [str(body["server"])] if "server" in body else list(self._gates)
        if unknown := [name for name in names if name not in self._gates]:
            raise WorldError(f"no server named {unknown[0]}")
        mode = body.get("mode")
        if mode not in (None, "none", *MODES):
            raise WorldError(f"unknown mode {mode!r}; known: {', '.join(MODES)}, none")
        for name in names:
            if mode is not None:
                fault = Fault(mode, int(body.get("times", 1)), float(body.get("seconds", 30)))
                self._gates[name].break_(None if mode == "none" else fault)
            if "power_seconds" in body:
                self._systems[name].transition_seconds = float(body["power_seconds"])
            if body.get("power_lost"):
                self._world.power(name, "ForceOff")
                for told in self._systems[name].power_lost:
                    told()
        return {"servers": names, "mode": mode}

    def stop(self) -> None:
        """Close every port."""
        for gate in self._gates.values():
            gate.break_(None)
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(Listener.stop, self._listeners.values()))
        self.image_server.stop()


def start(world: World, lab: LabContext) -> RedfishSide:
    """Start a BMC for every server of the world."""
    return RedfishSide(world, lab)
