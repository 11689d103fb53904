"""BIOS settings for AI nodes, by the names and values each platform really takes.

Names and values: the enums of Intersight's bios.Policy and bios.C845ServerBiosConfiguration. The C885A has its own
BMC; that its Redfish attributes carry the same names is unverified. What is not here, and not defined of a role
or a server, stays at the platform's default and is not owned.
"""

from collections.abc import Mapping
from typing import Any

from podwright.components.design.hardware import ServerModel
from podwright.components.model import Settings

Default = tuple[str, str]
"""A value and the reason for it."""

_VFS = "virtual functions of the NICs need it"
_BARS = "GPUDirect maps GPU memory above 4 GB"
_NUMA = "GPUs and NICs are wired to sockets, not to quadrants: one NUMA node per socket"
_EQUAL = "every member of a gang runs at the pace of the slowest, so equal clocks beat the best of each part"
_AWAKE = "the data fabric stays awake: no wake-up time between a NIC and memory"
_PERFORMANCE = "clocks follow the load, not the power that could be saved"
_ASLEEP = "a core that sleeps answers an interrupt of a NIC late"
_SHIPPED = "enabled as shipped, and held there: virtual functions need it"
_ACS = "ACS on a GPU's port sends peer-to-peer writes through the root complex; GPUDirect loses most of its bandwidth"
_RESIZE = "the host sees all of a GPU's memory in one BAR"

_AMD: Mapping[str, Default] = {
    "CbsCmnGnbNbIommu": ("enabled", _VFS),
    "SrIov": ("enabled", _VFS),
    "SvmMode": ("enabled", _VFS),
    "PcieAriSupport": ("enabled", _VFS),
    "MemoryMappedIoAbove4gb": ("enabled", _BARS),
    "CbsDfCmnDramNps": ("NPS1", _NUMA),
    "CbsCmnDeterminismSlider": ("Performance", _EQUAL),
    "CbsCmnApbdis": ("1", _AWAKE),
    "CbsCmnFixedSocPstate": ("P0", _AWAKE),
    "CbsCmnGnbSmuDfCstates": ("disabled", _AWAKE),
}

_INTEL: Mapping[str, Default] = {
    "IntelVtForDirectedIo": ("enabled", _VFS),
    "IntelVirtualizationTechnology": ("enabled", _VFS),
    "SrIov": ("enabled", _VFS),
    "PcieAriSupport": ("enabled", _VFS),
    "MemoryMappedIoAbove4gb": ("enabled", _BARS),
    "NumaOptimized": ("enabled", _NUMA),
    "Snc": ("disabled", _NUMA),
    "CpuPerformance": ("hpc", _PERFORMANCE),
    "CpuEnergyPerformance": ("performance", _PERFORMANCE),
    "PwrPerfTuning": ("bios", _PERFORMANCE),
    "ProcessorC1e": ("disabled", _ASLEEP),
    "ProcessorC6report": ("disabled", _ASLEEP),
    "PackageCstateLimit": ("C0 C1 State", _ASLEEP),
    "WorkLoadConfig": ("I/O Sensitive", "GPUs and NICs move the data, not the processors"),
}

_C845A: Mapping[str, Default] = {
    "CbsCmnGnbNbIommu": ("Enabled", _VFS),
    "CbsDfCmnDramNps": ("NPS1", _NUMA),
    "CbsCmnDeterminismCtl": ("Manual", _EQUAL),
    "CbsCmnDeterminismEnable": ("Performance", _EQUAL),
    "CbsCmnApbdis": ("1", _AWAKE),
    "Pcid002": ("Enabled", _SHIPPED),
    "Cpu005": ("Enabled", _SHIPPED),
}
FAMILIES: Mapping[str, str] = {"UCSC-845A-M8": "UCSC845A"}
"""`server.Profile.ServerFamily` and `bios.Policy.Model` of models with BIOS tokens of their own; their defaults,
Unspecified and Not-Applicable, are those of every other server."""
NO_SETTINGS = Settings()


def defaults(model: ServerModel, gpus: int) -> dict[str, Default]:
    """What the catalogue sets on a server of this model, with ACS off towards each of its GPUs."""
    if model.name in FAMILIES:
        return dict(_C845A)
    base = _AMD if model.cpu_vendor == "amd" else _INTEL
    acs = {f"AcsControlGpu{number}state": ("disabled", _ACS) for number in range(1, min(gpus, 8) + 1)}
    return {**base, **acs, **({"ResizeBarSupport": ("enabled", _RESIZE)} if gpus else {})}


def multithreading(model: ServerModel, enabled: bool) -> dict[str, str]:
    """The token that sets threads per core."""
    if model.name in FAMILIES:
        return {"CbsCpuSmtCtrl": "Enable" if enabled else "Disable"}
    if model.cpu_vendor == "amd":
        return {"SmtMode": "Auto" if enabled else "Off"}
    return {"IntelHyperThreadingTech": "enabled" if enabled else "disabled"}


def attributes(model: ServerModel, gpus: int, settings: Settings = NO_SETTINGS) -> dict[str, Any]:
    """Settings by token: the catalogue's, threads per core where they are defined, and what is defined by name."""
    merged: dict[str, Any] = {name: value for name, (value, _) in defaults(model, gpus).items()}
    if settings.smt is not None:
        merged |= multithreading(model, settings.smt.enabled)
    merged |= settings.bios
    return {name: value for name, value in merged.items() if value is not None}


def policy(model: ServerModel, gpus: int, settings: Settings = NO_SETTINGS) -> dict[str, Any]:
    """Properties of a bios.Policy for this model. The C845A has a token set of its own, one object per token."""
    found = attributes(model, gpus, settings)
    family = FAMILIES.get(model.name)
    if family is None:
        return found
    tokens = [
        {"ClassId": f"bios.{token}C845BiosToken", "ObjectType": f"bios.{token}C845BiosToken", "Value": value}
        for token, value in found.items()
    ]
    kind = "bios.C845ServerBiosConfiguration"
    return {"Model": family, "BiosConfigurations": [{"ClassId": kind, "ObjectType": kind, "BiosTokens": tokens}]}
