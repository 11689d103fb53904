"""What is defined about routing between leaves and spines: one of three underlays."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from podwright.components.model.types import Spec, Words

Paths = Annotated[int, Field(ge=2, le=128)]
"""Equal-cost paths a switch uses at once."""


class NumberedBgp(Spec):
    """eBGP over /31 links: one autonomous system per leaf, one shared by all spines (Cisco's AI networking scripts)."""

    kind: Literal["ebgp"] = "ebgp"
    """This underlay."""
    maximum_paths: Paths = 64
    """Equal-cost paths, at least the uplinks of a leaf; NX-OS takes up to 128."""


class UnnumberedBgp(Spec):
    """eBGP between interfaces: IPv6 link-local next hops carry IPv4 (RFC 5549), links need no addresses.

    Cisco's unicast guide wants a larger TCAM region `ing-sup` for it, which takes a reload before the first session.
    """

    kind: Literal["ebgp-unnumbered"]
    """This underlay."""
    maximum_paths: Paths = 64
    """Equal-cost paths, at least the uplinks of a leaf; NX-OS takes up to 128."""
    ing_sup: Annotated[int, Field(ge=512, le=2048, multiple_of=256)] | None = 768
    """Size of TCAM region ing-sup (768: unicast guide). Null: left as it is, where the release needs no change."""


class Ospf(Spec):
    """OSPF area 0 over /31 links, and iBGP for EVPN with the spines as route reflectors (Cisco's AI pod lab).

    Every backend switch then has the same `asn`. Without tenancy OSPF carries loopbacks and rails, and BGP is not run.
    """

    kind: Literal["ospf"]
    """This underlay."""
    process: Annotated[
        str,
        StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,19}$"),
        Words("a tag of at most 20 letters"),
    ] = "UNDERLAY"
    """Tag of the OSPF process (UNDERLAY: Cisco's lab)."""
    maximum_paths: Annotated[int, Field(ge=2, le=64)] = 64
    """Equal-cost paths, at least the uplinks of a leaf; OSPF takes up to 64."""


Underlay = Annotated[NumberedBgp | UnnumberedBgp | Ospf, Field(discriminator="kind")]
"""One of the underlays, chosen by `kind`."""
