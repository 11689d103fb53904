"""A host's network as the frontend pair has it: nmstate's desired state, which the installer writes into its system.

Where a port channel of the pair ends at the server, its two interfaces are bonded by LACP. Behind Fabric Interconnects
they are active-backup: an interconnect forms no port channel with a server's VIC (Cisco, teaming and bonding options
with the VIC: https://www.cisco.com/c/en/us/support/docs/servers-unified-computing/ucs-b-series-blade-servers/200519-UCS-B-series-Teaming-Bonding-Options-wi.html).
The desired state: https://nmstate.io/devel/api.html. Interfaces have logical names; the installer's agent replaces them
by those of the MAC addresses beside them
(https://github.com/openshift/assisted-service/blob/master/docs/user-guide/network-configuration/static-configuration.md).
"""

from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any

from podwright.components.design.hardware import platform
from podwright.components.model import OpenShift, Pair, PairVlan, Server, Site

NICS = ("boot0", "boot1")
"""Logical names of the interface that a host boots by, and of the one that is bonded with it."""
BOND = "bond0"
LACP = {"miimon": "100", "lacp_rate": "slow", "xmit_hash_policy": "layer3+4"}
"""slow: a message every 30 s, as the switch asks for with `lacp rate normal`, NX-OS's default, and as it is asked.
miimon: in ms, a good starting point. layer3+4: the connections to one NFS server use both legs.
https://docs.kernel.org/networking/bonding.html"""
BACKUP = {"miimon": "100", "primary": NICS[0]}
"""Traffic stays on the fabric of the first interface while that carries it."""
_NO_ADDRESS = {"ipv4": {"enabled": False}, "ipv6": {"enabled": False}}
_MAIN_TABLE = 254


@dataclass(frozen=True)
class Frontend:
    """What hosts are cabled to, and the MTU that every hop of it carries."""

    pair: Pair
    host_mtu: int
    """In bytes; below that of the pair's ports."""


@dataclass(frozen=True)
class _Carried:
    """VLANs that come to a server."""

    ids: frozenset[int]
    untagged: int


def spec(name: str, server: Server, openshift: OpenShift, site: Site, frontend: Frontend) -> dict[str, Any]:
    """`network` of a host of the installation's spec: logical names with their MAC addresses, and the desired state.

    Empty for a server with one interface and the machine network alone: its installation then is as it always was.
    """
    machine, carried = _machine(frontend.pair), _carried(name, server, frontend.pair)
    if machine is None or machine.id not in carried.ids:
        return {}
    beside = [vlan for vlan in frontend.pair.vlans.values() if vlan.hosts and vlan.id in carried.ids]
    if server.bond_mac is None and not beside:
        return {}
    macs = dict(zip(NICS, (mac for mac in (server.boot_mac, server.bond_mac) if mac), strict=False))
    base = BOND if len(macs) > 1 else NICS[0]
    tagged = {f"{base}.{vlan.id}": vlan for vlan in (machine, *beside) if vlan.id != carried.untagged}
    interfaces = {nic: _nic(nic, frontend.host_mtu) for nic in macs}
    if mode := bonded(server):
        interfaces[BOND] = _bond(mode, frontend.host_mtu)
    for each, vlan in tagged.items():
        interfaces[each] = _vlan(each, base, vlan, frontend.host_mtu)
    leading = next((each for each, vlan in tagged.items() if vlan is machine), base)
    network = openshift.machine_network
    interfaces[leading] |= _address(server.address, network.prefixlen)
    number = int(server.address) - int(network.network_address)
    for vlan in beside:
        at = next((each for each, one in tagged.items() if one is vlan), base)
        interfaces[at] |= _address(vlan.subnet.network_address + number, vlan.subnet.prefixlen)
    state = {
        "interfaces": list(interfaces.values()),
        "dns-resolver": {"config": {"server": [str(each) for each in site.dns]}},
        "routes": {"config": [_default(openshift.gateway, leading)]},
    }
    return {"network": {"interfaces": macs, "state": state}}


def bonded(server: Server) -> str | None:
    """Mode of the server's bond as Linux calls it; None for one interface."""
    if server.bond_mac is None:
        return None
    return "active-backup" if platform(server) == "FIAttached" else "802.3ad"


def _machine(pair: Pair) -> PairVlan | None:
    return next((vlan for vlan in pair.vlans.values() if vlan.purpose == "machine"), None)


def _carried(name: str, server: Server, pair: Pair) -> _Carried:
    """By its own port, or by those of its interconnects, whose vNICs leave the machine network untagged."""
    machine = _machine(pair)
    if platform(server) == "FIAttached":
        ends = {f"{server.domain}-a", f"{server.domain}-b"}
        ids = {vlan for port in pair.ports.values() if port.device in ends for vlan in port.vlans}
        return _Carried(frozenset(ids), machine.id if machine else 0)
    own = [port for port in pair.ports.values() if port.device == name]
    port = next((each for each in own if machine is not None and machine.id in each.vlans), None)
    if port is None:
        return _Carried(frozenset(), 0)
    return _Carried(frozenset(port.vlans), port.vlans[0])


def _nic(name: str, mtu: int) -> dict[str, Any]:
    """Without its own MAC address, which the agent finds it by: a bond gives its ports one."""
    return {"name": name, "type": "ethernet", "state": "up", "mtu": mtu, **_NO_ADDRESS}


def _bond(mode: str, mtu: int) -> dict[str, Any]:
    options = LACP if mode == "802.3ad" else BACKUP
    return {
        "name": BOND,
        "type": "bond",
        "state": "up",
        "mtu": mtu,
        "link-aggregation": {"mode": mode, "options": dict(options), "port": list(NICS)},
        **_NO_ADDRESS,
    }


def _vlan(name: str, base: str, vlan: PairVlan, mtu: int) -> dict[str, Any]:
    tag = {"base-iface": base, "id": vlan.id}
    return {"name": name, "type": "vlan", "state": "up", "mtu": mtu, "vlan": tag, **_NO_ADDRESS}


def _address(address: IPv4Address, prefix: int) -> dict[str, Any]:
    return {"ipv4": {"enabled": True, "dhcp": False, "address": [{"ip": str(address), "prefix-length": prefix}]}}


def _default(gateway: IPv4Address, interface: str) -> dict[str, Any]:
    return {
        "destination": "0.0.0.0/0",
        "next-hop-address": str(gateway),
        "next-hop-interface": interface,
        "table-id": _MAIN_TABLE,
    }
