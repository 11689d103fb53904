"""OSPF of the default VRF: the process, its interfaces, its neighbours and its database."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import short, state
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.bgp import since
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node, interface_rank
from podwright.lab.world.ospf import ospf_neighbors


def _tag(device: Device) -> str:
    return next((node.values["tag"] for node in device.root.begin("router ospf")), "1")


def _router_id(device: Device) -> str:
    return device.world.views[device.switch.name].routing().router_id


def _interfaces(device: Device) -> Iterator[tuple[str, str, Node]]:
    """Name, area and block of every interface that is in the process."""
    for name in sorted(device.interfaces(), key=interface_rank):
        block = device.interface(name) or Node("")
        for entry in block.begin("ip router ospf") if block.value("vrf member", "vrf") == "" else ():
            yield name, entry.values["area"], block


def _kind(name: str, block: Node) -> str:
    if name.startswith("loopback"):
        return "LOOPBACK"
    network = block.get("ip ospf network")
    return "P2P" if network is not None and network.line.endswith("point-to-point") else "BDR"


def show_ospf(session: Session, _: Found) -> Output:
    """OSPF adjacencies."""
    device = session.device
    views, tag = device.world.views, _tag(device)
    lines, data = "", []
    for port, (far, far_port) in ospf_neighbors(device.world, device.switch.name).items():
        theirs = views[far].routing()
        address = theirs.addresses[far_port].partition("/")[0]
        lines += f" {theirs.router_id:<15}   1 FULL/ -          {since(device)} {address:<15} {short(port)}\n"
        data.append({"rid": theirs.router_id, "priority": "1", "state": "FULL", "drstate": "-",
                     "uptime": since(device), "addr": address, "intf": short(port)})  # fmt: skip
    text = (
        f" OSPF Process ID {tag} VRF default\n Total number of neighbors: {len(data)}\n"
        f" Neighbor ID     Pri State            Up Time  Address         Interface\n{lines}"
    )
    inner = {"ptag": tag, "cname": "default", "nbrcount": str(len(data)), **rows("nbr", data)}
    return Output(text, rows("ctx", [inner]))


def show_ospf_brief(session: Session, _: Found) -> Output:
    """The interfaces of the process, a line each."""
    device = session.device
    listed, neighbors = list(_interfaces(device)), ospf_neighbors(device.world, device.switch.name)
    text = f" OSPF Process ID {_tag(device)} VRF default\n Total number of interface: {len(listed)}\n"
    text += " Interface               ID     Area            Cost   State    Neighbors Status\n"
    for number, (name, area, block) in enumerate(listed, 1):
        up = state(device, name).up
        kind = _kind(name, block) if up else "DOWN"
        text += f" {short(name):<23} {number:<6} {area:<15} {block.value('ip ospf cost', 'n', '1'):<6} {kind:<8} "
        text += f"{1 if name in neighbors else 0:<9} {'up' if up else 'down'}\n"
    return Output(text)


def show_ospf_interface(session: Session, _: Found) -> Output:
    """The interfaces of the process at length."""
    device, text = session.device, ""
    neighbors = ospf_neighbors(device.world, device.switch.name)
    for name, area, block in _interfaces(device):
        up = state(device, name).up
        kind, cost, seen = _kind(name, block), block.value("ip ospf cost", "n", "1"), 1 if name in neighbors else 0
        quiet = block.state("ip ospf passive-interface", False)
        text += f""" {name} is {"up" if up else "down"}, line protocol is {"up" if up else "down"}
    IP address {block.value("ip address", "address", "none")}
    Process ID {_tag(device)} VRF default, area {area}
    Enabled by interface configuration
    State {kind if up else "DOWN"}, Network type {kind}, cost {cost}
    {seen} Neighbors, flooding to {seen}
    Timer intervals: Hello 10, Dead 40, Wait 40, Retransmit 5
    {"Passive interface" if quiet else "No authentication"}
"""
    return Output(text)


def show_ospf_process(session: Session, _: Found) -> Output:
    """The process."""
    device = session.device
    areas = sorted({area for _, area, _ in _interfaces(device)})
    text = f"\n Routing Process {_tag(device)} with ID {_router_id(device)} VRF default\n"
    text += (
        f" Routing Process Instance Number 1\n Number of areas is {len(areas)}, {len(areas)} normal, 0 stub, 0 nssa\n"
    )
    for area in areas:
        text += f"   Area ({area})\n        Interfaces in this area: "
        text += f"{sum(1 for _, each, _ in _interfaces(device) if each == area)}\n"
    return Output(text)


def show_ospf_database(session: Session, _: Found) -> Output:
    """The router link states of each area: who is in it, and how many links it has there."""
    device = session.device
    text = f"        OSPF Router with ID ({_router_id(device)}) (Process ID {_tag(device)} VRF default)\n\n"
    for area in sorted({area for _, area, _ in _interfaces(device)}):
        text += f"                Router Link States (Area {area})\n\n"
        text += "Link ID         ADV Router      Age        Seq#       Checksum Link Count\n"
        for other in _reached(device):
            count = sum(1 for _, each, _ in _interfaces(other) if each == area)
            if count:
                sum_ = zlib.crc32(f"{_router_id(other)}{area}".encode()) % 65536
                text += f"{_router_id(other):<15} {_router_id(other):<15} {10:<10} 0x80000002 0x{sum_:04x}   {count}\n"
        text += "\n"
    return Output(text)


def _reached(device: Device) -> list[Device]:
    """The switches that adjacencies lead to, this one first."""
    found, waiting = {device.switch.name: device}, [device]
    while waiting:
        for far, _ in ospf_neighbors(device.world, waiting.pop().switch.name).values():
            if far not in found and far in device.peers:
                found[far] = device.peers[far]
                waiting.append(found[far])
    return list(found.values())


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f
    for f in (
        show_ospf, show_ospf_brief, show_ospf_interface, show_ospf_process, show_ospf_database,
    )
}  # fmt: skip
