"""Devices that are and that are not in the account: asset.DeviceClaim takes one in, deleting it lets it go.

A device shows its serial number and a claim code on its own console; both together claim it. The code is made anew
when a device leaves an account.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.lab.intersight import errors
from podwright.lab.intersight.clock import Clock
from podwright.lab.intersight.domains import Domains
from podwright.lab.intersight.inventory import Inventory
from podwright.lab.intersight.schema import ObjectType
from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.world.interconnects import attachment
from podwright.lab.world.model import Server, World, WorldError

CLAIM = "asset.DeviceClaim"


@dataclass
class Device:
    """What can be claimed: a rack server, or the pair of a domain as one device."""

    name: str
    serials: list[str]
    domain: bool = False
    registration: Mo | None = None
    """None while nobody has claimed it."""
    generation: int = 0

    @property
    def identifier(self) -> str:
        """As its console shows it: the serial number, or both of a pair."""
        return "&".join(self.serials)

    @property
    def code(self) -> str:
        """The claim code of now: twelve hexadecimal digits."""
        return hashlib.sha256(f"{self.identifier} {self.generation}".encode()).hexdigest()[:12].upper()


class Claims:
    """Hooks of the service. `seconds` from a claim until a server's inventory is there; `gone` hears that one left."""

    def __init__(self, store: Store, world: World, clock: Clock, inventory: Inventory, domains: Domains) -> None:
        self._store = store
        self._world = world
        self._clock = clock
        self._inventory = inventory
        self._domains = domains
        self.seconds = 0.2
        self.gone: Callable[[], None] = lambda: None
        self.devices = [
            Device(server.name, [server.serial])
            for server in world.servers.values()
            if server.intersight and attachment(world, server.name) is None
        ]
        names = dict.fromkeys(each.domain for each in world.interconnects.values())
        for name in names:
            pair = [each.serial for each in world.interconnects.values() if each.domain == name]
            self.devices.append(Device(name, pair, domain=True))
        for device in self.devices:
            if not world.unclaimed:
                self._take(device, at_once=True)

    def swapped(self, name: str, old: Server) -> None:
        """Another machine stands in a place: it can be claimed, beside the one that is claimed and does not answer."""
        if any(device.serials == [old.serial] for device in self.devices):
            self.devices.append(Device(name, [self._world.servers[name].serial]))

    def console(self) -> Mapping[str, Any]:
        """What the consoles of the devices show: {identifier: {"code", "claimed"}}."""
        return {
            each.identifier: {"name": each.name, "code": each.code, "claimed": each.registration is not None}
            for each in self.devices
        }

    def _take(self, device: Device, at_once: bool = False) -> Mo:
        if device.domain:
            device.registration = self._domains.claim(device.name)
        else:
            server = self._world.servers[device.name]
            device.registration = self._inventory.registration(server)
            if at_once:
                self._inventory.rack_server(server, device.registration)
            else:
                taken = device.registration
                self._clock.after(self.seconds, lambda: self._appear(device, taken))
        claim = self._store.create(CLAIM, {"SerialNumber": device.identifier}) if at_once else None
        if claim is not None:
            self._store.update(device.registration, {"DeviceClaim": ref(claim)})
        return device.registration

    def _appear(self, device: Device, taken: Mo) -> None:
        if device.registration is taken:
            self._inventory.rack_server(self._world.servers[device.name], taken)

    def before(self, mo: Mo | None, kind: ObjectType, values: dict[str, Any]) -> None:
        """Refuse a claim of what is not there, of what is claimed, and with a wrong code."""
        if kind.name != CLAIM or mo is not None:
            return
        device = self._find(str(values["SerialNumber"]))
        if device is None or values["SecurityToken"] != device.code:
            text = f"The device '{values['SerialNumber']}' with this claim code is not known."
            raise errors.invalid("lab_device_claim_invalid", text, str(values["SerialNumber"]))
        if device.registration is not None:
            text = f"The device '{device.identifier}' is claimed already."
            raise errors.invalid("lab_device_already_claimed", text, device.identifier)

    def _find(self, identifier: str) -> Device | None:
        return next((each for each in self.devices if identifier in (each.identifier, *each.serials)), None)

    def after(self, mo: Mo, values: Mapping[str, Any]) -> None:
        """The device is registered; its inventory follows."""
        device = self._find(str(values["SerialNumber"])) if mo["ObjectType"] == CLAIM else None
        if device is not None:
            registration = self._take(device)
            self._store.update(mo, {"SecurityToken": "", "Device": ref(registration)})
            self._store.update(registration, {"DeviceClaim": ref(mo)})

    def deleting(self, mo: Mo) -> None:
        """A claim that is deleted lets its device go, with all that was listed of it."""
        if mo["ObjectType"] != CLAIM:
            return
        device = next(d for d in self.devices if d.registration and d.registration.get("DeviceClaim") == ref(mo))
        if device.registration is not None:
            self._let_go(device, device.registration)

    def _let_go(self, device: Device, registration: Mo) -> None:
        children = [
            m for m in self._store.of("asset.DeviceRegistration") if m.get("ParentConnection") == ref(registration)
        ]
        for child in [*children, registration]:
            self._inventory.forget(child)
        if device.domain:
            self._domains.unclaimed(device.name)
        device.registration = None
        device.generation += 1
        self.gone()

    def unclaim(self, names: list[str]) -> list[str]:
        """Somebody takes these devices (names or serial numbers; "all") out of the account."""
        known = {key: each for each in self.devices for key in (each.name, each.identifier, *each.serials)}
        for name in names:
            if name != "all" and name not in known:
                raise WorldError(f"no device {name!r}; known are {', '.join(each.name for each in self.devices)}")
        chosen = self.devices if "all" in names else [known[name] for name in names]
        for device in chosen:
            if device.registration is not None:
                claim = self._store.target(device.registration.get("DeviceClaim"))
                self._let_go(device, device.registration)
                if claim is not None:
                    self._store.remove(claim)
        return [each.name for each in chosen]
