"""What stands in the racks: switches, servers, NICs and cables, as a world file states them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

PowerAction = Literal["On", "ForceOff", "ForceRestart", "GracefulShutdown"]
Medium = Literal["Cd", "Hdd", "Pxe"]
HostState = Literal["off", "post", "no-os", "live", "running"]
Fabric = Literal["A", "B"]
FABRICS: tuple[Fabric, ...] = ("A", "B")
MODULE_PORT = re.compile(r"[AB][1-8]")
"""Port of a chassis' module towards an interconnect."""
End = tuple[str, str]
"""One end of a cable: (device name, port or NIC name)."""


class WorldError(ValueError):
    """A world file or a request to the world that cannot be true; the message names the thing."""


@dataclass
class Switch:
    """One Nexus as it was racked. Its configuration lives in the NX-OS side and is seen through a view."""

    name: str
    model: str
    serial: str
    release: str
    management: str
    rack: str = ""
    power: str = ""
    power_b: str = ""
    """Second feed; half of the supplies hang on it, and carry the machine."""


@dataclass
class Nic:
    """One server port that a cable can reach. Speeds in Gb/s, `mtu` in bytes at layer 3.

    `trust_dscp`, `pfc` (priorities) and `mtu` are what the host's own configuration made of it; a driver that starts
    has none of it, as mlx5: `mlnx_qos` shows trust pcp and pause off on every priority, `ip link` an MTU of 1500.
    `cnp_dscp` is what its firmware marks congestion notifications with; 48 (CS6) as delivered.
    """

    name: str
    gbps: int
    mac: str
    pci: str = ""
    device: str = ""
    numa: int = 0
    trust_dscp: bool = False
    pfc: frozenset[int] = frozenset()
    mtu: int = 1500
    cnp_dscp: int = 48

    def load_driver(self) -> None:
        """The driver starts: what the host had set is gone."""
        self.trust_dscp, self.pfc, self.mtu = False, frozenset(), 1500


@dataclass
class Vnic(Nic):
    """A NIC that a server profile made of a blade's adapter. It reaches the frontend through one interconnect of its
    domain, or, with `failover`, through the other one while that is not possible. `native` is its untagged VLAN."""

    fabric: Fabric = "A"
    failover: bool = False
    vlans: frozenset[int] = frozenset()
    native: int = 0

    def load_driver(self) -> None:
        """Its adapter's profile stays in force, whatever the host does."""

    @property
    def vlan(self) -> int:
        """The VLAN of what the host sends untagged; the lowest of its VLANs where none is native; 0 without any."""
        return self.native or min(self.vlans, default=0)


@dataclass
class Cpu:
    """Processors of a server: cores per socket."""

    vendor: str = "amd"
    sockets: int = 2
    cores: int = 64


@dataclass
class Gpus:
    """GPUs of a server; `product` is the NVML product name with spaces turned to dashes."""

    product: str
    count: int


@dataclass
class Server:
    """One server as it was racked. What runs on it is a `Host`."""

    name: str
    model: str
    serial: str
    uuid: str
    bmc: str
    boot_mac: str
    rack: str = ""
    power: str = ""
    power_b: str = ""
    """Second feed; half of the supplies hang on it, and carry the machine."""
    intersight: bool = False
    domain: str = ""
    """Of a rack server behind Fabric Interconnects: their domain. Its cables end at A1 and up, and at B1 and up."""
    bmc_secret: str = ""
    """Secret of its BMC's password; empty: the one of `credentials.bmc`."""
    address: str = ""
    cpu: Cpu = field(default_factory=Cpu)
    memory_gib: int = 256
    disk: str = "/dev/nvme0n1"
    gpus: Gpus | None = None
    nics: dict[str, Nic] = field(default_factory=dict)


@dataclass
class Interconnect:
    """One Fabric Interconnect as it was racked: no port does anything until a profile says so."""

    name: str
    domain: str
    fabric: Fabric
    model: str
    serial: str
    rack: str = ""
    power: str = ""
    power_b: str = ""
    """Second feed; half of the supplies hang on it, and carry the machine."""


@dataclass
class Chassis:
    """A chassis of blades. Cables end at its modules' ports, A1 to A8 towards fabric A, B1 to B8 towards fabric B."""

    name: str
    domain: str
    serial: str
    model: str = "UCSX-9508"
    rack: str = ""
    power: str = ""
    power_b: str = ""
    """Second feed; half of the supplies hang on it, and carry the machine."""
    slots: dict[int, str] = field(default_factory=dict)
    """Slot to the server in it."""


@dataclass(frozen=True)
class Cable:
    """A cable between two ends, with the speed its optics carry in Gb/s."""

    a: End
    b: End
    gbps: int

    def other(self, end: End) -> End | None:
        """The far end, or None when this cable is not plugged into `end`."""
        if end == self.a:
            return self.b
        return self.a if end == self.b else None


@dataclass(frozen=True)
class Bond:
    """A bond as a host's system makes it: the mode as Linux calls it, and its ports' MAC addresses in lower case."""

    mode: str
    macs: frozenset[str]


@dataclass
class Host:
    """The moving part of a server: power, media, BIOS and what it booted.

    `bios` is live, `bios_pending` waits for the next reset; so does `firmware`, the version of each component. `uuid`
    is what a profile gave it (empty: it reports the one it was made with), `uuid_pending` what it takes at the next
    reset. `image` is the file the host booted from, `disk_image` what an installer wrote to the disk. `boots` counts
    completed boots. `bonds` are those of the system that it booted.
    """

    server: str
    power: Literal["On", "Off"] = "Off"
    state: HostState = "off"
    uuid: str = ""
    uuid_pending: str | None = None
    media_url: str | None = None
    media_path: Path | None = None
    boot_target: Medium = "Hdd"
    boot_once: bool = False
    bios: dict[str, object] = field(default_factory=dict)
    bios_pending: dict[str, object] = field(default_factory=dict)
    firmware: dict[str, str] = field(default_factory=dict)
    firmware_pending: dict[str, str] = field(default_factory=dict)
    medium: Medium | None = None
    image: Path | None = None
    disk_image: Path | None = None
    boots: int = 0
    bonds: tuple[Bond, ...] = ()
    loses_gateway: bool = False
    """Its gateway answers no more once somebody changes its network."""
    generation: int = 0
