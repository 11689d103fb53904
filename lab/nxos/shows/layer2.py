"""Layer 2 as operators look at it: what each switchport carries, trunks, the MAC table.

Shapes: `show interface switchport` and `show mac address-table` as ntc-templates parse them, `show interface trunk` as
genieparser does. A host is learned where its cable ends and its link is up; hosts of a lab send no
frames of their own, so what a host that is silent would miss on hardware is there all the same (FIDELITY.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.kinds import ranges
from podwright.lab.nxos.links import dotted, mac, short, state, vlans
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.interfaces import selected
from podwright.lab.nxos.shows.spanning import blocked
from podwright.lab.nxos.shows.switching import created
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node, interface_rank
from podwright.lab.world.interconnects import behind

RULE = "-" * 80 + "\n"
_ALL = "1-4094"


def _switched(session: Session, found: Found) -> list[str]:
    """The ports asked for that are switchports, members of a bundle included."""
    device = session.device
    names = selected(session, found)
    return [
        name
        for name in names
        if name.startswith(("Ethernet", "port-channel"))
        and "." not in name
        and not device.routed(name, device.interface(name) or Node(""))
    ]


def _mode(block: Node) -> str:
    mode = block.get("switchport mode")
    return mode.line.rpartition(" ")[2] if mode else "access"


def _named(device: Device, number: str) -> str:
    node = device.root.get(f"vlan {number}")
    if number == "1":
        return "default"
    return node.value("name", "name", f"VLAN{int(number):04}") if node else "Vlan not created"


def show_switchport(session: Session, found: Found) -> Output:
    """Mode and VLANs of each switchport."""
    device, text, data = session.device, "", []
    for name in _switched(session, found):
        block = device.interface(name) or Node("")
        access, native = block.value("switchport access vlan", "vlan", "1"), _native(block)
        mode = _mode(block) if state(device, name).up else "down"
        text += (
            f"Name: {name}\n  Switchport: Enabled\n  Switchport Monitor: Not enabled \n"
            f"  Switchport Blocked: Not enabled \n  Operational Mode: {mode}\n"
            f"  Access Mode VLAN: {access} ({_named(device, access)})\n"
            f"  Trunking Native Mode VLAN: {native} ({_named(device, native)})\n"
            f"  Trunking VLANs Allowed: {_allowed(block)}\n  Voice VLAN: none\n"
            "  Extended Trust State : not trusted [COS = 0]\n"
            "  Administrative private-vlan primary host-association: none\n  Operational private-vlan: none\n\n"
        )
        data.append({"interface": name, "switchport": "Enabled", "oper_mode": mode, "access_vlan": access,
                     "native_vlan": native, "trunk_vlans": _allowed(block)})  # fmt: skip
    return Output(text, rows("interface", data))


def _native(block: Node) -> str:
    return block.value("switchport trunk native vlan", "vlan", "1")


def _allowed(block: Node) -> str:
    allowed = block.get("switchport trunk allowed vlan")
    return allowed.line.rpartition(" ")[2] if allowed else _ALL


def show_trunk(session: Session, found: Found) -> Output:
    """Trunks with their VLANs: allowed, failed, forwarded."""
    device = session.device
    trunks = [n for n in _switched(session, found) if _mode(device.interface(n) or Node("")) == "trunk"]
    still = blocked(device)
    head, allowed, failed, carried, data = "", "", "", "", []
    for name in trunks:
        block, up = device.interface(name) or Node(""), state(device, name).up
        group = block.value("channel-group", "group")
        status = ("trnk-bndl" if group else "trunking") if up else "not-trunking"
        passing = set(created(device)) & vlans(device, name) - still.get(name, set()) if up and not group else set()
        forwarded = ranges(sorted(passing)) or "none"
        head += f"{short(name):<14}{_native(block):<8}{status:<14}{f'Po{group}' if group else '--'}\n"
        allowed += f"{short(name):<14}{_allowed(block)}\n"
        failed += f"{short(name):<14}none\n"
        carried += f"{short(name):<14}{forwarded}\n"
        data.append({"interface": name, "native": _native(block), "status": status,
                     "portchannel": f"Po{group}" if group else "0", "trunkallowedvlans": _allowed(block)})  # fmt: skip
    text = (
        f"\n{RULE}Port          Native  Status        Port\n              Vlan                  Channel\n{RULE}{head}"
    )
    text += f"\n{RULE}Port          Vlans Allowed on Trunk\n{RULE}{allowed}"
    text += f"\n{RULE}Port          Vlans Err-disabled on Trunk\n{RULE}{failed}"
    text += f"\n{RULE}Port          STP Forwarding\n{RULE}{carried}"
    return Output(text, rows("interface", data))


def _learned(device: Device) -> Iterator[tuple[int, str, str, str]]:
    """VLAN, MAC address, type and port: gateways of its own, and hosts at the ends of cables."""
    for name in device.interfaces("Vlan"):
        if state(device, name).up:
            yield int(name[4:]), mac(device), "static", "sup-eth1(R)"
    hosts = {*device.world.servers, *device.world.interconnects}
    for name in sorted(device.interfaces("Ethernet"), key=interface_rank):
        block = device.interface(name) or Node("")
        far = device.world.neighbor(device.switch.name, name)
        if far is None or far[0] not in hosts or not state(device, name).up:
            continue
        group = block.value("channel-group", "group")
        above = (device.interface(f"port-channel{group}") if group else None) or block
        if device.routed(name, above):
            continue
        through = f"Po{group}" if group else short(name)
        if far[0] in device.world.interconnects:
            # What blades send leaves an interconnect with its VLAN's tag.
            for _, nic in behind(device.world, far[0]):
                if nic.vlan in vlans(device, name):
                    yield nic.vlan, dotted(nic.mac.replace(":", "").lower()), "dynamic", through
            continue
        untagged = _native(above) if _mode(above) == "trunk" else above.value("switchport access vlan", "vlan", "1")
        address = dotted(device.world.servers[far[0]].nics[far[1]].mac.replace(":", ""))
        yield int(untagged), address, "dynamic", through


def _entries(session: Session, found: Found) -> list[tuple[int, str, str, str]]:
    """What was learned, as far as the command asks for it."""
    values, words = found.match.values, found.match.words
    kind = next((word for word in words if word in ("dynamic", "static")), "")
    names = {short(name) for name in values["ports"].split(",")} if "ports" in values else set()
    return [
        entry
        for entry in sorted(set(_learned(session.device)))
        if kind in ("", entry[2])
        and values.get("vlan") in (None, str(entry[0]))
        and values.get("address") in (None, entry[1])
        and (not names or entry[3] in names)
    ]


def show_mac_count(session: Session, found: Found) -> Output:
    """How many were learned."""
    entries = _entries(session, found)
    learned = sum(1 for entry in entries if entry[2] == "dynamic")
    return Output(f"""MAC Entries for all vlans:
Dynamic Address Count:                {learned}
Static Address (User-defined) Count:  {len(entries) - learned}
Secure Address Count:                 0
Total MAC Addresses in Use:           {len(entries)}
""")


def show_mac(session: Session, found: Found) -> Output:
    """Who was learned where."""
    text = """Legend:
        * - primary entry, G - Gateway MAC, (R) - Routed MAC, O - Overlay MAC
        age - seconds since last seen,+ - primary entry using vPC Peer-Link,
        (T) - True, (F) - False, C - ControlPlane MAC, ~ - vsan,
        (NA)- Not Applicable A - ESI Active Path, S - ESI Standby Path
   VLAN     MAC Address      Type      age     Secure NTFY Ports
---------+-----------------+--------+---------+------+----+------------------
"""
    data = []
    for vlan, address, kind, port in _entries(session, found):
        mark, age = ("G", "-") if kind == "static" else ("*", "0")
        text += f"{mark} {vlan:>4}     {address}   {kind:<8} {age:<9}  F      F    {port}\n"
        data.append({"disp_mac_addr": address, "disp_type": mark, "disp_vlan": str(vlan), "disp_is_static": kind,
                     "disp_age": age, "disp_is_secure": "disabled", "disp_port": port})  # fmt: skip
    return Output(text, rows("mac_address", data))


SHOWS = {f.__name__: f for f in (show_switchport, show_trunk, show_mac, show_mac_count)}
