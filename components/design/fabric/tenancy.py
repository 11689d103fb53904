"""Who a leaf belongs to, and the VRF that follows; the VRF itself is on every switch that carries the tenant."""

from collections.abc import Iterable

from podwright.components.design.fabric.model import Config
from podwright.components.model import EvpnTenancy, Fabric, Tenant, VrfTenancy

FIRST_VNI, FIRST_VLAN = 50_000, 3_000
"""A tenant's VNI and VLAN are these plus its index."""


def tenants(fabric: Fabric) -> dict[str, Tenant]:
    """Tenants by name; none without tenancy."""
    return dict(fabric.tenancy.tenants) if fabric.tenancy else {}


def of_leaf(fabric: Fabric, leaf: str) -> str | None:
    """Tenant of a leaf, by its group; None for a shared one."""
    group = fabric.leaves[leaf].group
    return next((name for name, tenant in tenants(fabric).items() if group in tenant.groups), None)


def of_link(fabric: Fabric, leaf: str) -> str | None:
    """VRF of a leaf's links to the spines: the tenant's, where VRFs reach through the spines."""
    return of_leaf(fabric, leaf) if isinstance(fabric.tenancy, VrfTenancy) else None


def member(vrf: str | None) -> list[str]:
    """The line that puts an interface into a VRF; before its address, since it takes addresses away."""
    return [f"vrf member {vrf}"] if vrf else []


def contexts(fabric: Fabric, leaves: Iterable[str]) -> Config:
    """VRFs of the tenants of these leaves, each once."""
    config: Config = {}
    for name, tenant in tenants(fabric).items():
        if any(of_leaf(fabric, leaf) == name for leaf in leaves):
            config[f"vrf context {name}"] = _context(fabric, tenant)
    return config


def _context(fabric: Fabric, tenant: Tenant) -> str:
    """Under EVPN the VRF has a VNI; route targets follow from AS number and VNI on every leaf alike."""
    if not isinstance(fabric.tenancy, EvpnTenancy):
        return ""
    return "\n".join(
        (
            f"vni {FIRST_VNI + tenant.index}",
            "rd auto",
            "address-family ipv4 unicast",
            "  route-target both auto",
            "  route-target both auto evpn",
        )
    )
