"""What is defined about tenants of the backend: leaf groups that cannot reach each other."""

from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.types import Name, Spec


class Tenant(Spec):
    """One tenant: whole leaf groups, hence whole servers with all their rails."""

    index: Annotated[int, Field(ge=1, le=900)]
    """Fixed number of the tenant; VNI 50000 + n and, on each of its leaves, VLAN 3000 + n follow from it."""
    groups: Annotated[tuple[Annotated[int, Field(ge=1, le=63)], ...], Field(min_length=1)]
    """Leaf groups that are this tenant's."""


class VrfTenancy(Spec):
    """A VRF per tenant on leaves and spines, links and all: no tunnel, so every packet is classified as it is.

    Since a leaf belongs to one group, each leaf-spine link has one tenant, and the spines keep the tenants apart.
    """

    kind: Literal["vrf"]
    """This form of tenancy; the underlay is eBGP."""
    tenants: Annotated[dict[Name, Tenant], Field(min_length=1)]
    """Tenants by name, which is the VRF's. Groups of no tenant stay in the default VRF."""


class EvpnTenancy(Spec):
    """A VRF per tenant on its leaves, carried between them by VXLAN with EVPN (Cisco's AI pod lab).

    A rail's subnet is on one leaf, so routes are enough (type 5) and no layer-2 VNI is made. The tunnel keeps DSCP and
    ECN in the outer header: it runs in uniform mode, NX-OS's default.
    """

    kind: Literal["vxlan-evpn"]
    """This form of tenancy; the underlay is OSPF, EVPN runs over iBGP with the spines as route reflectors."""
    tenants: Annotated[dict[Name, Tenant], Field(min_length=1)]
    """Tenants by name, which is the VRF's. Groups of no tenant stay in the underlay's own table."""


Tenancy = Annotated[VrfTenancy | EvpnTenancy, Field(discriminator="kind")]
"""One of the forms of tenancy, chosen by `kind`."""
