"""Domains: interconnects, their ports, chassis and blades as Intersight lists them, and what switch profiles do.

A switch profile that is in force gives ports their roles. A chassis whose module reaches a server port is found some
time after, its blades are listed as being discovered, and are there once that is through (10 to 30 minutes in a rack).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podwright.lab.intersight import effects
from podwright.lab.intersight.clock import Clock
from podwright.lab.intersight.equipment import Equipment
from podwright.lab.intersight.inventory import VENDOR, Inventory
from podwright.lab.intersight.port_modes import PortModes, modes
from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.world.interconnects import IN_CHASSIS, Ports, links
from podwright.lab.world.inventory import FABRICS, Chassis, Interconnect, Server
from podwright.lab.world.model import World

MODULE = "UCSX-I-9108-100G"
"""The module of a chassis towards each fabric."""
LOOK_SECONDS = 0.5
"""Between looks for chassis whose cables or ports come up later than the profile."""
MODES: Mapping[str, str] = {"Server": "fex-fabric", "Uplink": "trunk"}


class Domains:
    """`seconds` from a domain's server ports until its chassis and blades are listed, and again until discovered."""

    def __init__(self, store: Store, world: World, clock: Clock, inventory: Inventory, equipment: Equipment) -> None:
        self._store = store
        self._world = world
        self._clock = clock
        self._inventory = inventory
        self._equipment = equipment
        equipment.found = self._anew
        self._ports: dict[str, tuple[str, str]] = {}
        self._elements: dict[str, str] = {}
        self._devices: dict[str, Mo] = {}
        self._listed: set[str] = set()
        self._looking: set[str] = set()
        self.seconds = 0.2
        self.modes = PortModes(store, world, clock)
        self.chassis_found: list[Callable[[Mo], None]] = []
        store.overlays["ether.PhysicalPort"] = [self._port]
        store.overlays["network.Element"] = [self._element]

    def claim(self, domain: str) -> Mo:
        """Register both interconnects of a domain as one device, and list them and their ports."""
        pair = [each for each in self._world.interconnects.values() if each.domain == domain]
        device = self._inventory.device(
            "UCSFIISM", [each.serial for each in pair], [each.model for each in pair], domain
        )
        self._devices[domain] = device
        for each in pair:
            self._list(each, device)
        return device

    def unclaimed(self, domain: str) -> None:
        """The domain left the account; its chassis are found again when it comes back and is deployed."""
        self._devices.pop(domain, None)
        self._listed -= {box.name for box in self._behind(domain)}

    def _list(self, each: Interconnect, device: Mo) -> None:
        element = self._inventory.new(
            "network.Element",
            {
                "SwitchId": each.fabric,
                "Serial": each.serial,
                "Model": each.model,
                "Vendor": VENDOR,
                "SwitchType": "FabricInterconnect",
                "ManagementMode": "Intersight",
                "RegisteredDevice": ref(device),
                "Dn": f"switch-{each.serial}",
            },
        )
        self._elements[element["Moid"]] = each.name
        for number, port in enumerate(self._world.interconnect_views[each.name].ports(), 1):
            made = self._inventory.new(
                "ether.PhysicalPort",
                {
                    "SlotId": 1,
                    "PortId": number,
                    "SwitchId": each.fabric,
                    "PortType": "Ethernet",
                    "RegisteredDevice": ref(device),
                    "Parent": ref(element),
                    "Ancestors": [ref(element)],
                    "Dn": f"switch-{each.serial}/slot-1/switch-ether/port-{number}",
                },
            )
            self._ports[made["Moid"]] = (each.name, port)

    def _port(self, mo: Mo) -> Mapping[str, Any]:
        """Overlay: role and state of a port as they are now."""
        name, port = self._ports[mo["Moid"]]
        with self._world.lock:
            now = self._world.interconnect_views[name].configured
            number = int(port.rpartition("/")[2])
            role = "Server" if port in now.server else "Uplink" if port in now.uplink else "unknown"
            up = self._world.link_up(name, port)
        return {
            "Role": role,
            "PortType": "Ethernet" if (number, "FibreChannel") not in now.modes else "FibreChannel",
            "Mode": MODES.get(role, "access"),
            "AdminState": "Disabled" if role == "unknown" else "Enabled",
            "OperState": "up" if up else "down",
            "OperStateQual": "none" if up else "Administratively down" if role == "unknown" else "Link not connected",
            "OperSpeed": "100G" if up else "",
        }

    def _element(self, mo: Mo) -> Mapping[str, Any]:
        """Overlay: whether an interconnect has power."""
        alive = self._world.interconnect_views[self._elements[mo["Moid"]]].alive
        return {
            "Operability": "operable" if alive else "inoperable",
            "ConnectionStatus": "Connected" if alive else "NotConnected",
        }

    # --- what profiles do ---------------------------------------------------------------------------------------

    def in_force(self, profile: Mo) -> None:
        """A switch profile is deployed: its ports have their roles from now on."""
        element = self._store.target(profile.get("AssignedSwitch")) if _of_switch(profile) else None
        if element is None:
            return
        name = self._elements[element["Moid"]]
        self.modes.configure(name, _ports(self._store, profile))
        self._look(self._world.interconnects[name].domain)

    def released(self, profile: Mo) -> None:
        """A switch profile lets its interconnect go: no port has a role any more."""
        element = self._store.target(profile.get("AssignedSwitch")) if _of_switch(profile) else None
        if element is not None:
            self.modes.configure(self._elements[element["Moid"]], Ports())

    # --- discovery ----------------------------------------------------------------------------------------------

    def _boxes(self, domain: str) -> list[Chassis]:
        return [box for box in self._world.chassis.values() if box.domain == domain]

    def _behind(self, domain: str) -> list[Chassis | Server]:
        """What can be found on server ports: chassis and rack servers."""
        return [*self._boxes(domain), *(each for each in self._world.servers.values() if each.domain == domain)]

    def _look(self, domain: str) -> None:
        """Find what is reached and not yet listed; look again while the domain is deployed and something is missing."""
        if domain in self._looking or domain not in self._devices:
            return
        views = [
            self._world.interconnect_views[e.name] for e in self._world.interconnects.values() if e.domain == domain
        ]
        missing = [box for box in self._behind(domain) if box.name not in self._listed]
        if not missing or not any(view.configured.deployed for view in views):
            return
        for box in missing:
            if any(links(self._world, box, fabric) for fabric in FABRICS):
                self._listed.add(box.name)
                self._clock.after(self.seconds, lambda box=box: self._found(box))  # type: ignore[misc]
        self._looking.add(domain)
        self._clock.after(LOOK_SECONDS, lambda: self._again(domain))

    def _again(self, domain: str) -> None:
        self._looking.discard(domain)
        self._look(domain)

    def _found(self, box: Chassis | Server) -> None:
        """A chassis with its modules, and its blades or a rack server as they begin to be discovered."""
        device = self._devices.get(box.domain)
        if device is None:
            return
        if isinstance(box, Chassis):
            self._chassis(box, device)
            found = list(box.slots.values())
        else:
            number = self._behind(box.domain).index(box) - len(self._boxes(box.domain)) + 1
            self._server("IMCRack", f"{box.domain}-{number}", box.name, {"ServerId": number}, device)
            found = [box.name]
        self._clock.after(self.seconds, lambda: self._discovered(found))

    def _chassis(self, box: Chassis, device: Mo) -> None:
        number = self._boxes(box.domain).index(box) + 1
        name = f"{box.domain}-{number}"
        chassis = self._inventory.new(
            "equipment.Chassis",
            {
                "Name": name,
                "ChassisId": number,
                "Serial": box.serial,
                "Model": box.model,
                "Pid": box.model,
                "Vendor": VENDOR,
                "ManagementMode": "Intersight",
                "OperState": "operable",
                "Presence": "equipped",
                "ConnectionStatus": "Connected",
                "RegisteredDevice": ref(device),
            },
        )
        self._modules(box, chassis, device)
        for told in self.chassis_found:
            told(chassis)
        for slot, server in sorted(box.slots.items()):
            self._blade(chassis, name, slot, server, device)

    def _blade(self, chassis: Mo, name: str, slot: int, server: str, device: Mo) -> None:
        place = {"ChassisId": str(chassis["ChassisId"]), "SlotId": slot, "EquipmentChassis": ref(chassis)}
        unit = self._server("IMCBlade", f"{name}-{slot}", server, place, device)
        self._store.update(chassis, {"Blades": [*(chassis.get("Blades") or []), ref(unit)]})

    def _modules(self, box: Chassis, chassis: Mo, device: Mo) -> None:
        model = next(e.model for e in self._world.interconnects.values() if e.domain == box.domain)
        for number, fabric in enumerate(FABRICS if model not in IN_CHASSIS else (), 1):
            values = {
                "ModuleId": number,
                "Side": "left" if fabric == "A" else "right",
                "ConnectionPath": fabric,
                "Model": MODULE,
                "Pid": MODULE,
                "Vendor": VENDOR,
                "EquipmentChassis": ref(chassis),
                "Parent": ref(chassis),
                "Presence": "equipped",
                "OperState": "operable",
                "RegisteredDevice": ref(device),
            }
            module = self._inventory.new("equipment.IoCard", values)
            self._store.update(chassis, {"Ioms": [*(chassis.get("Ioms") or []), ref(module)]})

    def _server(self, platform: str, name: str, server_name: str, place: Mapping[str, Any], device: Mo) -> Mo:
        server = self._world.servers[server_name]
        own = self._inventory.device(platform, [server.serial], [server.model], name)
        self._store.update(own, {"ParentConnection": ref(device)})
        unit = self._inventory.unit(
            server, name, {**place, "RegisteredDevice": ref(own), "Lifecycle": "DiscoveryInProgress"}
        )
        self._equipment.listed(unit, server, device, self._equipment.pending(server))
        return unit

    def _anew(self, server: str) -> None:
        """A machine in the place of one that is gone is found, as its chassis or its ports tell."""
        for box in self._world.chassis.values():
            for slot in (each for each, name in box.slots.items() if name == server):
                number = self._boxes(box.domain).index(box) + 1
                name = f"{box.domain}-{number}"
                chassis = next(mo for mo in self._store.of("equipment.Chassis") if mo["Name"] == name)
                self._blade(chassis, name, slot, server, self._devices[box.domain])
                self._clock.after(self.seconds, lambda: self._discovered([server]))
                return
        domain = self._world.servers[server].domain
        taken = [int(mo["ServerId"]) for mo in self._store.of("compute.RackUnit") if mo["ServerId"]]
        number = max(taken, default=0) + 1
        self._server("IMCRack", f"{domain}-{number}", server, {"ServerId": number}, self._devices[domain])
        self._clock.after(self.seconds, lambda: self._discovered([server]))

    def _discovered(self, servers: list[str]) -> None:
        for server in servers:
            unit = self._inventory.units.get(server)
            if unit is not None and unit["Lifecycle"] == "DiscoveryInProgress":
                self._inventory.lifecycle(server, "Active")


def _of_switch(profile: Mo) -> bool:
    return bool(profile["ObjectType"] == "fabric.SwitchProfile")


def _ports(store: Store, profile: Mo) -> Ports:
    """Roles, VLANs and MTU of the policies in a switch profile's bucket."""
    server, uplink, bundled, vlans, mtu = set(), set(), set(), set(), 1500
    attached = effects.policies(store, profile)
    for mo in (each for policy in attached.values() for each in effects.closure(store, policy)):
        kind = mo["ObjectType"]
        if kind == "fabric.ServerRole":
            server.add(_port_name(mo))
        elif kind == "fabric.UplinkRole":
            uplink.add(_port_name(mo))
        elif kind == "fabric.UplinkPcRole":
            bundled |= {_port_name(port) for port in mo.get("Ports") or []}
        elif kind == "fabric.Vlan":
            vlans.add(int(mo["VlanId"]))
    for each in (attached.get("fabric.SystemQosPolicy") or {}).get("Classes") or []:
        if each.get("Name") == "Best Effort":
            mtu = int(each.get("Mtu") or mtu)
    every, own = frozenset(uplink | bundled), modes(store, profile)
    return Ports(frozenset(server), every, frozenset(vlans), mtu, bundled=frozenset(bundled), deployed=True, modes=own)


def _port_name(port: Mapping[str, Any]) -> str:
    lane = f"/{port['AggregatePortId']}" if port.get("AggregatePortId") else ""
    # A lane of a broken-out port: the aggregate is the port, the port is the lane.
    return f"Ethernet{port['SlotId']}{lane}/{port['PortId']}"
