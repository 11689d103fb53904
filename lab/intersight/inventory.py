"""The account as it stands before anybody configures it: organization, claimed servers and their parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.intersight import bundles
from podwright.lab.intersight.groups import Groups
from podwright.lab.intersight.parts import Parts, is_blade
from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.world.model import Server, World

PLATFORMS: Mapping[str, str] = {"UCSC-885A-M8": "UCSC885", "UCSC-845A-M8": "CAI845A"}
VENDOR = "Cisco Systems Inc"


class Inventory:
    """Creates the objects and answers which machine of the world one of them is."""

    def __init__(self, store: Store, world: World) -> None:
        self._store = store
        self._world = world
        self._machines: dict[str, Server] = {}
        self._silent: dict[str, Server] = {}
        """What was taken away and is listed still."""
        self._parts = Parts(store)
        self.new = self._parts.new
        self.units: dict[str, Mo] = {}
        """compute.Blade or compute.RackUnit of every known server."""
        self.bundles: dict[str, str] = {}
        """Server to the firmware bundle that it was brought to; a server keeps it when it leaves the account."""
        account = self.new("iam.Account", {"Name": world.name})
        store.account_moid = account["Moid"]
        organizations = [
            self.new("organization.Organization", {"Name": name, "Account": ref(account)})
            for name in dict.fromkeys(("default", str(world.cluster.get("organization", "default"))))
        ]
        self.groups = Groups(store, world.variants["membership"])
        self.groups.default(list(map(ref, organizations)))
        for role in ("admin", "readonly", "user"):
            self.new("iam.EndPointRole", {"Name": role, "RoleType": "endpoint-admin", "Type": "IMC"})
        for kind in ("compute.Blade", "compute.RackUnit", "compute.PhysicalSummary"):
            store.overlays[kind].append(self.live)
        store.overlays["compute.PhysicalSummary"].append(self._alarms)

    def machine(self, mo: Mo | None) -> Server | None:
        """The world's server behind a compute.RackUnit or compute.Blade; None for one that is not there any more."""
        return self._machines.get(mo["Moid"]) if mo else None

    def present(self, name: str) -> Server:
        """The machine that stands in a place now."""
        return self._world.servers[name]

    def name_of(self, unit: Mo) -> str:
        """The place of a machine that is or was there."""
        return (self._machines.get(unit["Moid"]) or self._silent[unit["Moid"]]).name

    def silent(self, unit: Mo, old: Server) -> None:
        """A machine was taken away: what is listed of it stays, and nothing answers."""
        self._silent[unit["Moid"]] = old
        self.units.pop(self._machines.pop(unit["Moid"]).name)
        device = self._store.target(unit["RegisteredDevice"])
        if device is not None:
            self._store.update(device, {"ConnectionStatus": "NotConnected"})

    def device(self, platform: str, serials: list[str], models: list[str], name: str) -> Mo:
        """The registration of a device that is claimed."""
        moment = self._store.now()
        return self.new(
            "asset.DeviceRegistration",
            {
                "PlatformType": platform,
                "Serial": serials,
                "Pid": models,
                "DeviceHostname": [name],
                "Vendor": VENDOR,
                "ConnectionStatus": "Connected",
                "ConnectionStatusLastChangeTime": moment,
                "ClaimedTime": moment,
                "ExecutionMode": "Normal",
                "DeviceIpAddress": [],
            },
        )

    def registration(self, server: Server) -> Mo:
        """The device of a server that is known by itself: rack server, or blade of an unknown chassis."""
        platform = "UCSFIISM" if is_blade(server) else PLATFORMS.get(server.model, "IMCM5")
        return self.device(platform, [server.serial], [server.model], self._name(server))

    def rack_server(self, server: Server, device: Mo) -> None:
        """What its device tells of it."""
        self.unit(server, self._name(server), {"RegisteredDevice": ref(device), "Lifecycle": "Active"})

    def _name(self, server: Server) -> str:
        """A server names itself by what it is; nothing in the account knows what people call the node."""
        if is_blade(server):
            return f"{self._world.name}-1-{len(self.units) + 1}"
        return f"{server.model.split('-')[1]}-{server.serial}"

    def unit(self, server: Server, name: str, facts: Mapping[str, Any]) -> Mo:
        """The compute.Blade or compute.RackUnit of a server with all that is in it, and its summary."""
        kind = "compute.Blade" if is_blade(server) else "compute.RackUnit"
        unit = self.new(kind, {**self._facts(server, kind, name), **facts})
        self._machines[unit["Moid"]] = server
        self.units[server.name] = unit
        self._summary(unit)
        self._parts.of_server(server, unit)
        self.runs(server, self.bundles.get(server.name, bundles.factory(server)))
        return unit

    def runs(self, server: Server, version: str) -> None:
        """A server runs the firmware of that bundle."""
        self.bundles[server.name] = version
        bundles.show(self._store, server, self.units[server.name], version, self._world.variants["bundle"])

    def lifecycle(self, server: str, state: str) -> None:
        """What a server goes through, in both of its views."""
        self.life(self.units[server], state)

    def life(self, unit: Mo, state: str) -> None:
        """The same for one that may have been taken away."""
        for each in (unit, self._store.by_type["compute.PhysicalSummary"][unit["Moid"]]):
            self._store.update(each, {"Lifecycle": state})

    def forget(self, device: Mo) -> None:
        """A device leaves the account: everything that came with it goes, profiles lose what they are assigned to."""
        gone = [mo for mo in list(self._store.objects.values()) if mo.get("RegisteredDevice") == ref(device)]
        for mo in gone:
            self._store.by_type["compute.PhysicalSummary"].pop(mo["Moid"], None)
            if mo["Moid"] in self._machines:
                self.units.pop(self._machines.pop(mo["Moid"]).name)
            self._silent.pop(mo["Moid"], None)
        for mo in [*gone, device]:
            for user, name in list(self._store.references_to(mo["Moid"])):
                value = user.get(name)
                user[name] = [r for r in value if r != ref(mo)] if isinstance(value, list) else None
            self._store.remove(mo)

    def _facts(self, server: Server, kind: str, name: str) -> dict[str, Any]:
        cores = server.cpu.cores * server.cpu.sockets
        facts = {
            "Name": name,
            "Serial": server.serial,
            "Model": server.model,
            "Vendor": VENDOR,
            "Uuid": server.uuid,
            "HardwareUuid": server.uuid,
            "MgmtIpAddress": server.bmc,
            "ServerId": len(self.units) + 1,
            "ManagementMode": "Intersight" if is_blade(server) or server.domain else "IntersightStandalone",
            "NumCpus": server.cpu.sockets,
            "NumCpuCores": cores,
            "NumCpuCoresEnabled": cores,
            "NumThreads": 2 * cores,
            "TotalMemory": server.memory_gib * 1024,
            "AvailableMemory": server.memory_gib * 1024,
            "OperState": "ok",
            "Operability": "operable",
            "Presence": "equipped",
            "ConnectionStatus": "Connected",
        }
        known = self._store.schema.objects[kind].properties
        return {k: v for k, v in facts.items() if k in known}

    def _summary(self, unit: Mo) -> None:
        """compute.PhysicalSummary: the same Moid, another view; `SourceObjectType` says what a profile must name."""
        store, kind = self._store, self._store.schema.objects["compute.PhysicalSummary"]
        summary = {**store.schema.defaults(kind), **{k: v for k, v in unit.items() if k in kind.properties}}
        server = self._machines[unit["Moid"]]
        summary |= {
            "ClassId": kind.name,
            "ObjectType": kind.name,
            "SourceObjectType": unit["ObjectType"],
            "HardwareUuid": server.uuid,
            "TotalMemory": server.memory_gib * 1024,
        }
        store.by_type[kind.name][unit["Moid"]] = summary

    def live(self, unit: Mo) -> Mapping[str, Any]:
        """Overlay: power as the world has it now."""
        server = self._machines.get(unit["Moid"])
        if server is None:
            return {"OperPowerState": "unknown", "BiosPostComplete": False}
        with self._world.lock:
            host = self._world.host(server.name)
            power = "on" if host.power == "On" else "off"
            complete = host.state in ("no-os", "live", "running")
            uuid = self._world.system_uuid(server.name)
            return {"OperPowerState": power, "BiosPostComplete": complete, "Uuid": uuid}

    def _alarms(self, unit: Mo) -> Mapping[str, Any]:
        """Overlay: how many alarms of which severity stand."""
        alarms = [a for a in self._store.of("cond.Alarm") if a["AncestorMoId"] == unit["Moid"]]
        count = {s: sum(a["Severity"] == s for a in alarms) for s in ("Critical", "Warning", "Info")}
        health = "Critical" if count["Critical"] else "Warning" if count["Warning"] else "Healthy"
        return {
            "AlarmSummary": {**(unit.get("AlarmSummary") or {}), **count, "Health": health},
            "FaultSummary": sum(count.values()),
        }

    def raise_alarm(self, server: str, severity: str, code: str, text: str) -> Mo:
        """Raise an alarm at a claimed server, or clear it with severity Cleared. Returns the alarm."""
        unit = self.units[server]
        values = {"Severity": severity, "Description": text, "LastTransitionTime": self._store.now()}
        for alarm in self._store.of("cond.Alarm"):
            if alarm["AncestorMoId"] == unit["Moid"] and alarm["Code"] == code:
                self._store.update(alarm, values)
                return alarm
        return self.new(
            "cond.Alarm",
            values
            | {
                "OrigSeverity": severity,
                "Code": code,
                "Name": code,
                "AncestorMoId": unit["Moid"],
                "AffectedMoId": unit["Moid"],
                "AncestorMoType": unit["ObjectType"],
                "AffectedMoType": unit["ObjectType"],
                "AffectedMo": ref(unit),
                "CreationTime": self._store.now(),
                "RegisteredDevice": unit["RegisteredDevice"],
            },
        )
