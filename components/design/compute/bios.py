"""BIOS settings for AI nodes, by the names and values each platform really takes.

Names and values: the enums of Intersight's bios.Policy and bios.C845ServerBiosConfiguration. The C885A has its own
BMC; that its Redfish attributes carry the same names is unverified. What is not said here stays at the platform's
default and is not owned.
"""

from collections.abc import Mapping
from typing import Any

from podwright.components.design.hardware import ServerModel

_AMD: Mapping[str, str] = {
    # VFs need the IOMMU; GPUDirect needs large BARs mapped above 4 GB.
    "CbsCmnGnbNbIommu": "enabled",
    "SrIov": "enabled",
    "SvmMode": "enabled",
    "PcieAriSupport": "enabled",
    "MemoryMappedIoAbove4gb": "enabled",
    # One NUMA node per socket: GPUs and NICs are wired to sockets, not to quadrants.
    "CbsDfCmnDramNps": "NPS1",
    # Every member of a gang runs at the pace of the slowest, so equal clocks beat the best of each part.
    "CbsCmnDeterminismSlider": "Performance",
    # The data fabric stays awake: no wake-up time between a NIC and memory.
    "CbsCmnApbdis": "1",
    "CbsCmnFixedSocPstate": "P0",
    "CbsCmnGnbSmuDfCstates": "disabled",
}

_INTEL: Mapping[str, str] = {
    "IntelVtForDirectedIo": "enabled",
    "IntelVirtualizationTechnology": "enabled",
    "SrIov": "enabled",
    "PcieAriSupport": "enabled",
    "MemoryMappedIoAbove4gb": "enabled",
    "NumaOptimized": "enabled",
    "Snc": "disabled",
    "CpuPerformance": "hpc",
    "CpuEnergyPerformance": "performance",
    "PwrPerfTuning": "bios",
    "ProcessorC1e": "disabled",
    "ProcessorC6report": "disabled",
    "PackageCstateLimit": "C0 C1 State",
    "WorkLoadConfig": "I/O Sensitive",
}

_C845A: Mapping[str, str] = {
    "CbsCmnGnbNbIommu": "Enabled",
    "CbsDfCmnDramNps": "NPS1",
    "CbsCmnDeterminismCtl": "Manual",
    "CbsCmnDeterminismEnable": "Performance",
    "CbsCmnApbdis": "1",
    # SR-IOV, and the CPU's virtualization: enabled as shipped, and held there.
    "Pcid002": "Enabled",
    "Cpu005": "Enabled",
}
FAMILIES: Mapping[str, str] = {"UCSC-845A-M8": "UCSC845A"}
"""`server.Profile.ServerFamily` and `bios.Policy.Model` of models with BIOS tokens of their own; their defaults,
Unspecified and Not-Applicable, are those of every other server."""


def attributes(model: ServerModel, gpus: int) -> dict[str, str]:
    """Settings by token for a server that takes plain tokens, with ACS off towards each of its GPUs.

    ACS on a GPU's port sends every peer-to-peer write through the root complex: GPUDirect then loses most of its
    bandwidth.
    """
    base = _AMD if model.cpu_vendor == "amd" else _INTEL
    acs = {f"AcsControlGpu{number}state": "disabled" for number in range(1, min(gpus, 8) + 1)}
    return {**base, **acs, **({"ResizeBarSupport": "enabled"} if gpus else {})}


def policy(model: ServerModel, gpus: int) -> dict[str, Any]:
    """Properties of a bios.Policy for this model. The C845A has a token set of its own, one object per token."""
    family = FAMILIES.get(model.name)
    if family is None:
        return attributes(model, gpus)
    tokens = [
        {"ClassId": f"bios.{token}C845BiosToken", "ObjectType": f"bios.{token}C845BiosToken", "Value": value}
        for token, value in _C845A.items()
    ]
    kind = "bios.C845ServerBiosConfiguration"
    return {"Model": family, "BiosConfigurations": [{"ClassId": kind, "ObjectType": kind, "BiosTokens": tokens}]}
