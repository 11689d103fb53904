"""A host's interfaces as nmstate shows and changes them.

After nmstate/nmstate (rust/src/lib/ifaces) and its YAML API, https://nmstate.io/devel/api.html: what is not named
stays, `state: absent` takes an interface away, and what the kernel made of it is compared with what was asked. The
machine network is on br-ex: the interface that it was installed on is a port of the bridge
(openshift/machine-config-operator, templates/common/_base/files/configure-ovs-network.yaml).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from podwright.lab.openshift.install import nmstate
from podwright.lab.openshift.interfaces import physical
from podwright.lab.openshift.nmstate.ports import let_go, overbooked, settled
from podwright.lab.openshift.nmstate.ports import ports as _ports
from podwright.lab.world.model import Server

BRIDGE = "br-ex"
Interface = dict[str, Any]
Interfaces = dict[str, Interface]
OFF: Mapping[str, Any] = {"enabled": False, "dhcp": False, "address": []}
DEFAULT_MTU = 1500
NO_GATEWAY = "failed runnig probe 'ping' with after network reconfiguration"
"""As pkg/probe/probes.go of nmstate/kubernetes-nmstate spells it."""


class NmstateError(Exception):
    """nmstate does not take a state; the message is what it prints."""


class ProbeError(Exception):
    """A probe fails after the state was applied: the host loses what the handler looks for."""


def installed(host: Mapping[str, Any], server: Server, form: str) -> Interfaces:
    """Interfaces of a host as it was installed: `host` is its entry of the agent's configuration."""
    names = _names(host, server, form)
    config = host.get("networkConfig") or {}
    found: Interfaces = {}
    for mac, name in _nics(server, form).items():
        found[name] = _made({"name": name, "type": "ethernet", "mac-address": mac, "permanent-mac-address": mac}, {})
    for row in config.get("interfaces") or []:
        each = _renamed(row, names)
        if each.get("type") == "ethernet" and each["name"] not in found:
            continue  # no NIC has the address that the file gives it: a profile that nothing matches
        if _ports(each):
            each["link-aggregation"]["port"] = [port for port in _ports(each) if port in found]
        found[each["name"]] = _made({**found.get(each["name"], {}), **each}, found)
    routes = (config.get("routes") or {}).get("config") or []
    out = next((str(row.get("next-hop-interface")) for row in routes if row.get("destination") == "0.0.0.0/0"), "")
    addressed = [each["name"] for each in found.values() if each["ipv4"]["enabled"]]
    leading = names.get(out, out) or next(iter(addressed), next(iter(found), ""))
    return _bridged(settled(found), leading)


def shown(interfaces: Mapping[str, Interface], form: str = "all") -> list[Interface]:
    """As `nmstatectl show` lists them; `form` is that of the variant `nmstate-shows`. Ports of a bond have no IP."""
    found = [copy.deepcopy(dict(interfaces[name])) for name in sorted(interfaces)]
    for each in found:
        bundled = interfaces.get(str(each.get("controller")), {}).get("type") == "bond"
        hidden = ("ipv4", "ipv6") if bundled else ()
        for key in (*hidden, *(("controller", "permanent-mac-address") if form == "bare" else ())):
            each.pop(key, None)
    return found


def applied(interfaces: Mapping[str, Interface], desired: Mapping[str, Any]) -> Interfaces:
    """The interfaces after a desired state. Raises NmstateError, or ProbeError where br-ex loses what is under it."""
    config = {"hostname": "", "networkConfig": desired, "interfaces": []}
    unsaid = ("is missing", "to a MAC address")
    if wrong := [each for each in nmstate.problems(config, "") if not each.endswith(unsaid)]:
        raise NmstateError(f"NmstateError: {wrong[0].partition('Invalid value: ')[2]}")
    rows = [row for row in desired.get("interfaces") or [] if isinstance(row, Mapping)]
    after: Interfaces = copy.deepcopy(dict(interfaces))
    for row in rows:
        if row.get("state") == "absent":
            after.pop(str(row["name"]), None)
    kept = [each for each in rows if each.get("state", "up") != "absent"]
    if twice := overbooked(kept):
        raise NmstateError(f"NmstateError: InvalidArgument: {twice}")
    let_go(after, kept)
    after = settled(after)
    for row in kept:
        after[str(row["name"])] = _changed(row, after, {str(each["name"]) for each in rows})
    after = settled(without_base(after))
    _portly(after)
    _verified(rows, after)
    _probed(interfaces, after, rows)
    return after


def without_base(interfaces: Interfaces) -> Interfaces:
    """The kernel takes a VLAN away with what it stands on."""
    return {n: each for n, each in interfaces.items() if each.get("vlan", {}).get("base-iface", n) in interfaces}


def _portly(after: Interfaces) -> None:
    """A port of a bond cannot have an address of its own."""
    for name, each in after.items():
        if after.get(str(each.get("controller")), {}).get("type") == "bond" and each["ipv4"]["enabled"]:
            raise NmstateError(
                f"NmstateError: InvalidArgument: Interface {name} cannot have IP enabled as it is attached to a "
                "controller where IP is not allowed"
            )


def _changed(row: Mapping[str, Any], after: Interfaces, desired: set[str]) -> Interface:
    name, kind = str(row["name"]), row.get("type")
    known = after.get(name)
    if known is None and kind == "ethernet":
        raise NmstateError(f"NmstateError: InvalidArgument: interface {name} does not exist and is no virtual one")
    base = (row.get("vlan") or {}).get("base-iface")
    for below in [*([base] if base else []), *_ports(row)]:
        if below not in after and below not in desired:
            raise NmstateError(f"NmstateError: InvalidArgument: interface {name} needs {below}, which does not exist")
    if known is not None and kind not in (None, "unknown", known["type"]):
        raise NmstateError(f"NmstateError: InvalidArgument: {name} is {known['type']}, not {kind}")
    return _made({**(known or {}), **copy.deepcopy(dict(row))}, after)


def _made(row: Mapping[str, Any], others: Mapping[str, Interface]) -> Interface:
    """An interface with what nmstate shows besides what was asked; a VLAN has at most the MTU of what it stands on."""
    base = others.get(str((row.get("vlan") or {}).get("base-iface")), {})
    ipv4 = {**OFF, **(row.get("ipv4") or {})}
    if not ipv4["enabled"]:
        ipv4 = dict(OFF)
    mtu = row.get("mtu") or base.get("mtu") or DEFAULT_MTU
    if row.get("type") == "vlan":
        mtu = min(mtu, base.get("mtu", mtu))
    below = next(iter(_ports(row)), "")
    mac = row.get("mac-address") or base.get("mac-address") or others.get(below, {}).get("mac-address", "")
    return {**row, "state": "up", "mtu": mtu, "mac-address": mac, "ipv4": ipv4, "ipv6": {"enabled": False}}


def _verified(rows: Sequence[Mapping[str, Any]], after: Mapping[str, Interface]) -> None:
    for row in rows:
        found = after.get(str(row["name"]))
        if found is None or row.get("state") == "absent":
            continue
        if "mtu" in row and found["mtu"] != row["mtu"]:
            name = row["name"]
            raise NmstateError(
                f"NmstateError: VerificationError: Verification failure: {name}.interface.mtu desire '{row['mtu']}', "
                f"current '{found['mtu']}'"
            )


def _probed(before: Mapping[str, Interface], after: Mapping[str, Interface], rows: Sequence[Mapping[str, Any]]) -> None:
    """Whoever names the bridge or what is under it takes OVN-Kubernetes' ports away: the gateway answers no more."""
    under = _under(before)
    for name in (name for row in rows for name in (str(row["name"]), *_ports(row))):
        if name in under and (name not in after or before.get(name) != after[name]):
            raise ProbeError(NO_GATEWAY)


def _under(interfaces: Mapping[str, Interface]) -> set[str]:
    """The bridge, its port, and what that stands on."""
    found, todo = set(), [BRIDGE]
    while todo:
        name = todo.pop()
        found.add(name)
        each = interfaces.get(name, {})
        below = [str(port["name"]) for port in each.get("bridge", {}).get("port", [])]
        todo += [other for other in [*below, *_ports(each), each.get("vlan", {}).get("base-iface", name)]
                 if other in interfaces and other not in found]  # fmt: skip
    return found


def _bridged(found: Interfaces, leading: str) -> Interfaces:
    """configure-ovs: the machine network's address is the bridge's, and its interface a port of it."""
    if leading not in found:
        return found
    port = found[leading]
    own = {"name": BRIDGE, "type": "ovs-interface", "state": "up", "mtu": port["mtu"], "ipv4": port["ipv4"],
           "ipv6": {"enabled": False}, "mac-address": port["mac-address"]}  # fmt: skip
    ports = {"port": [{"name": leading}, {"name": BRIDGE}]}
    found[BRIDGE] = {**own, "bridge": ports}
    found[leading] = {**port, "ipv4": dict(OFF), "controller": BRIDGE}
    return found


def _nics(server: Server, form: str) -> dict[str, str]:
    """Name of each NIC by its MAC address. One that no slot of the world shows is named after its address."""
    names = physical(server, form)
    found = {nic.mac.lower(): names[name].netdev for name, nic in server.nics.items() if name in names}
    rest = [server.boot_mac, *(nic.mac for nic in server.nics.values())]
    for mac in (each.lower() for each in rest if each):
        found.setdefault(mac, f"enx{mac.replace(':', '')}")
    return found


def _names(host: Mapping[str, Any], server: Server, form: str) -> dict[str, str]:
    """The kernel's name for each logical one of the agent's configuration."""
    nics = _nics(server, form)
    rows = host.get("interfaces") or []
    return {str(row["name"]): nics.get(str(row.get("macAddress", "")).lower(), str(row["name"])) for row in rows}


def _renamed(row: Mapping[str, Any], names: Mapping[str, str]) -> Interface:
    made = copy.deepcopy(dict(row))
    made["name"] = names.get(made["name"], made["name"])
    if "vlan" in made:
        made["vlan"]["base-iface"] = names.get(made["vlan"]["base-iface"], made["vlan"]["base-iface"])
    if "link-aggregation" in made:
        made["link-aggregation"]["port"] = [names.get(port, port) for port in _ports(row)]
    return made
