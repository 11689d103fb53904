"""Interfaces: brief, status, full, counters."""

from __future__ import annotations

from podwright.lab.nxos.breakout import broken_out, gbps, lanes
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import State, mac, short, state, vlans
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node, interface_rank

RULE = "-" * 80 + "\n"


def selected(session: Session, found: Found, kind: str = "") -> list[str]:
    """Interfaces that the command names, or all of a kind, in the device's order. Raises RefusedError."""
    device = session.device
    wanted = found.match.values.get("ports")
    if wanted is None:
        return sorted(device.interfaces(kind), key=interface_rank)
    names = wanted.split(",")
    for name in names:
        if device.interface(name) is None:
            column = found.match.line.index(wanted.partition(",")[0])
            raise RefusedError("Invalid interface format at '^' marker.", column)
    return names


def _vlan(device: Device, name: str, block: Node) -> str:
    if device.routed(name, block):
        return "routed"
    mode = block.get("switchport mode")
    return "trunk" if mode and mode.line.endswith("trunk") else str(min(vlans(device, name), default=1))


def _speed(device: Device, name: str, now: State) -> str:
    if name.startswith("mgmt"):
        return "1000"
    if not now.up or not name.startswith("Ethernet"):
        return "auto"
    return f"{gbps(device, name)}G"


def show_interface_brief(session: Session, found: Found) -> Output:
    """One line per interface, by kind."""
    device = session.device
    names = selected(session, found)
    text, data = "", []
    for kind, head in _BRIEF.items():
        mine = [n for n in names if n.startswith(kind)]
        if mine:
            text += f"\n{RULE}{head}{RULE}"
        for name in mine:
            line, row = _brief(device, kind, name)
            text += line
            data.append(row)
    return Output(text, rows("interface", data))


_BRIEF = {
    "mgmt": "Port   VRF          Status IP Address                              Speed    MTU\n",
    "Ethernet": "Ethernet        VLAN    Type Mode   Status  Reason                 Speed     Port\n"
    "Interface                                                                    Ch #\n",
    "port-channel": "Port-channel VLAN    Type Mode   Status  Reason                    Speed   Protocol\nInterface\n",
    "loopback": "Interface     Status     Description\n",
    "Vlan": "Interface Secondary VLAN(Type)                    Status Reason\n",
}


def _brief(device: Device, kind: str, name: str) -> tuple[str, dict[str, object]]:
    block, now = device.interface(name) or Node(""), state(device, name)
    word = "up" if now.up else "down"
    speed, label = _speed(device, name, now), short(name)
    row: dict[str, object] = {"interface": name, "state": word, "state_rsn_desc": now.reason, "speed": speed}
    if kind == "mgmt":
        address = block.value("ip address", "address", "--").partition("/")[0]
        return f"{label:<6} {'--':<12} {word:<6} {address:<39} {speed:<8} 1500\n", {**row, "ip_addr": address}
    if kind == "loopback":
        return f"{label:<13} {word:<10} {block.value('description', 'text', '--')}\n", row
    if kind == "Vlan":
        return f"{name:<9} {'--':<39} {word:<6} {now.reason if not now.up else '--'}\n", row
    vlan = _vlan(device, name, block)
    mode = {"routed": "routed", "trunk": "trunk"}.get(vlan, "access")
    vlan_column = "--" if vlan == "routed" else ("1" if vlan == "trunk" else vlan)
    row |= {"vlan": vlan_column, "portmode": mode, "type": "eth"}
    if kind == "port-channel":
        return (
            f"{label:<12} {vlan_column:<7} eth  {mode:<6} {word:<7} {now.reason:<23} {'a-' + speed + '(D)':<10} lacp\n",
            row,
        )
    group = block.value("channel-group", "group", "--")
    return f"{label:<15} {vlan_column:<7} eth  {mode:<6} {word:<7} {now.reason:<22} {speed + '(D)':<9} {group}\n", row


def show_interface_status(session: Session, found: Found) -> Output:
    """Port, name, status, VLAN, duplex, speed, type."""
    device = session.device
    text = f"\n{RULE}Port          Name               Status    Vlan      Duplex  Speed   Type\n{RULE}"
    data = []
    for name in selected(session, found):
        if name.startswith(("Vlan", "loopback")):
            continue
        block, now = device.interface(name) or Node(""), state(device, name)
        label = block.value("description", "text", "--")[:18]
        optic = "--" if now.status == "xcvrAbsen" or not name.startswith("Ethernet") else "QSFP-DD-400G"
        speed, vlan = _speed(device, name, now), _vlan(device, name, block)
        duplex = "full" if now.up else "auto"
        text += f"{short(name):<13} {label:<18} {now.status:<9} {vlan:<9} {duplex:<7} {speed:<7} {optic}\n"
        data.append({"interface": name, "name": label, "state": now.status, "vlan": vlan, "duplex": duplex,
                     "speed": speed, "type": optic})  # fmt: skip
    return Output(text, rows("interface", data))


def show_interface_breakout(session: Session, _: Found) -> Output:
    """Ports that are broken out, and into what."""
    found = sorted(broken_out(session.device).items())
    text = f"Parent         Breakout Map   Breakout Ports\n{RULE}"
    for port, word in found:
        text += f"{f'Eth1/{port}':<14} {word:<14} {f'Eth1/{port}/1-{lanes(word)[0]}'}\n"
    return Output(text)


def show_interface_description(session: Session, found: Found) -> Output:
    """Descriptions of ports."""
    text, data = f"\n{RULE}Port          Type   Speed   Description\n{RULE}", []
    for name in selected(session, found, "Ethernet"):
        block = session.device.interface(name) or Node("")
        speed = _speed(session.device, name, state(session.device, name))
        label = block.value("description", "text", "--")
        text += f"{short(name):<13} eth    {speed:<7} {label}\n"
        data.append({"interface": name, "type": "eth", "speed": speed, "desc": label})
    return Output(text, rows("interface", data))


def show_interface(session: Session, found: Found) -> Output:
    """Everything about some or all interfaces."""
    device, names = session.device, selected(session, found)
    return Output("\n".join(_full(device, name) for name in names),
                  rows("interface", [_fields(device, name) for name in names]))  # fmt: skip


def _fields(device: Device, name: str) -> dict[str, object]:
    """The same as structured data; names as in NX-OS facts modules."""
    block, now = device.interface(name) or Node(""), state(device, name)
    row, vlan = device.world.counters[device.switch.name, name], _vlan(device, name, block)
    address, _, length = block.value("ip address", "address").partition("/")
    found: dict[str, object] = {
        "interface": name, "state": "up" if now.up else "down", "state_rsn_desc": now.reason,
        "admin_state": "up" if device.admin_up(name, block) else "down", "eth_hw_addr": mac(device),
        "eth_bia_addr": mac(device, name), "desc": block.value("description", "text"),
        "eth_mtu": block.value("mtu", "bytes", "1500"),
        "eth_mode": vlan if vlan in ("routed", "trunk") else "access",
        "eth_speed": _speed(device, name, now), "eth_inbytes": str(row["rx_bytes"]),
        "eth_outbytes": str(row["tx_bytes"]), "eth_crc": str(row["crc"]), "eth_inerr": str(row["crc"]),
        "eth_inpause": str(row["rx_pause"]), "eth_outpause": str(row["tx_pause"]),
        "eth_watchdog": str(row["watchdog"]), "eth_outdiscard": str(row["drops"]),
    }  # fmt: skip
    return found | ({"eth_ip_addr": address, "eth_ip_mask": length} if address else {})


def _full(device: Device, name: str) -> str:
    block, now = device.interface(name) or Node(""), state(device, name)
    admin = "up" if device.admin_up(name, block) else "down"
    words = "up" if now.up else f"down ({now.reason})"
    text = f"{name} is {words}\nadmin state is {admin}" + (", Dedicated Interface\n" if "/" in name else "\n")
    most = gbps(device, name) if name.startswith("Ethernet") else 1
    text += f"  Hardware: {most * 1000} Ethernet, address: {mac(device)} (bia {mac(device, name)})\n"
    description = block.value("description", "text")
    text += f"  Description: {description}\n" if description else ""
    address = block.value("ip address", "address")
    text += f"  Internet Address is {address}\n" if address else ""
    vlan = _vlan(device, name, block)
    text += f"""  MTU {block.value("mtu", "bytes", "1500")} bytes, BW {most * 1000000} Kbit , DLY 10 usec
  reliability 255/255, txload 1/255, rxload 1/255
  Encapsulation ARPA, medium is broadcast
  Port mode is {vlan if vlan in ("routed", "trunk") else "access"}
  {"full-duplex" if now.up else "auto-duplex"}, {f"{most} Gb/s" if now.up else "auto-speed"}
  Beacon is turned off
  Input flow-control is off, output flow-control is off
  Last clearing of "show interface" counters never
"""
    return text + _traffic(device, name)


def _traffic(device: Device, name: str) -> str:
    row = device.world.counters[device.switch.name, name]
    packets_in, packets_out = row["rx_bytes"] // 4178, row["tx_bytes"] // 4178
    return f"""  RX
    {packets_in} unicast packets  0 multicast packets  0 broadcast packets
    {packets_in} input packets  {row["rx_bytes"]} bytes
    {packets_in} jumbo packets  0 storm suppression bytes
    0 runts  0 giants  {row["crc"]} CRC  0 no buffer
    {row["crc"]} input error  0 short frame  0 overrun   0 underrun  0 ignored
    {row["watchdog"]} watchdog  0 bad etype drop  0 bad proto drop  0 if down drop
    0 input with dribble  0 input discard
    {row["rx_pause"]} Rx pause
  TX
    {packets_out} unicast packets  0 multicast packets  0 broadcast packets
    {packets_out} output packets  {row["tx_bytes"]} bytes
    {packets_out} jumbo packets
    0 output error  0 collision  0 deferred  0 late collision
    0 lost carrier  0 no carrier  0 babble  {row["drops"]} output discard
    {row["tx_pause"]} Tx pause
"""


def show_interface_counters(session: Session, found: Found) -> Output:
    """Octets and packets in and out."""
    text = ""
    data: dict[str, object] = {}
    device = session.device
    for word, key in (("In", "rx_bytes"), ("Out", "tx_bytes")):
        text += f"\n{RULE}Port          {word + 'Octets':>24}  {word + 'UcastPkts':>24}\n{RULE}"
        listed = []
        for name in selected(session, found, "Ethernet"):
            octets = device.world.counters[device.switch.name, name][key]
            text += f"{short(name):<13} {octets:>24}  {octets // 4178:>24}\n"
            side = "rx" if word == "In" else "tx"
            listed.append({f"interface_{side}": name, f"eth_{word.lower()}bytes": str(octets),
                           f"eth_{word.lower()}ucast": str(octets // 4178)})  # fmt: skip
        data |= rows(f"{'rx' if word == 'In' else 'tx'}_counters", listed)
    return Output(text, data)


def show_interface_errors(session: Session, found: Found) -> Output:
    """Damaged and dropped frames."""
    device = session.device
    text, data = f"\n{RULE}Port          Align-Err    FCS-Err   Xmit-Err    Rcv-Err  UnderSize OutDiscards\n{RULE}", []
    for name in selected(session, found, "Ethernet"):
        row = device.world.counters[device.switch.name, name]
        crc, drops = row["crc"], row["drops"]
        text += f"{short(name):<13} {0:>9} {crc:>10} {0:>10} {crc:>10} {0:>10} {drops:>11}\n"
        data.append({"interface": name, "eth_align_err": "0", "eth_fcs_err": str(crc), "eth_xmit_err": "0",
                     "eth_rcv_err": str(crc), "eth_undersize": "0", "eth_outdisc": str(drops)})  # fmt: skip
    return Output(text, rows("interface", data))


SHOWS = {
    f.__name__: f
    for f in (
        show_interface_brief, show_interface_status, show_interface_breakout, show_interface_description,
        show_interface, show_interface_counters, show_interface_errors,
    )
}  # fmt: skip
