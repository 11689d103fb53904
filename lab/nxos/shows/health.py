"""How the box is: load, power and fans, its log; the VXLAN end of the tunnels."""

from __future__ import annotations

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import mac, state
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node


def show_resources(_: Session, __: Found) -> Output:
    """Load, CPU and memory: those of an idle box."""
    total, used = 32806968, 9650316
    text = f"""Load average:   1 minute: 0.34   5 minutes: 0.40   15 minutes: 0.66
Processes   :   901 total, 2 running
CPU states  :   2.11% user,   1.64% kernel,   96.24% idle
        CPU0 states  :   2.11% user,   1.64% kernel,   96.24% idle
Memory usage:   {total}K total,   {used}K used,   {total - used}K free
Current memory status: OK
"""
    data = {
        "load_avg_1min": "0.34", "load_avg_5min": "0.40", "load_avg_15min": "0.66", "processes_total": "901",
        "processes_running": "2", "cpu_state_user": "2.11", "cpu_state_kernel": "1.64", "cpu_state_idle": "96.24",
        "memory_usage_total": total, "memory_usage_used": used, "memory_usage_free": total - used,
        "current_memory_status": "OK",
    }  # fmt: skip
    return Output(text, data)


_POWER = """Power Supply:
Voltage: 12 Volts
Power                             Actual      Actual        Total
Supply    Model                   Output      Input      Capacity    Status
                                (Watts )    (Watts )     (Watts )
-------  -------------------  ----------  ----------  ----------  --------------
1        NXA-PAC-1500W-PE         401 W       443 W      1500 W     Ok
2        NXA-PAC-1500W-PE         396 W       442 W      1500 W     Ok
"""
_FANS = """Fan:
---------------------------------------------------------------------------
Fan             Model                Hw     Direction       Status
---------------------------------------------------------------------------
Fan1(sys_fan1)  NXA-FAN-160CFM-PE    --     front-to-back   Ok
Fan2(sys_fan2)  NXA-FAN-160CFM-PE    --     front-to-back   Ok
Fan Zone Speed: Zone 1: 0x80
"""
_HEAT = """Temperature:
--------------------------------------------------------------------
Module   Sensor        MajorThresh   MinorThres   CurTemp     Status
                       (Celsius)     (Celsius)    (Celsius)
--------------------------------------------------------------------
1        FRONT           70              42          24         Ok
1        BACK            80              70          26         Ok
1        CPU             90              80          42         Ok
"""


def show_environment(_: Session, found: Found) -> Output:
    """Power supplies, fans, temperatures, or one of these: all well."""
    parts = {"power": _POWER, "fan": _FANS, "temperature": _HEAT}
    text = parts.get(found.match.words[-1], f"{_POWER}\n{_FANS}\n{_HEAT}")
    supplies = [{"psnum": str(n), "psmodel": "NXA-PAC-1500W-PE", "ps_status": "Ok"} for n in (1, 2)]
    return Output(text, {"powersup": rows("psinfo", supplies)})


def _notice_links(device: Device) -> None:
    """Write what became of the links since the log was last read; the moment is the one of reading."""
    for name in device.interfaces("Ethernet"):
        now = state(device, name)
        if device.world.cable_at(device.switch.name, name) is None or device.links_seen.get(name) == now.status:
            continue
        if now.up:
            device.note("ETHPORT-5-IF_UP", f"Interface {name} is up")
        elif name in device.links_seen:
            kind = "IF_DOWN_ADMIN_DOWN" if now.status == "disabled" else "IF_DOWN_LINK_FAILURE"
            reason = "Administratively down" if now.status == "disabled" else "Link failure"
            device.note(f"ETHPORT-5-{kind}", f"Interface {name} is down ({reason})")
        device.links_seen[name] = now.status


def show_logging(session: Session, found: Found) -> Output:
    """The log file, all or its last lines."""
    device = session.device
    _notice_links(device)
    last = int(found.match.values.get("n", "0"))
    return Output("".join(f"{line}\n" for line in device.log[-last:]))


def clear_logging(session: Session, _: Found) -> Output:
    """Empty the log file."""
    _notice_links(session.device)
    session.device.log.clear()
    return Output("")


def show_nve_vni(session: Session, _: Found) -> Output:
    """VNIs of the VTEP: up when nve1 is and their VLAN or VRF exists."""
    device, nve = session.device, session.device.interface("nve1") or Node("")
    text = f"""Codes: CP - Control Plane        DP - Data Plane
       UC - Unconfigured         SA - Suppress ARP
       SU - Suppress Unknown Unicast
       Xconn - Crossconnect
       MS-IR - Multisite Ingress Replication

Interface VNI      Multicast-group   State Mode Type [BD/VRF]      Flags
{"-" * 9} {"-" * 8} {"-" * 17} {"-" * 5} {"-" * 4} {"-" * 18} {"-" * 5}
"""
    data = []
    for member in nve.begin("member vni"):
        number = member.values["vni"]
        kind, where = _belongs(device, number, member.line.endswith("associate-vrf"))
        up = where and device.admin_up("nve1", nve) and nve.get("source-interface")
        group = "n/a" if kind == "L3" else member.value("mcast-group", "group", "UnicastBGP")
        word, flags = "Up" if up else "Down", "SA" if member.get("suppress-arp") else ""
        text += f"nve1      {number:<8} {group:<17} {word:<5} CP   {f'{kind} [{where or chr(45)}]':<18} {flags}\n"
        data.append({"if-name": "nve1", "vni": number, "mcast": group, "vni-state": word, "mode": "CP",
                     "type": f"{kind} [{where or '-'}]", "flags": flags})  # fmt: skip
    return Output(text, rows("nve_vni", data))


def _belongs(device: Device, vni: str, layer3: bool) -> tuple[str, str]:
    if layer3:
        vrfs = (n.values["name"] for n in device.root.begin("vrf context") if n.value("vni", "vni") == vni)
        return "L3", next(vrfs, "")
    vlans = (n.values["list"] for n in device.root.begin("vlan") if n.value("vn-segment", "vni") == vni)
    return "L2", next(vlans, "")


def show_nve_detail(session: Session, _: Found) -> Output:
    """VNIs of the VTEP at length."""
    device, nve, text = session.device, session.device.interface("nve1") or Node(""), ""
    for member in nve.begin("member vni"):
        number = member.values["vni"]
        kind, where = _belongs(device, number, member.line.endswith("associate-vrf"))
        up = where and device.admin_up("nve1", nve) and nve.get("source-interface")
        text += f"""VNI: {number}
  NVE-Interface       : nve1
  Mcast-Addr          : {member.value("mcast-group", "group", "UnicastBGP")}
  VNI State           : {"Up" if up else "Down"}
  Mode                : control-plane
  VNI Type            : {kind} [{where or "UC"}]
  VNI Flags           : {"SA" if member.get("suppress-arp") else ""}
  Provision State     : {"vni-add-complete" if up else "vni-init"}
  Vlan-BD             : {where if kind == "L2" and where else "0"}
  SVI State           : n/a
"""
    return Output(text)


def show_nve_peers(_: Session, __: Found) -> Output:
    """Other VTEPs: EVPN routes are not modelled, so none is known."""
    return Output("Interface Peer-IP                                 State LearnType Uptime   Router-Mac\n"
                  "--------- --------------------------------------  ----- --------- -------- -----------------\n"
                  )  # fmt: skip


def show_nve_interface(session: Session, _: Found) -> Output:
    """The VTEP."""
    device, nve = session.device, session.device.interface("nve1")
    if nve is None:
        return Output("")
    source = nve.value("source-interface", "port", "none")
    address = (device.interface(source) or Node("")).value("ip address", "address", "0.0.0.0").partition("/")[0]
    up = device.admin_up("nve1", nve) and address != "0.0.0.0"
    return Output(f"""Interface: nve1, State: {"Up" if up else "Down"}, encapsulation: VXLAN
 VPC Capability: VPC-VIP-Only [not-notified]
 Local Router MAC: {mac(device)}
 Host Learning Mode: {"Control-Plane" if nve.get("host-reachability protocol") else "Data-Plane"}
 Source-Interface: {source} (primary: {address}, secondary: 0.0.0.0)
""")


SHOWS = {
    f.__name__: f
    for f in (
        show_resources, show_environment, show_logging, clear_logging, show_nve_vni, show_nve_detail, show_nve_peers,
        show_nve_interface,
    )
}  # fmt: skip
