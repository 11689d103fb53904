"""Static routes, as far as they stand: one whose next hop is on no attached network is not in the table."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.links import state


@dataclass(frozen=True)
class Static:
    """One route: `hop` is empty for one into nowhere."""

    prefix: ipaddress.IPv4Network
    hop: str
    port: str
    preference: int


def attached(device: Device, vrf: str) -> Iterator[tuple[str, ipaddress.IPv4Interface]]:
    """Every interface of a VRF that is up, with its address."""
    for name, block in device.interfaces().items():
        address = block.value("ip address", "address")
        own = block.value("vrf member", "vrf", "default")
        if address and own == vrf and device.routed(name, block) and state(device, name).up:
            yield name, ipaddress.IPv4Interface(address)


def standing(device: Device, vrf: str = "default") -> Iterator[Static]:
    """The routes of a VRF that are in its table, in the order of the configuration."""
    place = device.root if vrf == "default" else device.root.get(f"vrf context {vrf}")
    routes = list(place.begin("ip route")) if place else []
    networks = [address.network for _, address in attached(device, vrf)] if routes else []
    for node in routes:
        values = node.values
        hop = values.get("hop", values.get("hop2", ""))
        null = "Null0" in node.line
        if null or any(hop and ipaddress.IPv4Address(hop) in network for network in networks):
            prefix = ipaddress.IPv4Interface(values["prefix"]).network
            yield Static(prefix, hop, "Null0" if null else values.get("port", ""), int(values.get("preference", 1)))
