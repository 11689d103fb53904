"""The Intersight side of the lab: one account, served over HTTPS (and plain HTTP) on loopback."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podwright.lab.intersight import bulk, deploy, schema, signature
from podwright.lab.intersight.adapters import Adapters
from podwright.lab.intersight.admission import Admission
from podwright.lab.intersight.certificates import Certificates
from podwright.lab.intersight.chassis import ChassisProfiles
from podwright.lab.intersight.claims import Claims
from podwright.lab.intersight.clock import Clock
from podwright.lab.intersight.domains import Domains
from podwright.lab.intersight.equipment import Equipment
from podwright.lab.intersight.firmware import Firmware
from podwright.lab.intersight.forms import Forms
from podwright.lab.intersight.gate import MODES, Fault, Gate, known_mode
from podwright.lab.intersight.inventory import Inventory
from podwright.lab.intersight.runs import ASSIGNED
from podwright.lab.intersight.service import Service, attach_buckets
from podwright.lab.intersight.settings import Settings
from podwright.lab.intersight.templates import Templates
from podwright.lab.redfish.listener import Listener
from podwright.lab.sides import LabContext
from podwright.lab.world.model import Server, World, WorldError

HOST = "intersight.com"
SEED = 20260807
DEFAULT_CREDENTIAL = {"key_id": "lab/admin/key", "secret": "intersight-key"}


class IntersightSide:
    """A running account. `http` is the address of the plain HTTP port, for clients that cannot be given a CA."""

    def __init__(self, world: World, lab: LabContext) -> None:
        self._lab = lab
        self._credential = {**DEFAULT_CREDENTIAL, **world.credentials.get("intersight", {})}
        self._known: tuple[str, signature.PublicKey] | None = None
        lab.secret(self._credential["secret"], signature.new_key)
        self.more_keys: dict[str, signature.PublicKey] = {}
        self.service = Service(schema.load(), SEED)
        self.service.schema.any_case = world.variants["names"] == "any-case"
        self._clock = Clock(self.service.lock)
        self.inventory = Inventory(self.service.store, world)
        self._equipment = Equipment(self.service.store, self._clock, self.inventory)
        self._domains = Domains(self.service.store, world, self._clock, self.inventory, self._equipment)
        self._claims = Claims(self.service.store, world, self._clock, self.inventory, self._domains)
        self.deployer = deploy.Deployer(self.service.store, world, self._clock, self.inventory.machine)
        self._plug_in(world)
        self.pages = {"/intersight/consoles": self._claims.console}
        self.gate = Gate(self.service, self._key)
        self._listeners = [
            Listener(self.gate, "intersight", lab.ca.issue(HOST, f"www.{HOST}", f"us-east-1.{HOST}")),
            Listener(self.gate, "intersight-http"),
        ]
        self.http = self._listeners[1].address
        self.forward = {f"{HOST}:443": self._listeners[0].address, f"www.{HOST}:443": self._listeners[0].address}
        self.forward[f"{HOST}:80"] = self.http
        world.fault_handlers["intersight"] = self.fault

    def _plug_in(self, world: World) -> None:
        service, store, deployer = self.service, self.service.store, self.deployer
        settings = Settings(store, world, self._clock, deployer.workflows, self.inventory.machine, deployer.boot_order)
        self._claims.gone = self._equipment.gone = deployer.forsaken
        adapters = Adapters(store, world, self.inventory, deployer.leases.mac)
        deployer.in_force += [self._domains.in_force, adapters.in_force]
        deployer.released += [self._domains.released, adapters.released]
        self._firmware = Firmware(store, world, self._clock, self.inventory, deployer.workflows)
        deployer.in_force.append(self._firmware.in_force)
        deployer.in_force.append(Certificates(store, world, self.inventory.machine).in_force)
        admission = Admission(store, deployer.runs, world.variants)
        chassis = ChassisProfiles(store, deployer.follow_assignment)
        self._domains.chassis_found.append(chassis.found)
        service.hooks.before += [chassis.before, admission.before, settings.before]
        service.hooks.before += [self._claims.before, self._firmware.before, self._equipment.before]
        groups = self.inventory.groups
        groups.clock = self._clock
        service.hooks.before += [groups.before, self._domains.modes.before]
        service.hooks.after += [self._equipment.after, groups.after]
        attach_buckets(service)
        service.hooks.after += [deployer.after, settings.after, self._claims.after, self._firmware.after]
        service.hooks.deleting += [admission.deleting, deployer.deleting, self._claims.deleting, groups.deleting]
        service.hooks.deleted += [deployer.deleted, groups.changed]
        for kind in ASSIGNED:
            store.overlays.setdefault(kind, []).append(deployer.overlay)
        for kind in ("macpool.Pool", "uuidpool.Pool", "ippool.Pool"):
            store.overlays.setdefault(kind, []).append(deployer.leases.overlay)
        bulk.Bulk(service, Templates(service, self._clock, world.variants))
        world.on_boot.append(self._booted)
        world.on_swap.append(self._swapped)

    def _booted(self, server: str, _medium: str, _image: Path | None) -> None:
        with self.service.lock:
            self.deployer.booted(server)

    def _swapped(self, name: str, old: Server) -> None:
        with self.service.lock:
            self._claims.swapped(name, old)
            self._equipment.swapped(name, old)

    def _key(self, key_id: str) -> signature.PublicKey | None:
        """Public key of a key id; the secret file is read each time, so that a rotated key counts at once."""
        if key_id in self.more_keys:
            return self.more_keys[key_id]
        if key_id != self._credential["key_id"]:
            return None
        pem = self._lab.secret(self._credential["secret"])
        if self._known is None or self._known[0] != pem:
            self._known = (pem, signature.public_of(pem))
        return self._known[1]

    @property
    def writes(self) -> int:
        """Accepted requests that change something."""
        return self.gate.writes

    def requests(self) -> Mapping[str, Any]:
        """Requests by verb, path and status since start (`RequestCounters.document`)."""
        return self.gate.counters.document()

    def fault(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """POST /fault {"kind": "intersight", …}; any of:

        "mode": hang | cut | any error status | none, with "times", "seconds", "verb", "path", "retry_after",
        "after" (how many matching requests pass first), "carried_out" (the request is carried out, and answered with
        that status all the same);
        "per_second": rate limit (0: none); "latency_ms": added to every answer; "fail_next": why the next deploy fails;
        "validate", "configure", "activate_timeout": seconds that a workflow's steps take;
        "discovery": seconds from a domain's server ports until its blades are listed, and again until discovered; also
        from a claim until a server is listed;
        "interconnect_restart": seconds that an interconnect is away whose port modes were changed;
        "unclaim": names or serial numbers of devices that somebody takes out of the account, or "all";
        "read_only": whether the account's key has the role Read-Only from now on;
        "upgrade": seconds of each step of a firmware upgrade; "fail_upgrade": why the next one fails;
        "hcl": {server: status}: what the compatibility list has of a server whose operating system is known;
        "clock": seconds that Intersight's clock is ahead of the client's (or behind, below 0);
        "forms": a seed of other forms in which answers say the same, null for none;
        "hide": properties that this appliance is too old for ("vnic.EthIf.Placement:PciLinkAssignmentMode");
        "alarm": {"server", "severity", "code", "text"}; "connected": {server: true|false}.
        """
        mode = body.get("mode")
        if mode not in (None, "none") and not known_mode(mode):
            raise WorldError(f"unknown mode {mode!r}; known: {', '.join(MODES)}, a status from 400 to 599, none")
        if mode is not None:
            names = ("times", "seconds", "verb", "path", "retry_after", "carried_out", "after")
            fields = {k: body[k] for k in names if k in body}
            self.gate.break_(None if mode == "none" else Fault(str(mode), **fields))
        if "per_second" in body:
            self.gate.per_second = float(body["per_second"])
        if "clock" in body:
            self.gate.clock_ahead = float(body["clock"])
        if "forms" in body:
            self.gate.forms = None if body["forms"] is None else Forms(self.service.schema, body["forms"])
        if "latency_ms" in body:
            self.gate.latency_ms = float(body["latency_ms"])
        with self.service.lock:
            self._set(body)
            if "unclaim" in body:
                names = body["unclaim"]
                self._claims.unclaim([str(each) for each in (names if isinstance(names, list) else [names])])
            if "alarm" in body:
                alarm = body["alarm"]
                self.inventory.raise_alarm(
                    self._unit(alarm["server"]), alarm["severity"], alarm["code"], alarm.get("text", "")
                )
            for server, connected in body.get("connected", {}).items():
                unit = self.inventory.units[self._unit(server)]
                device = self.service.store.objects[unit["RegisteredDevice"]["Moid"]]
                self.service.store.update(device, {"ConnectionStatus": "Connected" if connected else "NotConnected"})
        return {"done": sorted(k for k in body if k != "kind")}

    def _set(self, body: Mapping[str, Any]) -> None:
        """How long things take, and what this appliance cannot do."""
        for name in ("validate", "configure", "activate_timeout"):
            if name in body:
                setattr(self.deployer.timing, name, float(body[name]))
        parts = (("discovery", self._domains), ("discovery", self._claims))
        for name, part in (*parts, ("interconnect_restart", self._domains.modes), ("upgrade", self._firmware)):
            if name in body:
                part.seconds = float(body[name])
        if "fail_upgrade" in body:
            self._firmware.fail_next = str(body["fail_upgrade"])
        for server, status in body.get("hcl", {}).items():
            self._firmware.judged[self._unit(server)] = str(status)
        if "read_only" in body:
            (self.gate.read_only.add if body["read_only"] else self.gate.read_only.discard)(self._credential["key_id"])
        if "hide" in body:
            self.service.schema.hidden = set(body["hide"])
        if "fail_next" in body:
            self.deployer.fail_next = str(body["fail_next"])

    def _unit(self, server: str) -> str:
        if server not in self.inventory.units:
            raise WorldError(f"no server named {server} is claimed in Intersight")
        return server

    def stop(self) -> None:
        """Close the ports and end what was scheduled."""
        self.gate.break_(None)
        for listener in self._listeners:
            listener.stop()
        self._clock.stop()


def start(world: World, lab: LabContext) -> IntersightSide:
    """Start the account with the world's claimed servers."""
    return IntersightSide(world, lab)
