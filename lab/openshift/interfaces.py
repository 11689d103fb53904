"""What an installed system calls the functions of its NICs: the world's variant `nic-names`.

Names follow from where a card sits or from the order in which drivers found it; nothing is prepared for who reads them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from podwright.lab.openshift.hardware import MELLANOX, vendor
from podwright.lab.world.model import Nic, Server

BLUEFIELD = frozenset({"a2d6", "a2dc"})
"""Cards with more PCI functions than ports: their first one has a number in its name too."""


@dataclass(frozen=True)
class Interface:
    """Names of one PCI function; `rdma` is empty where its driver makes no RDMA device."""

    netdev: str
    rdma: str


def physical(server: Server, form: str) -> dict[str, Interface]:
    """Names of each NIC's physical function, by the NIC's name in the world."""
    nics = _found(server)
    if form == "by-path":
        return {nic.name: _by_path(nic, _place(nic, nics)) for nic in nics}
    # Drivers are probed at the same time: whose eth is which differs from server to server.
    probed = sorted(nics, key=lambda nic: hashlib.sha256(f"{server.serial}/{nic.pci}".encode()).digest())
    devices = [nic.name for nic in nics if vendor(nic) == MELLANOX]
    return {
        nic.name: Interface(f"eth{number}", f"mlx5_{devices.index(nic.name)}" if nic.name in devices else "")
        for number, nic in enumerate(probed)
    }


def virtual(server: Server, form: str, counts: Mapping[str, int]) -> dict[tuple[str, int], Interface]:
    """Names of the virtual functions, by NIC and number; `counts` are those of each NIC that has any."""
    nics = _found(server)
    made = [(nic, index) for nic in nics for index in range(counts.get(nic.name, 0))]
    if form == "by-path":
        return {(nic.name, index): _by_path(nic, _place(nic, nics), f"v{index}") for nic, index in made}
    first = sum(vendor(nic) == MELLANOX for nic in nics)
    return {
        (nic.name, index): Interface(
            f"eth{len(nics) + number}", f"mlx5_{first + number}" if vendor(nic) == MELLANOX else ""
        )
        for number, (nic, index) in enumerate(made)
    }


def _found(server: Server) -> list[Nic]:
    return sorted((nic for nic in server.nics.values() if nic.pci), key=lambda nic: nic.pci)


def _by_path(nic: Nic, place: str, function: str = "") -> Interface:
    """systemd's path name and rdma-core's NAME_PCI: a physical function's interface carries its port, no virtual one's
    does."""
    port = "" if function else f"np{nic.pci[-1]}"
    return Interface(f"en{place}{function}{port}", f"roce{place}{function}" if vendor(nic) == MELLANOX else "")


def _place(nic: Nic, nics: list[Nic]) -> str:
    domain, bus, rest = nic.pci.split(":")
    slot, _, function = rest.partition(".")
    several = nic.device in BLUEFIELD or sum(each.pci.startswith(nic.pci[:-1]) for each in nics) > 1
    begin = f"P{int(domain, 16)}" if int(domain, 16) else ""
    return f"{begin}p{int(bus, 16)}s{int(slot, 16)}" + (f"f{int(function, 16)}" if several else "")
