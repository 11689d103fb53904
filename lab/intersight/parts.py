"""What a server is made of, as Intersight lists it: processors, memory, GPUs, adapters, firmware, compatibility."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.redfish.registry import BIOS_VERSIONS
from podwright.lab.world.model import Server

CPU_NAMES = {"amd": "AMD EPYC 9575F 64-Core Processor", "intel": "INTEL(R) XEON(R) GOLD 6548Y+"}
DIMM_GIB = 64
VIC = "UCSX-ML-V5D200G"
"""The adapter of every server behind interconnects: VIC 15230, 100 Gb/s towards each fabric."""


def is_blade(server: Server) -> bool:
    """True for X-Series compute nodes, which live in a chassis behind fabric interconnects."""
    return server.model.startswith("UCSX")


class Parts:
    """Creates them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def new(self, type_name: str, values: Mapping[str, Any]) -> Mo:
        """Create an object of the schema, numbers written as the schema has them (some counts are strings)."""
        properties = self._store.schema.objects[type_name].properties
        texts = {k: str(v) if properties[k]["t"] == "str" and isinstance(v, int) else v for k, v in values.items()}
        return self._store.create(type_name, texts)

    def of_server(self, server: Server, unit: Mo) -> None:
        """Everything that hangs below one compute.Blade or compute.RackUnit."""
        parent = "ComputeBlade" if is_blade(server) else "ComputeRackUnit"
        common = {
            parent: ref(unit),
            "RegisteredDevice": unit["RegisteredDevice"],
            "Presence": "equipped",
            "OperState": "ok",
        }
        self.new(
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
            self.new(
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
            self.new("memory.Unit", dimm | {"MemoryId": slot, "Capacity": str(DIMM_GIB * 1024), "Type": "DDR5"})
        self._gpus(server, unit, common)
        if is_blade(server) or server.domain:
            adapter = {k: v for k, v in common.items() if k in self._store.schema.objects["adapter.Unit"].properties}
            self.new("adapter.Unit", adapter | {"AdapterId": "1", "Model": VIC, "PciSlot": "MLOM"})
        self.new(
            "cond.HclStatus",
            {"ManagedObject": ref(unit), "RegisteredDevice": unit["RegisteredDevice"], "ServerName": unit["Name"]},
        )
        self._firmware(server, unit)

    def _firmware(self, server: Server, unit: Mo) -> None:
        """What runs on its BIOS and on its controller; versions of bundles are `bundles.show`'s."""
        place = f"chassis-1/blade-{unit.get('SlotId')}" if is_blade(server) else f"rack-unit-{unit.get('ServerId')}"
        common = {"RegisteredDevice": unit["RegisteredDevice"], "Ancestors": [ref(unit)]}
        bios = {"Component": "BIOS", "Type": "BIOS", "Version": BIOS_VERSIONS[server.cpu.vendor]}
        controller = {"Component": "system", "Type": "blade-controller", "Dn": f"sys/{place}/mgmt/fw-system"}
        for running in (bios, controller):
            self.new("firmware.RunningFirmware", common | running)

    def _gpus(self, server: Server, unit: Mo, common: Mapping[str, Any]) -> None:
        """GPUs of an X-Series node hang off a PCIe node: their ComputeBlade is empty (iserver's class notes)."""
        if server.gpus is None:
            return
        place: dict[str, Any] = dict(common)
        if is_blade(server):
            node = self.new(
                "pci.Node", {"Model": "UCSX-440P", "Presence": "equipped", "RegisteredDevice": unit["RegisteredDevice"]}
            )
            place = {**place, "ComputeBlade": None, "PciNode": ref(node), "Ancestors": [ref(node), ref(unit)]}
        for slot in range(1, server.gpus.count + 1):
            self.new(
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
