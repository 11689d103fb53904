"""The box itself: version, inventory, features, configuration text."""

from __future__ import annotations

import time

from podwright.lab.nxos import zone
from podwright.lab.nxos.defaults import spelled_out
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.patch import patch
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.render import running
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.terminal_access import client
from podwright.lab.nxos.tree import Node

_PARTS = {
    "bgp": ("feature bgp", "router bgp", "ip prefix-list", "route-map"),
    "ospf": ("feature ospf", "router ospf"),
    "vpc": ("feature vpc", "vpc domain"),
    "bfd": ("feature bfd", "bfd "),
    "lldp": ("feature lldp", "lldp "),
    "ipqos": ("class-map", "policy-map", "system qos", "priority-flow-control"),
    "ntp": ("ntp ",),
    "snmp": ("snmp-server",),
    "aaa": ("aaa ", "tacacs"),
    "vlan": ("vlan ",),
}


def show_running(session: Session, found: Found) -> Output:
    """The running configuration, whole, of some interfaces, or of one feature."""
    words, device = found.match.words, session.device
    root = spelled_out(device) if words[-1] == "all" else device.root
    if len(words) == 2 or words[2] == "all":
        return Output(running(device, found.match.line, root))
    if words[2] != "interface":
        heads = _PARTS[words[2]]
        return Output(running(device, found.match.line, keep=lambda n: n.line.startswith(heads)))
    wanted = found.match.values.get("ports")
    names = wanted.split(",") if wanted else list(device.interfaces())
    for name in names:
        if device.interface(name) is None:
            raise RefusedError("Invalid interface format at '^' marker.", len("show running-config interface "))
    lines = {f"interface {name}" for name in names}
    return Output(running(device, found.match.line, root, keep=lambda n: n.line in lines))


def show_startup(session: Session, found: Found) -> Output:
    """What the next boot starts with."""
    device = session.device
    if device.startup is None:
        return Output("No startup configuration\n")
    text = running(device, found.match.line, device.startup)
    return Output(text.replace("Running configuration last done", "Startup configuration last saved"))


def show_running_diff(session: Session, _: Found) -> Output:
    """Lines that the startup configuration lacks or has more than the running one."""
    device = session.device
    lines = patch(device, device.startup or Node(""), device.root)
    return Output("*** Startup-config\n--- Running-config\n" + "".join(f"{line}\n" for line in lines) if lines else "")


def show_version(session: Session, _: Found) -> Output:
    """Software, hardware, uptime."""
    device = session.device
    days, hours, minutes, seconds = device.clock.uptime()
    image = f"bootflash:///nxos64-cs.{device.switch.release.replace('(', '.').rstrip(')')}.M.bin"
    chassis = device.hardware.chassis
    text = f"""Cisco Nexus Operating System (NX-OS) Software
TAC support: http://www.cisco.com/tac
Software
  BIOS: version {device.bios}
  NXOS: version {device.switch.release}
  BIOS compile time:  06/14/2024
  NXOS image file is: {image}
  NXOS compile time:  8/20/2024 12:00:00 [08/20/2024 15:30:18]

Hardware
  cisco Nexus9000 {chassis.removeprefix("Nexus9000 ")}
  Intel(R) Xeon(R) CPU D-1633N @ 2.50GHz with 32806968 kB of memory.
  Processor Board ID {device.switch.serial}

  Device name: {device.hostname}
  bootflash:  115805708 kB
Kernel uptime is {days} day(s), {hours} hour(s), {minutes} minute(s), {seconds} second(s)

Last reset
  Reason: Unknown
  System version: {device.switch.release}
  Service:

plugin
  Core Plugin, Ethernet Plugin

Active Package(s):

"""
    data = {
        "header_str": "Cisco Nexus Operating System (NX-OS) Software", "bios_ver_str": device.bios,
        "nxos_ver_str": device.switch.release, "nxos_file_name": image, "chassis_id": chassis,
        "proc_board_id": device.switch.serial, "host_name": device.hostname, "kern_uptm_days": days,
        "kern_uptm_hrs": hours, "kern_uptm_mins": minutes, "kern_uptm_secs": seconds,
    }  # fmt: skip
    return Output(text, data)


def show_inventory(session: Session, _: Found) -> Output:
    """Chassis and supervisor with serial number."""
    device = session.device
    parts = [
        ("Chassis", device.hardware.chassis, device.switch.model, "V01", device.switch.serial),
        ("Slot 1", device.hardware.module, device.switch.model, "V01", device.switch.serial),
    ]
    text = "".join(
        f'NAME: "{name}",  DESCR: "{what}"\nPID: {pid:<20} ,  VID: {vid} ,  SN: {serial}\n\n'
        for name, what, pid, vid, serial in parts
    )
    found = [
        {"name": f'"{name}"', "desc": f'"{what}"', "productid": pid, "vendorid": vid, "serialnum": serial}
        for name, what, pid, vid, serial in parts
    ]
    return Output(text, rows("inv", found))


def show_module(session: Session, _: Found) -> Output:
    """The one fixed module."""
    hardware, model = session.device.hardware, session.device.switch.model
    row = {
        "modinf": "1", "ports": str(len(hardware.ports)), "modtype": hardware.module, "model": model,
        "status": "active *",
    }  # fmt: skip
    text = (
        "Mod Ports             Module-Type                      Model           Status\n"
        "--- ----- ------------------------------------- --------------------- ---------\n"
        f"1    {len(hardware.ports):<4} {hardware.module:<37} {model:<21} active *\n"
    )
    return Output(text, rows("modinfo", [row]))


FEATURES = (
    "bash-shell", "bfd", "bgp", "dhcp", "hsrp_engine", "interface-vlan", "lacp", "lldp", "netconf", "nxapi", "ospf",
    "pim", "scheduler", "sshServer", "tacacs", "vpc", "vrrp",
)  # fmt: skip
_SPELLED = {"hsrp_engine": "hsrp", "tacacs": "tacacs+"}


def show_feature(session: Session, _: Found) -> Output:
    """Which features are on."""
    device = session.device
    state = {
        name: "enabled" if name == "sshServer" or device.has_feature(_SPELLED.get(name, name)) else "disabled"
        for name in FEATURES
    }
    text = "Feature Name          Instance  State\n--------------------  --------  --------\n"
    text += "".join(f"{name:<22}1         {value}\n" for name, value in state.items())
    found = [{"cfcFeatureCtrlName2": n, "cfcFeatureCtrlInstanceNum2": "1", "cfcFeatureCtrlOpStatus2": s}
             for n, s in state.items()]  # fmt: skip
    return Output(text, rows("cfcFeatureCtrlTable", found))


def show_hostname(session: Session, _: Found) -> Output:
    """The name."""
    return Output(f"{session.device.hostname} \n", {"hostname": session.device.hostname})


def show_hosts(session: Session, _: Found) -> Output:
    """Name resolution."""
    domain = session.device.root.value("ip domain-name", "name")
    default = f"Default domain for vrf:default is {domain}\n" if domain else ""
    return Output(f"DNS lookup enabled\n{default}Name servers for vrf:default is 255.255.255.255\n")


def show_clock(session: Session, _: Found) -> Output:
    """Date and time in the zone that is configured, else UTC."""
    now = session.device.clock.now()
    there = time.gmtime(zone.local_time(session.device))
    moment = time.strftime(f"%H:%M:%S.{int(now % 1 * 1000):03} {zone.name(session.device)} %a %b %d %Y", there)
    return Output(f"{moment}\nTime source is NTP\n", {"simple_time": f"{moment}\n", "time_source": "NTP"})


def show_uptime(session: Session, _: Found) -> Output:
    """Since when the box runs."""
    days, hours, minutes, seconds = session.device.clock.uptime()
    span = f"{days} days, {hours} hours, {minutes} minutes, {seconds} seconds"
    start = session.device.clock.stamp(session.device.clock.booted)
    data = {"sys_st_time": start, "sys_up_days": str(days), "sys_up_hrs": str(hours), "sys_up_mins": str(minutes),
            "sys_up_secs": str(seconds)}  # fmt: skip
    return Output(f"System start time:          {start}\nSystem uptime:              {span}\n"
                  f"Kernel uptime:              {span}\n", data)  # fmt: skip


def show_reload_pending(session: Session, _: Found) -> Output:
    """Settings that wait for a reload: DLB and TCAM carving."""
    device = session.device
    started = device.booted_with
    waiting = [
        node.line for node in device.root.sorted()
        if node.line.startswith(("hardware profile", "hardware access-list"))
        and node.line not in {n.line for n in started.children.values()}
    ]  # fmt: skip
    if not waiting:
        return Output("")
    return Output("Following config commands require copy r s + reload :\n" + "".join(f"{w}\n" for w in waiting))


def show_users(session: Session, _: Found) -> Output:
    """Who is logged in, where from; the session that asks has a star."""
    since = time.strftime("%b %d %H:%M", time.gmtime(session.device.clock.now()))
    return Output(
        "NAME     LINE         TIME         IDLE          PID COMMENT\n"
        f"{session.user:<9}pts/0        {since}   .         21437 ({client(session.device)}) session=ssh *\n"
    )


def show_recovery(session: Session, _: Found) -> Output:
    """Causes after which a port that the switch took down comes back, and the time until then."""
    root = session.device.root
    causes = ("failed-port-state", "link-flap", "loopback", "psecure-violation", "security-violation", "storm-control",
              "udld", "vpc-peerlink", "bpduguard")  # fmt: skip
    on = {node.line.split()[-1] for node in root.begin("errdisable recovery cause")}
    rows_ = "".join(f"{cause:<34}{'enabled' if on & {cause, 'all'} else 'disabled'}\n" for cause in sorted(causes))
    seconds = root.value("errdisable recovery interval", "s", "300")
    return Output(
        f"ErrDisable Reason                 Timer Status\n-----------------                 ------------\n{rows_}"
        f"         Timer interval: {seconds}\n"
    )


def show_alias(session: Session, _: Found) -> Output:
    """The aliases."""
    found = [(n.values["name"], n.values["text"]) for n in session.device.root.begin("cli alias name")]
    text = "CLI alias commands\n==================\nalias           :show cli alias\n"
    return Output(text + "".join(f"{name:<16}:{value}\n" for name, value in found))


SHOWS = {
    f.__name__: f
    for f in (
        show_running, show_startup, show_running_diff, show_version, show_inventory, show_module, show_feature,
        show_hostname, show_hosts, show_clock, show_uptime, show_reload_pending, show_users,
        show_recovery, show_alias,
    )
}  # fmt: skip
