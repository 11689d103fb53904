"""What hangs on the pairs: devices there are, hosts that boot over their port, interconnects with a cable an uplink."""

import re
from collections.abc import Iterator, Mapping

from podwright.components.model.coherence.references import pairs
from podwright.components.model.compute import Domain, Server
from podwright.components.model.explain import suggest
from podwright.components.model.network import FabricArgs
from podwright.components.model.pair import HostPort, Pair
from podwright.components.model.problems import Loc, Problem, below

_CONTROL_PLANE = "control-plane"
_NUMBERED = re.compile(r"^(.*?)\d+$")


def interconnects(args: FabricArgs) -> dict[str, str]:
    """Each Fabric Interconnect as ports name it, with its domain: x-series-a and x-series-b of x-series."""
    return {f"{domain}-{side}": domain for domain in args.domains for side in "ab"}


def _servers(args: FabricArgs) -> dict[str, Server]:
    return {name: host for name, host in args.hosts.items() if isinstance(host, Server)}


def _machine(pair: Pair) -> set[int]:
    """Ids of the VLANs that servers are installed over."""
    return {vlan.id for vlan in pair.vlans.values() if vlan.purpose == "machine"}


def _devices(args: FabricArgs) -> Iterator[Problem]:
    """A cable ends at something. Arrays and routers are nobody's entry; servers and interconnects of this file are.

    Of a fabric without servers nothing is known: they are another file's.
    """
    known = {*args.hosts, *interconnects(args)}
    stems = {found[1] for name in args.hosts if (found := _NUMBERED.match(name))}
    for loc, pair in pairs(args).items() if _servers(args) else ():
        ends: list[tuple[Loc, str, bool]] = [
            ((*loc, "ports", name, "device"), port.device, port.boots or bool(_machine(pair) & set(port.vlans)))
            for name, port in pair.ports.items()
        ]
        ends += [((*loc, "routed", name, "device"), port.device, False) for name, port in pair.routed.items()]
        for place, device, installed in ends:
            stem = _NUMBERED.match(device)
            if device in known or not (installed or device in args.domains or (stem and stem[1] in stems)):
                continue
            hint = suggest(device, tuple(known))
            if device in args.domains:
                hint = f"write {device}-a or {device}-b: each interconnect has ports of its own"
            elif not hint:
                hint = (
                    "write a server, or an interconnect such as x-series-a; an array takes no VLAN of purpose machine"
                )
            yield Problem(place, f"{device} is no server and no interconnect of this file", hint)


def _vlans_once(args: FabricArgs) -> Iterator[Problem]:
    for loc, pair in pairs(args).items():
        for name, port in pair.ports.items():
            for position, vlan in enumerate(port.vlans):
                if vlan in port.vlans[:position]:
                    place = (*loc, "ports", name, "vlans", position)
                    yield Problem(place, f"VLAN {vlan} is in this list already", "name each VLAN once")


def _boots(args: FabricArgs) -> Iterator[Problem]:
    """A server is installed before it can bundle: its port must pass traffic without LACP."""
    servers = _servers(args)
    for loc, pair in pairs(args).items():
        for name, port in pair.ports.items():
            if port.device in servers and _machine(pair) & set(port.vlans) and not port.boots:
                message = f"{port.device} is installed over this port, which LACP keeps down until its system runs"
                yield Problem((*loc, "ports", name, "boots"), message, "write boots: true")


def _to(ports: Mapping[str, HostPort], device: str) -> list[HostPort]:
    return [port for port in ports.values() if port.device == device]


def _control_plane(args: FabricArgs) -> Iterator[Problem]:
    """Where the machine network is the frontend pair's, a control-plane host without a port is on no network.

    One whose domain is not in the file has that for its problem.
    """
    pair = args.fabric.frontend
    machine = _machine(pair) if pair is not None else set()
    if pair is None or not machine:
        return
    reached = {port.device for port in pair.ports.values() if machine & set(port.vlans)}
    for name, server in _servers(args).items():
        ways = {f"{server.domain}-a", f"{server.domain}-b"} if server.domain else {name}
        unknown = server.domain is not None and server.domain not in args.domains
        if server.pool == _CONTROL_PLANE and not unknown and not ways & reached:
            vlan = min(machine)
            hint = f"add it to fabric.frontend.ports, as {name}: {{port: Ethernet1/1, channel: 101, vlans: [{vlan}], "
            hint += "boots: true}" if not server.domain else f"device: {server.domain}-a}}"
            message = f"no port of the frontend pair brings {name} the machine network"
            yield Problem(("hosts", name), message, hint, at_key=True)


def _uplinks(args: FabricArgs) -> Iterator[Problem]:
    if args.fabric.frontend is not None:
        for name, domain in args.domains.items():
            yield from below(("domains", name), uplinks_of(name, domain, args.fabric.frontend))


def uplinks_of(name: str, domain: Domain, frontend: Pair) -> Iterator[Problem]:
    """Every uplink of an interconnect has its cable to the frontend pair: a port there is one on each peer."""
    for device in (f"{name}-{side}" for side in "ab"):
        cables, uplinks = len(_to(frontend.ports, device)) * len(frontend.leaves), len(domain.uplinks)
        if cables != uplinks:
            message = f"{device} has {uplinks} uplinks, and {cables or 'no'} cables of the frontend pair lead to it"
            hint = "a port of fabric.frontend.ports is two cables, one from each peer: as many as uplinks"
            yield Problem(("uplinks",), message, hint)


FABRIC = (_devices, _vlans_once, _boots, _control_plane, _uplinks)
