"""The frontend pair: ports that exist and are used once, channels, VLANs, gateways."""

from collections.abc import Iterator

from components.spec.catalogue import SWITCHES
from components.spec.cluster import Cluster
from components.spec.coherence.inventory import Entry, unique
from components.spec.fabric import Frontend
from components.spec.problems import Loc, Problem

_LOC = ("fabric", "frontend")


def used(frontend: Frontend) -> dict[Loc, str]:
    """Ports of the pair that the file names, by path; the same on both peers."""
    found: dict[Loc, str] = {
        (*_LOC, "vpc", "peer_link", position): port for position, port in enumerate(frontend.vpc.peer_link)
    }
    found.update({(*_LOC, "ports", name, "port"): host.port for name, host in frontend.ports.items()})
    return found


def _ports(cluster: Cluster) -> Iterator[Problem]:
    frontend = cluster.fabric.frontend
    if frontend is None:
        return
    for loc, port in used(frontend).items():
        number = int(port.removeprefix("Ethernet1/").split("/")[0])
        for name, leaf in frontend.leaves.items():
            model = SWITCHES.get(leaf.model)
            if model is not None and model.gbps(number) is None:
                yield Problem(loc, f"{name} has no {port}", f"{model.name} has Ethernet1/1 to Ethernet1/{model.ports}")
                break
    yield from unique(used(frontend).items(), "port", "each port has one cable")


def _pair(cluster: Cluster) -> Iterator[Problem]:
    frontend = cluster.fabric.frontend
    if frontend is None:
        return
    (first, one), (second, two) = frontend.leaves.items()
    if one.model != two.model:
        hint = "the two peers of a vPC domain are the same model"
        yield Problem((*_LOC, "leaves", second, "model"), f"{two.model} differs from {first}'s {one.model}", hint)
    channels: list[Entry] = [((*_LOC, "vpc", "domain"), frontend.vpc.domain)]
    channels += [((*_LOC, "ports", name, "channel"), host.channel) for name, host in frontend.ports.items()]
    yield from unique(channels, "port-channel", "the peer link is port-channel <vPC domain id>; others are free")


def _vlans(cluster: Cluster) -> Iterator[Problem]:
    frontend = cluster.fabric.frontend
    if frontend is None:
        return
    ids = [((*_LOC, "vlans", name, "id"), vlan.id) for name, vlan in frontend.vlans.items()]
    yield from unique(ids, "VLAN", "take a free VLAN id")
    known = {vlan.id for vlan in frontend.vlans.values()}
    for name, host in frontend.ports.items():
        for position, vlan in enumerate(host.vlans):
            if vlan not in known:
                listed = ", ".join(f"{each.id} ({key})" for key, each in frontend.vlans.items()) or "none"
                loc = (*_LOC, "ports", name, "vlans", position)
                yield Problem(loc, f"VLAN {vlan} is not among fabric.frontend.vlans", f"known: {listed}")


def _gateways(cluster: Cluster) -> Iterator[Problem]:
    """A gateway takes three addresses: the virtual one and the two peers' own after it."""
    frontend = cluster.fabric.frontend
    if frontend is None:
        return
    shift = cluster.openshift
    taken = {server.address: name for name, server in cluster.servers.items()}
    taken |= {shift.api_vip: "openshift.api_vip", shift.ingress_vip: "openshift.ingress_vip"}
    for name, vlan in frontend.vlans.items():
        loc = (*_LOC, "vlans", name, "subnet")
        machine = vlan.purpose == "machine"
        if machine and vlan.subnet != shift.machine_network:
            message = f"{vlan.subnet} is not openshift.machine_network {shift.machine_network}"
            yield Problem(loc, message, f"write {shift.machine_network}")
            continue
        virtual = shift.gateway if machine else vlan.subnet.network_address + 1
        for own in (virtual + 1, virtual + 2):
            if own not in vlan.subnet or own == vlan.subnet.broadcast_address:
                yield Problem(loc, f"{vlan.subnet} has no room for the peers' addresses after {virtual}", "widen it")
                break
            if own in taken:
                message = f"{own}, a peer's own address beside the gateway {virtual}, is taken by {taken[own]}"
                yield Problem(loc, message, "leave the two addresses after the gateway free")


CHECKS = (_ports, _pair, _vlans, _gateways)
