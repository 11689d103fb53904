"""Addresses of interfaces, and the neighbours that ARP knows: by VRF, at length, and as the hardware has them."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import mac, short, state
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.interfaces import selected
from podwright.lab.nxos.shows.vrfs import meant
from podwright.lab.nxos.static import attached
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node, interface_rank

_OLD = """
Flags: * - Adjacencies learnt on non-active FHRP router
       + - Adjacencies synced via CFSoE
       # - Adjacencies Throttled for Glean
"""
_FLAGS = f"""{_OLD}       CP - Added via L2RIB, Control plane Adjacencies
       PS - Added via L2RIB, Peer Sync
       RO - Re-Originated Peer Sync Entry
"""
_AGE = "00:00:10"


def _words(device: Device, name: str) -> tuple[str, str, str]:
    """protocol, link and admin, each up or down."""
    up, admin = state(device, name).up, device.admin_up(name, device.interface(name) or Node(""))
    return tuple("up" if each else "down" for each in (up, up, admin))  # type: ignore[return-value]


def _inside(device: Device, vrf: str) -> Iterator[tuple[str, Node]]:
    for name in sorted(device.interfaces(), key=interface_rank):
        block = device.interface(name) or Node("")
        if block.value("vrf member", "vrf", "default") == vrf and device.routed(name, block):
            yield name, block


def _status(device: Device, name: str) -> str:
    protocol, link, admin = _words(device, name)
    return f"protocol-{protocol}/link-{link}/admin-{admin}"


def _number(device: Device, name: str) -> int:
    return sorted(device.interfaces(), key=interface_rank).index(name) + 2


def show_ip_interface_brief(session: Session, found: Found) -> Output:
    """Layer 3 interfaces of one VRF, or of all: one line each."""
    device, parts, data = session.device, [], []
    for number, vrf in meant(device, found):
        text = f'IP Interface Status for VRF "{vrf}"({number})\nInterface            IP Address      Interface Status\n'
        for name, block in _inside(device, vrf):
            address = block.value("ip address", "address").partition("/")[0]
            if not address:
                continue
            text += f"{short(name):<20} {address:<15} {_status(device, name)}\n"
            protocol, link, admin = _words(device, name)
            data.append({"vrf-name-out": vrf, "intf-name": short(name), "prefix": address, "proto-state": protocol,
                         "link-state": link, "admin-state": admin})  # fmt: skip
        parts.append(text)
    return Output("\n".join(parts), rows("intf", data))


def show_ip_interface(session: Session, found: Found) -> Output:
    """Layer 3 interfaces at length: those of a VRF, or the ones that are named."""
    device, parts = session.device, []
    named = selected(session, found) if "ports" in found.match.values else None
    for _, vrf in meant(device, found):
        text = f'IP Interface Status for VRF "{vrf}"\n'
        for name, block in _inside(device, vrf):
            if (named is None or name in named) and block.get("ip address"):
                text += _full(device, name, block)
        parts.append(text)
    return Output("\n".join(parts))


def _full(device: Device, name: str, block: Node) -> str:
    text = f"{name}, Interface status: {_status(device, name)}, iod: {_number(device, name)},\n"
    others = [(node.values["address"], "secondary ") for node in block.begin("ip address") if "secondary" in node.line]
    for address, kind in [(block.value("ip address", "address"), ""), *others]:
        host = ipaddress.IPv4Interface(address)
        text += f"  IP address: {host.ip}, IP subnet: {host.network} {kind}route-preference: 0, tag: 0\n"
    return f"""{text}  IP broadcast address: 255.255.255.255
  IP multicast groups locally joined: none
  IP MTU: {block.value("mtu", "bytes", "1500")} bytes (using link MTU)
  IP primary address route-preference: 0, tag: 0
  IP proxy ARP : disabled
  IP Local Proxy ARP : disabled
  IP multicast routing: disabled
  IP icmp redirects: {"enabled" if block.state("ip redirects", True) else "disabled"}
  IP directed-broadcast: disabled
  IP Forwarding: {"enabled" if block.state("ip forward", False) else "disabled"}
  IP icmp unreachables (except port): disabled
  IP icmp port-unreachable: enabled
  IP unicast reverse path forwarding: none
  IP load sharing: none
  IP interface statistics last reset: never

"""


def _six(device: Device, name: str, block: Node) -> tuple[list[ipaddress.IPv6Interface], str]:
    """Global addresses of an interface and its link-local one, empty when IPv6 is off on it."""
    own = [ipaddress.IPv6Interface(node.values["address"]) for node in block.begin("ipv6 address")
           if "address" in node.values]  # fmt: skip
    if not own and block.get("ipv6 address use-link-local-only") is None:
        return [], ""
    set_to = block.get("ipv6 link-local")
    if set_to is not None and "address" in set_to.values:
        return own, set_to.values["address"]
    digits = mac(device, name).replace(".", "")
    return own, str(ipaddress.IPv6Address(f"fe80::{digits[:4]}:{digits[4:6]}ff:fe{digits[6:8]}:{digits[8:]}"))


def show_ipv6_interface(session: Session, found: Found) -> Output:
    """IPv6 interfaces at length."""
    device, parts = session.device, []
    for _, vrf in meant(device, found):
        text = f'IPv6 Interface Status for VRF "{vrf}"\n'
        for name, block in _inside(device, vrf):
            own, local = _six(device, name, block)
            if not local:
                continue
            text += f"{name}, Interface status: {_status(device, name)}, iod: {_number(device, name)}\n"
            text += "  IPv6 address:\n" + "".join(f"    {each} [VALID]\n" for each in own) if own else ""
            text += "".join(f"  IPv6 subnet:  {each.network}\n" for each in own)
            text += f"  IPv6 link-local address: {local} (default) [VALID]\n"
            text += f"  IPv6 interface MTU: {block.value('mtu', 'bytes', '1500')} (using link MTU)\n\n"
        parts.append(text)
    return Output("\n".join(parts))


def show_ipv6_interface_brief(session: Session, found: Found) -> Output:
    """IPv6 interfaces: addresses, and state in three words."""
    device, parts = session.device, []
    for number, vrf in meant(device, found):
        text = f'IPv6 Interface Status for VRF "{vrf}"({number})\n'
        text += "Interface        IPv6 Address/Link-local Address           Interface Status\n"
        text += f"{'':<59}prot/link/admin\n"
        for name, block in _inside(device, vrf):
            own, local = _six(device, name, block)
            if local:
                first, *rest = [*(str(each.ip) for each in own), local]
                text += f"{short(name):<16} {first:<41} {'/'.join(_words(device, name))}\n"
                text += "".join(f"{'':<16} {each}\n" for each in rest)
        parts.append(text)
    return Output("\n".join(parts))


@dataclass(frozen=True)
class Neighbor:
    """What ARP learned: an address, where it is, and its hardware address."""

    address: str
    hardware: str
    port: str
    vrf: str


def neighbors(device: Device, vrf: str) -> Iterator[Neighbor]:
    """Neighbours at the far ends of routed links; servers answer to nobody's ARP here (FIDELITY.md)."""
    for name, own in attached(device, vrf):
        far_device, far_port = device.world.neighbor(device.switch.name, name) or ("", "")
        peer = device.peers.get(far_device)
        for port, theirs in attached(peer, vrf) if peer is not None else ():
            if peer is not None and port == far_port and theirs.ip in own.network and theirs.ip != own.ip:
                yield Neighbor(str(theirs.ip), mac(peer, port), name, vrf)


def _known(session: Session, found: Found) -> list[Neighbor]:
    return [each for _, vrf in meant(session.device, found) for each in neighbors(session.device, vrf)]


def show_arp(session: Session, found: Found) -> Output:
    """Who is known on which interface; with `detail` on which port and in which VRF."""
    known, vrf = _known(session, found), found.match.values.get("vrf", "default")
    title = "all contexts" if vrf == "all" else f"context {vrf}"
    text = f"\nIP ARP Table for {title}\nTotal number of entries: {len(known)}\n"
    if "detail" not in found.match.words:
        flags = f"{_FLAGS}       D - Static Adjacencies attached to down interface\n"
        text = f"{flags}{text}Address         Age       MAC Address     Interface       Flags\n"
        text += "".join(f"{n.address:<15} {_AGE}  {n.hardware}  {n.port:<15}\n" for n in known)
    elif vrf == "all":
        text = f"{_FLAGS}{text}Address         Age       MAC Address     Interface        Physical Interface  Flags"
        text += "    VRF Name\n"
        text += "".join(f"{n.address:<15} {_AGE}  {n.hardware}  {n.port:<16} {n.port:<28} {n.vrf}\n" for n in known)
    else:
        text = f"{_OLD}{text}Address         Age       MAC Address     Interface        Physical Interface\n"
        text += "".join(f"{n.address:<15} {_AGE}  {n.hardware}  {n.port:<16} {n.port}\n" for n in known)
    data = [{"ip-addr-out": n.address, "time-stamp": "PT10S", "mac": n.hardware, "intf-out": n.port} for n in known]
    return Output(text, rows("adj", data))


def show_arp_summary(session: Session, found: Found) -> Output:
    """How many neighbours are known."""
    count = len(_known(session, found))
    return Output(f"\nIP ARP Table - Adjacency Summary\n\n  Resolved   : {count}\n  Incomplete : 0 (Throttled : 0)\n"
                  f"  Unknown    : 0\n  Total      : {count}\n")  # fmt: skip


def show_adjacency(session: Session, found: Found) -> Output:
    """The same neighbours as the adjacency manager has them."""
    text = "\nFlags: # - Adjacencies Throttled for Glean\n       G - Adjacencies of vPC peer with G/W bit\n"
    for _, vrf in meant(session.device, found):
        known = list(neighbors(session.device, vrf))
        text += f"\nIP Adjacency Table for VRF {vrf}\nTotal number of entries: {len(known)}\n"
        text += "Address         MAC Address     Pref Source     Interface\n"
        text += "".join(f"{n.address:<15} {n.hardware:<15} 50   arp        {n.port}\n" for n in known)
    return Output(text)


def show_forwarding_adjacency(session: Session, found: Found) -> Output:
    """The same neighbours as the forwarding hardware has them."""
    text = "IPv4 adjacency information\n\nnext-hop         rewrite info    interface\n"
    text += "-------------- --------------- -------------\n"
    text += "".join(f"{n.address:<15} {n.hardware} {n.port}\n" for n in _known(session, found))
    return Output(text)


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f
    for f in (
        show_ip_interface_brief, show_ip_interface, show_ipv6_interface, show_ipv6_interface_brief, show_arp,
        show_arp_summary, show_adjacency, show_forwarding_adjacency,
    )
}  # fmt: skip
