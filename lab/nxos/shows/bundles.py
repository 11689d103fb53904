"""Port-channels at length, LACP, and the two ends of a vPC."""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos import lacp
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.links import dotted, mac, short, state, station
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.switching import vpc_peer, vpc_role
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node, interface_rank
from podwright.lab.world.interconnects import bundles
from podwright.lab.world.inventory import End


def _bundles(device: Device) -> list[str]:
    return sorted(device.interfaces("port-channel"), key=interface_rank)


def _age(device: Device) -> str:
    days, hours, minutes, seconds = device.clock.uptime()
    return f"{days}d:{hours:02}h:{minutes:02}m:{seconds:02}s"


def show_bundle_database(session: Session, _: Found) -> Output:
    """Port-channels with their members and what those do."""
    device, text = session.device, ""
    for name in _bundles(device):
        ports = device.members(name)
        up = [port for port in ports if state(device, port).up]
        first = f"First operational port is {up[0]}" if up else "There is no operational port"
        text += (
            f"{name}\n    Last membership update is successful\n    {len(ports)} ports in total, {len(up)} ports up\n"
        )
        text += f"    {first}\n    Age of the port-channel is {_age(device)}\n"
        lines = [f"{port:<18} [{lacp.mode(device, port)}] [{'up' if port in up else 'down'}]" for port in ports]
        text += "    Ports:   " + "\n             ".join(
            f"{line}{' *' if n == 0 else ''}" for n, line in enumerate(lines)
        )
        text += "\n\n"
    return Output(text)


def show_lacp_neighbor(session: Session, _: Found) -> Output:
    """Who is at the other end of each member that speaks LACP."""
    device = session.device
    text = "Flags:  S - Device is sending Slow LACPDUs F - Device is sending Fast LACPDUs\n"
    text += "        A - Device is in Active mode       P - Device is in Passive mode\n"
    for name in _bundles(device):
        lines = ""
        for port in device.members(name):
            far = device.world.neighbor(device.switch.name, port)
            speaks = state(device, port).up and lacp.mode(device, port) != "on"
            partner = _partner(device, port, far) if far and speaks else None
            if partner is None:
                continue
            system, number, flag = partner
            lines += f"{short(port):<14} {system.replace('.', '-')}  0x{number:<12x} {0:<12} {flag}\n"
        text += f"{name} neighbors\nPartner's information\n               Partner                Partner     Partner\n"
        text += f"Port           System ID              Port Number Age          Flags\n{lines}\n"
    return Output(text)


def _partner(device: Device, port: str, far: End) -> tuple[str, int, str] | None:
    """System, port number and flags of who speaks LACP at the far end; None where nobody does."""
    if bond := lacp.host(device, port):
        return f"{lacp.HOST_PRIORITY},{dotted(bond.replace(':', ''))}", 1, "SA"
    if bundles(device.world, far):
        return f"32768,{station(device.world.interconnects[far[0]].serial)}", _port(far[1]), "SA"
    peer = device.peers.get(far[0])
    mode = lacp.mode(peer, far[1]) if peer else "on"
    if peer is None or mode == "on":
        return None
    return f"32768,{mac(peer)}", _port(far[1]), "SA" if mode == "active" else "SP"


def _port(name: str) -> int:
    return 0x100 + int(name.rsplit("/", 1)[-1])


def show_lacp_system(session: Session, _: Found) -> Output:
    """What this switch calls itself in LACP."""
    priority = session.device.root.value("lacp system-priority", "n", "32768")
    return Output(f"{priority},{mac(session.device).replace('.', '-')}\n")


def show_vpc_role(session: Session, _: Found) -> Output:
    """Which of the two switches decides."""
    device, domain = session.device, next(session.device.root.begin("vpc domain"), None)
    if domain is None:
        return Output("vPC domain is not configured\n")
    peer = vpc_peer(device, domain)
    own = domain.value("role priority", "n", "32667")
    return Output(f"""
vPC Role status
----------------------------------------------------
vPC role                        : {vpc_role(device, peer, domain) if peer else "none established"}
Dual Active Detection Status    : 0
vPC system-mac                  : {domain.value("system-mac", "mac", "00:23:04:ee:be:" + _last(domain))}
vPC system-priority             : {domain.value("system-priority", "n", "32667")}
vPC local system-mac            : {mac(device)}
vPC local role-priority         : {own}
vPC peer system-mac             : {mac(peer) if peer else "00:00:00:00:00:00"}
vPC peer role-priority          : {_priority(peer) if peer else 0}
""")


def _last(domain: Node) -> str:
    return f"{int(domain.values['domain']) % 256:02x}"


def _priority(peer: Device) -> str:
    return next(peer.root.begin("vpc domain")).value("role priority", "n", "32667")


def show_vpc_keepalive(session: Session, _: Found) -> Output:
    """Whether the peer is heard over the keepalive."""
    device, domain = session.device, next(session.device.root.begin("vpc domain"), None)
    keepalive = domain.get("peer-keepalive") if domain else None
    if domain is None or keepalive is None:
        return Output("vPC peer-keepalive is not configured\n")
    alive = vpc_peer(device, domain) is not None
    return Output(f"""
vPC keep-alive status             : {"peer is alive" if alive else "peer is not reachable through peer-keepalive"}
--Destination                     : {keepalive.values["peer"]}
--Send status                     : Success
--Receive status                  : {"Success" if alive else "Failed"}

vPC Keep-alive parameters
--Destination                     : {keepalive.values["peer"]}
--Keepalive interval              : 1000 msec
--Keepalive timeout               : 5 seconds
--Keepalive hold timeout          : 3 seconds
--Keepalive vrf                   : {keepalive.values.get("vrf", "management")}
--Keepalive udp port              : {keepalive.values.get("port", "3200")}
--Keepalive tos                   : 192
""")


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f
    for f in (show_bundle_database, show_lacp_neighbor, show_lacp_system, show_vpc_role, show_vpc_keepalive)
}
