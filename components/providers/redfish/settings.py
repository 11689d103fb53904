"""What the stack's BIOS settings are called elsewhere: ids and texts that a machine's attribute registry may carry.

Texts: the descriptions of bios.Policy's properties in Intersight's schema ("BIOS Token for setting … configuration"),
and the texts that AMI's set-up shows for the same settings, as public dumps of AMD and Intel boards have them. Ids:
tokens of the C845A in Intersight's schema (Pcid001, Pcid002, Cpu005), which are AMI's; PCIS006 and PCIS007 of other
makers' AMI boards. Compared without case, blanks and punctuation.
"""

from __future__ import annotations

from collections.abc import Mapping

ALIASES: Mapping[str, tuple[str, ...]] = {
    "SrIov": ("PCID002", "PCIS007", "SR-IOV Support", "SR-IOV Global Enable", "SR-IOV"),
    "MemoryMappedIoAbove4gb": (
        "PCID001",
        "PCIS006",
        "Above 4G Decoding",
        "Memory Mapped IO above 4GiB",
        "Memory Mapped IO above 4GB",
    ),
    "SvmMode": ("CPU005", "SVM Mode", "SVM"),
    "PcieAriSupport": ("PCIe ARI Support", "ARI Support"),
    "ResizeBarSupport": ("Re-Size BAR Support", "Resizable BAR Support"),
    "CbsCmnGnbNbIommu": ("IOMMU",),
    "CbsDfCmnDramNps": ("NUMA Nodes per Socket",),
    "CbsCmnDeterminismSlider": ("CbsCmnDeterminismEnable", "Determinism Slider", "Determinism Enable"),
    "CbsCmnApbdis": ("APBDIS",),
    "CbsCmnFixedSocPstate": ("Fixed SOC P-State", "DfPstate"),
    "CbsCmnGnbSmuDfCstates": ("DF C-States",),
    "CbsCpuSmtCtrl": ("CPU SMT Mode", "SMT Control"),
    "SmtMode": ("CbsCpuSmtCtrl", "SMT Mode", "CPU SMT Mode", "SMT Control"),
    "IntelHyperThreadingTech": ("Intel HyperThreading Tech", "Hyper-Threading", "Hyper-Threading [ALL]"),
    "IntelVtForDirectedIo": ("Intel VT for Directed IO", "Intel VT for Directed I/O (VT-d)"),
    "IntelVirtualizationTechnology": ("Intel (R) VT", "VMX", "Intel Virtualization Technology"),
    "NumaOptimized": ("NUMA Optimized", "NUMA"),
    "Snc": ("Sub Numa Clustering", "SNC (Sub NUMA)", "SNC"),
    "CpuPerformance": ("CPU Performance",),
    "CpuEnergyPerformance": ("Energy Performance",),
    "PwrPerfTuning": ("Power Performance Tuning",),
    "ProcessorC1e": ("Processor C1E", "Enhanced Halt State (C1E)"),
    "ProcessorC6report": ("Processor C6 Report", "CPU C6 report"),
    "PackageCstateLimit": ("Package C State Limit", "Package C State"),
    "WorkLoadConfig": ("Workload Configuration", "Workload Profile"),
    **{f"AcsControlGpu{slot}state": (f"ACS Control GPU {slot}",) for slot in range(1, 9)},
}
