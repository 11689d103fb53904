"""NVIDIA data-centre GPUs: memory, power, and how MIG may divide them.

Profiles and largest counts: NVIDIA/mig-parted, deployments and examples; start slots: NVIDIA MIG User Guide.
Memory by name and power: NVIDIA data sheets. MiB: what nvidia-smi lists, as
https://thundergolfer.com/blog/nvidia-gpu-memory-capacity has it for H200, H100, A100, A10, L40S, L4 and T4, and public
outputs of it for the others. Keys are what GPU Feature Discovery puts into `nvidia.com/gpu.product`: the NVML product
name with spaces as dashes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Form = Literal["sxm", "pcie-double", "pcie-single"]


@dataclass(frozen=True)
class MigProfile:
    """One MIG profile on one GPU."""

    name: str
    compute: int
    """Compute slices it takes, of the GPU's seven (four on RTX PRO 6000)."""
    memory: int
    """Consecutive memory slices it takes, of the GPU's eight (four on RTX PRO 6000)."""
    starts: tuple[int, ...]
    """Memory slices it may start at."""

    @property
    def largest(self) -> int:
        """How many of this profile alone one GPU holds."""
        return 1 if self.name.endswith("+me") else len(self.starts)


@dataclass(frozen=True)
class Gpu:
    """One GPU product."""

    name: str
    memory_gb: int
    """Memory as the product's name and its MIG profiles count it."""
    mib: int
    """Memory that the driver lists, in MiB; GDDR with error correction has a sixteenth less than its name."""
    capability: tuple[int, int]
    """CUDA compute capability, which decides on precisions."""
    watts: int
    """Thermal design power in W."""
    form: Form
    together: int = 1
    """How many talk to each other by NVLink: 8 on a board with switches, 2 or 4 by a bridge, 1 where there is none."""
    mig: Mapping[str, MigProfile] = field(default_factory=dict)
    """MIG profiles by name; empty where the GPU has no MIG."""
    compute_slices: int = 7
    memory_slices: int = 8
    device: str = ""
    """PCI device id (pci.ids), by which one MIG layout name tells products apart; empty where the GPU has no MIG."""


_SHAPES = (
    # key, compute slices, memory slices, start slots
    ("1g", 1, 1, (0, 1, 2, 3, 4, 5, 6)),
    ("1g+me", 1, 1, (0, 1, 2, 3, 4, 5, 6)),
    ("1g2", 1, 2, (0, 2, 4, 6)),
    ("2g", 2, 2, (0, 2, 4)),
    ("3g", 3, 4, (0, 4)),
    ("4g", 4, 4, (0,)),
    ("7g", 7, 8, (0,)),
)


def _profiles(single: int, double: int, half: int, whole: int) -> dict[str, MigProfile]:
    """Seven profiles of a seven-slice GPU; the arguments are the GB in their names."""
    gigabytes = {"1g": single, "1g+me": single, "1g2": double, "2g": double, "3g": half, "4g": half, "7g": whole}
    profiles: dict[str, MigProfile] = {}
    for key, compute, memory, starts in _SHAPES:
        name = f"{key[:2]}.{gigabytes[key]}gb" + ("+me" if key.endswith("+me") else "")
        profiles[name] = MigProfile(name, compute, memory, starts)
    return profiles


_A100_40 = _profiles(5, 10, 20, 40)
_HOPPER_80 = _profiles(10, 20, 40, 80)  # A100-80 as well
_H100_NVL = _profiles(12, 24, 47, 94)
_H200 = _profiles(18, 35, 71, 141)
_B200 = _profiles(23, 45, 90, 180)
_B300 = _profiles(34, 67, 135, 269)  # NVIDIA GPU Operator 25.10.0 release notes
_RTX_PRO_6000 = "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition"
_RTX6000 = {
    profile.name: profile
    for profile in (
        MigProfile("1g.24gb", 1, 1, (0, 1, 2, 3)),
        MigProfile("2g.48gb", 2, 2, (0, 2)),
        MigProfile("4g.96gb", 4, 4, (0,)),
    )
}

GPUS: dict[str, Gpu] = {
    gpu.name: gpu
    for gpu in (
        Gpu("NVIDIA-H100-80GB-HBM3", 80, 81559, (9, 0), 700, "sxm", 8, _HOPPER_80, device="2330"),
        Gpu("NVIDIA-H200", 141, 143771, (9, 0), 700, "sxm", 8, _H200, device="2335"),
        Gpu("NVIDIA-B200", 180, 183359, (10, 0), 1000, "sxm", 8, _B200, device="2901"),
        Gpu("NVIDIA-B300-SXM6-AC", 269, 275040, (10, 3), 1100, "sxm", 8, _B300, device="3182"),
        Gpu("NVIDIA-A100-SXM4-40GB", 40, 40960, (8, 0), 400, "sxm", 8, _A100_40, device="20B0"),
        Gpu("NVIDIA-A100-SXM4-80GB", 80, 81920, (8, 0), 400, "sxm", 8, _HOPPER_80, device="20B2"),
        Gpu("NVIDIA-A100-PCIE-40GB", 40, 40960, (8, 0), 250, "pcie-double", 2, _A100_40, device="20F1"),
        Gpu("NVIDIA-A100-80GB-PCIe", 80, 81920, (8, 0), 300, "pcie-double", 2, _HOPPER_80, device="20B5"),
        Gpu("NVIDIA-H100-PCIe", 80, 81559, (9, 0), 350, "pcie-double", 2, _HOPPER_80, device="2331"),
        Gpu("NVIDIA-H100-NVL", 94, 95830, (9, 0), 400, "pcie-double", 2, _H100_NVL, device="2321"),
        Gpu("NVIDIA-H200-NVL", 141, 143771, (9, 0), 600, "pcie-double", 4, _H200, device="233B"),
        Gpu(_RTX_PRO_6000, 96, 97887, (12, 0), 600, "pcie-double", 1, _RTX6000, 4, 4, device="2BB5"),
        Gpu("NVIDIA-L40S", 48, 46068, (8, 9), 350, "pcie-double"),
        Gpu("NVIDIA-L4", 24, 23034, (8, 9), 72, "pcie-single"),
        Gpu("NVIDIA-A10", 24, 23028, (8, 6), 150, "pcie-single"),
        Gpu("Tesla-T4", 16, 15360, (7, 5), 70, "pcie-single"),
    )
}
"""GPUs by product label. A10 and T4 are in no server of the catalogue; older estates are compared with them. The A10G
is in no server that can be bought: one cloud has it."""
