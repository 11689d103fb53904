"""BGP: neighbours by VRF with their state. The table of routes is in `bgp_table`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import short
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node
from podwright.lab.world.routes import Session as Peering
from podwright.lab.world.routes import received
from podwright.lab.world.views import RoutingView

MESSAGES = 20
"""Messages of a session that is up, each way: no clock of the lab moves them."""


def peerings(device: Device) -> list[Peering]:
    """Every neighbour that the switch has configured, in every VRF."""
    return [s for s in device.world.sessions() if s.device == device.switch.name]


def since(device: Device) -> str:
    """How long the switch runs, hence its sessions, as tables show it."""
    days, hours, minutes, seconds = device.clock.uptime()
    return f"{days}d{hours:02}h" if days else f"{hours:02}:{minutes:02}:{seconds:02}"


def process(device: Device) -> Node | None:
    """The BGP process; None where none is configured."""
    return next(device.root.begin("router bgp"), None)


def vrfs_meant(device: Device, found: Found) -> list[str]:
    """The VRFs that a command means, of those that BGP runs in."""
    running = process(device)
    inside = ["default", *(node.values["vrf"] for node in running.begin("vrf"))] if running else []
    vrf = found.match.values.get("vrf", "default")
    return inside if vrf == "all" else [each for each in inside if each == vrf]


def view(device: Device, vrf: str) -> RoutingView:
    """Routing of one VRF as it stands; the default one's where the VRF has no interface."""
    own = device.world.views[device.switch.name].routing()
    return own.vrfs.get(vrf, own)


def none_in(found: Found) -> Output:
    """What is said of a VRF in which BGP does not run."""
    return Output(f"Note: BGP is not running in VRF {found.match.values.get('vrf', 'default')}\n")


def show_bgp(session: Session, found: Found) -> Output:
    """Neighbours of one VRF, or of all that BGP runs in, with their state."""
    parts = [_summary(session.device, vrf) for vrf in vrfs_meant(session.device, found)]
    if not parts:
        return none_in(found)
    return Output("\n".join(text for text, _ in parts), rows("vrf", [row for _, row in parts]))


def show_bgp_all(session: Session, found: Found) -> Output:
    """The same for every address family that a neighbour speaks."""
    device, plain = session.device, show_bgp(session, found)
    if "default" in vrfs_meant(device, found) and any(s.neighbor.evpn for s in peerings(device)):
        return Output(f"{plain.plain}\n{show_evpn(session, found).plain}", plain.data)
    return plain


def counts(device: Device, vrf: str) -> dict[str, int]:
    """Port to how many prefixes came over it; routes between switches in other VRFs are not modelled."""
    return received(device.world, device.switch.name) if vrf == "default" else {}


def _summary(device: Device, vrf: str) -> tuple[str, dict[str, Any]]:
    running = process(device)
    asn = running.values["asn"] if running else ""
    own, mine = view(device, vrf), [s for s in peerings(device) if s.neighbor.ipv4 and s.vrf == vrf]
    learned, up = counts(device, vrf), sum(1 for s in mine if s.up)
    known = [other.routing() for other in device.world.views.values()]
    entries = len({prefix for other in known if vrf == "default" for prefix in other.advertised})
    text = f"""BGP summary information for VRF {vrf}, address family IPv4 Unicast
BGP router identifier {own.router_id}, local AS number {asn}
BGP table version is {entries + 1}, IPv4 Unicast config peers {len(mine)}, capable peers {up}
{entries} network entries and {entries} paths using 0 bytes of memory
BGP attribute entries [1/176], BGP AS path entries [1/6]
BGP community entries [0/0], BGP clusterlist entries [0/0]

Neighbor        V    AS    MsgRcvd    MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd
"""
    data = []
    for s in mine:
        status = "Shut (Admin)" if s.neighbor.shutdown else "Idle"
        text += _line(device, s, str(learned.get(s.port, 0)) if s.up else status)
        data.append({"neighborid": s.neighbor.peer, "neighboras": str(s.neighbor.remote_as), "time": since(device),
                     "state": "Established" if s.up else "Idle",
                     "prefixreceived": str(learned.get(s.port, 0) if s.up else 0)})  # fmt: skip
    inner = {"af-name": "IPv4 Unicast", "vrf-router-id": own.router_id, "vrf-local-as": asn, **rows("neighbor", data)}
    return text, {"vrf-name-out": vrf, **rows("af", [inner])}


def _line(device: Device, s: Peering, state: str) -> str:
    messages = MESSAGES if s.up else 0
    return (
        f"{short(s.neighbor.peer):<15} 4 {s.neighbor.remote_as:>5} {messages:>10} {messages:>10}"
        f" {1 if s.up else 0:>8}    0    0 {since(device):<8} {state}\n"
    )


def show_evpn(session: Session, _: Found) -> Output:
    """Neighbours with whom EVPN routes are exchanged; the routes themselves are not modelled."""
    device, running = session.device, process(session.device)
    if running is None:
        return Output("Note: BGP is not running in VRF default\n")
    text = f"""BGP summary information for VRF default, address family L2VPN EVPN
BGP router identifier {view(device, "default").router_id}, local AS number {running.values["asn"]}

Neighbor        V    AS    MsgRcvd    MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd
"""
    data = []
    for s in peerings(device):
        if s.neighbor.evpn:
            text += _line(device, s, "0" if s.up else "Idle")
            data.append({"neighborid": s.neighbor.peer, "neighboras": str(s.neighbor.remote_as), "time": since(device),
                         "state": "Established" if s.up else "Idle", "prefixreceived": "0"})  # fmt: skip
    inner = rows("saf", [{"safi": "70", "af-name": "L2VPN EVPN", **rows("neighbor", data)}])
    return Output(text, rows("vrf", [{"vrf-name-out": "default", **rows("af", [{"af-id": "25", **inner}])}]))


def show_bgp_process(session: Session, found: Found) -> Output:
    """The process, and each VRF that it runs in."""
    device, running = session.device, process(session.device)
    if running is None:
        return none_in(found)
    text = f"""
BGP Process Information
BGP Protocol Started, reason:  : configuration
BGP Protocol Tag               : {running.values["asn"]}
BGP Protocol State             : {"Shutdown" if running.state("shutdown", False) else "Running"}
BGP Isolate Mode               : {"Yes" if running.get("isolate") else "No"}
BGP Memory State               : OK
BGP asformat                   : asplain

Information regarding configured VRFs:
"""
    for vrf in vrfs_meant(device, found):
        mine, own = [s for s in peerings(device) if s.vrf == vrf], view(device, vrf)
        block = running if vrf == "default" else running.get(f"vrf {vrf}") or Node("")
        up = sum(1 for s in mine if s.up)
        text += f"""
BGP Information for VRF {vrf}
VRF state                      : UP
Router-ID                      : {own.router_id}
Configured Router-ID           : {block.value("router-id", "id", "0.0.0.0")}
No. of configured peers        : {len(mine)}
No. of pending config peers    : 0
No. of established peers       : {up}

    Information for address family IPv4 Unicast in VRF {vrf}
    Table state                : UP
    Peers      Active-peers    Routes     Paths      Networks   Aggregates
    {len(mine):<10} {up:<15} {len(own.advertised):<10} {len(own.advertised):<10} {len(own.advertised):<10} 0
"""
    return Output(text)


def show_bgp_sessions(session: Session, found: Found) -> Output:
    """Neighbours of each VRF: one letter each for the state."""
    device, running, vrfs = session.device, process(session.device), vrfs_meant(session.device, found)
    if running is None or not vrfs:
        return none_in(found)
    mine, asn = [s for s in peerings(device) if s.vrf in vrfs], running.values["asn"]
    text = f"Total peers {len(mine)}, established peers {sum(1 for s in mine if s.up)}\nASN {asn}\n"
    for vrf in vrfs:
        inside = [s for s in mine if s.vrf == vrf]
        text += f"""VRF {vrf}, local ASN {asn}
peers {len(inside)}, established peers {sum(1 for s in inside if s.up)}, local router-id {view(device, vrf).router_id}
State: I-Idle, A-Active, O-Open, E-Established, C-Closing, S-Shutdown

Neighbor        ASN    Flaps LastUpDn|LastRead|LastWrit St Port(L/R)  Notif(S/R)
"""
        for s in inside:
            state, age = ("E", since(device)) if s.up else ("S" if s.neighbor.shutdown else "I", "never")
            moments = f"{age:<8}|{'00:00:10' if s.up else 'never':<8}|{'00:00:10' if s.up else 'never':<8}"
            ports = "179/49152" if s.up else "0/0"
            text += (
                f"{short(s.neighbor.peer):<15} {s.neighbor.remote_as:>5} 0     {moments} {state}   {ports:<12} 0/0\n"
            )
        text += "\n"
    return Output(text)


def show_bgp_neighbors(session: Session, found: Found) -> Output:
    """Everything about some or all neighbours of a VRF."""
    device, wanted = session.device, found.match.values.get("peer")
    vrfs = vrfs_meant(device, found)
    if not vrfs:
        return none_in(found)
    text = ""
    known = {vrf: (view(device, vrf), counts(device, vrf)) for vrf in vrfs}
    for number, s in enumerate(each for each in peerings(device) if each.vrf in vrfs):
        if wanted in (None, s.neighbor.peer):
            text += _neighbor(device, s, number + 1, *known[s.vrf])
    return Output(text or (f"Can't find neighbor {wanted}\n" if wanted else ""))


def _neighbor(device: Device, s: Peering, number: int, mine: RoutingView, learned: dict[str, int]) -> str:
    running = process(device) or Node("")
    place = running if s.vrf == "default" else running.get(f"vrf {s.vrf}") or Node("")
    block = place.get(f"neighbor {s.neighbor.peer}") or Node("")
    described = block.value("description", "text")
    kind = "ibgp" if s.neighbor.remote_as == mine.asn else "ebgp"
    theirs = device.world.views[s.far[0]].routing() if s.far and s.far[0] in device.world.views else None
    state = f"Established, up for {since(device)}" if s.up else f"Idle, down for {since(device)}"
    state = "Shut (Admin)" if s.neighbor.shutdown else state
    text = f"BGP neighbor is {s.neighbor.peer},  remote AS {s.neighbor.remote_as}, {kind} link,  Peer index {number}\n"
    text += f"  Description: {described}\n" if described else ""
    text += f"""  BGP version 4, remote router ID {theirs.router_id if theirs and s.up else "0.0.0.0"}
  Neighbor vrf: {s.vrf}
  BGP state = {state}
"""
    text += f"  Using {s.neighbor.source} as update source for this peer\n" if s.neighbor.source else ""
    text += f"  Peer is directly attached, interface {s.port}\n" if s.port and not s.neighbor.source else ""
    text += "  BFD live-detection is configured and enabled\n" if s.neighbor.bfd else ""
    own, families = mine.addresses.get(s.neighbor.source or s.port, "0.0.0.0/0").partition("/")[0], ""
    for name, speaks in (("IPv4 Unicast", s.neighbor.ipv4), ("L2VPN EVPN", s.neighbor.evpn)):
        if speaks:
            accepted = learned.get(s.port, 0) if s.up and name.startswith("IPv4") else 0
            families += f"""
  For address family: {name}
  BGP table version 1, neighbor version {1 if s.up else 0}
  {accepted} accepted paths consume 0 bytes of memory
  {len(mine.advertised) if s.up else 0} sent paths
"""
    messages = MESSAGES if s.up else 0
    return f"""{text}  Connections established {1 if s.up else 0}, dropped 0

  Message statistics:
                              Sent               Rcvd
  Opens:            {1 if s.up else 0:>14} {1 if s.up else 0:>18}
  Notifications:    {0:>14} {0:>18}
  Keepalives:       {max(messages - 1, 0):>14} {max(messages - 1, 0):>18}
  Total:            {messages:>14} {messages:>18}
  Bytes in queue:   {0:>14} {0:>18}
{families}
  {_socket(own, s) if s.up else "No established BGP session with peer"}

"""


def _socket(own: str, s: Peering) -> str:
    return f"Local host: {own}, Local port: 179\n  Foreign host: {s.neighbor.peer}, Foreign port: 49152"


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f for f in (show_bgp, show_bgp_all, show_evpn, show_bgp_process, show_bgp_sessions, show_bgp_neighbors)
}
