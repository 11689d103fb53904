"""A switch as it would behave: lines in, ports with everything they inherit, resolved QoS, routing and vPC out."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Address, IPv4Interface

from .bgp import Bgp, Neighbor, bgp
from .lines import Line
from .port import Port
from .qos import Policy, Qos, read
from .spelling import interfaces, numbers


@dataclass(frozen=True)
class End:
    """What a port is cabled to."""

    device: str
    port: str
    role: str = ""
    """host, fabric, peer or uplink where it is known."""


@dataclass(frozen=True)
class Lossless:
    """The class that must not lose a packet."""

    group: int
    """Its qos-group inside the switch."""
    priority: int
    """Its PFC priority on the wire."""
    dscps: frozenset[int]
    """DSCP values of its packets; empty where they are recognised by something else than DSCP."""
    cnp: int | None
    """DSCP of congestion notification packets; None where nothing names them."""
    ports: tuple[Port, ...]
    """Every port that carries it."""
    stated: Mapping[str, int] = field(default_factory=dict)
    """What a plan holds of it besides: watchdog timers and headroom (bytes) by their commands, ECN maximums (kbytes) by
    `ecn <speed>G`.
    """


@dataclass
class Device:
    """One switch."""

    name: str
    lines: Sequence[Line]
    ports: dict[str, Port] = field(default_factory=dict)
    qos: Qos = field(default_factory=Qos)
    links: Mapping[str, End] = field(default_factory=dict)
    role: str = ""
    """leaf, spine or frontend-leaf where it is known."""
    management: str = ""
    """Address of mgmt0 where it is known."""
    planned: bool = False
    """It is a plan of ours, not a configuration somebody wrote."""
    part: bool = False
    """Its lines are a cutting: what stands nowhere in them may stand on the switch."""
    lossless: Lossless | None = None
    """The lossless class it carries; None where it carries none."""

    def port(self, name: str) -> Port:
        """The interface of this name; one in its default state where no line configures it."""
        return self.ports.get(name) or Port(name, Line(f"interface {name}"))

    def top(self, *start: str) -> Line | None:
        """The last top-level line that begins with these words, unless a later one takes it back."""
        found = None
        for line in self._by_first_word.get(start[0], ()):
            if line.words[: len(start)] == start:
                found = line
            elif line.words[: len(start) + 1] == ("no", *start):
                found = None
        return found

    @cached_property
    def _by_first_word(self) -> dict[str, list[Line]]:
        """Top-level lines by their first word, a `no` before it aside."""
        found: dict[str, list[Line]] = {}
        for line in self.lines:
            words = line.words[1:] if line.words[:1] == ("no",) else line.words
            found.setdefault("".join(words[:1]), []).append(line)
        return found

    def beginning(self, *start: str) -> Iterator[Line]:
        """Top-level lines that begin with these words."""
        return (line for line in self._by_first_word.get(start[0], ()) if line.words[: len(start)] == start)

    def attached(self, *kind: str) -> tuple[str, Line] | None:
        """Name of the policy that `system qos` attaches in this place, and the line that does."""
        found = None
        for block in self._by_first_word.get("system", ()):
            for line in block.children if block.words == ("system", "qos") else ():
                if line.words[: len(kind) + 1] == ("service-policy", *kind) and len(line.words) > len(kind) + 1:
                    found = (line.words[len(kind) + 1], line)
                elif line.words[: len(kind) + 2] == ("no", "service-policy", *kind):
                    found = None
        return found

    @property
    def system(self) -> Line | None:
        """The `system qos` block."""
        return self.top("system", "qos")

    @property
    def network(self) -> Policy | None:
        """The network-qos policy in force; None where it is the device's own or not defined."""
        attached = self.attached("type", "network-qos")
        return self.qos.policy("network-qos", attached[0]) if attached else None

    def queuing(self, port: Port | None = None) -> Policy | None:
        """The output queuing policy of a port: its own, else the system's; None where it is the device's own."""
        own = port.value("queuing") if port is not None else ""
        attached = self.attached("type", "queuing", "output")
        return self.qos.policy("queuing", own or (attached[0] if attached else None))

    def classifying(self, port: Port) -> tuple[str, Line] | None:
        """Name of the policy that classifies what enters a port: the port's, else its VLAN's, else the system's."""
        own = port.get("qos")
        if own is not None:
            return own.value, own.line
        own = self._of_vlan(port.value("access")).get("qos")
        if own is not None:
            return own.value, own.line
        return self.attached("type", "qos", "input") or self.attached("input")

    def _of_vlan(self, vlan: str) -> Port:
        """What `vlan configuration` says of a VLAN, which is the service policies that a port has too."""
        made = Port("", Line(""))
        for block in self.beginning("vlan", "configuration"):
            if numbers(vlan) & numbers(block.words[-1]):
                for line in block.children:
                    made.apply(line)
        return made

    def members(self, channel: str) -> Iterator[Port]:
        """Ports that are members of a port-channel."""
        return (port for port in self.ports.values() if port.value("bundle") == channel)

    @cached_property
    def vlans(self) -> frozenset[int]:
        """VLANs that are created on it; VLAN 1 always is."""
        found = {1}
        for line in self._by_first_word.get("vlan", ()):
            if line.words[0] == "no":
                found -= numbers("".join(line.words[2:3]))
            else:
                found |= numbers("".join(line.words[1:2]))
        return frozenset(found)

    @property
    def vpc(self) -> Line | None:
        """The vPC domain."""
        found = self.top("vpc", "domain")
        return found if found is not None and found.words[-1].isdigit() else None

    @cached_property
    def bgp(self) -> Bgp | None:
        """The BGP process."""
        block = self.top("router", "bgp")
        return bgp(block) if block is not None else None

    @cached_property
    def route_maps(self) -> Mapping[str, Sequence[Line]]:
        """Entries of each route-map in the order in which they are asked."""
        found: dict[str, list[Line]] = {}
        for line in self._by_first_word.get("route-map", ()):
            if line.words[0] == "route-map":
                found.setdefault("".join(line.words[1:2]), []).append(line)
        return {name: sorted(entries, key=_sequence) for name, entries in found.items()}

    @cached_property
    def prefix_lists(self) -> Mapping[str, Sequence[Line]]:
        """Lines of each IPv4 prefix-list in the order in which they are asked."""
        found: dict[str, list[Line]] = {}
        for line in self.beginning("ip", "prefix-list"):
            if line.words[3:4] != ("description",):
                found.setdefault("".join(line.words[2:3]), []).append(line)
        return {name: sorted(lines, key=_sequence) for name, lines in found.items()}

    @cached_property
    def rendezvous(self) -> Sequence[Line]:
        """Lines that name rendezvous points of PIM."""
        return [line for line in self.beginning("ip", "pim") if {"rp-address", "anycast-rp"} & {*line.words}]

    @cached_property
    def addresses(self) -> Mapping[str, IPv4Interface]:
        """The address of each interface that has one, by the interface's name."""
        return {name: found for name, port in self.ports.items() if (found := port.address) is not None}

    @cached_property
    def own_addresses(self) -> Collection[str]:
        """Its own addresses without their subnets."""
        return frozenset(str(address.ip) for address in self.addresses.values())

    @cached_property
    def reached(self) -> list[tuple[Neighbor, Port]]:
        """BGP neighbours with the port they are behind: named by it, or in its subnet of the same VRF."""
        networks = {
            (port.value("vrf"), _subnet(near.ip, near.network.prefixlen)): port
            for name, near in self.addresses.items()
            for port in (self.ports[name],)
        }
        lengths = sorted({length for _, (_, length) in networks}, reverse=True)
        found: list[tuple[Neighbor, Port]] = []
        for each in self.bgp.neighbors if self.bgp is not None else ():
            if each.name in self.ports:
                found.append((each, self.ports[each.name]))
            with suppress(ValueError):  # a port, a prefix, or an address of IPv6
                address = IPv4Address(each.name)
                places = ((each.vrf, _subnet(address, length)) for length in lengths)
                port = next((networks[at] for at in places if at in networks), None)
                found += [(each, port)] if port is not None else []
        return found

    @cached_property
    def watched_by_bgp(self) -> frozenset[str]:
        """Ports behind which a BGP neighbour asks for BFD."""
        return frozenset(port.name for neighbor, port in self.reached if neighbor.bfd is not None)


def _sequence(line: Line) -> int:
    """The number that orders entries of a map or list; those without one stay where they are."""
    words = line.words[4:] if line.words[3:4] == ("seq",) else line.words[3:]
    return int(words[0]) if words and words[0].isdigit() else 0


def _subnet(address: IPv4Address, length: int) -> tuple[int, int]:
    """The subnet of an address as a key, and its prefix length."""
    return int(address) >> (32 - length), length


def device(hostname: str, lines: Sequence[Line]) -> Device:
    """Enter every line of a configuration, top to bottom, as the switch would."""
    made = Device(hostname, lines, qos=read(lines))
    enter(made, Port)
    routed = ships_routed(lines, made.ports.values())
    for port in made.ports.values():
        port.ships_routed = routed
        port.join(made.ports)
    return made


def ships_routed(lines: Iterable[Line], ports: Iterable[Port]) -> bool:
    """Whether ports are routed that do not say it: by the line that says so, else because a running configuration
    leaves out what is the default: it shows `switchport`, or a port with an address, and nowhere `no switchport`."""
    stated = [line.words[0] for line in lines if line.words[-3:] == ("system", "default", "switchport")]
    if stated:
        return stated[-1] == "no"
    own = [port for port in ports if port.physical]
    if any((layer := port.own.get("switchport")) and not layer.value for port in own):
        return False
    return any({"switchport", "address"} & port.own.keys() for port in own)


def enter(made: Device, kind: type[Port]) -> None:
    """The ports of a switch as its lines make them, one block after another."""
    profiles: dict[str, Port] = {}
    for line in made.lines:
        if line.words[:1] == ("port-profile",):
            profiles.setdefault(line.words[-1], kind(line.words[-1], line, profiles=profiles)).enter(line)
    for line in made.lines:
        if line.words[:2] == ("default", "interface"):
            for name in interfaces(line.command.removeprefix("default ")):
                made.ports.pop(name, None)
        for name in interfaces(line.command):
            made.ports.setdefault(name, kind(name, line, profiles=profiles)).enter(line)
