"""What servers are installed with on the frontend: bonds whose ports lead somewhere, addresses on VLANs beside it."""

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
    for loc, pair in pairs(args).items():
        for key, vlan in pair.vlans.items():
            if not vlan.hosts:
                continue
            place = (*loc, "vlans", key, "hosts")
            machine = _machine(pair)
            if loc != _FRONTEND or machine is None:
                message = "servers get interfaces on VLANs of the frontend pair, beside the machine network's"
                yield Problem(place, message, "delete this line, or move the VLAN there")
            elif vlan.purpose == "machine":
                yield Problem(place, "every server has its address on the machine network", "delete this line")
            else:
                yield from _numbers(args, (place, vlan), machine.subnet)


def _numbers(args: FabricArgs, addressed: tuple[Loc, PairVlan], machine: IPv4Network) -> Iterator[Problem]:
    """One problem, for the first server whose number is no free host address there."""
    place, vlan = addressed
    frontend = args.fabric.frontend
    own = next((taken for each, taken in gateways(args).values() if each is vlan), ())
    for name, server in _servers(args).items():
        if frontend is None or vlan.id not in _carried(name, server, frontend) or server.address not in machine:
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


FABRIC = (_bonds, _addressed)
CLUSTER = (_managed, _tagged)
