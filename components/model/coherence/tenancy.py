"""Tenants: groups that exist and have one owner, an underlay that can carry them, room for the tunnel's header."""

from collections.abc import Iterator

from podwright.components.model.coherence.inventory import unique
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.tenancy import EvpnTenancy
from podwright.components.model.underlay import Ospf

_LOC: Loc = ("fabric", "tenancy")
VXLAN_BYTES = 50
"""Outer IPv4, UDP and VXLAN headers and the inner Ethernet header around a tenant's packet."""


def _groups(args: FabricArgs) -> Iterator[Problem]:
    tenancy = args.fabric.tenancy
    if tenancy is None:
        return
    known = sorted({leaf.group for leaf in args.fabric.leaves.values()})
    entries = []
    for name, tenant in tenancy.tenants.items():
        for position, group in enumerate(tenant.groups):
            loc = (*_LOC, "tenants", name, "groups", position)
            entries.append((loc, group))
            if group not in known:
                listed = ", ".join(map(str, known))
                yield Problem(loc, f"no leaf belongs to group {group}", f"leaf groups: {listed}")
    yield from unique(entries, "leaf group", "a group of leaves has one tenant")
    indexes = (((*_LOC, "tenants", name, "index"), each.index) for name, each in tenancy.tenants.items())
    yield from unique(indexes, "index", "VNI and VLAN follow from it: take a free one")


def _carried(args: FabricArgs) -> Iterator[Problem]:
    fabric = args.fabric
    if fabric.tenancy is None:
        return
    routed = isinstance(fabric.underlay, Ospf)
    if isinstance(fabric.tenancy, EvpnTenancy) and not routed:
        hint = "write underlay: {kind: ospf} and one AS number for the whole backend, or tenancy kind vrf"
        yield Problem((*_LOC, "kind"), f"vxlan-evpn runs over ospf, the underlay is {fabric.underlay.kind}", hint)
    if not isinstance(fabric.tenancy, EvpnTenancy) and routed:
        hint = "write underlay: {kind: ebgp}, or tenancy kind vxlan-evpn"
        yield Problem((*_LOC, "kind"), "vrf runs over ebgp, the underlay is ospf", hint)
    room = fabric.lossless.mtu - fabric.lossless.host_mtu
    if isinstance(fabric.tenancy, EvpnTenancy) and room < VXLAN_BYTES:
        message = f"host MTU {fabric.lossless.host_mtu} leaves {room} bytes of {fabric.lossless.mtu} for VXLAN headers"
        yield Problem(("fabric", "lossless", "host_mtu"), message, f"write {fabric.lossless.mtu - VXLAN_BYTES} or less")


def _tunnels(args: FabricArgs) -> Iterator[Problem]:
    """Tunnel ends have addresses of their own in the loopback pool: leaf index n takes address 128 + n."""
    fabric = args.fabric
    highest = max(leaf.index for leaf in fabric.leaves.values())
    pool = fabric.addressing.loopbacks
    if isinstance(fabric.tenancy, EvpnTenancy) and pool.num_addresses <= 128 + highest:
        message = f"{pool} has {pool.num_addresses} addresses, tunnel ends need {129 + highest} (leaf index {highest})"
        yield Problem(("fabric", "addressing", "loopbacks"), message, "/24 will do")


FABRIC = (_groups, _carried, _tunnels)
