"""A host's `network`: what the installer's agent could not bring to a host is refused before an image is made.

The agent maps logical names to the interfaces that have their MAC addresses, and refuses a state whose interfaces have
none (openshift/assisted-service, pkg/staticnetworkconfig:
https://github.com/openshift/assisted-service/tree/master/pkg/staticnetworkconfig).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components.providers.protocol.kind import Failure, Path

_KEYS = {"interfaces", "state"}


def addresses(host: Mapping[str, Any]) -> frozenset[str]:
    """MAC addresses of a host's interfaces beside the one it boots by."""
    network = host.get("network")
    named = network.get("interfaces") if isinstance(network, Mapping) else None
    macs = {str(mac).lower() for mac in named.values()} if isinstance(named, Mapping) else set()
    return frozenset(macs - {str(host.get("boot_mac")).lower()})


def judge_network(network: Any, trail: Path, boot_mac: str) -> Iterator[Failure]:
    """What is wrong with one host's network, at its place."""
    if not isinstance(network, Mapping) or set(network) != _KEYS:
        yield Failure(trail, "has two keys: interfaces, MAC addresses by logical name, and state")
        return
    named, state = network["interfaces"], network["state"]
    if not isinstance(named, Mapping) or not isinstance(state, Mapping):
        yield Failure(trail, "interfaces and state are objects")
        return
    macs = [str(mac).lower() for mac in named.values()]
    if len(set(macs)) < len(macs):
        yield Failure((*trail, "interfaces"), "two interfaces have one MAC address")
    if boot_mac.lower() not in macs:
        yield Failure((*trail, "interfaces"), f"none of them is the interface that boots, {boot_mac}")
    yield from _state(state, set(named), (*trail, "state"))


def _state(state: Mapping[str, Any], named: set[str], trail: Path) -> Iterator[Failure]:
    """Every physical interface that is used has a MAC address, every bond its ports, every VLAN its base."""
    rows = [each for each in state.get("interfaces") or [] if isinstance(each, Mapping)]
    defined = {str(each.get("name")) for each in rows}
    for index, each in enumerate(rows):
        place = (*trail, "interfaces", index)
        used = {"ethernet": [each.get("name")], "bond": _ports(each), "vlan": [_base(each)]}.get(str(each.get("type")))
        for name in used or []:
            physical = each.get("type") == "ethernet" or name not in defined
            if physical and name not in named:
                yield Failure(place, f"{name} has no MAC address in interfaces: the agent cannot find it")
        if each.get("type") == "bond" and not _ports(each):
            yield Failure(place, f"the bond {each.get('name')} has no port")
    for index, route in enumerate(((state.get("routes") or {}).get("config")) or []):
        if route.get("next-hop-interface") not in defined:
            place = (*trail, "routes", "config", index)
            yield Failure(place, f"the route leads over {route.get('next-hop-interface')}, which is not defined")


def _ports(interface: Mapping[str, Any]) -> list[Any]:
    bundle = interface.get("link-aggregation")
    return list(bundle.get("port") or []) if isinstance(bundle, Mapping) else []


def _base(interface: Mapping[str, Any]) -> Any:
    vlan = interface.get("vlan")
    return vlan.get("base-iface") if isinstance(vlan, Mapping) else None
