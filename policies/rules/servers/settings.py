"""BIOS settings by host, whoever defines them, and the values that GPUs, VFs and their traffic need."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ..resource import Resource
from .asked import any_of, asked, each_of, holds, indexed, members, sifted
from .inventory import (
    PROFILE,
    REDFISH,
    Object,
    Objects,
    attached,
    machines,
    nodes,
    objects,
    part,
    properties,
    selected,
    spec,
)

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
_SMT_TOKENS: Final = ("intelhyperthreadingtech", "smtmode", "cbscpusmtctrl")
"""What sets threads per core, by processor vendor and in the C845A's own set, in lower case."""
_SMT_OFF: Final = ("disabled", "disable", "off")


@dataclass(frozen=True)
class Bios:
    """BIOS settings of one host, and the resource that defines them."""

    host: str
    owner: Resource
    family: str
    settings: Mapping[str, str]
    """Values by token, both in lower case."""


def bios_of(resources: Sequence[Resource]) -> Mapping[str, Bios]:
    """BIOS settings by host name, of hosts whose model is known here. A profile without a BIOS policy has none set."""
    known = objects(resources)
    servers = (each for each in resources if each.type in (PROFILE, REDFISH))
    return indexed(asked(lambda each: _bios(each, known), servers), lambda each: each.host)


def _bios(server: Resource, known: Objects) -> Iterator[Bios]:
    about = spec(server)
    family = next((name for name, model in _FAMILIES if model.search(str(about.get("model")))), "")
    owner = attached(server, known).get("bios.Policy", server) if server.type == PROFILE else server

    def values() -> Object:
        if server.type == REDFISH:
            return part(about, "bios")  # type: ignore[no-any-return]
        return properties(owner) if owner is not server else {}

    if family:
        yield Bios(str(about.get("name")), owner, family, Settings(values))


class Settings(Mapping[str, str]):
    """Values by token, both in lower case; each is read when asked for. The C845A's tokens are one object each."""

    def __init__(self, values: Callable[[], Object]) -> None:
        self._read = values

    @cached_property
    def _values(self) -> Object:
        return self._read()

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return {str(name).lower(): name for name in self._values}

    @cached_property
    def _tokens(self) -> Mapping[str, Object]:
        if "BiosConfigurations" not in self._values:
            return {}
        blocks = members(self._values["BiosConfigurations"])
        return indexed(asked(lambda block: members(block.get("BiosTokens")), blocks), _token)

    def __getitem__(self, name: str) -> str:
        if name in self._tokens:
            return str(self._tokens[name].get("Value")).lower()
        return str(self._values[self._names[name]]).lower()

    def __iter__(self) -> Iterator[str]:
        yield from self._names
        yield from (name for name in self._tokens if name not in self._names)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _token(about: Object) -> str:
    return str(about.get("ObjectType") or "").removeprefix("bios.").removesuffix("C845BiosToken").lower()


def one_thread(bios: Bios, profile: Resource) -> bool:
    """Whether a host's cores have one thread each, by its BIOS or by the PerformanceProfile of its node."""

    def in_bios() -> bool:
        return holds(lambda token: bios.settings.get(token) in _SMT_OFF, _SMT_TOKENS)

    def in_profile() -> bool:
        return holds(lambda each: each == "nosmt", members(spec(profile).get("additionalKernelArgs")))

    return any_of((in_bios, in_profile))


class Servers:
    """Nodes with what is known of their servers, as PerformanceProfiles select them."""

    def __init__(self, resources: Sequence[Resource]) -> None:
        self._nodes, self._machines, self._bios = nodes(resources), machines(resources), bios_of(resources)

    def of(self, profile: Resource) -> Iterator[tuple[Bios, Object]]:
        """BIOS settings and facts of each server, of which both are there, that a profile selects."""
        found = sifted(self._has_cores, selected(spec(profile).get("nodeSelector"), self._nodes))
        return each_of(lambda name: (self._bios[name], self._machines[name]), found)

    def _has_cores(self, name: str) -> bool:
        return bool(int(self._machines.get(name, {}).get("cores") or 0)) and name in self._bios
