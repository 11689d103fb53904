"""UCS server models: processors, GPU places, rail NICs, and what manages them.

C885A NIC and GPU topology: NVIDIA/k8s-launch-kit, the UCSC-885A-M8 machine profile. GPU places: Cisco data sheets and
the X440p installation note (riser A: one double-width GPU each, riser B: two single-width). Processors and memory are
common fits; a site with others says so in `Server.cores` and `Server.memory_gib`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from podwright.components.model.catalogue.ports import CageName

Platform = Literal["Standalone", "FIAttached"]
Manager = Literal["redfish", "intersight"]


@dataclass(frozen=True)
class Nic:
    """One GPU NIC; its rail is its position in `Server.rails`."""

    rail: int
    pci: str
    netdev: str
    rdma: str
    numa: int
    device: str = "a2dc"
    """PCI device id under vendor 15b3; a2dc is BlueField-3."""
    gbps: int = 400
    cage: CageName = "QSFP112"
    """Its receptacle: one of BlueField-3 B3140H (NVIDIA's adapter list), four lanes of 100 Gb/s."""


@dataclass(frozen=True)
class GpuFit:
    """How many of one GPU product a model takes."""

    counts: tuple[int, ...]

    @property
    def default(self) -> int:
        """The fully fitted server."""
        return self.counts[-1]


@dataclass(frozen=True)
class Server:
    """One server model."""

    name: str
    platform: Platform
    """As Intersight calls it: standalone, or attached to Fabric Interconnects."""
    manager: Manager
    """What this program configures it through."""
    cpu_vendor: Literal["amd", "intel"]
    sockets: int
    cores: int
    """Cores per socket."""
    memory_gib: int
    watts: int
    """Highest draw in W, fully fitted."""
    gpus: Mapping[str, GpuFit] = field(default_factory=dict)
    """GPU products it takes; empty for servers without places."""
    rails: tuple[Nic, ...] = ()
    """GPU NICs, one per rail; empty for servers off the backend fabric."""


_C885A_RAILS = tuple(
    Nic(rail, f"0000:{bus:02x}:00.0", netdev, f"rocep{bus}s0f0", numa=0 if rail < 4 else 1)
    for rail, (bus, netdev) in enumerate(
        (
            (0x09, "eth3"),
            (0x23, "eth7"),
            (0x53, "eth4"),
            (0x69, "eth2"),
            (0x8F, "eth9"),
            (0x9C, "eth11"),
            (0xCD, "eth10"),
            (0xF1, "eth8"),
        )
    )
)

_EIGHT = GpuFit((8,))
_MGX = GpuFit((2, 4, 6, 8))
_PAIR = GpuFit((1, 2))
_RTX = "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition"


def _fits(fit: GpuFit, *products: str) -> dict[str, GpuFit]:
    return dict.fromkeys(products, fit)


_ROWS = (
    Server(
        "UCSC-885A-M8", "Standalone", "redfish", "amd", 2, 64, 2304, 10200,
        _fits(_EIGHT, "NVIDIA-H100-80GB-HBM3", "NVIDIA-H200"), _C885A_RAILS,
    ),
    Server(
        "UCSC-845A-M8", "Standalone", "intersight", "amd", 2, 64, 1536, 8000,
        _fits(_MGX, "NVIDIA-H100-NVL", "NVIDIA-H200-NVL", "NVIDIA-L40S", _RTX),
    ),
    Server(
        "UCSC-C245-M8SX", "Standalone", "intersight", "amd", 2, 48, 768, 2100,
        _fits(_PAIR, "NVIDIA-H100-PCIe", "NVIDIA-H100-NVL", "NVIDIA-L40S"),
    ),
    Server(
        "UCSC-C240-M7SX", "Standalone", "intersight", "intel", 2, 32, 512, 2100,
        {"NVIDIA-L40S": _PAIR, "NVIDIA-L4": GpuFit(tuple(range(1, 9)))},
    ),
    Server(
        "UCSC-C225-M8N", "Standalone", "intersight", "amd", 1, 32, 256, 1100, {"NVIDIA-L4": GpuFit((1, 2, 3))}
    ),
    Server(
        "UCSC-C220-M7S", "Standalone", "intersight", "intel", 2, 32, 512, 1200, {"NVIDIA-L4": GpuFit((1, 2, 3))}
    ),
    Server(
        # GPUs sit in an X440p node beside it, wired by X-Fabric (PCIe Gen4): no SXM socket exists in X-Series.
        "UCSX-210C-M7", "FIAttached", "intersight", "intel", 2, 32, 512, 2400,
        _fits(_PAIR, "NVIDIA-A100-80GB-PCIe", "NVIDIA-H100-PCIe", "NVIDIA-H100-NVL", "NVIDIA-L40S")
        | {"NVIDIA-L4": GpuFit((2, 4))},
    ),
)  # fmt: skip

SERVERS: dict[str, Server] = {server.name: server for server in _ROWS}
"""Server models by product id."""
