"""The world's hardware as an operating system on it would list it."""

from __future__ import annotations

from dataclasses import dataclass

from podwright.lab.world.model import Nic, Server

MELLANOX = "15b3"
NVIDIA = "10de"
MELLANOX_DEVICES = frozenset(
    {"1013", "1015", "1017", "1019", "101b", "101d", "101f", "1021", "1023", "1025", "a2d6", "a2dc"}
)
"""PCI device ids of ConnectX-4 to ConnectX-8 and BlueField-2/3 (pci.ids)."""
TOTAL_VFS = 16


@dataclass(frozen=True)
class PciDevice:
    """One PCI function: class code, vendor and device ids in hexadecimal."""

    code: str
    vendor: str
    device: str


@dataclass(frozen=True)
class GpuModel:
    """What GPU Feature Discovery says of a product. `memory` in MiB, `slices` memory slices when MIG is possible.

    `profiles` maps a MIG profile to (compute slices, memory slices).
    """

    device: str
    family: str
    compute: tuple[int, int]
    memory: int
    profiles: dict[str, tuple[int, int]]


def _profiles(small: int, double: int, half: int, whole: int) -> dict[str, tuple[int, int]]:
    """The seven-slice table of the MIG user guide, for the sizes (GB) of one, two, four and eight memory slices."""
    return {
        f"1g.{small}gb": (1, 1), f"1g.{small}gb+me": (1, 1), f"1g.{double}gb": (1, 2), f"2g.{double}gb": (2, 2),
        f"3g.{half}gb": (3, 4), f"4g.{half}gb": (4, 4), f"7g.{whole}gb": (7, 8),
    }  # fmt: skip


GPUS: dict[str, GpuModel] = {
    "NVIDIA-A100-SXM4-40GB": GpuModel("20b0", "ampere", (8, 0), 40960, _profiles(5, 10, 20, 40)),
    "NVIDIA-A100-SXM4-80GB": GpuModel("20b2", "ampere", (8, 0), 81920, _profiles(10, 20, 40, 80)),
    "NVIDIA-A100-PCIE-40GB": GpuModel("20f1", "ampere", (8, 0), 40960, _profiles(5, 10, 20, 40)),
    "NVIDIA-A100-80GB-PCIe": GpuModel("20b5", "ampere", (8, 0), 81920, _profiles(10, 20, 40, 80)),
    "NVIDIA-A10": GpuModel("2236", "ampere", (8, 6), 23028, {}),
    "NVIDIA-H100-PCIe": GpuModel("2331", "hopper", (9, 0), 81559, _profiles(10, 20, 40, 80)),
    "NVIDIA-H100-80GB-HBM3": GpuModel("2330", "hopper", (9, 0), 81559, _profiles(10, 20, 40, 80)),
    "NVIDIA-H100-NVL": GpuModel("2321", "hopper", (9, 0), 95830, _profiles(12, 24, 47, 94)),
    "NVIDIA-H200": GpuModel("2335", "hopper", (9, 0), 143771, _profiles(18, 35, 71, 141)),
    "NVIDIA-H200-NVL": GpuModel("233b", "hopper", (9, 0), 143771, _profiles(18, 35, 71, 141)),
    "NVIDIA-B200": GpuModel("2901", "blackwell", (10, 0), 183359, _profiles(23, 45, 90, 180)),
    "NVIDIA-B300-SXM6-AC": GpuModel("3182", "blackwell", (10, 3), 275040, _profiles(34, 67, 135, 269)),
    "Tesla-T4": GpuModel("1eb8", "turing", (7, 5), 15360, {}),
    "NVIDIA-L4": GpuModel("27b8", "ada-lovelace", (8, 9), 23034, {}),
    "NVIDIA-L40S": GpuModel("26b9", "ada-lovelace", (8, 9), 46068, {}),
    "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition": GpuModel(
        "2bb5", "blackwell", (12, 0), 97887, {"1g.24gb": (1, 1), "2g.48gb": (2, 2), "4g.96gb": (4, 4)}
    ),
}
"""GFD's product names, memory as nvidia-smi reports it (NVIDIA MIG user guide, pci.ids); see FIDELITY.md for doubts."""


def gpu_model(server: Server) -> GpuModel | None:
    """The model of this server's GPUs, or None when it has none. Raises KeyError for a product not in the table."""
    return GPUS[server.gpus.product] if server.gpus and server.gpus.count else None


def vendor(nic: Nic) -> str:
    """PCI vendor id of a NIC; cards that are not in the Mellanox list count as Intel."""
    return MELLANOX if nic.device in MELLANOX_DEVICES else "8086"


def pci_devices(server: Server) -> list[PciDevice]:
    """GPUs and network functions that `lspci -nn` would list."""
    found = [PciDevice("0200", vendor(nic), nic.device) for nic in server.nics.values() if nic.pci]
    model = gpu_model(server)
    if model is not None and server.gpus is not None:
        found += [PciDevice("0302", NVIDIA, model.device)] * server.gpus.count
    return found
