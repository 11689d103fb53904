"""UCS server models: processors, GPU places, NICs, power supplies, and what manages them.

C885A NIC and GPU topology: NVIDIA/k8s-launch-kit, the UCSC-885A-M8 machine profile. GPU places: Cisco data sheets and
the X440p spec sheet (riser A: one double-width GPU each, riser B: two single-width; which compute node takes which
GPU: its table 4 and notes). The M8 rack servers' GPU places are those of the M7 chassis before them. What a model is
managed by: Cisco Intersight, Supported Systems, and the model families of `firmware.Policy`. Processors, memory and
draw are common fits and estimates; a site with others says so in `Server.cores`, `Server.memory_gib`, `site.watts`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from podwright.components.model.catalogue.ports import CageName
from podwright.components.model.catalogue.supplies import C880A, RACK_PAIR, PowerSupplies

Platform = Literal["Standalone", "FIAttached"]
Manager = Literal["redfish", "intersight"]
CpuVendor = Literal["amd", "intel"]
_LAUNCH_KIT = "NVIDIA/k8s-launch-kit, UCSC-885A-M8-H22"


@dataclass(frozen=True)
class Nic:
    """One GPU NIC; its rail is its position in `Server.rails`."""

    rail: int
    pci: str
    """PCI address of the function. What Linux calls it is the installed system's business: NVIDIA's profile of the
    C885A, which the addresses are from, has eth3 for the first, where Red Hat's systems have enp9s0f0np0."""
    numa: int
    device: str = "a2dc"
    """PCI device id under vendor 15b3; a2dc is BlueField-3."""
    gbps: int = 400
    cage: CageName = "QSFP112"
    """Its receptacle: one of BlueField-3 B3140H (NVIDIA's adapter list), four lanes of 100 Gb/s."""


@dataclass(frozen=True)
class Adapter:
    """A NIC beside the rails: what joins the server to the frontend."""

    product: str
    slot: str | None
    """Slot as Intersight names it in a vNIC's placement; None where no source names it."""
    numa: int | None
    """NUMA node with one node per socket; None where no source says."""
    ports: int
    gbps: int
    """Speed of one port in Gb/s."""
    source: str


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
    attachments: tuple[Platform, ...]
    """How it may be managed, as Intersight calls it: standalone, or attached to Fabric Interconnects."""
    manager: Manager
    """What this program configures it through."""
    cpu_vendor: CpuVendor
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
    rails_unknown: str = ""
    """Why a server that has GPU NICs has no rails here."""
    adapters: tuple[Adapter, ...] = ()
    """NICs towards the frontend that the model is sold with, the one it boots by first; a VIC takes vNICs."""
    slots: int = 0
    """Slots of a UCSX-9508 that it takes; 0 for a rack server."""
    supplies: PowerSupplies | None = None
    """Its own power supplies; None for a blade, which the chassis feeds, and where no source confirms them."""
    family: str | None = None
    """Its `ModelFamily` in Intersight's firmware.Policy; None where that policy does not know it."""
    managed: str = ""
    """Why it is managed as it is."""
    source: str = ""

    @property
    def platform(self) -> Platform:
        """How it is managed where the stack file names no domain for it."""
        return self.attachments[0]

    @property
    def vic(self) -> str | None:
        """Slot of the Cisco VIC that carries its vNICs; None for servers without one."""
        return next((each.slot for each in self.adapters if each.product.startswith("UCS VIC")), None)


_C885A_RAILS = tuple(
    Nic(rail, f"0000:{bus:02x}:00.0", numa=0 if rail < 4 else 1)
    for rail, bus in enumerate((0x09, 0x23, 0x53, 0x69, 0x8F, 0x9C, 0xCD, 0xF1))
)

_SHEETS = "Cisco UCS {} spec sheet"
_SUPPORTED = "Cisco Intersight, Supported Systems, Intersight Managed Mode, table 3"
_RACK: tuple[Platform, ...] = ("Standalone", "FIAttached")
_ALONE: tuple[Platform, ...] = ("Standalone",)
_BLADE: tuple[Platform, ...] = ("FIAttached",)
_ON_CPU_1 = "Cisco UCS X410c M7 spec sheet, step 4: the mLOM is wired to CPU 1"
_MLOM = (Adapter("UCS VIC 15427", "MLOM", None, 4, 50, f"{_SUPPORTED}: UCSC-M-V5Q50GV2"),)
_BLADE_MLOM = (Adapter("UCS VIC 15230", "MLOM", 0, 2, 100, _ON_CPU_1),)
_B3240 = tuple(
    Adapter(f"BlueField-3 B3240 {number}", None, 0 if number == 1 else None, 2, 400, _LAUNCH_KIT) for number in (1, 2)
)
_C880A_FRONT = (
    Adapter("ConnectX-7 2x200G", None, None, 2, 200, "Cisco UCS C880A M8 spec sheet, bundle B303"),
    Adapter("Intel X710-T2L", "OCP", 0, 2, 10, "Cisco UCS C880A M8 spec sheet: OCP 3.0, CPU 1"),
)

_EIGHT = GpuFit((8,))
_MGX = GpuFit((2, 4, 6, 8))
_PAIR = GpuFit((1, 2))
_FOUR_THIN = GpuFit((2, 4))
_ONE_UNIT = {"NVIDIA-L4": GpuFit((1, 2, 3))}
_TWO_UNITS = {"NVIDIA-L40S": _PAIR, "NVIDIA-L4": GpuFit(tuple(range(1, 9)))}
_RTX = "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition"

_BY_BMC = (
    "Intersight claims and watches it, but no model family of firmware.Policy and no server profile configures it: "
    "settings go to its own BMC by Redfish"
)
_OWN_TOKENS = "standalone only; its server profile carries ServerFamily and BIOS tokens of its own"
_EITHER = "server profile of Intersight, standalone or behind Fabric Interconnects"
_CHASSIS = "server profile of Intersight, in a chassis behind Fabric Interconnects"


_Size = tuple[int, int, int, int]
"""Sockets, cores of each, memory in GiB, highest draw in W."""


def _fits(fit: GpuFit, *products: str) -> dict[str, GpuFit]:
    return dict.fromkeys(products, fit)


def _rack(name: str, cpu: CpuVendor, size: _Size, gpus: Mapping[str, GpuFit], sheet: str) -> Server:
    """A C-Series server with a VIC."""
    sockets, cores, memory, watts = size
    return Server(
        name, _RACK, "intersight", cpu, sockets, cores, memory, watts, gpus, adapters=_MLOM, supplies=RACK_PAIR,
        family=name[: len("UCSC-C220-M7")], managed=_EITHER, source=f"{_SHEETS.format(sheet)}; {_SUPPORTED}",
    )  # fmt: skip


def _blade(name: str, cpu: CpuVendor, size: _Size, gpus: Mapping[str, GpuFit], slots: int) -> Server:
    """An X-Series compute node. Its draw has that of an X440p beside it, where its GPUs sit, wired by X-Fabric (PCIe
    Gen4): no SXM socket exists in X-Series."""
    sockets, cores, memory, watts = size
    sheet = f"X{name[5:8]}c {name[-2:]}"
    return Server(
        name, _BLADE, "intersight", cpu, sockets, cores, memory, watts, gpus, adapters=_BLADE_MLOM, slots=slots,
        family=name, managed=_CHASSIS, source=f"{_SHEETS.format(sheet)}; {_SHEETS.format('X440p')}; {_SUPPORTED}",
    )  # fmt: skip


_ROWS = (
    Server(
        "UCSC-885A-M8", _ALONE, "redfish", "amd", 2, 64, 2304, 10200,
        _fits(_EIGHT, "NVIDIA-H100-80GB-HBM3", "NVIDIA-H200"), _C885A_RAILS, adapters=_B3240, managed=_BY_BMC,
        source=f"{_LAUNCH_KIT}; Cisco AI PODs, bill of materials of UCSC-885A-M8-HC1",
    ),
    Server(
        "UCSC-880A-M8", _ALONE, "redfish", "intel", 2, 64, 4096, 14500, _fits(_EIGHT, "NVIDIA-B300-SXM6-AC"),
        rails_unknown="no source gives the PCI addresses of its eight ConnectX-8 yet",
        adapters=_C880A_FRONT, supplies=C880A, managed=_BY_BMC,
        source="Cisco UCS C880A M8 spec sheet, bundles B301 to B304",
    ),
    Server(
        "UCSC-845A-M8", _ALONE, "intersight", "amd", 2, 64, 1536, 8000,
        _fits(_MGX, "NVIDIA-H100-NVL", "NVIDIA-H200-NVL", "NVIDIA-L40S", _RTX),
        family="CAI-845A-M8", managed=_OWN_TOKENS, source="Cisco UCS C845A M8 data sheet",
    ),
    _rack(
        "UCSC-C245-M8SX", "amd", (2, 48, 768, 2100),
        _fits(_PAIR, "NVIDIA-H100-PCIe", "NVIDIA-H100-NVL", "NVIDIA-L40S"), "C245 M8",
    ),
    _rack("UCSC-C240-M8SX", "intel", (2, 32, 512, 2100), _TWO_UNITS, "C240 M8"),
    _rack("UCSC-C240-M7SX", "intel", (2, 32, 512, 2100), _TWO_UNITS, "C240 M7"),
    _rack("UCSC-C225-M8N", "amd", (1, 32, 256, 1100), _ONE_UNIT, "C225 M8"),
    _rack("UCSC-C220-M8S", "intel", (2, 32, 512, 1200), _ONE_UNIT, "C220 M8"),
    _rack("UCSC-C220-M7S", "intel", (2, 32, 512, 1200), _ONE_UNIT, "C220 M7"),
    _blade(
        "UCSX-210C-M7", "intel", (2, 32, 512, 2400),
        _fits(_PAIR, "NVIDIA-A100-80GB-PCIe", "NVIDIA-H100-PCIe", "NVIDIA-H100-NVL", "NVIDIA-L40S")
        | {"NVIDIA-L4": _FOUR_THIN}, 1,
    ),
    _blade(
        "UCSX-215C-M8", "amd", (2, 48, 768, 2500),
        _fits(_PAIR, "NVIDIA-H100-NVL", "NVIDIA-L40S") | {"NVIDIA-L4": _FOUR_THIN}, 1,
    ),
    _blade(
        "UCSX-410C-M7", "intel", (4, 32, 1024, 3700),
        _fits(_PAIR, "NVIDIA-H100-PCIe", "NVIDIA-L40S") | {"NVIDIA-L4": _FOUR_THIN}, 2,
    ),
)  # fmt: skip

SERVERS: dict[str, Server] = {server.name: server for server in _ROWS}
"""Server models by product id."""
