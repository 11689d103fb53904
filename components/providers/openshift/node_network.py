"""A node's network as its NodeNetworkState reports it, compared with interfaces that a policy asks for.

Shapes: nmstate's YAML API (https://nmstate.io/devel/api.html), in `status.currentState` of nmstate/kubernetes-nmstate,
api/shared/nodenetworkstate_types.go. What an interface is a port of is read from the port lists: releases of nmstate
show `controller` and `permanent-mac-address` only lately (nmstate/nmstate, rust/src/lib/ifaces/base.rs).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

STATES = "/apis/nmstate.io/v1beta1/nodenetworkstates"
BRIDGE = "br-ex"
"""What OVN-Kubernetes keeps the machine network on
(openshift/machine-config-operator, templates/common/_base/files/configure-ovs-network.yaml)."""
Row = Mapping[str, Any]
Shown = Mapping[str, Row]
"""Interfaces that a node has, by name."""


class UnresolvedError(ValueError):
    """A node has not what an interface is to be made of; the message says what, and what to do."""


def shown(state: Row) -> Shown:
    """Interfaces of a NodeNetworkState, by name; none while its handler has not written any.

    An Open vSwitch bridge and its own interface have one name, and are one entry here.
    """
    current = (state.get("status") or {}).get("currentState") or {}
    found: dict[str, dict[str, Any]] = {}
    for each in current.get("interfaces") or ():
        if each.get("name"):
            found.setdefault(str(each["name"]), {}).update(each)
    return found


def resolutions(
    node: str, rows: Sequence[Row], macs: Mapping[str, str], live: Shown
) -> Iterator[tuple[Row, dict[str, Any] | UnresolvedError]]:
    """Each planned interface with the names that the node has for it and for what it is made of, or why it cannot be.

    `macs` are addresses of NICs by their names in the plan. OVN-Kubernetes keeps the machine network on br-ex, and what
    is under that, its bond included, is no matter of a policy (openshift/openshift-docs,
    networking/networking_operators/k8s-nmstate-about-the-k8s-nmstate-operator.adoc).
    """
    bonds = {str(row["name"]): _ports(row) for row in rows if row["type"] == "bond"}
    found = _Node(node, live, macs, _nics(bonds.values(), macs, live), bonds)
    for row in rows:
        try:
            yield row, found.resolved(row)
        except UnresolvedError as why:
            yield row, why


@dataclass(frozen=True)
class _Node:
    """A node that a plan's interfaces are looked for on."""

    name: str
    live: Shown
    macs: Mapping[str, str]
    nics: Mapping[str, str]
    """The kernel's names of the plan's NICs, of those that are there."""
    bonds: Mapping[str, Sequence[str]]
    """Bonds that the same plan makes, each with its NICs."""

    @cached_property
    def above(self) -> dict[str, str]:
        """What each interface is a port of."""
        return _controllers(self.live)

    @cached_property
    def under(self) -> set[str]:
        """br-ex and everything that the machine network runs on."""
        found: set[str] = set()
        todo = [BRIDGE]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += [port for port, above in self.above.items() if above == name]
                todo += [str(base)] if (base := _tag(self.live.get(name, {}))[0]) else []
        return found

    @cached_property
    def alike(self) -> dict[str, str]:
        """The NICs of each bond in the order of their names: whose is which is not known on every node (`_nics`), and a
        policy must come out as it was written."""
        found = dict(self.nics)
        for group in self.bonds.values():
            known = [nic for nic in group if nic in self.nics]
            found |= zip(known, sorted(self.nics[nic] for nic in known), strict=True)
        return found

    def resolved(self, row: Row) -> dict[str, Any]:
        """One interface. Raises UnresolvedError."""
        if row["type"] == "ethernet":
            self._free(str(row["name"]))
            return {**row, "name": self.alike[str(row["name"])]}
        if row["type"] == "bond":
            return self._bond(row)
        return self._vlan(row)

    def _nic(self, planned: str) -> str:
        """What the node calls a NIC of the file; a bond has its own name."""
        if planned not in self.macs:
            return planned
        if planned not in self.nics:
            mac = self.macs[planned].lower()
            raise UnresolvedError(
                f"{self.name} has no interface with MAC address {mac}: correct the file, or the machine"
            )
        return self.nics[planned]

    def _free(self, planned: str) -> str:
        """A NIC that the plan's bond may have."""
        name = self._nic(planned)
        if name in self.under:
            raise UnresolvedError(
                f"{self.name}: {name}, which has MAC address {self.macs[planned].lower()}, is under br-ex: the machine "
                f"network runs on it. Correct storage_macs of servers.{self.name}"
            )
        above = self.above.get(name)
        if above and above not in self.bonds:
            raise UnresolvedError(
                f"{self.name}: {name} is a port of {above}, which the file does not know: delete {above} there, and "
                "the policy that made it, and run again"
            )
        return name

    def _bond(self, row: Row) -> dict[str, Any]:
        if row["name"] in self.under:
            raise UnresolvedError(
                f"{self.name}: {row['name']} is what br-ex runs on there, and a bond on the storage pair has that "
                f"name: install it anew, or take storage_macs out of servers.{self.name} until then"
            )
        bundle = row["link-aggregation"]
        return {**row, "link-aggregation": {**bundle, "port": sorted(map(self._free, _ports(row)))}}

    def _vlan(self, row: Row) -> dict[str, Any]:
        tag = row["vlan"]
        base = str(tag["base-iface"])
        if base not in self.bonds:
            base = self._carrier(row, self._nic(base))
        name = str(row["name"])
        twins = (other for other, each in self.live.items() if _tag(each) == (base, tag["id"]))
        return {**row, "name": name if name in self.live else next(twins, name), "vlan": {**tag, "base-iface": base}}

    def _carrier(self, row: Row, base: str) -> str:
        """The interface under br-ex that a VLAN stands on, which must be there and be wide enough."""
        found, node = self.live.get(base), self.name
        if found is None:
            raise UnresolvedError(
                f"{node} has no {base} for {row['name']}: it was installed without, and none can be made under br-ex "
                f"of a node that runs. Install it anew, or take bond_mac out of servers.{node} until then"
            )
        above = self.above.get(base, "")
        if self.live.get(above, {}).get("type") == "bond":
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
        return base


def _ports(row: Row) -> list[str]:
    bundle = row.get("link-aggregation") or {}
    return [str(port) for port in bundle.get("port") or bundle.get("ports") or ()]


def _controllers(live: Shown) -> dict[str, str]:
    """What each interface is a port of: by the lists of bonds and bridges, and by its own word where that is shown."""
    found: dict[str, str] = {}
    for name, each in live.items():
        members = [str(port.get("name")) for port in (each.get("bridge") or {}).get("port") or ()]
        found |= {port: name for port in [*_ports(each), *members] if port != name}
    return found | {name: str(each["controller"]) for name, each in live.items() if each.get("controller")}


def _tag(row: Row) -> tuple[Any, Any]:
    """What a VLAN is: the kernel takes no second one with the same id on one interface, whatever its name."""
    tag = row.get("vlan") or {}
    return tag.get("base-iface"), tag.get("id")


def _nics(groups: Collection[Sequence[str]], macs: Mapping[str, str], live: Shown) -> dict[str, str]:
    """The kernel's name of each NIC of the plan that is there; `groups` are NICs that one bond of the plan has.

    A bond gives its ports its own address, that of the first. Where nmstate shows no permanent one, the ports of a bond
    with an address of a group are taken for the group's, in their order: all of a group are configured alike.
    """
    above = _controllers(live)
    physical = {name: each for name, each in live.items() if each.get("type") == "ethernet"}
    bundled = {name for name in physical if live.get(above.get(name, ""), {}).get("type") == "bond"}
    own: dict[str, str] = {}
    for name, each in physical.items():
        if permanent := each.get("permanent-mac-address"):
            own[str(permanent).lower()] = name
        elif name not in bundled:
            own.setdefault(str(each.get("mac-address", "")).lower(), name)
    found = {nic: own[mac.lower()] for nic, mac in macs.items() if mac.lower() in own}
    alone = [[nic] for nic in macs if not any(nic in group for group in groups)]
    for group in [*groups, *alone]:
        wanted = {macs[nic].lower() for nic in group if nic in macs}
        spare = [
            name
            for name in sorted(bundled - set(found.values()))
            if str(physical[name].get("mac-address", "")).lower() in wanted
            and not physical[name].get("permanent-mac-address")
        ]
        found |= zip((nic for nic in group if nic not in found), spare, strict=False)
    return found


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
    "mode": lambda row: str((row.get("link-aggregation") or {}).get("mode")),
    "ports": lambda row: ", ".join(sorted(_ports(row))) or "none",
    "address": _addresses,
}


def as_planned(row: Row, real: Row, found: Row | None) -> dict[str, Any] | None:
    """What a node shows of a planned interface, in the plan's words, so that drift is a difference of its leaves.

    `real` is the row with the node's names. None where the node does not have it.
    """
    if found is None:
        return None
    seen = dict(row)
    seen |= {"state": found.get("state"), "mtu": found.get("mtu")}
    if "vlan" in row:
        below, number = _tag(found)
        same = below == real["vlan"]["base-iface"]
        seen["vlan"] = {"base-iface": row["vlan"]["base-iface"] if same else below, "id": number}
    if "link-aggregation" in row:
        ports = _ports(row) if sorted(_ports(real)) == sorted(_ports(found)) else sorted(_ports(found))
        mode = (found.get("link-aggregation") or {}).get("mode")
        seen["link-aggregation"] = {**row["link-aggregation"], "mode": mode, "port": ports}
    if _addresses(found) != _addresses(row):
        ipv4 = found.get("ipv4") or {}
        seen["ipv4"] = {"enabled": bool(ipv4.get("enabled")), "address": list(ipv4.get("address") or ())}
    return seen
