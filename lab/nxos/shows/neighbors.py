"""Neighbours: LLDP, BFD."""

from __future__ import annotations

import zlib

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import dotted, mac, short, station
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.bgp import peerings
from podwright.lab.nxos.shows.interfaces import selected
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import interface_rank
from podwright.lab.world.interconnects import announces, system_name
from podwright.lab.world.ospf import ospf_neighbors

LLDP_HEAD = """Capability codes:
  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device
  (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other
Device ID            Local Intf      Hold-time  Capability  Port ID
"""


def _seen(device: Device) -> list[dict[str, str]]:
    """What arrives by LLDP: switches and interconnects that speak it say their name, NIC firmware its MAC address."""
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
        elif announces(world, far):
            near = world.interconnects[far[0]]
            found.append(
                {
                    "name": system_name(near),
                    "local": port,
                    "port": short(far[1]),
                    "chassis": station(near.serial, far[1]),
                    "capability": "BR",
                    "management": "",
                    "system": system_name(near),
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


def _on(session: Session, found: Found) -> list[dict[str, str]]:
    """What is seen, on the ports that the command names."""
    seen = _seen(session.device)
    return (
        [each for each in seen if each["local"] in selected(session, found)] if "ports" in found.match.values else seen
    )


def show_lldp(session: Session, found: Found) -> Output:
    """One line per neighbour; long names stand on a line of their own."""
    text, data = LLDP_HEAD, []
    for seen in _on(session, found):
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


def show_lldp_detail(session: Session, asked: Found) -> Output:
    """All that a neighbour says about itself."""
    text = "Capability codes:\n  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device\n"
    text += "  (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other\n"
    found = _on(session, asked)
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


def _bfd(device: Device) -> list[tuple[str, str, bool, str]]:
    """(port, neighbour, up, VRF) of every session that this end asks for: under a BGP neighbour, or for all of OSPF."""
    view, peers = device.world.views[device.switch.name].routing(), device.peers
    found = [
        (s.port, s.neighbor.peer, s.up and s.bfd and peers[s.far[0]].has_feature("bfd"), s.vrf)
        for s in peerings(device)
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


SHOWS = {f.__name__: f for f in (show_lldp, show_lldp_detail, show_bfd)}
