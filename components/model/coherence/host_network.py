"""What servers are installed with on the pairs: bonds whose ports lead somewhere, addresses on VLANs beside."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.pairs import gateways
from podwright.components.model.coherence.references import pairs
from podwright.components.model.compute import Server
from podwright.components.model.network import FabricArgs
from podwright.components.model.pair import Pair, PairVlan
from podwright.components.model.problems import Loc, Problem

_CONTROL_PLANE = "control-plane"
_FRONTEND: Loc = ("fabric", "frontend")


def _servers(args: FabricArgs) -> dict[str, Server]:
    return {name: host for name, host in args.hosts.items() if isinstance(host, Server)}


def _machine(pair: Pair) -> PairVlan | None:
    return next((vlan for vlan in pair.vlans.values() if vlan.purpose == "machine"), None)


def _carried(name: str, server: Server, pair: Pair) -> set[int]:
    """VLANs that the pair brings to a server, by its own ports or those of its interconnects."""
    ends = {f"{server.domain}-a", f"{server.domain}-b"} if server.domain else {name}
    return {vlan for port in pair.ports.values() if port.device in ends for vlan in port.vlans}


def bonds_problems(servers: Mapping[str, Server], frontend: Pair | None) -> Iterator[Problem]:
    """A bond's two interfaces are cabled to the pair: what runs over them follows from what they end at."""
    machine = _machine(frontend) if frontend is not None else None
    for name, server in servers.items():
        if server.bond_mac is None or (frontend and machine and machine.id in _carried(name, server, frontend)):
            continue
        message = f"no port of the frontend pair brings {name} the machine network: what its bond speaks is not known"
        hint = f"add {server.domain or name} to fabric.frontend.ports, or delete this line"
        yield Problem(("servers", name, "bond_mac"), message, hint)


def storage_bonds_problems(
    servers: Mapping[str, Server], frontend: Pair | None, storage: Pair | None
) -> Iterator[Problem]:
    """A bond on the storage pair ends at one port channel of it, and its server's network is derived."""
    machine = _machine(frontend) if frontend is not None else None
    for name, server in servers.items():
        if server.storage_macs is None:
            continue
        ends = _ends(name, storage)
        message = hint = ""
        if server.domain is not None:
            message = f"{name} is behind the interconnects of {server.domain}, whose uplinks end at the frontend pair"
            hint = "bring it the storage VLAN over fabric.frontend, and delete this line"
        elif not ends:
            message = f"no port of the storage pair ends at {name}"
            hint = f"add {name} to fabric.storage.ports, or delete this line"
        elif len(ends) > 1:
            message = (
                f"ports {' and '.join(ends)} of the storage pair end at {name}: which one bundles these is not known"
            )
            hint = "leave it one port, which is one cable from each peer"
        elif frontend is None or machine is None or machine.id not in _carried(name, server, frontend):
            message = f"no port of the frontend pair brings {name} the machine network, which its network begins with"
            hint = f"add {name} to fabric.frontend.ports, or delete this line"
        if message:
            yield Problem(("servers", name, "storage_macs"), message, hint)


def _ends(name: str, pair: Pair | None) -> list[str]:
    """Ports of a pair that end at a server."""
    return [label for label, port in pair.ports.items() if port.device == name] if pair is not None else []


def _stored(args: FabricArgs) -> Iterator[Problem]:
    """A host of the control plane without a port on the frontend is reported as such, and so is an unknown domain."""
    pair = args.fabric.frontend
    machine = _machine(pair) if pair is not None else None
    servers = {
        name: each
        for name, each in _servers(args).items()
        if each.domain in (None, *args.domains)
        and (each.pool != _CONTROL_PLANE or not pair or not machine or machine.id in _carried(name, each, pair))
    }
    for problem in storage_bonds_problems(servers, pair, args.fabric.storage):
        yield problem.moved(lambda loc: ("hosts", *loc[1:]))


def _bonds(args: FabricArgs) -> Iterator[Problem]:
    """A host of the control plane without a port is reported as such, and so is a domain that is not there."""
    pair = args.fabric.frontend
    known = pair is not None and _machine(pair) is not None
    servers = {
        name: each
        for name, each in _servers(args).items()
        if not (known and each.pool == _CONTROL_PLANE) and each.domain in (None, *args.domains)
    }
    for problem in bonds_problems(servers, pair):
        yield problem.moved(lambda loc: ("hosts", *loc[1:]))


def _addressed(args: FabricArgs) -> Iterator[Problem]:
    """Host numbers of the machine network have their place in a VLAN that servers get an interface on."""
    frontend = args.fabric.frontend
    machine = _machine(frontend) if frontend is not None else None
    for loc, pair in pairs(args).items():
        for key, vlan in pair.vlans.items():
            if not vlan.hosts:
                continue
            place = (*loc, "vlans", key, "hosts")
            if machine is None:
                message = "servers get their host numbers from the machine network, which no frontend pair has"
                yield Problem(place, message, "delete this line, or define a VLAN of purpose machine there")
            elif vlan.purpose == "machine":
                yield Problem(place, "every server has its address on the machine network", "delete this line")
            elif loc != _FRONTEND and not (_brought(args, pair, vlan) or _cabled(args, pair, vlan)):
                message = "no server that this VLAN is brought to names its interfaces on the storage pair"
                yield Problem(place, message, "define servers.<name>.storage_macs, or delete this line")
            else:
                yield from _numbers(args, (place, vlan), _brought(args, pair, vlan), machine.subnet)


def _cabled(args: FabricArgs, pair: Pair, vlan: PairVlan) -> bool:
    """Whether a VLAN is brought to a host of which only the cables are known: another file has its addresses."""
    known = _servers(args)
    ends = (port.device for port in pair.ports.values() if vlan.id in port.vlans)
    return any(end in args.hosts and end not in known for end in ends)


def _brought(args: FabricArgs, pair: Pair, vlan: PairVlan) -> dict[str, Server]:
    """Servers that get an interface on a VLAN of a pair."""
    found = {name: each for name, each in _servers(args).items() if vlan.id in _carried(name, each, pair)}
    if pair is args.fabric.frontend:
        return found
    return {name: each for name, each in found.items() if each.storage_macs is not None}


def _numbers(
    args: FabricArgs, addressed: tuple[Loc, PairVlan], servers: Mapping[str, Server], machine: IPv4Network
) -> Iterator[Problem]:
    """One problem, for the first server whose number is no free host address there."""
    place, vlan = addressed
    own = next((taken for each, taken in gateways(args).values() if each is vlan), ())
    for name, server in servers.items():
        if server.address not in machine:
            continue
        number = int(server.address) - int(machine.network_address)
        address = vlan.subnet.network_address + number
        if not 0 < number < vlan.subnet.num_addresses - 1:
            message = f"{name} would be {address}, which is no host address of {vlan.subnet}"
            yield Problem(place, message, "widen the subnet, or delete this line")
            return
        if address in own:
            yield Problem(place, f"{name} would be {address}, which is the pair's", f"give {name} another address")
            return


def _managed(cluster: Cluster) -> Iterator[Problem]:
    """VLANs of nodes that run are written by an operator, from the frontend pair."""
    if cluster.openshift is None or cluster.openshift.host_network != "managed":
        return
    place = ("openshift", "host_network")
    missing = {"fabric.frontend": cluster.fabric.frontend, "operators": cluster.operators}
    for name, section in missing.items():
        if section is None:
            what = "whose VLANs hosts are brought" if name == "fabric.frontend" else "of which NMState is one"
            yield Problem(place, f"there is no {name}, {what}", f"define {name}, or delete this line")


def _tagged(cluster: Cluster) -> Iterator[Problem]:
    """A policy cannot bring what is untagged: its interface is the one under br-ex."""
    pair, shift = cluster.fabric.frontend, cluster.openshift
    if pair is None or shift is None or shift.host_network != "managed":
        return
    wanted = {vlan.id for vlan in pair.vlans.values() if vlan.hosts}
    for name, port in pair.ports.items():
        if port.device in cluster.servers and port.vlans[0] in wanted:
            message = f"VLAN {port.vlans[0]} is untagged here: its interface is under br-ex, which no policy may change"
            hint = "put the machine network's VLAN first, or take openshift.host_network out"
            yield Problem(("fabric", "frontend", "ports", name, "vlans"), message, hint)


FABRIC = (_bonds, _stored, _addressed)
CLUSTER = (_managed, _tagged)
