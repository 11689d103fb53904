"""vNICs: what a server profile in force makes of a blade's adapter, in the world and in the inventory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podwright.lab.intersight import effects
from podwright.lab.intersight.inventory import Inventory
from podwright.lab.intersight.rules import vlan_ids
from podwright.lab.intersight.runs import PROFILE
from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.world.interconnects import SPEED, attachment, carrier, trouble
from podwright.lab.world.inventory import Fabric, Vnic
from podwright.lab.world.model import Server, World

LAN = "vnic.LanConnectivityPolicy"


class Adapters:
    """Told of profiles that come into force and that let go."""

    def __init__(
        self, store: Store, world: World, inventory: Inventory, lease: Callable[[Mo, str], str | None]
    ) -> None:
        self._store = store
        self._world = world
        self._inventory = inventory
        self._lease = lease
        self._servers: dict[str, str] = {}
        self._fabrics: dict[str, Fabric] = {}
        store.overlays["adapter.HostEthInterface"] = [self._state]
        store.overlays["network.Vethernet"] = [self._virtual]

    def in_force(self, profile: Mo) -> None:
        """The vNICs of a blade's profile are there."""
        found = self._blade(profile)
        if found is None:
            return
        unit, server = found
        lan = effects.policies(self._store, profile).get(LAN)
        vnics = {} if lan is None else {mo["Name"]: self._vnic(profile, mo) for mo in self._interfaces(lan)}
        self._clear(server)
        self._world.put_vnics(server.name, vnics)
        parent = unit["ObjectType"].replace(".", "").replace("compute", "Compute")
        adapter = next(mo for mo in self._store.of("adapter.Unit") if mo[parent] == ref(unit))
        for number, vnic in enumerate(vnics.values(), 1):
            values = {
                "Name": vnic.name,
                "MacAddress": vnic.mac,
                "HostEthInterfaceId": number,
                "AdapterUnit": ref(adapter),
                "Parent": ref(adapter),
                "Ancestors": [ref(adapter), ref(unit)],
                "RegisteredDevice": unit["RegisteredDevice"],
                "Dn": f"{unit['Name']}/adapter-1/host-eth-{number}",
            }
            made = self._inventory.new("adapter.HostEthInterface", values)
            self._servers[made["Moid"]] = server.name
            self._on_interconnects(server, vnic, made)

    def _on_interconnects(self, server: Server, vnic: Vnic, interface: Mo) -> None:
        """The virtual interfaces behind a vNIC: on its fabric, and with failover on the other one."""
        box = attachment(self._world, server.name)
        for each in self._world.interconnects.values():
            if box is None or each.domain != box.domain or not (vnic.failover or each.fabric == vnic.fabric):
                continue
            listed = (mo for mo in self._store.of("network.Element") if mo["Serial"] == each.serial)
            if (element := next(listed, None)) is None:
                continue
            values = {
                "VethId": len(self._fabrics) + 1,
                "NetworkElement": ref(element),
                "AdapterHostEthInterface": ref(interface),
                "RegisteredDevice": element["RegisteredDevice"],
                "Description": f"{server.name} {vnic.name}",
            }
            made = self._inventory.new("network.Vethernet", values)
            self._fabrics[made["Moid"]] = each.fabric
            if each.fabric == vnic.fabric:
                self._store.update(interface, {"Vethernet": ref(made)})

    def released(self, profile: Mo) -> None:
        """A blade that is let go has no vNICs."""
        found = self._blade(profile)
        if found is not None:
            self._clear(found[1])
            self._world.put_vnics(found[1].name, {})

    def _blade(self, profile: Mo) -> tuple[Mo, Server] | None:
        unit = self._store.target(profile.get("AssignedServer")) if profile["ObjectType"] == PROFILE else None
        server = self._inventory.machine(unit)
        if unit is None or server is None or attachment(self._world, server.name) is None:
            return None
        return unit, server

    def _clear(self, server: Server) -> None:
        for mo in self._store.of("adapter.HostEthInterface"):
            if self._servers.get(mo["Moid"]) == server.name:
                del self._servers[mo["Moid"]]
                for virtual in self._store.of("network.Vethernet"):
                    if virtual["AdapterHostEthInterface"] == ref(mo):
                        self._fabrics.pop(virtual["Moid"], None)
                        self._store.remove(virtual)
                self._store.remove(mo)

    def _interfaces(self, lan: Mo) -> list[Mo]:
        own = [mo for mo in self._store.of("vnic.EthIf") if mo["LanConnectivityPolicy"] == ref(lan)]
        return sorted(own, key=lambda mo: (int(mo.get("Order") or 0), str(mo["Name"])))

    def _vnic(self, profile: Mo, mo: Mo) -> Vnic:
        static = mo.get("MacAddressType") == "STATIC"
        mac = mo.get("StaticMacAddress") if static else self._lease(profile, mo["Name"])
        vlans: set[int] = set()
        native = 0
        for policy in filter(None, map(self._store.target, mo.get("FabricEthNetworkGroupPolicy") or [])):
            settings = policy.get("VlanSettings") or {}
            vlans |= vlan_ids(settings.get("AllowedVlans") or "")
            native = int(settings.get("NativeVlan") or native)
        qos = self._store.target(mo.get("EthQosPolicy")) or {}
        place = mo.get("Placement") or {}
        return Vnic(
            mo["Name"],
            SPEED,
            str(mac or "").lower(),
            mtu=int(qos.get("Mtu") or 1500),
            fabric="B" if place.get("SwitchId") == "B" else "A",
            failover=bool(mo.get("FailoverEnabled")),
            vlans=frozenset(vlans | ({native} if native else set())),
            native=native,
        )

    def _state(self, mo: Mo) -> Mapping[str, Any]:
        """Overlay: up on the fabric that carries it now, the blade having power."""
        server = self._servers[mo["Moid"]]
        with self._world.lock:
            nic = self._world.servers[server].nics.get(mo["Name"])
            fabric = carrier(self._world, server, nic) if isinstance(nic, Vnic) else None
            up = fabric is not None and self._world.host(server).power == "On"
        own = isinstance(nic, Vnic) and fabric == nic.fabric
        return {
            "OperState": "up" if up else "down",
            "ActiveOperState": "up" if up and own else "down",
            "StandbyOperState": "up" if up and not own else "",
        }

    def _virtual(self, mo: Mo) -> Mapping[str, Any]:
        """Overlay: up while the interconnect reaches the blade and the switches above, the blade having power."""
        interface = self._store.target(mo["AdapterHostEthInterface"])
        server, fabric = self._servers[mo["AdapterHostEthInterface"]["Moid"]], self._fabrics[mo["Moid"]]
        with self._world.lock:
            nic = self._world.servers[server].nics.get(interface["Name"]) if interface else None
            on = self._world.host(server).power == "On"
            reason = trouble(self._world, server, nic, fabric) if isinstance(nic, Vnic) else "not there"
        return {"OperState": "up" if on and not reason else "down", "OperReason": str(reason or "")}
