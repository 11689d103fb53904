"""Ports and addresses of the backend, all from explicit indexes: inserting a device never renumbers another."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from podwright.components.design import hardware
from podwright.components.design.fabric.model import HostPort, Rail, Uplink
from podwright.components.model import Fabric, FabricArgs, Host, Leaf, Spine

RAILS_PER_LEAF = 8
"""Rail numbers a leaf's address block has room for: one /24 each."""
LEAF_LOOPBACKS = 64
"""Leaf loopbacks follow those of 63 spines."""
SPINE_LINKS = 256
"""/31s set aside per spine, one per port: 64 ports broken out in four at most."""
FIRST_VLAN = 100
"""VLAN of rail 0; VLANs are local to a leaf."""


def port(number: int, parts: int = 1) -> str:
    """The `number`-th port as NX-OS spells it, where every front-panel port makes so many."""
    if parts == 1:
        return f"Ethernet1/{number}"
    cage, lane = divmod(number - 1, parts)
    return f"Ethernet1/{cage + 1}/{lane + 1}"


def loopback(fabric: Fabric, switch: Leaf | Spine) -> IPv4Address:
    """Router id and loopback0 of a backend switch."""
    offset = switch.index if isinstance(switch, Spine) else LEAF_LOOPBACKS + switch.index
    return fabric.addressing.loopbacks.network_address + offset


def subnet(fabric: Fabric, leaf: Leaf, rail: int) -> IPv4Network:
    """The /24 of one rail at one leaf: number leaf index x 8 + rail of the hosts pool."""
    number = leaf.index * RAILS_PER_LEAF + rail
    return IPv4Network((int(fabric.addressing.hosts.network_address) + 256 * number, 24))


def gateway(network: IPv4Network) -> IPv4Address:
    """The leaf's address in a rail subnet: the last one, so that .n stays server n."""
    return network.broadcast_address - 1


def leaf_rails(fabric: Fabric, name: str) -> list[Rail]:
    """The rails of one leaf."""
    leaf = fabric.leaves[name]
    networks = ((rail, subnet(fabric, leaf, rail)) for rail in leaf.rails)
    return [Rail(leaf.group, rail, name, FIRST_VLAN + rail, network, gateway(network)) for rail, network in networks]


def rails(fabric: Fabric) -> dict[tuple[int, int], Rail]:
    """Every rail of every leaf group, by (group, rail)."""
    return {(rail.group, rail.rail): rail for name in fabric.leaves for rail in leaf_rails(fabric, name)}


def host_ports(args: FabricArgs) -> dict[tuple[str, int], HostPort]:
    """Leaf port and address of every server NIC on the backend."""
    by_rail = rails(args.fabric)
    return {
        (name, nic.rail): host(args.fabric, by_rail[server.group or 0, nic.rail], server)
        for name, server in args.hosts.items()
        for nic in hardware.rails(server)
    }


def host(fabric: Fabric, rail: Rail, server: Host) -> HostPort:
    """Leaf port and address of a server's NIC on one rail.

    Leaf port: (server index - 1) x rails of the leaf + position of the rail among them + 1, counted in parts where the
    link's speed breaks ports out. Address: .index of the rail's subnet; on a routed port the odd address of the
    subnet's /31 number index, the leaf having the even one.
    """
    leaf, gbps = fabric.leaves[rail.leaf], speed(fabric, server, rail.rail)
    name = port(host_port(leaf, server, rail.rail), hardware.parts(leaf.model, gbps))
    first = rail.subnet.network_address
    if fabric.host_ports == "routed":
        even = first + 2 * server.index
        return HostPort(rail.leaf, name, even + 1, even, gbps)
    return HostPort(rail.leaf, name, first + server.index, rail.gateway, gbps)


def speed(fabric: Fabric, server: Host, rail: int) -> int:
    """What the link of a server's rail runs at in Gb/s: as its NIC does, or as said of host ports."""
    return fabric.host_gbps or next(nic.gbps for nic in hardware.rails(server) if nic.rail == rail)


def host_port(leaf: Leaf, server: Host, rail: int) -> int:
    """Number of the leaf's host link that a server's rail is."""
    return (server.index - 1) * len(leaf.rails) + leaf.rails.index(rail) + 1


def uplinks(fabric: Fabric) -> Iterator[Uplink]:
    """Every leaf-spine link.

    Leaf port: half the ports + (spine index - 1) x links per pair + m + 1. Spine port: (leaf index - 1) x links per
    pair + m + 1. The /31 follows from the spine port; the spine has the even address.
    """
    pool = fabric.addressing.links.network_address
    for leaf_name, leaf in fabric.leaves.items():
        half = hardware.switch_model(leaf.model).ports // 2
        for spine_name, spine in fabric.spines.items():
            for member in range(fabric.links_per_pair):
                leaf_port = half + (spine.index - 1) * fabric.links_per_pair + member + 1
                spine_port = (leaf.index - 1) * fabric.links_per_pair + member + 1
                even = pool + 2 * ((spine.index - 1) * SPINE_LINKS + spine_port - 1)
                speed = hardware.switch_model(leaf.model).gbps(leaf_port) or 0
                yield Uplink(leaf_name, port(leaf_port), even + 1, spine_name, port(spine_port), even, speed)
