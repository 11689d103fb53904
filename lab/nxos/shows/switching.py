"""VLANs, port-channels, vPC."""

from __future__ import annotations

from podwright.lab.nxos import lacp
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.kinds import numbers, ranges
from podwright.lab.nxos.links import short, state, vlans
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node, interface_rank


def created(device: Device) -> list[int]:
    """VLANs of the switch, the default one included."""
    return sorted({1, *(int(n.values["list"]) for n in device.root.begin("vlan"))})


def show_vlan(session: Session, found: Found) -> Output:
    """VLANs, all or some, with the ports that carry them."""
    device, listed = session.device, found.match.values.get("list")
    wanted = [n for n in created(device) if listed is None or n in numbers(listed, 1, 4094)]
    if not wanted:
        return Output(f"VLAN {listed} not found in current VLAN database\n")
    text = "\nVLAN Name                             Status    Ports\n"
    text += "---- -------------------------------- --------- -------------------------------\n"
    ports, data = sorted(device.interfaces("Ethernet"), key=interface_rank), []
    for number in wanted:
        node = device.root.get(f"vlan {number}") or Node("")
        name = node.value("name", "name", "default" if number == 1 else f"VLAN{number:04}")
        carrying = [short(p) for p in ports if number in vlans(device, p)]
        lines = [", ".join(carrying[i : i + 4]) for i in range(0, len(carrying), 4)] or [""]
        status = "act/lshut" if node.state("shutdown", False) else "active"
        text += f"{number:<4} {name:<32} {status:<9} {lines[0]}\n"
        text += "".join(f"{'':<47} {line}\n" for line in lines[1:])
        row = {"vlanshowbr-vlanid": str(number), "vlanshowbr-vlanname": name, "vlanshowbr-vlanstate": "active"}
        data.append(row | ({"vlanshowplist-ifidx": ",".join(carrying)} if carrying else {}))
    text += "\nVLAN Type         Vlan-mode\n---- -----        ----------\n"
    text += "".join(f"{n:<4} enet         CE\n" for n in wanted)
    brief = "vlanbriefxbrief" if found.match.words[-1] == "brief" else "vlanbrief"
    return Output(text, rows(brief, data))


def show_vlan_summary(session: Session, _: Found) -> Output:
    """How many VLANs there are."""
    count = len(created(session.device))
    return Output(f"\nNumber of existing VLANs           : {count}\n Number of existing user VLANs     : {count}\n"
                  f" Number of existing extended VLANs : {sum(1 for n in created(session.device) if n > 1005)}\n"
                  )  # fmt: skip


def show_port_channel(session: Session, _: Found) -> Output:
    """Port-channels with their members."""
    device = session.device
    text = """Flags:  D - Down        P - Up in port-channel (members)
        I - Individual  H - Hot-standby (LACP only)
        s - Suspended   r - Module-removed
        b - BFD Session Wait
        S - Switched    R - Routed
        U - Up (port-channel)
        p - Up in delay-lacp mode (member)
        M - Not in use. Min-links not met
--------------------------------------------------------------------------------
Group Port-       Type     Protocol  Member Ports
      Channel
--------------------------------------------------------------------------------
"""
    data = []
    for name in sorted(device.interfaces("port-channel"), key=interface_rank):
        block = device.interface(name) or Node("")
        flags = ("R" if device.routed(name, block) else "S") + ("U" if state(device, name).up else "D")
        ports = device.members(name)
        modes = {(device.interface(p) or Node("")).get("channel-group") for p in ports}
        protocol = "LACP" if any(m and " mode " in m.line for m in modes) else "NONE"
        flag = {p: lacp.membership(device, p) for p in ports}
        cells = [f"{short(p)}({flag[p]})" for p in ports] or ["--"]
        number = name.removeprefix("port-channel")
        text += f"{number:<5} {short(name) + f'({flags})':<11} Eth      {protocol:<9} {cells[0]:<12} "
        text += " ".join(f"{c:<12}" for c in cells[1:3]) + "\n"
        for i in range(3, len(cells), 3):
            text += " " * 37 + " ".join(f"{c:<12}" for c in cells[i : i + 3]) + "\n"
        inside = [{"port": p, "port-status": flag[p]} for p in ports]
        data.append({"group": number, "port-channel": name, "layer": flags[0], "status": flags[1], "type": "Eth",
                     "prtcl": protocol, **rows("member", inside)})  # fmt: skip
    return Output(text, rows("channel", data))


def vpc_peer(device: Device, domain: Node) -> Device | None:
    """The switch that the keepalive reaches, when it keeps one back in the same domain."""
    keepalive = domain.get("peer-keepalive")
    if keepalive is None:
        return None
    for other in device.peers.values():
        theirs = next(other.root.begin("vpc domain"), None)
        reached = other.switch.management == keepalive.values["peer"] and not other.faults.down
        if reached and theirs is not None and theirs.values["domain"] == domain.values["domain"]:
            back = theirs.value("peer-keepalive", "peer")
            return other if back == device.switch.management else None
    return None


def _peer_link(device: Device) -> str:
    return next((n for n, b in device.interfaces("port-channel").items() if b.get("vpc")
                 and (b.get("vpc") or Node("")).line == "vpc peer-link"), "")  # fmt: skip


def show_vpc(session: Session, _: Found) -> Output:
    """The vPC domain, its peer-link and its vPCs."""
    device = session.device
    domain = next(device.root.begin("vpc domain"), None)
    if domain is None:
        return Output("vPC domain is not configured\n")
    peer, link = vpc_peer(device, domain), _peer_link(device)
    formed = peer is not None and link != "" and state(device, link).up
    ours = {n: b.value("vpc", "vpc") for n, b in device.interfaces("port-channel").items() if b.value("vpc", "vpc")}
    role = "none established" if peer is None else vpc_role(device, peer, domain)
    text = f"""Legend:
                (*) - local vPC is down, forwarding via vPC peer-link

vPC domain id                     : {domain.values["domain"]}
Peer status                       : {"peer adjacency formed ok" if formed else "peer link is down"}
vPC keep-alive status             : {"peer is alive" if peer else "peer is not reachable through peer-keepalive"}
Configuration consistency status  : success
Per-vlan consistency status       : success
Type-2 consistency status         : success
vPC role                          : {role}
Number of vPCs configured         : {len(ours)}
Peer Gateway                      : {"Enabled" if domain.get("peer-gateway") else "Disabled"}
Dual-active excluded VLANs        : -
Graceful Consistency Check        : Enabled
Auto-recovery status              : {"Enabled" if domain.get("auto-recovery") else "Disabled"}
Delay-restore status              : Timer is off.(timeout = {domain.value("delay restore", "s", "30")}s)
Operational Layer3 Peer-router    : {"Enabled" if domain.get("layer3 peer-router") else "Disabled"}

vPC Peer-link status
---------------------------------------------------------------------
id    Port   Status Active vlans
--    ----   ------ -------------------------------------------------
"""
    if link:
        carried = ranges(sorted(set(created(device)) & vlans(device, link))) or "-"
        text += f"1     {short(link):<6} {'up' if state(device, link).up else 'down':<6} {carried}\n"
    text += "\nvPC status\n" + "-" * 76 + "\n"
    text += "Id    Port          Status Consistency Reason                Active vlans\n"
    text += "--    ------------  ------ ----------- ------                ---------------\n"
    data = []
    for name, number in sorted(ours.items(), key=lambda item: int(item[1])):
        word = "up" if state(device, name).up else "down*"
        carried = ranges(sorted(set(created(device)) & vlans(device, name))) or "-"
        text += f"{number:<5} {short(name):<13} {word:<6} success     success               {carried}\n"
        data.append({"vpc-id": number, "vpc-ifindex": short(name), "vpc-port-state": "1" if word == "up" else "0",
                     "vpc-consistency": "consistent", "up-vlan-bitset": carried})  # fmt: skip
    head = {
        "vpc-domain-id": domain.values["domain"],
        "vpc-peer-status": "peer-ok" if formed else "peer-link-down",
        "vpc-peer-keepalive-status": "peer-alive" if peer else "peer-not-reachable-through-keepalive",
        "vpc-peer-consistency": "consistent",
        "vpc-role": role.replace(" ", "-"),
        "num-of-vpcs": str(len(ours)),
    }
    ends = [{"peer-link-id": "1", "peerlink-ifindex": short(link), "peer-link-port-state": str(int(formed))}]
    return Output(text, {**head, **rows("peerlink", ends if link else []), **rows("vpc", data)})


def vpc_role(device: Device, peer: Device, domain: Node) -> str:
    """primary or secondary, by priority, then by serial number."""
    theirs = next(peer.root.begin("vpc domain"))
    mine = (int(domain.value("role priority", "n", "32667")), device.switch.serial)
    return "primary" if mine < (int(theirs.value("role priority", "n", "32667")), peer.switch.serial) else "secondary"


SHOWS = {f.__name__: f for f in (show_vlan, show_vlan_summary, show_port_channel, show_vpc)}
