"""Neighbours: LLDP, BGP, OSPF, BFD."""

from __future__ import annotations

import zlib
from typing import Any

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import dotted, mac, short
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import interface_rank
from podwright.lab.world.routes import Session as Peering
from podwright.lab.world.routes import ospf_neighbors, received

LLDP_HEAD = """Capability codes:
  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device
  (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other
Device ID            Local Intf      Hold-time  Capability  Port ID
"""


def _seen(device: Device) -> list[dict[str, str]]:
    """What arrives by LLDP: switches that speak it say their name, NIC firmware says its MAC address."""
    world, found = device.world, []
    for port in sorted(device.interfaces("Ethernet"), key=interface_rank):
        far = world.neighbor(device.switch.name, port)
        block = device.interface(port)
        if far is None or block is None or not world.link_up(device.switch.name, port):
            continue
        if not block.state("lldp receive", True):
            continue
        if far[0] in world.servers:
            address = dotted(world.servers[far[0]].nics[far[1]].mac.replace(":", ""))
            found.append(
                {
                    "name": address,
                    "local": port,
                    "port": address,
                    "chassis": address,
                    "capability": "",
                    "management": "",
                    "system": "",
                }
            )
        elif (peer := device.peers.get(far[0])) is not None and peer.has_feature("lldp"):
            theirs = peer.interface(far[1])
            if theirs is not None and theirs.state("lldp transmit", True):
                found.append(
                    {
                        "name": peer.hostname,
                        "local": port,
                        "port": far[1],
                        "chassis": mac(peer, far[1]),
                        "capability": "BR",
                        "management": peer.switch.management,
                        "system": peer.hostname,
                    }
                )
    return found


def show_lldp(session: Session, _: Found) -> Output:
    """One line per neighbour; long names stand on a line of their own."""
    text, data = LLDP_HEAD, []
    for seen in _seen(session.device):
        name = f"{seen['name']:<20}" if len(seen["name"]) <= 20 else seen["name"] + "\n" + " " * 20
        text += f"{name} {short(seen['local']):<15} 120        {seen['capability']:<11} {seen['port']}\n"
        data.append(
            {
                "chassis_type": "7",
                "chassis_id": seen["name"],
                "l_port_id": short(seen["local"]),
                "hold_time": "120",
                "capability": seen["capability"],
                "port_type": "7",
                "port_id": seen["port"],
            }
        )
    text += f"Total entries displayed: {len(data)}\n"
    return Output(text, {**rows("nbor", data), "neigh_count": str(len(data))})


def show_lldp_detail(session: Session, _: Found) -> Output:
    """All that a neighbour says about itself."""
    text = "Capability codes:\n  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device\n"
    text += "  (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other\n"
    found = _seen(session.device)
    for seen in found:
        caps = ", ".join(seen["capability"]) or "not advertised"
        text += f"""
Chassis id: {seen["chassis"]}
Port id: {seen["port"]}
Local Port id: {short(seen["local"])}
Port Description: {seen["port"] if seen["system"] else "null"}
System Name: {seen["system"] or "null"}
System Description: {"Cisco Nexus Operating System (NX-OS) Software" if seen["system"] else "null"}
Time remaining: 105 seconds
System Capabilities: {caps}
Enabled Capabilities: {caps}
Management Address: {seen["management"] or "not advertised"}
Management Address IPV6: not advertised
Vlan ID: not advertised

"""
    data = [
        {
            "chassis_type": "4", "chassis_id": seen["chassis"], "port_type": "7", "port_id": seen["port"],
            "l_port_id": short(seen["local"]), "port_desc": seen["port"] if seen["system"] else "null",
            "sys_name": seen["system"] or "null", "ttl": "105",
            "system_capability": ", ".join(seen["capability"]) or "not advertised",
            "enabled_capability": ", ".join(seen["capability"]) or "not advertised",
            "mgmt_addr": seen["management"] or "not advertised", "vlan_id": "not advertised",
        }
        for seen in found
    ]  # fmt: skip
    text += f"Total entries displayed: {len(found)}\n"
    return Output(text, {**rows("nbor_detail", data), "neigh_count": str(len(data))})


def _mine(device: Device) -> list[Peering]:
    return [s for s in device.world.sessions() if s.device == device.switch.name]


def _since(device: Device) -> str:
    days, hours, minutes, seconds = device.clock.uptime()
    return f"{days}d{hours:02}h" if days else f"{hours:02}:{minutes:02}:{seconds:02}"


def show_bgp(session: Session, found: Found) -> Output:
    """Neighbours of one VRF, or of all that BGP runs in, with their state."""
    device = session.device
    asked = found.match.values.get("vrf", "default")
    process = next(device.root.begin("router bgp"), None)
    inside = ["default", *(node.values["vrf"] for node in process.begin("vrf"))] if process else []
    text, data = "", []
    for vrf in inside if asked == "all" else [asked]:
        if process is None or vrf not in inside:
            return Output(f"Note: BGP is not running in VRF {vrf}\n")
        part, row = _bgp(device, vrf, process.values["asn"])
        text += part
        data.append(row)
    return Output(text or f"Note: BGP is not running in VRF {asked}\n", rows("vrf", data) if data else None)


def _bgp(device: Device, vrf: str, asn: str) -> tuple[str, dict[str, Any]]:
    view = device.world.views[device.switch.name].routing()
    peerings = [s for s in _mine(device) if s.neighbor.ipv4 and s.vrf == vrf]
    counts = received(device.world, device.switch.name) if vrf == "default" else {}
    up = sum(1 for s in peerings if s.up)
    known = [other.routing() for other in device.world.views.values()]
    entries = len({prefix for other in known if vrf == "default" for prefix in other.advertised})
    text = f"""BGP summary information for VRF {vrf}, address family IPv4 Unicast
BGP router identifier {view.router_id}, local AS number {asn}
BGP table version is {entries + 1}, IPv4 Unicast config peers {len(peerings)}, capable peers {up}
{entries} network entries and {entries} paths using 0 bytes of memory
BGP attribute entries [1/176], BGP AS path entries [1/6]
BGP community entries [0/0], BGP clusterlist entries [0/0]

Neighbor        V    AS    MsgRcvd    MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd
"""
    data = []
    for s in peerings:
        status = "Shut (Admin)" if s.neighbor.shutdown else "Idle"
        state = str(counts.get(s.port, 0)) if s.up else status
        text += (
            f"{short(s.neighbor.peer):<15} 4 {s.neighbor.remote_as:>5} {20 if s.up else 0:>10} {20 if s.up else 0:>10}"
            f" {1 if s.up else 0:>8}    0    0 {_since(device):<8} {state}\n"
        )
        data.append({"neighborid": s.neighbor.peer, "neighboras": str(s.neighbor.remote_as), "time": _since(device),
                     "state": "Established" if s.up else "Idle",
                     "prefixreceived": str(counts.get(s.port, 0) if s.up else 0)})  # fmt: skip
    inner = {"af-name": "IPv4 Unicast", "vrf-router-id": view.router_id, "vrf-local-as": asn, **rows("neighbor", data)}
    return text, {"vrf-name-out": vrf, **rows("af", [inner])}


def show_evpn(session: Session, _: Found) -> Output:
    """Neighbours with whom EVPN routes are exchanged; the routes themselves are not modelled."""
    device = session.device
    process = next(device.root.begin("router bgp"), None)
    if process is None:
        return Output("Note: BGP is not running in VRF default\n")
    router_id = device.world.views[device.switch.name].routing().router_id
    text = f"""BGP summary information for VRF default, address family L2VPN EVPN
BGP router identifier {router_id}, local AS number {process.values["asn"]}

Neighbor        V    AS    MsgRcvd    MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd
"""
    data = []
    for s in _mine(device):
        if s.neighbor.evpn:
            text += f"{s.neighbor.peer:<15} 4 {s.neighbor.remote_as:>5} {20 if s.up else 0:>10} {20 if s.up else 0:>10}"
            text += f" {1 if s.up else 0:>8}    0    0 {_since(device):<8} {'0' if s.up else 'Idle'}\n"
            data.append({"neighborid": s.neighbor.peer, "neighboras": str(s.neighbor.remote_as), "time": _since(device),
                         "state": "Established" if s.up else "Idle", "prefixreceived": "0"})  # fmt: skip
    inner = rows("saf", [{"safi": "70", "af-name": "L2VPN EVPN", **rows("neighbor", data)}])
    return Output(text, rows("vrf", [{"vrf-name-out": "default", **rows("af", [{"af-id": "25", **inner}])}]))


def _bfd(device: Device) -> list[tuple[str, str, bool, str]]:
    """(port, neighbour, up, VRF) of every session that this end asks for: under a BGP neighbour, or for all of OSPF."""
    view, peers = device.world.views[device.switch.name].routing(), device.peers
    found = [
        (s.port, s.neighbor.peer, s.up and s.bfd and peers[s.far[0]].has_feature("bfd"), s.vrf)
        for s in _mine(device)
        if s.neighbor.bfd and s.port and s.far is not None
    ]
    for port, (far, far_port) in ospf_neighbors(device.world, device.switch.name).items() if view.ospf_bfd else ():
        theirs = device.world.views[far].routing()
        up = theirs.ospf_bfd and peers[far].has_feature("bfd")
        found.append((port, theirs.addresses[far_port].partition("/")[0], up, "default"))
    return found


def show_bfd(session: Session, _: Found) -> Output:
    """BFD sessions of all VRFs: up where both ends ask for one with each other."""
    device = session.device
    head = "OurAddr         NeighAddr       LD/RD                 RH/RS           Holdown(mult)     State       Int"
    text, data = f"{head}                   Vrf                              Type\n", []
    view = device.world.views[device.switch.name].routing()
    for port, peer, up, vrf in _bfd(device):
        own = view.of(port).addresses.get(port, "0.0.0.0/0").partition("/")[0]
        word = "Up" if up else "Down"
        number = 0x41000000 + zlib.crc32(f"{device.switch.name}{port}".encode()) % 65536
        text += (
            f"{own:<15} {peer:<15} {f'{number}/{number + 1}':<21} {word:<15} {'250(3)':<17} {word:<11}"
            f" {short(port):<21} {vrf:<32} SH\n"
        )
        data.append({"local_addr": own, "dest_addr": peer, "if_name": short(port), "state": word, "vrf_name": vrf})
    return Output(text, rows("bfdNeighbor", data))


def show_ospf(session: Session, _: Found) -> Output:
    """OSPF adjacencies."""
    device = session.device
    views = device.world.views
    tag = next((n.values["tag"] for n in device.root.begin("router ospf")), "1")
    lines, data = "", []
    for port, (far, far_port) in ospf_neighbors(device.world, device.switch.name).items():
        theirs = views[far].routing()
        address = theirs.addresses[far_port].partition("/")[0]
        lines += f" {theirs.router_id:<15}   1 FULL/ -          {_since(device)} {address:<15} {short(port)}\n"
        data.append({"rid": theirs.router_id, "priority": "1", "state": "FULL", "drstate": "-",
                     "uptime": _since(device), "addr": address, "intf": short(port)})  # fmt: skip
    text = (
        f" OSPF Process ID {tag} VRF default\n Total number of neighbors: {len(data)}\n"
        f" Neighbor ID     Pri State            Up Time  Address         Interface\n{lines}"
    )
    inner = {"ptag": tag, "cname": "default", "nbrcount": str(len(data)), **rows("nbr", data)}
    return Output(text, rows("ctx", [inner]))


SHOWS = {f.__name__: f for f in (show_lldp, show_lldp_detail, show_bgp, show_evpn, show_bfd, show_ospf)}
