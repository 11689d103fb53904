"""BIOS tokens by platform: what each takes, and which processors have it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal

from podwright.components.intersight_table.table import OWN, Rule, nested_types, rules_of

Platform = Literal["amd", "intel", "c845a"]
"""Servers with one set of tokens: by their processors' maker, but for the C845A, whose set is its own."""
NAMES: Final[Mapping[Platform, str]] = {
    "amd": "servers with AMD processors",
    "intel": "servers with Intel processors",
    "c845a": "the UCSC-845A-M8",
}

_C845A: Final = "C845BiosToken"
_DEFAULT: Final = "platform-default"
_AMD: Final = (
    # AMD's Common BIOS Settings; then technologies of AMD's alone: SEV, SME, SVM, xGMI links.
    "Cbs", "SmtMode", "SvmMode", "Sev", "Smee", "Tsme", "CiscoXgmiMaxSpeed", "BmeDmaMitigation",
)  # fmt: skip
_INTEL: Final = (
    # Technologies of Intel's alone: hyper-threading, VT, SpeedStep, Speed Select, SGX, TDX, TME, TXT, UPI and QPI
    # links, sub-NUMA clusters, XPT and KTI prefetch, HWP, Optane memory; then its C-states and energy settings, as
    # Cisco's guides for the M6 and M7 servers list them.
    "Intel", "EnhancedIntelSpeedStepTech", "Sgx", "EnableSgx", "EnableTdx", "EnableTme", "EnableMktme", "EpochUpdate",
    "PrmrrSize", "TxtSupport", "Upi", "Qpi", "Snc", "UmaBasedClustering", "Xpt", "Kti", "Llc", "HwpmEnable", "CrQos",
    "CrfastgoConfig", "DcpmmFirmwareDowngrade", "EadrSupport", "NvmdimmPerformConfig", "VolMemoryMode", "SnoopyMode",
    "VmdEnable", "ConfigTdp", "ProcessorC1e", "ProcessorC3report", "ProcessorC6report", "PackageCstateLimit",
    "AutonumousCstateEnable", "C1auto", "CpuPerformance", "CpuEnergyPerformance", "PwrPerfTuning", "WorkLoadConfig",
    "EnergyEfficientTurbo", "EngPerfTuning", "ImcInterleave", "NumaOptimized", "OptimizedPowerMode",
)  # fmt: skip
"""Beginnings of names. A token that begins with none is taken on both: the table does not say whose it is."""


@cache
def tokens(platform: Platform) -> Mapping[str, Rule]:
    """The tokens that a server of a platform takes, with what each of them takes."""
    if platform == "c845a":
        return {
            kind["class"].removeprefix("bios.").removesuffix(_C845A): kind["properties"]["Value"]
            for kind in nested_types().values()
            if str(kind["class"]).endswith(_C845A) and "Value" in kind["properties"]
        }
    others = _INTEL if platform == "amd" else _AMD
    return {
        name: rule
        for name, rule in rules_of("bios.Policy").items()
        if rule.get("default") == _DEFAULT and name not in OWN and not name.startswith(others)
    }


def every() -> frozenset[str]:
    """Names of the tokens of all platforms."""
    return frozenset().union(*(tokens(each) for each in NAMES))


def platforms(token: str) -> tuple[Platform, ...]:
    """Platforms that have a token of this name."""
    return tuple(each for each in NAMES if token in tokens(each))
