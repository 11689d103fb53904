"""What LLDP should say of a plan, and what a sighting means: spellings, domain names, serials, silent stations."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from podwright.components.design.fabric.cabling import Cable, End, interface, nic_names, schedule
from podwright.components.design.fabric.materials import cage
from podwright.components.design.fabric.model import FabricPlan, SwitchPlan
from podwright.components.model import FabricArgs

_SUFFIX = re.compile(r"^(?P<name>[^()]*)\((?P<serial>[^()]*)\)$")
_MAC = re.compile(r"^(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}$|^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$", re.IGNORECASE)
_NAMELESS = ("", "null", "not advertised", "localhost", "localhost.localdomain")
"""What stands where a device gave no name of its own."""


@dataclass(frozen=True)
class Sighting:
    """One neighbour as a switch reports it, in its own words."""

    device: str
    """The switch that hears."""
    port: str
    name: str
    """System name; empty where none was sent."""
    far_port: str = ""
    """Port id."""
    description: str = ""
    """Port description."""
    chassis: str = ""


@dataclass(frozen=True)
class Heard:
    """A sighting, understood. `end` is known for a port of the plan's devices, `device` where only the box is."""

    kind: Literal["end", "device", "station", "stranger"]
    reported: str
    """How a person would name it."""
    end: End | None = None
    device: str = ""


class Planned:
    """The plan as a check of sightings needs it."""

    def __init__(self, args: FabricArgs, plan: FabricPlan) -> None:
        self.cables = schedule(args, plan)
        self.cable: dict[End, Cable] = {end: each for each in self.cables for end in each.ends}
        self.partner: dict[End, End] = {}
        for each in self.cables:
            one, two = each.ends
            self.partner |= {one: two, two: one}
        self.switches = {switch.hostname: switch for switch in plan.switches}
        self.rack = {switch.hostname: switch.rack for switch in plan.switches}
        self.rack |= {name: server.rack for name, server in args.hosts.items()}
        self.mute = _configured(plan, "no lldp transmit")
        self.deaf = _configured(plan, "no lldp receive")
        self.foreign = {
            (name, line.removeprefix("interface "))
            for name, blocks in args.fabric.extra.items()
            for line in blocks
            if line.startswith("interface Ethernet")
        }
        """Ports that only raw blocks speak of: what is plugged in there is the site's own business."""
        self._uplinks = {
            f"{name}-{fabric.lower()}": frozenset(f"Ethernet1/{number}" for number in domain.uplinks)
            for name, domain in args.domains.items()
            for fabric in domain.serials
        }
        """Uplink ports of each interconnect. Which of them goes to which switch is nobody's business."""
        self._nics = nic_names(args)
        for device, port in self.partner:
            self._nics.setdefault(device, {})[port.lower()] = port
        devices = {end[0] for end in self.partner} | set(self.switches) | set(args.hosts)
        self._names = {name.lower(): name for name in devices}

    def understand(self, sighting: Sighting) -> Heard:
        """What stands behind a sighting."""
        reported = sighting.name or sighting.chassis or "something without a name"
        name, serial = _split(sighting.name)
        if name.lower() in _NAMELESS or _MAC.match(name):
            return Heard(
                "station", f"a station that gives no name ({sighting.chassis or sighting.far_port or 'no id'})"
            )
        device = self._device(name)
        if device is None:
            return Heard("stranger", f"{reported} {sighting.far_port}".strip())
        switch = self.switches.get(device)
        if switch is None:
            return self._interconnect(device, sighting) if device in self._uplinks else self._host(device, sighting)
        if _other_box(switch, serial):
            return Heard("stranger", f"{reported}, whose serial number is not {switch.serial}")
        # Some agents give a MAC address as port id and the port's name as its description.
        ports = [interface(each) for each in (sighting.far_port, sighting.description)]
        port = next((each for each in ports if each.startswith("Ethernet") and " " not in each), None)
        if port is None:
            return Heard("device", f"{device}, on a port it does not tell ({sighting.far_port})", device=device)
        end = (device, port)
        return Heard("end", f"{device} {end[1]}", end, device)

    def _device(self, name: str) -> str | None:
        """A device of the plan: its name alone, or with any domain behind it, whatever the case."""
        labels = name.lower().split(".")
        tried = (".".join(labels[:count]) for count in range(len(labels), 0, -1))
        return next((self._names[each] for each in tried if each in self._names), None)

    def _interconnect(self, device: str, sighting: Sighting) -> Heard:
        """An interconnect that names any of its uplinks is what a port that is planned for it should hear."""
        port = interface(sighting.far_port)
        if not port.startswith("Ethernet"):
            return self._host(device, sighting)
        if not {port, cage(port)} & self._uplinks[device]:
            return Heard("stranger", f"{device} {port}, which is none of its uplinks")
        goal = self.partner.get((sighting.device, interface(sighting.port)))
        if goal is not None and goal[0] == device:
            return Heard("end", f"{device} {port}", goal, device)
        return Heard("device", f"{device} {port}", device=device)

    def _host(self, device: str, sighting: Sighting) -> Heard:
        """A host tells its NIC by port id or, where that is a MAC address, by the port description."""
        known = self._nics.get(device, {})
        words = [sighting.far_port, *sighting.description.split()]
        nic = next((known[word.lower()] for word in words if word.lower() in known), None)
        if nic is None:
            return Heard("device", f"{device}, on a NIC it does not tell", device=device)
        return Heard("end", f"{device} {nic}", (device, nic), device)

    def speaks(self, end: End, asked: Mapping[str, object]) -> bool:
        """Whether what is plugged in at a switch's port should be heard there, when that switch was asked."""
        return end[0] in self.switches and end[0] in asked and end not in self.deaf


def expected(planned: Planned) -> tuple[tuple[End, End], ...]:
    """(switch port, what it should hear), for every port at which a switch of the plan is at the far end."""
    pairs = []
    for cable in planned.cables:
        for here, there in (cable.ends, cable.ends[::-1]):
            if here[0] in planned.switches and there[0] in planned.switches:
                pairs += [(here, there)] if here not in planned.deaf and there not in planned.mute else []
    return tuple(pairs)


def _split(name: str) -> tuple[str, str]:
    """Device and serial number of `leaf-01(FDO26200011)`."""
    found = _SUFFIX.match(name.strip())
    return (found["name"].strip(), found["serial"].strip()) if found else (name.strip(), "")


def _other_box(switch: SwitchPlan, serial: str) -> bool:
    return bool(serial and switch.serial and serial.upper() != switch.serial)


def _configured(plan: FabricPlan, line: str) -> frozenset[End]:
    """Ports whose planned configuration holds a line."""
    return frozenset(
        (switch.hostname, block.removeprefix("interface "))
        for switch in plan.switches
        for block, children in switch.config.items()
        if block.startswith("interface Ethernet") and line in [each.strip() for each in children.splitlines()]
    )
