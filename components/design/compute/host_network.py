"""A host's network as its pairs have it: nmstate's desired state, which the installer writes into its system.

Where a port channel of the pair ends at the server, its two interfaces are bonded by LACP. Behind Fabric Interconnects
they are active-backup: an interconnect forms no port channel with a server's VIC (Cisco, teaming and bonding options
with the VIC: https://www.cisco.com/c/en/us/support/docs/servers-unified-computing/ucs-b-series-blade-servers/200519-UCS-B-series-Teaming-Bonding-Options-wi.html).
The two interfaces on a storage pair are a bond of their own, beside what the machine network runs on.
The desired state: https://nmstate.io/devel/api.html. Interfaces have logical names; the installer's agent replaces them
by those of the MAC addresses beside them
(https://github.com/openshift/assisted-service/blob/master/docs/user-guide/network-configuration/static-configuration.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any

from podwright.components.design.hardware import platform
from podwright.components.model import OpenShift, Pair, PairVlan, Server, Site

NICS = ("boot0", "boot1")
"""Logical names of the interface that a host boots by, and of the one that is bonded with it."""
BOND = "bond0"
STORAGE_NICS = ("stor0", "stor1")
"""Logical names of the interfaces on the storage pair, in the order of its peers."""
STORAGE_BOND = "bond1"
LACP = {"miimon": "100", "lacp_rate": "slow", "xmit_hash_policy": "layer3+4"}
"""slow: a message every 30 s, as the switch asks for with `lacp rate normal`, NX-OS's default, and as it is asked.
miimon: in ms, a good starting point. layer3+4: the connections to one NFS server use both legs.
https://docs.kernel.org/networking/bonding.html"""
BACKUP = {"miimon": "100", "primary": NICS[0]}
"""Traffic stays on the fabric of the first interface while that carries it."""
_NO_ADDRESS = {"ipv4": {"enabled": False}, "ipv6": {"enabled": False}}
_MAIN_TABLE = 254


@dataclass(frozen=True)
class Pairs:
    """What hosts are cabled to, and the MTU that every hop of it carries."""

    frontend: Pair
    host_mtu: int
    """On the frontend, in bytes; below that of the pair's ports."""
    storage: Pair | None = None
    storage_mtu: int = 9000
    """On the storage pair, in bytes."""


@dataclass(frozen=True)
class _Carried:
    """VLANs that come to a server."""

    ids: frozenset[int]
    untagged: int


def spec(name: str, server: Server, openshift: OpenShift, site: Site, pairs: Pairs) -> dict[str, Any]:
    """`network` of a host of the installation's spec: logical names with their MAC addresses, and the desired state.

    Empty for a server with one interface and the machine network alone: its installation then is as it always was.
    """
    frontend, mtu = pairs.frontend, pairs.host_mtu
    machine, carried = _machine(frontend), _carried(name, server, frontend)
    if machine is None or machine.id not in carried.ids:
        return {}
    beside = [vlan for vlan in frontend.vlans.values() if vlan.hosts and vlan.id in carried.ids]
    number = int(server.address) - int(openshift.machine_network.network_address)
    stored = _stored(name, server, pairs, number)
    if server.bond_mac is None and not beside and not stored:
        return {}
    macs = dict(zip(NICS, (mac for mac in (server.boot_mac, server.bond_mac) if mac), strict=False))
    base = BOND if len(macs) > 1 else NICS[0]
    tagged = {f"{base}.{vlan.id}": vlan for vlan in (machine, *beside) if vlan.id != carried.untagged}
    interfaces = {nic: _nic(nic, mtu) for nic in macs}
    if mode := bonded(server):
        interfaces[BOND] = _bond(mode, mtu)
    for each, vlan in tagged.items():
        interfaces[each] = _vlan(each, base, vlan, mtu)
    leading = next((each for each, vlan in tagged.items() if vlan is machine), base)
    network = openshift.machine_network
    interfaces[leading] |= _address(server.address, network.prefixlen)
    for vlan in beside:
        at = next((each for each, one in tagged.items() if one is vlan), base)
        interfaces[at] |= _address(vlan.subnet.network_address + number, vlan.subnet.prefixlen)
    state = {
        "interfaces": [*interfaces.values(), *stored],
        "dns-resolver": {"config": {"server": [str(each) for each in site.dns]}},
        "routes": {"config": [_default(openshift.gateway, leading)]},
    }
    if stored:
        macs |= zip(STORAGE_NICS, server.storage_macs or (), strict=True)
    return {"network": {"interfaces": macs, "state": state}}


def on_storage(row: Mapping[str, Any]) -> bool:
    """Whether an interface of a desired state is one on the storage pair."""
    tag = row.get("vlan") or {}
    return row["name"] in (*STORAGE_NICS, STORAGE_BOND) or tag.get("base-iface") == STORAGE_BOND


def bonded(server: Server) -> str | None:
    """Mode of the server's bond as Linux calls it; None for one interface."""
    if server.bond_mac is None:
        return None
    return "active-backup" if platform(server) == "FIAttached" else "802.3ad"


def _stored(name: str, server: Server, pairs: Pairs, number: int) -> list[dict[str, Any]]:
    """Interfaces on the storage pair: the bond, its ports before it and its VLANs after it."""
    pair, mtu = pairs.storage, pairs.storage_mtu
    port = next((port for port in pair.ports.values() if port.device == name), None) if pair is not None else None
    if pair is None or port is None or server.storage_macs is None:
        return []
    bond = _bond("802.3ad", mtu, STORAGE_BOND, STORAGE_NICS)
    rows = [*(_nic(each, mtu) for each in STORAGE_NICS), bond]
    for vlan in (each for each in pair.vlans.values() if each.hosts and each.id in port.vlans):
        own = _address(vlan.subnet.network_address + number, vlan.subnet.prefixlen)
        if vlan.id == port.vlans[0]:
            bond |= own
        else:
            rows.append(_vlan(f"{STORAGE_BOND}.{vlan.id}", STORAGE_BOND, vlan, mtu) | own)
    return rows


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


def _bond(mode: str, mtu: int, name: str = BOND, ports: tuple[str, ...] = NICS) -> dict[str, Any]:
    options = LACP if mode == "802.3ad" else BACKUP
    return {
        "name": name,
        "type": "bond",
        "state": "up",
        "mtu": mtu,
        "link-aggregation": {"mode": mode, "options": dict(options), "port": list(ports)},
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
