"""The account as it stands before anybody configures it: organization, claimed servers and their parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.redfish.registry import BIOS_VERSIONS
from podwright.lab.world.model import Server, World

PLATFORMS: Mapping[str, str] = {"UCSC-885A-M8": "UCSC885", "UCSC-845A-M8": "CAI845A"}
CPU_NAMES = {"amd": "AMD EPYC 9575F 64-Core Processor", "intel": "INTEL(R) XEON(R) GOLD 6548Y+"}
VENDOR = "Cisco Systems Inc"
DIMM_GIB = 64


def is_blade(server: Server) -> bool:
    """True for X-Series compute nodes, which live in a chassis behind fabric interconnects."""
    return server.model.startswith("UCSX")


class Inventory:
    """Creates the objects and answers which machine of the world one of them is."""

    def __init__(self, store: Store, world: World) -> None:
        self._store = store
        self._world = world
        self._machines: dict[str, Server] = {}
        self.units: dict[str, Mo] = {}
        account = self._new("iam.Account", {"Name": world.name})
        store.account_moid = account["Moid"]
        self._new("organization.Organization", {"Name": "default", "Account": ref(account)})
        for role in ("admin", "read-only", "user"):
            self._new("iam.EndPointRole", {"Name": role, "RoleType": "endpoint-admin"})
        self._domain()
        behind = bool(world.cluster.get("interconnects"))
        known = [server for server in world.servers.values() if server.intersight]
        self._undiscovered = [server for server in known if behind and is_blade(server)]
        for server in known:
            if server not in self._undiscovered:
                self._claim(server)

    def _new(self, type_name: str, values: Mapping[str, Any]) -> Mo:
        """Create an object of the schema, numbers written as the schema has them (some counts are strings)."""
        properties = self._store.schema.objects[type_name].properties
        texts = {k: str(v) if properties[k]["t"] == "str" and isinstance(v, int) else v for k, v in values.items()}
        return self._store.create(type_name, texts)

    def discover(self) -> None:
        """Blades behind the interconnects show up, and are discovered."""
        for server in self._undiscovered:
            self._claim(server, "DiscoveryInProgress")

    def discovered(self) -> None:
        """What was being discovered is there."""
        for server in self._undiscovered:
            unit = self.units[server.name]
            for each in (unit, self._store.by_type["compute.PhysicalSummary"][unit["Moid"]]):
                self._store.update(each, {"Lifecycle": "Active"})
        self._undiscovered = []

    def machine(self, mo: Mo | None) -> Server | None:
        """The world's server behind a compute.RackUnit or compute.Blade."""
        return self._machines.get(mo["Moid"]) if mo else None

    def _domain(self) -> None:
        """Fabric interconnects named by the world's cluster: {"interconnects": {"A": serial, "B": serial}}."""
        for side, serial in (self._world.cluster.get("interconnects") or {}).items():
            device = self._device("UCSFIISM", serial, "UCS-FI-6536", f"{self._world.name}-fi")
            self._new(
                "network.Element",
                {
                    "SwitchId": side,
                    "Serial": serial,
                    "Model": "UCS-FI-6536",
                    "Vendor": VENDOR,
                    "SwitchType": "FabricInterconnect",
                    "ManagementMode": "Intersight",
                    "RegisteredDevice": ref(device),
                    "Operability": "operable",
                },
            )

    def _device(self, platform: str, serial: str, model: str, name: str) -> Mo:
        moment = self._store.now()
        return self._new(
            "asset.DeviceRegistration",
            {
                "PlatformType": platform,
                "Serial": [serial],
                "Pid": [model],
                "DeviceHostname": [name],
                "Vendor": VENDOR,
                "ConnectionStatus": "Connected",
                "ConnectionStatusLastChangeTime": moment,
                "ClaimedTime": moment,
                "ExecutionMode": "Normal",
                "DeviceIpAddress": [],
            },
        )

    def _claim(self, server: Server, lifecycle: str = "Active") -> None:
        blade = is_blade(server)
        platform = "UCSFIISM" if blade else PLATFORMS.get(server.model, "IMCM5")
        # A server names itself by what it is; nothing in the account knows what people call the node.
        name = (
            f"{self._world.name}-1-{len(self.units) + 1}" if blade else f"{server.model.split('-')[1]}-{server.serial}"
        )
        device = self._device(platform, server.serial, server.model, name)
        kind = "compute.Blade" if blade else "compute.RackUnit"
        facts = self._facts(server, kind, name) | {"RegisteredDevice": ref(device), "Lifecycle": lifecycle}
        unit = self._new(kind, facts)
        self._machines[unit["Moid"]] = server
        self.units[server.name] = unit
        self._store.overlays.setdefault(kind, [self.live])
        self._summary(unit)
        self._parts(server, unit, "ComputeBlade" if blade else "ComputeRackUnit")

    def _facts(self, server: Server, kind: str, name: str) -> dict[str, Any]:
        cores = server.cpu.cores * server.cpu.sockets
        facts = {
            "Name": name,
            "Serial": server.serial,
            "Model": server.model,
            "Vendor": VENDOR,
            "Lifecycle": "Active",
            "Uuid": server.uuid,
            "HardwareUuid": server.uuid,
            "MgmtIpAddress": server.bmc,
            "ServerId": len(self.units) + 1,
            "ManagementMode": "Intersight" if kind == "compute.Blade" else "IntersightStandalone",
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
            "Firmware": BIOS_VERSIONS[server.cpu.vendor],
            "HardwareUuid": server.uuid,
            "TotalMemory": server.memory_gib * 1024,
        }
        store.by_type[kind.name][unit["Moid"]] = summary
        store.overlays.setdefault(kind.name, [self.live, self._alarms])

    def live(self, unit: Mo) -> Mapping[str, Any]:
        """Overlay: power as the world has it now."""
        server = self._machines[unit["Moid"]]
        with self._world.lock:
            host = self._world.host(server.name)
            power = "on" if host.power == "On" else "off"
            return {"OperPowerState": power, "BiosPostComplete": host.state in ("no-os", "live", "running")}

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
        return self._new(
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

    def _parts(self, server: Server, unit: Mo, parent: str) -> None:
        common = {
            parent: ref(unit),
            "RegisteredDevice": unit["RegisteredDevice"],
            "Presence": "equipped",
            "OperState": "ok",
        }
        self._new(
            "compute.ServerSetting",
            {
                "Name": unit["Name"],
                "Server": ref(unit),
                "RegisteredDevice": unit["RegisteredDevice"],
                "AdminPowerState": "Policy",
                "ConfigState": "Applied",
            },
        )
        for socket in range(1, server.cpu.sockets + 1):
            self._new(
                "processor.Unit",
                common
                | {
                    "ProcessorId": socket,
                    "SocketDesignation": f"CPU{socket}",
                    "NumCores": server.cpu.cores,
                    "NumThreads": 2 * server.cpu.cores,
                    "Model": CPU_NAMES[server.cpu.vendor],
                    "Vendor": "AMD" if server.cpu.vendor == "amd" else "Intel(R) Corporation",
                },
            )
        dimm = {k: v for k, v in common.items() if k in self._store.schema.objects["memory.Unit"].properties}
        for slot in range(1, server.memory_gib // DIMM_GIB + 1):
            self._new("memory.Unit", dimm | {"MemoryId": slot, "Capacity": str(DIMM_GIB * 1024), "Type": "DDR5"})
        self._gpus(server, unit, common)
        self._new(
            "firmware.RunningFirmware",
            {
                "Component": "BIOS",
                "Type": "BIOS",
                "Version": BIOS_VERSIONS[server.cpu.vendor],
                "RegisteredDevice": unit["RegisteredDevice"],
            },
        )

    def _gpus(self, server: Server, unit: Mo, common: Mapping[str, Any]) -> None:
        """GPUs of an X-Series node hang off a PCIe node: their ComputeBlade is empty (iserver's class notes)."""
        if server.gpus is None:
            return
        place: dict[str, Any] = dict(common)
        if is_blade(server):
            node = self._new(
                "pci.Node", {"Model": "UCSX-440P", "Presence": "equipped", "RegisteredDevice": unit["RegisteredDevice"]}
            )
            place = {**place, "ComputeBlade": None, "PciNode": ref(node), "Ancestors": [ref(node), ref(unit)]}
        for slot in range(1, server.gpus.count + 1):
            self._new(
                "graphics.Card",
                place
                | {
                    "CardId": slot,
                    "GpuId": str(slot),
                    "Model": server.gpus.product,
                    "Vendor": "NVIDIA Corporation",
                    "PciSlot": f"GPU{slot}",
                    "IsPlatformSupported": True,
                    "Serial": f"{server.serial}{slot:02d}",
                    "NumGpus": "1",
                },
            )
