"""BIOS settings by host, whoever defines them, and the values that GPUs, VFs and their traffic need."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..resource import Resource
from ..rule import items
from .inventory import PROFILE, REDFISH, Object, attached, objects, properties, spec

Tokens = Mapping[str, tuple[str, ...]]
"""By token, values that do; compared without regard to case, since platforms spell them differently."""
ON: Final = ("enabled",)
OFF: Final = ("disabled",)

_FAMILIES: Final = (
    ("c845a", re.compile(r"845A")),
    ("intel", re.compile(r"210C|220-|240-|410C|880A")),
    ("amd", re.compile(r"215C|225-|245-|885A")),
)
"""Sets of tokens by model: the vendor of its processors, or the C845A's own."""

VFS: Final[Mapping[str, Tokens]] = {
    # Without alternative routing-ID interpretation a device has eight functions in all.
    "intel": {"SrIov": ON, "IntelVtForDirectedIo": ON, "PcieAriSupport": ON},
    "amd": {"SrIov": ON, "CbsCmnGnbNbIommu": ON, "PcieAriSupport": ON},
    "c845a": {"Pcid002": ON, "CbsCmnGnbNbIommu": ON},
}
BARS: Final[Mapping[str, Tokens]] = {
    "intel": {"MemoryMappedIoAbove4gb": ON, "ResizeBarSupport": ON},
    "amd": {"MemoryMappedIoAbove4gb": ON, "ResizeBarSupport": ON},
}
NUMA: Final[Mapping[str, Tokens]] = {
    "intel": {"NumaOptimized": ON, "Snc": OFF},
    "amd": {"CbsDfCmnDramNps": ("nps1",)},
    "c845a": {"CbsDfCmnDramNps": ("nps1",)},
}
CLOCKS: Final[Mapping[str, Tokens]] = {
    "intel": {
        "CpuPerformance": ("hpc", "high-throughput"),
        "CpuEnergyPerformance": ("performance",),
        # The BIOS holds the bias; left to the operating system, a default tuned profile lowers it.
        "PwrPerfTuning": ("bios",),
        "ProcessorC1e": OFF,
        "ProcessorC6report": OFF,
        "PackageCstateLimit": ("c0 c1 state", "c0/c1"),
        "WorkLoadConfig": ("i/o sensitive",),
    },
    "amd": {
        "CbsCmnDeterminismSlider": ("performance",),
        "CbsCmnApbdis": ("1",),
        "CbsCmnFixedSocPstate": ("p0",),
        "CbsCmnGnbSmuDfCstates": OFF,
    },
    "c845a": {
        "CbsCmnDeterminismCtl": ("manual",),
        "CbsCmnDeterminismEnable": ("performance",),
        "CbsCmnApbdis": ("1",),
    },
}
SMT_TOKENS: Final = ("intelhyperthreadingtech", "smtmode", "cbscpusmtctrl")
"""What sets threads per core, by processor vendor and in the C845A's own set, in lower case."""
SMT_OFF: Final = ("disabled", "disable", "off")


@dataclass(frozen=True)
class Bios:
    """BIOS settings of one host, and the resource that defines them."""

    owner: Resource
    family: str
    settings: Mapping[str, str]
    """Values by token, both in lower case."""


def bios_of(resources: Sequence[Resource]) -> dict[str, Bios]:
    """BIOS settings by host name, of hosts whose model is known here. A profile without a BIOS policy has none set."""
    known, found = objects(resources), dict[str, Bios]()
    for each in resources:
        if each.type not in (PROFILE, REDFISH):
            continue
        about = spec(each)
        family = next((name for name, model in _FAMILIES if model.search(str(about.get("model")))), "")
        owner, values = each, about.get("bios") or {}
        if each.type == PROFILE:
            owner = attached(each, known).get("bios.Policy", each)
            values = _plain(properties(owner)) if owner is not each else {}
        if family:
            settings = {str(token).lower(): str(value).lower() for token, value in values.items()}
            found[str(about.get("name"))] = Bios(owner, family, settings)
    return found


def _plain(values: Object) -> Object:
    """Values by token; the C845A's tokens are one object each."""
    found = dict(values)
    for block in items(values.get("BiosConfigurations")):
        for token in items(block.get("BiosTokens")):
            name = str(token.get("ObjectType") or "").removeprefix("bios.").removesuffix("C845BiosToken")
            found[name] = token.get("Value")
    return found
