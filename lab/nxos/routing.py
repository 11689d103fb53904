"""Routing configuration of a switch, read from the tree for the world."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import replace

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.static import standing
from podwright.lab.nxos.tree import Node
from podwright.lab.world.views import BgpNeighbor, RoutingView
from podwright.lab.world.views import interface as parsed

DEFAULT = "0.0.0.0/0"
"""Told to BGP's neighbours only where the process is asked to originate it."""


def routing(device: Device) -> RoutingView:
    """What adjacency and reachability are derived from: the default VRF, and every other one within it."""
    members = {block.value("vrf member", "vrf") for block in device.interfaces().values()}
    vrfs = {vrf: _routing(device, vrf) for vrf in sorted(members - {"", "management"})}
    return replace(_routing(device, ""), vrfs=vrfs)


def _routing(device: Device, vrf: str) -> RoutingView:
    addresses: dict[str, str] = {}
    link_local: set[str] = set()
    ospf: dict[str, str] = {}
    bfd: set[str] = set()
    running = {n.values["tag"]: n for n in device.root.begin("router ospf") if not n.state("shutdown", False)}
    for name, block in device.interfaces().items():
        outside = block.value("vrf member", "vrf") != vrf
        if outside or not device.routed(name, block) or not device.admin_up(name, block):
            continue
        address = block.value("ip address", "address")
        if address:
            addresses[name] = address
        if block.get("ipv6 address use-link-local-only") and block.state("ip forward", False):
            link_local.add(name)
        for entry in block.begin("ip router ospf"):
            if entry.values["tag"] in running:
                ospf[name] = entry.values["area"]
        if block.get("bfd interval"):
            bfd.add(name)
    process = next(device.root.begin("router bgp"), None)
    inside = process.get(f"vrf {vrf}") if process and vrf else process
    isolated = process.get("isolate") if process else None
    silent = isolated is not None and isolated.line.endswith("include-local")
    return RoutingView(
        asn=int(process.values["asn"].rpartition(".")[2]) if process else None,
        router_id=_router_id(device, process, addresses),
        neighbors=() if process and process.state("shutdown", False) else _neighbors(inside),
        addresses=addresses,
        link_local=frozenset(link_local),
        advertised=frozenset() if silent else frozenset(_advertised(device, inside, addresses)),
        bgp_transit=isolated is None,
        ospf_transit=not any(node.get("isolate") for node in device.root.begin("router ospf")),
        ospf_bfd=any(node.get("bfd") for node in device.root.begin("router ospf")),
        ospf=ospf,
        ospf_kind={name: _network_type(device, name) for name in ospf},
        ospf_passive=frozenset(name for name in ospf if _passive(device, name, running.values())),
        ospf_id=_router_id(device, next(iter(running.values()), None), addresses),
        max_paths=int(_family(inside).value("maximum-paths", "n", "1")),
        relax=bool(inside and inside.get("bestpath as-path multipath-relax")),
        bfd_interfaces=frozenset(bfd),
    )


def _network_type(device: Device, name: str) -> str:
    block = device.interface(name) or Node("")
    line = block.get("ip ospf network")
    return line.line.rpartition(" ")[2] if line is not None and not line.line.startswith("no ") else "broadcast"


def _passive(device: Device, name: str, processes: Iterable[Node]) -> bool:
    block = device.interface(name) or Node("")
    default = any(process.get("passive-interface default") for process in processes)
    return name.startswith("loopback") or block.state("ip ospf passive-interface", default)


def _family(block: Node | None) -> Node:
    return (block.get("address-family ipv4 unicast") if block else None) or Node("")


def _router_id(device: Device, process: Node | None, addresses: dict[str, str]) -> str:
    """Configured, else loopback0, else the highest address, as the device chooses."""
    configured = process.value("router-id", "id") if process else ""
    loopback = device.interface("loopback0")
    chosen = configured or (loopback.value("ip address", "address") if loopback else "")
    if not chosen and addresses:
        chosen = max(addresses.values(), key=lambda a: parsed(a).ip)
    return chosen.partition("/")[0] or "0.0.0.0"


def _neighbors(process: Node | None) -> tuple[BgpNeighbor, ...]:
    found = []
    for block in process.begin("neighbor") if process else ():
        asn = block.value("remote-as", "asn")
        found.append(
            BgpNeighbor(
                peer=block.line.removeprefix("neighbor "),
                remote_as=int(asn) if asn.isdigit() else 0,
                bfd=block.get("bfd") is not None,
                ipv4=block.get("address-family ipv4 unicast") is not None,
                evpn=block.get("address-family l2vpn evpn") is not None,
                source=block.value("update-source", "port"),
                allowas_in=_family(block).get("allowas-in") is not None,
                peer_as_check=_family(block).get("disable-peer-as-check") is None,
                shutdown=block.state("shutdown", False),
                ttl_hops=int(block.value("ttl-security hops", "hops", "0")),
                password=block.value("password", "compared"),
            )
        )
    return tuple(found)


def _advertised(device: Device, process: Node | None, addresses: dict[str, str]) -> set[str]:
    """Prefixes the switch originates into BGP: network statements, connected and static ones a route-map permits."""
    family = _family(process)
    connected = {str(parsed(a).network): name for name, a in addresses.items()}
    found = {entry.values["prefix"] for entry in family.begin("network") if entry.values["prefix"] in connected}
    for entry in family.begin("redistribute direct"):
        found |= {p for p, name in connected.items() if _permits(device, entry.values["map"], p, name)}
    for entry in family.begin("redistribute static"):
        prefixes = {str(route.prefix) for route in standing(device)}
        found |= {prefix for prefix in prefixes if _permits(device, entry.values["map"], prefix, "")}
    if family.get("default-information originate") is None:
        found.discard(DEFAULT)
    return found


def _permits(device: Device, name: str, prefix: str, interface: str) -> bool:
    """First entry of the route-map that matches decides; a route-map that does not exist lets nothing through."""
    for entry in sorted(device.root.begin(f"route-map {name}"), key=lambda n: int(n.values["seq"])):
        if _entry_matches(device, entry, prefix, interface):
            return entry.line.split()[2] == "permit"
    return False


def _entry_matches(device: Device, entry: Node, prefix: str, interface: str) -> bool:
    for match in entry.begin("match"):
        if match.line.startswith("match tag"):
            block = device.interface(interface)
            tag = block.value("ip address", "tag", "0") if block else "0"
            if tag not in match.values["tags"].split():
                return False
        elif match.line.startswith("match ip address prefix-list"):
            if not _listed(device, match.values["name"], prefix):
                return False
        elif match.line.startswith("match interface"):
            wanted = {word.lower() for word in match.values["ports"].replace(",", " ").split()}
            if interface.lower() not in wanted:
                return False
    return True


def _listed(device: Device, name: str, prefix: str) -> bool:
    network = ipaddress.IPv4Network(prefix)
    lines = sorted(device.root.begin(f"ip prefix-list {name} seq"), key=lambda n: int(n.values["seq"]))
    for line in lines:
        base = parsed(line.values["prefix"]).network
        exact = line.values.get("eq")
        low = int(line.values.get("ge", exact or base.prefixlen))
        high = int(line.values.get("le", exact or (32 if "ge" in line.values else base.prefixlen)))
        if isinstance(base, ipaddress.IPv4Network) and network.subnet_of(base) and low <= network.prefixlen <= high:
            return line.line.split()[5] == "permit"
    return False
