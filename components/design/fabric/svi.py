"""Section `svi`: VLANs and gateways of the rails at a leaf."""

from podwright.components.design.fabric import tenancy, underlay
from podwright.components.design.fabric.model import Config, Rail
from podwright.components.model import Fabric


def vlans(rails: list[Rail]) -> Config:
    """One VLAN per rail that ends on the leaf; local to it."""
    return {f"vlan {rail.vlan}": f"name rail{rail.rail}" for rail in rails}


def gateways(rails: list[Rail], fabric: Fabric) -> Config:
    """The rails' gateways. An SVI is down until it is told otherwise, so `no shutdown` is part of it."""
    config: Config = {}
    for rail in rails:
        tenant = tenancy.of_leaf(fabric, rail.leaf)
        config[f"interface Vlan{rail.vlan}"] = "\n".join(
            (
                f"description rail{rail.rail} of group {rail.group}",
                "no shutdown",
                f"mtu {fabric.lossless.mtu}",
                *tenancy.member(tenant),
                "no ip redirects",
                f"ip address {rail.gateway}/{rail.subnet.prefixlen}",
                *([] if tenant else underlay.gateway(fabric)),
            )
        )
    return config
