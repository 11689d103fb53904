"""A host's `networkConfig`: what the installer refuses of it, and which interfaces the host bonds.

Names and shapes after nmstate's YAML API (https://nmstate.io/devel/api.html), which refuses fields that it does not
know; the mapping of names to MAC addresses after openshift/assisted-service, pkg/staticnetworkconfig: a physical
interface without one is refused, unless it has the name that the kernel gives it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from podwright.lab.world.inventory import Bond

TOP = frozenset({"interfaces", "dns-resolver", "routes", "route-rules", "hostname", "ovs-db", "ovn", "description"})
COMMON = frozenset({
    "name", "description", "type", "state", "mtu", "min-mtu", "max-mtu", "mac-address", "permanent-mac-address",
    "identifier", "profile-name", "ipv4", "ipv6", "controller", "accept-all-mac-addresses", "copy-mac-from", "lldp",
    "ethtool", "mptcp", "802.1x", "ethernet", "link-aggregation", "vlan", "bridge", "vrf", "wait-ip", "dispatch",
    "alt-names",
})  # fmt: skip
KINDS = frozenset({
    "ethernet", "bond", "vlan", "linux-bridge", "ovs-bridge", "ovs-interface", "dummy", "loopback", "vrf", "vxlan",
    "mac-vlan", "mac-vtap", "veth", "infiniband", "macsec", "ipvlan", "hsr", "xfrm", "unknown",
})  # fmt: skip
MODES = frozenset({
    "balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb",
})  # fmt: skip
BUNDLE = frozenset({"mode", "options", "port", "ports", "slaves", "ports-config"})
PREDICTABLE = re.compile(r"^en(o|p|s|x|P)")


def problems(host: Mapping[str, Any], where: str) -> Iterator[str]:
    """Everything that is wrong with one host's network."""
    config = host.get("networkConfig")
    if config is None:
        return
    if not isinstance(config, Mapping):
        yield f"{where}.networkConfig: Invalid value: it must be a mapping"
        return
    at = f"{where}.networkConfig"
    for field in sorted(set(config) - TOP):
        yield f"{at}: Invalid value: InvalidArgument: unknown field `{field}`"
    named = {str(each.get("name")) for each in host.get("interfaces") or []}
    rows = [each for each in config.get("interfaces") or [] if isinstance(each, Mapping)]
    for each in rows:
        yield from _interface(each, at)
    for name in _physical(rows):
        if name not in named and not PREDICTABLE.match(name):
            yield f"{at}: Invalid value: mac-interface mapping for interface {name} is missing"
    if rows and not named & set(_physical(rows)):
        yield f"{at}: Invalid value: at least one interface must be mapped to a MAC address"


def bonds(host: Mapping[str, Any]) -> tuple[Bond, ...]:
    """The bonds that a host makes of interfaces it has MAC addresses for."""
    macs = {str(each.get("name")): str(each.get("macAddress", "")).lower() for each in host.get("interfaces") or []}
    rows = (host.get("networkConfig") or {}).get("interfaces") or []
    return tuple(
        Bond(str(each["link-aggregation"]["mode"]), frozenset(macs[port] for port in _ports(each) if port in macs))
        for each in rows
        if each.get("type") == "bond" and each.get("state", "up") == "up" and "link-aggregation" in each
    )


def _interface(each: Mapping[str, Any], at: str) -> Iterator[str]:
    name, kind = each.get("name"), each.get("type", "unknown")
    if not name:
        yield f"{at}.interfaces: Invalid value: InvalidArgument: missing field `name`"
    for field in sorted(set(each) - COMMON):
        yield f"{at}.interfaces: Invalid value: InvalidArgument: unknown field `{field}` of interface {name}"
    if kind not in KINDS:
        yield f"{at}.interfaces: Invalid value: InvalidArgument: unknown type {kind!r} of interface {name}"
    if each.get("state") == "absent":
        return  # its name says which one goes
    if kind == "bond":
        yield from _bundle(each.get("link-aggregation"), str(name), at)
    if kind == "vlan":
        vlan = each.get("vlan") or {}
        if not isinstance(vlan.get("id"), int) or not 0 <= vlan["id"] <= 4095 or not vlan.get("base-iface"):
            yield f"{at}.interfaces: Invalid value: InvalidArgument: VLAN {name}: an id up to 4095 and a base-iface"


def _bundle(bundle: Any, name: str, at: str) -> Iterator[str]:
    if not isinstance(bundle, Mapping) or bundle.get("mode") not in MODES:
        yield f"{at}.interfaces: Invalid value: InvalidArgument: Bond {name} has no mode that the kernel knows"
        return
    for field in sorted(set(bundle) - BUNDLE):
        yield f"{at}.interfaces: Invalid value: InvalidArgument: unknown field `{field}` of bond {name}"


def _physical(rows: list[Mapping[str, Any]]) -> list[str]:
    """Ethernet interfaces, and names that bonds and VLANs use without their being defined."""
    defined = {str(each.get("name")) for each in rows}
    found = [str(each["name"]) for each in rows if each.get("type") == "ethernet" and each.get("name")]
    for each in rows:
        used = _ports(each) + ([str(each["vlan"].get("base-iface"))] if isinstance(each.get("vlan"), Mapping) else [])
        found += [name for name in used if name not in defined]
    return found


def _ports(each: Mapping[str, Any]) -> list[str]:
    bundle = each.get("link-aggregation")
    if not isinstance(bundle, Mapping):
        return []
    return [str(port) for port in bundle.get("port") or bundle.get("ports") or bundle.get("slaves") or []]
