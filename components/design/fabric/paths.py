"""Every path that RoCE can take through a fabric, as plain values for what stands on top of it."""

from ipaddress import IPv4Network

from podwright.components.design.fabric import tenancy
from podwright.components.design.fabric.model import FabricPlan, Rail
from podwright.components.model import FabricArgs, FabricPaths, PathPort, PathUplink, RailNetwork, RailNetworks


def paths(args: FabricArgs, plan: FabricPlan) -> FabricPaths:
    """Rails, host ports and links of a plan; switches are those with the lossless class."""
    fabric = args.fabric
    highest: dict[int | None, int] = {}
    for host in args.hosts.values():
        highest[host.group] = max(host.index, highest.get(host.group, 0))
    owners = {leaf: tenancy.of_leaf(fabric, leaf) for leaf in fabric.leaves}
    return FabricPaths(
        networks=RailNetworks(
            rails=tuple(
                RailNetwork(
                    group=rail.group,
                    rail=rail.rail,
                    leaf=rail.leaf,
                    subnet=rail.subnet,
                    gateway=rail.gateway,
                    highest_index=highest.get(rail.group, 0),
                    hosts=_links(args, plan, rail),
                )
                for rail in plan.rails.values()
            ),
            reach=fabric.addressing.hosts,
            mtu=fabric.lossless.host_mtu,
            routed=fabric.host_ports == "routed",
        ),
        ports=tuple(
            PathPort(
                server=server,
                index=args.hosts[server].index,
                group=args.hosts[server].group or 0,
                rail=rail,
                leaf=port.leaf,
                port=port.port,
                gbps=port.gbps,
            )
            for (server, rail), port in plan.host_ports.items()
        ),
        uplinks=tuple(
            PathUplink(leaf=link.leaf, leaf_port=link.leaf_port, spine=link.spine, spine_port=link.spine_port)
            for link in plan.uplinks
        ),
        tenants={leaf: owner for leaf, owner in owners.items() if owner is not None},
        switches={switch.hostname: str(switch.management) for switch in plan.switches if switch.lossless},
        user=fabric.user,
        credential=fabric.credential,
        lossless=fabric.lossless,
    )


def _links(args: FabricArgs, plan: FabricPlan, rail: Rail) -> dict[str, IPv4Network]:
    """The /31 of each server on a rail whose ports route."""
    if args.fabric.host_ports != "routed":
        return {}
    return {
        server: IPv4Network((int(port.gateway), 31))
        for (server, number), port in plan.host_ports.items()
        if number == rail.rail and port.leaf == rail.leaf
    }
