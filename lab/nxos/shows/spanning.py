"""Spanning tree: root, roles and states of ports, computed per VLAN (or for MST's instance 0) over the cables.

A bundle is one port. What is blocked here still carries the world's traffic, and the two switches of a vPC are two
bridges (FIDELITY.md). Short path costs: 1 for ports of 40 Gb/s and more, 2 for 10 Gb/s (layer 2 guide).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.kinds import numbers
from podwright.lab.nxos.links import mac, short, state, vlans
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.interfaces import selected
from podwright.lab.nxos.shows.switching import created
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node, interface_rank

PRIORITY = 32768
_TIMES = "Hello Time  2  sec  Max Age 20 sec  Forward Delay 15 sec"
Bridge = tuple[int, str]
"""Priority with the VLAN added, and MAC address: the lower the better."""


@dataclass(frozen=True)
class Port:
    """A port in one tree."""

    name: str
    role: str
    """Root, Desg or Altn."""
    cost: int
    edge: bool
    far: str = ""
    """The switch behind it."""

    @property
    def forwards(self) -> bool:
        """False for a port that is blocked."""
        return self.role != "Altn"

    @property
    def number(self) -> int:
        """Port number: port-channels count from 4096."""
        digits = int(self.name.removeprefix("port-channel").split("/")[-1])
        return digits + 4095 if self.name.startswith("port-channel") else digits


@dataclass(frozen=True)
class Tree:
    """One instance as one switch sees it."""

    name: str
    vlan: int
    own: Bridge
    root: Bridge
    distance: int
    ports: tuple[Port, ...]

    @property
    def root_port(self) -> Port | None:
        """The way to the root; None on the root itself."""
        return next((port for port in self.ports if port.role == "Root"), None)


def _mst(device: Device) -> bool:
    mode = device.root.get("spanning-tree mode")
    return mode is not None and mode.line.endswith("mst")


def _bridge(device: Device, vlan: int) -> Bridge:
    priority = PRIORITY
    for node in device.root.begin("spanning-tree priority"):
        if vlan in numbers(node.values["list"], 1, 4094):
            priority = int(node.values["n"])
    return priority + vlan, mac(device)


def _cost(device: Device, name: str) -> int:
    first = next(iter(device.members(name)), name)
    return 2 if device.hardware.ports.get(int(first.split("/")[1]), 0) <= 10 else 1


def _carries(device: Device, name: str, vlan: int) -> bool:
    """Whether a port or bundle is in the tree of a VLAN; 0 stands for MST's instance 0."""
    block = device.interface(name) or Node("")
    if device.routed(name, block) or block.value("channel-group", "group") or not state(device, name).up:
        return False
    if vlan:
        return vlan in vlans(device, name) and (vlan == 1 or device.root.get(f"vlan {vlan}") is not None)
    return bool(vlans(device, name) & set(created(device)))


def _ports(device: Device, vlan: int) -> Iterator[tuple[str, str, str]]:
    """Every port of a tree with the switch and port at its far end; both empty towards a host."""
    world, here = device.world, device.switch.name
    for kind in ("port-channel", "Ethernet"):
        for name in device.interfaces(kind):
            if not _carries(device, name, vlan):
                continue
            cables = [world.neighbor(here, each) for each in (device.members(name) or [name])]
            far = next((each for each in cables if each is not None and each[0] in device.peers), None)
            above = _bundle(device.peers[far[0]], far[1]) if far else ""
            talks = far is not None and _carries(device.peers[far[0]], above, vlan)
            yield (name, far[0], above) if far is not None and talks else (name, "", "")


def _switch(device: Device, name: str) -> Device:
    return device if name == device.switch.name else device.peers[name]


def _bundle(device: Device, name: str) -> str:
    group = (device.interface(name) or Node("")).value("channel-group", "group")
    return f"port-channel{group}" if group else name


def tree(device: Device, vlan: int) -> Tree:
    """The tree of a VLAN as this switch sees it."""
    near: dict[str, list[tuple[str, str, str]]] = {}
    waiting = [device.switch.name]
    while waiting:
        name = waiting.pop()
        near[name] = list(_ports(_switch(device, name), vlan))
        waiting += [far for _, far, _ in near[name] if far and far not in near and far not in waiting]
    bridges = {name: _bridge(_switch(device, name), vlan) for name in near}
    root = min(bridges, key=lambda name: bridges[name])
    distance = {root: 0}
    for _ in near:
        for name, ports in near.items():
            ways = [distance[far] + _cost(_switch(device, name), port) for port, far, _ in ports if far in distance]
            if name != root and ways:
                distance[name] = min(ways)
    here = device.switch.name
    own = tuple(_roles(device, near[here], bridges, distance))
    label = "MST0000" if vlan == 0 else f"VLAN{vlan:04}"
    return Tree(label, vlan, bridges[here], bridges[root], distance[here], own)


def _roles(
    device: Device, ports: list[tuple[str, str, str]], bridges: dict[str, Bridge], distance: dict[str, int]
) -> Iterator[Port]:
    here = device.switch.name
    offers = {
        name: (distance[far] + _cost(device, name), bridges[far], Port(theirs, "", 0, False).number)
        for name, far, theirs in ports
        if far
    }
    towards = min(offers, key=lambda name: offers[name]) if offers and distance[here] else ""
    for name, far, theirs in sorted(ports, key=lambda each: interface_rank(each[0])):
        kind = (device.interface(name) or Node("")).get("spanning-tree port type")
        default = device.root.get("spanning-tree port type edge default") is not None
        edge = kind.line.split()[3] == "edge" if kind else default and not far
        mine = (distance[here], bridges[here], Port(name, "", 0, False).number)
        better = not far or mine < (distance[far], bridges[far], Port(theirs, "", 0, False).number)
        role = "Root" if name == towards else "Desg" if better else "Altn"
        yield Port(name, role, _cost(device, name), edge, far)


def trees(device: Device, wanted: list[int] | None = None) -> list[Tree]:
    """The trees in which this switch has a port."""
    instances = [0] if _mst(device) else created(device)
    found = [tree(device, vlan) for vlan in instances if wanted is None or vlan in wanted]
    return [each for each in found if each.ports]


def blocked(device: Device) -> dict[str, set[int]]:
    """Port to the VLANs that it does not forward."""
    found: dict[str, set[int]] = {}
    for each in trees(device):
        for port in each.ports:
            if not port.forwards:
                found.setdefault(port.name, set()).update([each.vlan] if each.vlan else vlans(device, port.name))
    return found


def _kind(device: Device, port: Port) -> str:
    link = (device.interface(port.name) or Node("")).get("vpc")
    words = "(vPC peer-link) Network " if link and link.line == "vpc peer-link" else "(vPC) " if link else ""
    return f"{words}{'Edge ' if port.edge else ''}P2p"


def _table(device: Device, each: Tree) -> str:
    text = "\nInterface        Role Sts Cost      Prio.Nbr Type\n---------------- ---- --- --------- -------- "
    text += "--------------------------------\n"
    for port in each.ports:
        word = "FWD" if port.forwards else "BLK"
        text += f"{short(port.name):<16} {port.role} {word} {port.cost:<9} {f'128.{port.number}':<8} "
        text += f"{_kind(device, port)}\n"
    return text


def _wanted(found: Found) -> list[int] | None:
    listed = found.match.values.get("list")
    return numbers(listed, 1, 4094) if listed else None


def show_spanning_tree(session: Session, found: Found) -> Output:
    """Root, bridge and ports of every tree, or of some VLANs."""
    device, text = session.device, ""
    for each in trees(device, _wanted(found)):
        way, system = each.root_port, each.own[0] - each.vlan
        text += f"\n{each.name}\n  Spanning tree enabled protocol {'mstp' if each.vlan == 0 else 'rstp'}\n"
        text += f"  Root ID    Priority    {each.root[0]}\n             Address     {each.root[1]}\n"
        if way is None:
            text += "             This bridge is the root\n"
        else:
            text += f"             Cost        {each.distance}\n"
            text += f"             Port        {way.number} ({way.name})\n"
        text += f"             {_TIMES}\n\n"
        text += f"  Bridge ID  Priority    {each.own[0]}  (priority {system} sys-id-ext {each.vlan})\n"
        text += f"             Address     {each.own[1]}\n             {_TIMES}\n{_table(device, each)}\n"
    return Output(text or "\nNo spanning tree instance exists.\n")


def show_spanning_root(session: Session, found: Found) -> Output:
    """The root of each tree and the way to it."""
    text = "                                        Root  Hello Max Fwd\n"
    text += "Vlan                   Root ID          Cost  Time  Age Dly  Root Port\n"
    text += "---------------- -------------------- ------- ----- --- ---  ----------------\n"
    for each in trees(session.device, _wanted(found)):
        way = each.root_port
        where = way.name if way else "This bridge is root"
        text += (
            f"{each.name:<16} {each.root[0]:>5} {each.root[1]:<14} {each.distance:>7} {2:>4} {20:>4} {15:>3}  {where}\n"
        )
    return Output(text)


def show_spanning_summary(session: Session, _: Found) -> Output:
    """Settings of the switch, and how many ports each tree has in which state."""
    device, found = session.device, trees(session.device)
    guard = device.root.get("spanning-tree port type edge bpduguard default") is not None
    edge = device.root.get("spanning-tree port type edge default") is not None
    mode = "mst mode (IEEE Standard)" if _mst(device) else "rapid-pvst mode"
    domain = next(device.root.begin("vpc domain"), None)
    pair = "enabled (operational)" if domain is not None and domain.get("peer-switch") else "disabled"
    roots = ", ".join(each.name for each in found if each.root_port is None) or "none"
    rule = "---------------------- -------- --------- -------- ---------- ----------\n"
    text = f"""Switch is in {mode}
Root bridge for: {roots}
Port Type Default                        is {"edge" if edge else "disable"}
Edge Port [PortFast] BPDU Guard Default  is {"enabled" if guard else "disabled"}
Edge Port [PortFast] BPDU Filter Default is disabled
Bridge Assurance                         is enabled
Loopguard Default                        is disabled
Pathcost method used                     is short
vPC peer-switch                          is {pair}
STP-Lite                                 is enabled

Name                   Blocking Listening Learning Forwarding STP Active
{rule}"""
    total = [0, 0]
    for each in found:
        still = sum(1 for port in each.ports if not port.forwards)
        total = [total[0] + still, total[1] + len(each.ports)]
        text += f"{each.name:<22} {still:>8} {0:>9} {0:>8} {len(each.ports) - still:>10} {len(each.ports):>10}\n"
    label = f"{len(found)} {'mst' if _mst(device) else 'vlans'}"
    return Output(f"{text}{rule}{label:<22} {total[0]:>8} {0:>9} {0:>8} {total[1] - total[0]:>10} {total[1]:>10}\n")


def show_spanning_interface(session: Session, found: Found) -> Output:
    """The trees that a port is in."""
    device, names = session.device, selected(session, found)
    lines = [(each, port) for each in trees(device) for port in each.ports if port.name in names]
    if not lines:
        return Output("No spanning tree information available for the interface\n")
    text = "\nVlan             Role Sts Cost      Prio.Nbr Type\n---------------- ---- --- --------- -------- "
    text += "--------------------------------\n"
    for each, port in lines:
        word = "FWD" if port.forwards else "BLK"
        text += f"{each.name:<16} {port.role} {word} {port.cost:<9} {f'128.{port.number}':<8} {_kind(device, port)}\n"
    return Output(text)


def show_spanning_blocked(session: Session, _: Found) -> Output:
    """The ports that no frame leaves."""
    text, count = (
        "\nName                 Blocked Interfaces List\n-------------------- ---------------------------\n",
        0,
    )
    for each in trees(session.device):
        names = [short(port.name) for port in each.ports if not port.forwards]
        count += len(names)
        text += f"{each.name:<20} {', '.join(names)}\n" if names else ""
    return Output(f"{text}\nNumber of blocked ports (segments) in the system : {count}\n")


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f
    for f in (
        show_spanning_tree, show_spanning_root, show_spanning_summary, show_spanning_interface, show_spanning_blocked,
    )
}  # fmt: skip
