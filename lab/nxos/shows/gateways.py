"""HSRP: gateways that two switches stand in for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import short, state
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node
from podwright.lab.world.views import interface as parsed


def show_hsrp(session: Session, _: Found) -> Output:
    """HSRP groups; the switch with the higher priority, then address, of those that see each other is active."""
    device, text, data = session.device, "", []
    text = "                     P indicates configured to preempt.\n                     |\n"
    text += " Interface   Grp  Prio P State    Active addr      Standby addr     Group addr\n"
    for name, block in device.interfaces().items():
        for group in block.begin("hsrp"):
            if "group" not in group.values:
                continue
            up = state(device, name).up
            word = "Initial" if not up else _hsrp_state(device, name, group)
            virtual = next((n.values["address"] for n in group.begin("ip")), "0.0.0.0")
            prio, preempt = group.value("priority", "priority", "100"), "P" if group.get("preempt") else ""
            text += f"  {short(name):<10} {group.values['group']:<4} {prio:<4} {preempt:<1} {word:<8} "
            text += f"{'local' if word == 'Active' else 'unknown':<16} {'unknown':<16} {virtual}\n"
            data.append({"sh_if_index": name, "sh_group_num": group.values["group"], "sh_prio": prio,
                         "sh_group_state": word, "sh_vip": virtual})  # fmt: skip
    return Output(text, rows("grp_detail", data))


def _hsrp_state(device: Device, name: str, group: Node) -> str:
    mine = (int(group.value("priority", "priority", "100")), device.switch.serial)
    for other in device.peers.values():
        block = None if other is device or other.faults.down else other.interface(name)
        theirs = block.get(f"hsrp {group.values['group']}") if block else None
        if theirs and _network(other, name) == _network(device, name) and state(other, name).up:
            rank = (int(theirs.value("priority", "priority", "100")), other.switch.serial)
            if rank > mine:
                return "Standby"
    return "Active"


def _network(device: Device, name: str) -> str:
    block = device.interface(name)
    address = block.value("ip address", "address") if block else ""
    return str(parsed(address).network) if address else device.switch.name


def _groups(device: Device) -> Iterator[tuple[str, Node, Node]]:
    for name, block in device.interfaces().items():
        for group in block.begin("hsrp"):
            if "group" in group.values:
                yield name, block, group


def show_hsrp_all(session: Session, _: Found) -> Output:
    """HSRP groups at length."""
    device, text = session.device, ""
    for name, block, group in _groups(device):
        number, prio = group.values["group"], group.value("priority", "priority", "100")
        version = 2 if (block.get("hsrp version") or Node("")).line.endswith("2") else 1
        word = _hsrp_state(device, name, group) if state(device, name).up else "Initial"
        virtual = next((n.values["address"] for n in group.begin("ip")), "0.0.0.0")
        base = f"0000.0c9f.f{int(number):03x}" if version == 2 else f"0000.0c07.ac{int(number) % 256:02x}"
        timers = group.get("timers")
        hello, hold = (timers.values["hello"], timers.values["hold"]) if timers else ("3", "10")
        text += f"""{name} - Group {number} (HSRP-V{version}) (IPv4)
  Local state is {word}, priority {prio} (Cfged {prio}){", may preempt" if group.get("preempt") else ", no preempt"}
    Forwarding threshold(for vPC), lower: 1 upper: {prio}
  Hellotime {hello} sec, holdtime {hold} sec
  Virtual IP address is {virtual} (Cfged)
  Active router is {"local" if word == "Active" else "unknown"}
  Standby router is {"local" if word == "Standby" else "unknown"}
  Virtual mac address is {base} (Default MAC)
  1 state changes, last state change never
  IP redundancy name is {group.value("name", "name", f"hsrp-{name}-{number}")} (default)

"""
    return Output(text)


SHOWS: dict[str, Callable[[Session, Found], Output]] = {f.__name__: f for f in (show_hsrp, show_hsrp_all)}
