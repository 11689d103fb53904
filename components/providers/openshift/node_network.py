"""A node's network as its NodeNetworkState reports it, compared with interfaces that a policy asks for.

Shapes: nmstate's YAML API (https://nmstate.io/devel/api.html), in `status.currentState` of nmstate/kubernetes-nmstate,
api/shared/nodenetworkstate_types.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

STATES = "/apis/nmstate.io/v1beta1/nodenetworkstates"
Row = Mapping[str, Any]
Shown = Mapping[str, Row]
"""Interfaces that a node has, by name."""


class UnresolvedError(ValueError):
    """A node has not what a VLAN is to stand on; the message says what, and what to do."""


def shown(state: Row) -> Shown:
    """Interfaces of a NodeNetworkState, by name; none while its handler has not written any."""
    current = (state.get("status") or {}).get("currentState") or {}
    return {str(each["name"]): each for each in current.get("interfaces") or () if each.get("name")}


def resolved(node: str, row: Row, macs: Mapping[str, str], live: Shown) -> dict[str, Any]:
    """A VLAN with the names that the node has for it and its base, which `macs` knows by address where it is a NIC.

    Raises UnresolvedError: OVN-Kubernetes keeps the machine network on br-ex, and what is under that, the bond
    included, is no matter of a policy (openshift/openshift-docs,
    networking/networking_operators/k8s-nmstate-about-the-k8s-nmstate-operator.adoc).
    """
    tag = row["vlan"]
    base = _named(node, str(tag["base-iface"]), macs, live)
    found = live.get(base)
    if found is None:
        raise UnresolvedError(
            f"{node} has no {base} for {row['name']}: it was installed without, and none can be made under br-ex of a "
            f"node that runs. Install it anew, or take bond_mac out of servers.{node} until then"
        )
    above = str(found.get("controller") or "")
    if live.get(above, {}).get("type") == "bond":
        raise UnresolvedError(
            f"{node}: {base} is a port of {above}, and a VLAN on it would receive nothing: write bond_mac of "
            f"servers.{node}"
        )
    most = found.get("mtu")
    if isinstance(most, int) and row.get("mtu", 0) > most:
        raise UnresolvedError(
            f"{node}: {row['name']} would have an MTU of {row['mtu']}, and {base} under br-ex has {most}, which no "
            f"policy may change on a node that runs. Install it anew, or keep host_mtu at {most} until then"
        )
    name = str(row["name"])
    twins = (other for other, each in live.items() if _tag(each) == (base, tag["id"]))
    return {**row, "name": name if name in live else next(twins, name), "vlan": {**tag, "base-iface": base}}


def _tag(row: Row) -> tuple[Any, Any]:
    """What a VLAN is: the kernel takes no second one with the same id on one interface, whatever its name."""
    tag = row.get("vlan") or {}
    return tag.get("base-iface"), tag.get("id")


def _named(node: str, base: str, macs: Mapping[str, str], live: Shown) -> str:
    """What the node calls a NIC of the file; a bond has its own name. A VLAN's MAC address is its base's too."""
    if base not in macs:
        return base
    mac = macs[base].lower()
    for name, each in live.items():
        addresses = {str(each.get(key, "")).lower() for key in ("permanent-mac-address", "mac-address")}
        if each.get("type") == "ethernet" and mac in addresses:
            return name
    raise UnresolvedError(f"{node} has no interface with MAC address {mac}: correct the file, or the machine")


def behind(wanted: Sequence[Row], live: Shown) -> Iterator[str]:
    """A phrase for each interface that is not as wanted; one that is to be absent must not be there."""
    for row in wanted:
        name, found = str(row["name"]), live.get(str(row["name"]))
        if row.get("state") == "absent":
            if found is not None:
                yield f"{name} is there still"
        elif found is None:
            yield f"{name} is missing"
        elif differing := [key for key in _KEYS if _KEYS[key](row) != _KEYS[key](found)]:
            yield f"{name} has " + ", ".join(f"{key} {_KEYS[key](found)}" for key in differing)


def _addresses(row: Row) -> str:
    """As one text; an interface whose IPv4 is off has none."""
    ipv4 = row.get("ipv4") or {}
    if not ipv4.get("enabled"):
        return "none"
    return ", ".join(sorted(f"{each['ip']}/{each['prefix-length']}" for each in ipv4.get("address") or ())) or "none"


_KEYS = {
    "state": lambda row: str(row.get("state")),
    "MTU": lambda row: str(row.get("mtu")),
    "VLAN": lambda row: str((row.get("vlan") or {}).get("id")),
    "base": lambda row: str((row.get("vlan") or {}).get("base-iface")),
    "address": _addresses,
}


def as_planned(row: Row, found: Row | None, base: str) -> dict[str, Any] | None:
    """What a node shows of a planned interface, in the plan's words, so that drift is a difference of its leaves.

    `base` is what the plan calls the interface below. None where the node does not have it.
    """
    if found is None:
        return None
    seen = dict(row)
    seen |= {"state": found.get("state"), "mtu": found.get("mtu")}
    tag = found.get("vlan") or {}
    seen["vlan"] = {"base-iface": base, "id": tag.get("id")}
    if _addresses(found) != _addresses(row):
        ipv4 = found.get("ipv4") or {}
        seen["ipv4"] = {"enabled": bool(ipv4.get("enabled")), "address": list(ipv4.get("address") or ())}
    return seen
