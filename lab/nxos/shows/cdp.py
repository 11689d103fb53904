"""CDP: switches of the lab speak it on every port until `no cdp enable`; hosts do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import short
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.interfaces import selected
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node, interface_rank

_HEAD = """Capability Codes: R - Router, T - Trans-Bridge, B - Source-Route-Bridge
                  S - Switch, H - Host, I - IGMP, r - Repeater,
                  V - VoIP-Phone, D - Remotely-Managed-Device,
                  s - Supports-STP-Dispute

Device-ID          Local Intrfce  Hldtme Capability  Platform      Port ID
"""


def _speaks(device: Device, port: str) -> bool:
    return (device.interface(port) or Node("")).state("cdp enable", True)


def _seen(device: Device) -> Iterator[tuple[str, Device, str]]:
    """Port, the switch behind it, and the port there."""
    for port in sorted(device.interfaces("Ethernet"), key=interface_rank):
        far = device.world.neighbor(device.switch.name, port)
        peer = device.peers.get(far[0]) if far else None
        if far is None or peer is None or not device.world.link_up(device.switch.name, port):
            continue
        if _speaks(device, port) and _speaks(peer, far[1]):
            yield port, peer, far[1]


def show_cdp(session: Session, found: Found) -> Output:
    """One line per neighbour."""
    names, text, data = selected(session, found), _HEAD, []
    for port, peer, far in _seen(session.device):
        if port in names:
            label = f"{peer.hostname}({peer.switch.serial})"
            line = f"{short(port):<14} 160    R S s       {peer.switch.model:<13} {far}\n"
            text += f"{label:<18} {line}" if len(label) < 19 else f"{label}\n{'':<19}{line}"
            data.append({"device_id": label, "intf_id": port, "platform_id": peer.switch.model, "port_id": far,
                         "ttl": "160"})  # fmt: skip
    text += f"\nTotal entries displayed: {len(data)}\n"
    return Output(text, {"neigh_count": str(len(data)), **rows("cdp_neighbor_brief_info", data)})


def show_cdp_detail(session: Session, found: Found) -> Output:
    """All that a neighbour says about itself."""
    names, text, data = selected(session, found), "", []
    for port, peer, far in _seen(session.device):
        if port not in names:
            continue
        block = session.device.interface(port) or Node("")
        native = block.value("switchport trunk native vlan", "vlan", "1")
        text += f"""----------------------------------------
Device ID:{peer.hostname}({peer.switch.serial})
System Name: {peer.hostname}

Interface address(es):
    IPv4 Address: {peer.switch.management}
Platform: {peer.switch.model}, Capabilities: Router Switch Supports-STP-Dispute
Interface: {port}, Port ID (outgoing port): {far}
Holdtime: 160 sec

Version:
Cisco Nexus Operating System (NX-OS) Software, Version {peer.switch.release}

Advertisement Version: 2

Native VLAN: {native}
Duplex: full
MTU: {(peer.interface(far) or Node("")).value("mtu", "bytes", "1500")}
Mgmt address(es):
    IPv4 Address: {peer.switch.management}

"""
        data.append({"device_id": f"{peer.hostname}({peer.switch.serial})", "sysname": peer.hostname, "intf_id": port,
                     "port_id": far, "platform_id": peer.switch.model,
                     "v4mgmtaddr": peer.switch.management})  # fmt: skip
    return Output(text, rows("cdp_neighbor_detail_info", data))


def show_cdp_global(_: Session, __: Found) -> Output:
    """Timers."""
    return Output("Global CDP information:\n    CDP enabled globally\n    Refresh time is 60 seconds\n"
                  "    Hold time is 180 seconds\n    CDPv2 advertisements is enabled\n"
                  "    DeviceID TLV in System-Name(Default) Format\n")  # fmt: skip


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f for f in (show_cdp, show_cdp_detail, show_cdp_global)
}
