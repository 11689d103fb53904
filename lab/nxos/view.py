"""A switch as the world sees it: ports, classes and routing, read from the live configuration."""

from __future__ import annotations

from podwright.lab.nxos import lacp
from podwright.lab.nxos.breakout import gbps
from podwright.lab.nxos.checks import threshold_bytes
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.kinds import numbers
from podwright.lab.nxos.routing import routing
from podwright.lab.nxos.tree import Node
from podwright.lab.world.views import PortView, RoutingView


class LiveView:
    """Implements `lab.world.views.SwitchView` over a device."""

    def __init__(self, device: Device) -> None:
        self._device = device

    @property
    def alive(self) -> bool:
        """False while the switch has no power or reloads."""
        return not self._device.faults.down

    def ports(self) -> list[str]:
        """Front-panel ports."""
        return list(self._device.interfaces("Ethernet"))

    def admin_up(self, name: str) -> bool:
        """True when the port exists and is not shut down."""
        block = self._device.interface(name)
        return block is not None and self._device.admin_up(name, block)

    def routing(self) -> RoutingView:
        """Routing configuration."""
        return routing(self._device)

    def port(self, name: str) -> PortView:
        """One port as configured now; a member takes what its port-channel says, except pause and admin state."""
        device = self._device
        own = device.interface(name)
        if own is None or not name.startswith("Ethernet"):
            return PortView(name, exists=False)
        group = own.value("channel-group", "group")
        block = (device.interface(f"port-channel{group}") if group else None) or own
        routed = device.routed(name, block)
        return PortView(
            name=name,
            admin_up=device.admin_up(name, own),
            speed=_speed(device, name, own),
            mtu=int(block.value("mtu", "bytes", "1500")),
            pfc_mode=_word(own, "priority-flow-control mode", _word(block, "priority-flow-control mode", "auto")),
            no_drop=_no_drop(device),
            dscp_groups=_classification(device, block),
            ecn=_marking(device, block),
            group_mtu=_class_mtu(device),
            watchdog_on=_watchdog(device, own, block),
            routed=routed,
            vlan=None if routed else _access_vlan(block),
            trunk_vlans=frozenset() if routed else _trunk_vlans(block),
            networks=_networks(device, block, routed),
            vrf=_vrf(device, block, routed),
            suspended=bool(group) and lacp.suspended(device, name),
            svi_mtu=None if routed else _svi_mtu(device, block),
            vlan_exists=routed or _access_vlan(block) == 1 or bool(device.root.get(f"vlan {_access_vlan(block)}")),
        )


def _word(block: Node, setting: str, otherwise: str) -> str:
    """First word of a setting's value."""
    node = block.get(setting)
    return node.line.removeprefix(setting).split()[0] if node else otherwise


def _speed(device: Device, name: str, block: Node) -> int:
    set_to = _word(block, "speed", "auto")
    return gbps(device, name) if set_to == "auto" else int(set_to) // 1000


def _policy(device: Device, block: Node | None, kind: str, setting: str) -> Node | None:
    """The policy attached to a block by `setting`, else to `system qos`."""
    for place in (block, device.root.get("system qos")):
        name = place.value(setting, "policy") if place else ""
        if name:
            return device.root.get(f"policy-map type {kind} {name}")
    return None


def _no_drop(device: Device) -> dict[int, int]:
    """qos-group to the priority that the system's network-qos policy pauses for it."""
    policy = _policy(device, None, "network-qos", "service-policy type network-qos")
    found: dict[int, int] = {}
    for block in policy.children.values() if policy else ():
        pause = block.get("pause")
        if pause is not None:
            found[_group(block.line)] = int(pause.values["cos"])
    return found


def _class_mtu(device: Device) -> dict[int, int]:
    """qos-group to the largest frame of its network-qos class; classes that are not named share the default's."""
    policy = _policy(device, None, "network-qos", "service-policy type network-qos")
    if policy is None:
        return {}
    named = {_group(b.line): int(b.value("mtu", "bytes", "1500")) for b in policy.children.values()}
    rest = named.get(0, 1500)
    return {group: named.get(group, rest) for group in range(8)}


def _group(line: str) -> int:
    """The qos-group that a class of the 8-queue model stands for: c-8q-nq3 and c-out-8q-q3 are 3, default is 0."""
    last = line.rpartition("q")[2]
    return int(last) if last.isdigit() else 0


def _classification(device: Device, block: Node) -> dict[int, int]:
    """DSCP to qos-group on entry: the first class that matches decides."""
    policy = _policy(device, block, "qos", "service-policy type qos input")
    found: dict[int, int] = {}
    for entry in policy.children.values() if policy else ():
        group = entry.value("set qos-group", "group")
        if not group:
            continue
        name = entry.line.removeprefix("class ")
        for dscp in range(64) if name == "class-default" else _matched(device, name):
            found.setdefault(dscp, int(group))
    return found


def _matched(device: Device, name: str) -> list[int]:
    class_map = device.root.get(f"class-map type qos {name}")
    listed = class_map.value("match dscp", "dscp") if class_map else ""
    return numbers(listed, 0, 63) if listed else []


def _marking(device: Device, block: Node) -> dict[int, tuple[int, int]]:
    """qos-group to (minimum, maximum) bytes at which ECN marks on exit; drops instead of marks do not count."""
    policy = _policy(device, block, "queuing", "service-policy type queuing output")
    found: dict[int, tuple[int, int]] = {}
    for entry in policy.children.values() if policy else ():
        wred = entry.get("random-detect")
        if wred is not None and wred.line.endswith(" ecn"):
            found[_group(entry.line)] = threshold_bytes(wred.line) or (150_000, 3_000_000)
    return found


def _watchdog(device: Device, own: Node, block: Node) -> bool:
    setting = "priority-flow-control watch-dog-interval"
    both = (_word(device.root, setting, "off"), _word(own, setting, _word(block, setting, "off")))
    return both == ("on", "on")


def _access_vlan(block: Node) -> int | None:
    if _word(block, "switchport mode", "access") == "access":
        return int(block.value("switchport access vlan", "vlan", "1"))
    return int(block.value("switchport trunk native vlan", "vlan", "1"))


def _trunk_vlans(block: Node) -> frozenset[int]:
    if _word(block, "switchport mode", "access") == "access":
        return frozenset()
    allowed = block.get("switchport trunk allowed vlan")
    listed = allowed.line.rpartition(" ")[2] if allowed else "1-4094"
    return frozenset() if listed == "none" else frozenset(numbers(listed, 1, 4094))


def _svi_mtu(device: Device, block: Node) -> int | None:
    svi = device.interface(f"Vlan{_access_vlan(block)}")
    return int(svi.value("mtu", "bytes", "1500")) if svi else None


def _networks(device: Device, block: Node, routed: bool) -> tuple[str, ...]:
    """The port's own addresses, or those of the SVI of its access VLAN while that SVI is up."""
    name = "" if routed else f"Vlan{_access_vlan(block)}"
    place = block if routed else device.interface(name)
    if place is None or (name and not device.admin_up(name, place)):
        return ()
    found = place.value("ip address", "address")
    return (found,) if found else ()


def _vrf(device: Device, block: Node, routed: bool) -> str:
    """Of the port itself, or of the SVI of its access VLAN."""
    place = block if routed else device.interface(f"Vlan{_access_vlan(block)}")
    return (place.value("vrf member", "vrf") if place else "") or "default"
