"""The routing table of a VRF: what is attached, what is said by hand, what neighbours told."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import mac, short
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows import vrfs
from podwright.lab.nxos.static import attached, standing
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import interface_rank
from podwright.lab.world.ospf import Link
from podwright.lab.world.routes import learned
from podwright.lab.world.views import RoutingView

_HEAD = """IP Route Table for VRF "{vrf}"
'*' denotes best ucast next-hop
'**' denotes best mcast next-hop
'[x/y]' denotes [preference/metric]
'%<string>' in via output denotes VRF <string>

"""
_EBGP, _IBGP, _OSPF = 20, 200, 110
"""Administrative distances (unicast routing guide)."""


@dataclass(frozen=True)
class Way:
    """One way towards a prefix."""

    hop: str
    """Address of the next hop; empty for Null0."""
    port: str
    """Interface; empty where the table does not tell it."""
    preference: int
    metric: int
    client: str
    kind: str = ""
    tag: str = ""

    def text(self, since: str) -> str:
        """The line below a prefix."""
        via = [each for each in (self.hop, short(self.port)) if each]
        words = [self.client, *([self.kind] if self.kind else []), *([f"tag {self.tag}"] if self.tag else [])]
        return f"    *via {', '.join(via)}, [{self.preference}/{self.metric}], {since}, {', '.join(words)}\n"

    def row(self, seconds: int) -> dict[str, str]:
        """The same as structured data; keys as NX-API clients read them."""
        known = {
            "ipnexthop": self.hop, "ifname": short(self.port), "uptime": _duration(seconds),
            "pref": str(self.preference), "metric": str(self.metric), "clientname": self.client, "type": self.kind,
            "tag": self.tag, "ubest": "true",
        }  # fmt: skip
        return {key: value for key, value in known.items() if value}


def show_ip_route(session: Session, found: Found) -> Output:
    """The table of one VRF, or a part of it: one source, one prefix, or what an address takes."""
    device, asked = session.device, found.match.values.get("vrf", "default")
    inside = [vrf for vrf in vrfs.names(device) if asked in ("all", vrf)]
    if not inside:
        return Output(f'VRF "{asked}" does not exist\n')
    parts = [_vrf_table(device, vrf, found) for vrf in inside]
    return Output("\n".join(text for text, _ in parts) + "\n", rows("vrf", [row for _, row in parts]))


def _vrf_table(device: Device, vrf: str, found: Found) -> tuple[str, dict[str, Any]]:
    """The table of one VRF as text and as data."""
    table = _selected(_table(device, vrf), found)
    seconds = int(device.clock.now() - device.clock.booted)
    text, data = _HEAD.format(vrf=vrf), []
    for prefix, ways in table:
        attached = ways[0].client in ("direct", "local")
        text += f"{prefix}, ubest/mbest: {len(ways)}/0{', attached' if attached else ''}\n"
        text += "".join(way.text(_since(seconds)) for way in ways)
        row = {"ipprefix": str(prefix), "ucast-nhops": str(len(ways)), "mcast-nhops": "0"}
        data.append({**row, "attached": str(attached).lower(), **rows("path", [way.row(seconds) for way in ways])})
    if not table and ({"prefix", "address"} & set(found.match.values) or _source(found)):
        text += "Route not found\n"
    inner = {"addrf": "ipv4", **(rows("prefix", data) if data else {})}
    return text, {"vrf-name-out": vrf, **rows("addrf", [inner])}


def _source(found: Found) -> str:
    """The word that picks the routes of one source; empty for all."""
    return next((word for word in found.match.words if word in ("bgp", "direct", "local", "ospf", "static")), "")


def _since(seconds: int) -> str:
    """An age as the table shows it: 00:02:04, 1d03h, 1w0d."""
    days, rest = divmod(seconds, 86400)
    if days >= 7:
        return f"{days // 7}w{days % 7}d"
    return f"{days}d{rest // 3600:02}h" if days else f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


def _duration(seconds: int) -> str:
    days, rest = divmod(seconds, 86400)
    """The age in the form of ISO 8601."""
    return f"P{f'{days}D' if days else ''}T{rest // 3600}H{rest // 60 % 60}M{rest % 60}S"


def _selected(
    table: dict[ipaddress.IPv4Network, list[Way]], found: Found
) -> list[tuple[ipaddress.IPv4Network, list[Way]]]:
    """The rows that the command asks for, by prefix."""
    values = found.match.values
    rows = sorted(table.items())
    if "prefix" in values:
        wanted = ipaddress.ip_interface(values["prefix"]).network
        return [row for row in rows if row[0] == wanted]
    if "address" in values:
        address = ipaddress.IPv4Address(values["address"])
        fitting = [row for row in rows if address in row[0]]
        return sorted(fitting, key=lambda row: row[0].prefixlen)[-1:]
    source = _source(found)
    picked = ((prefix, [way for way in ways if way.client.startswith(source)]) for prefix, ways in rows)
    return [row for row in picked if row[1]]


def _table(device: Device, vrf: str) -> dict[ipaddress.IPv4Network, list[Way]]:
    """Every prefix with its best ways: the lowest preference, then the lowest metric."""
    found: dict[ipaddress.IPv4Network, list[Way]] = {}
    learned_ways = _learned(device) if vrf == "default" else ()
    for prefix, way in (*_attached(device, vrf), *_static(device, vrf), *learned_ways):
        found.setdefault(prefix, []).append(way)
    best = {}
    for prefix, ways in found.items():
        least = min((way.preference, way.metric) for way in ways)
        best[prefix] = list(dict.fromkeys(way for way in ways if (way.preference, way.metric) == least))
    return best


def _attached(device: Device, vrf: str) -> Iterator[tuple[ipaddress.IPv4Network, Way]]:
    for name, host in sorted(attached(device, vrf), key=lambda each: interface_rank(each[0])):
        yield ipaddress.IPv4Network((int(host.ip), 32)), Way(str(host.ip), name, 0, 0, "local")
        yield host.network, Way(str(host.ip), name, 0, 0, "direct")


def _static(device: Device, vrf: str) -> Iterator[tuple[ipaddress.IPv4Network, Way]]:
    """Routes said by hand whose next hop is on a network that is attached."""
    for route in standing(device, vrf):
        yield route.prefix, Way(route.hop, route.port, route.preference, 0, "static")


def _learned(device: Device) -> Iterator[tuple[ipaddress.IPv4Network, Way]]:
    """What the world's routing gives this switch: BGP's and OSPF's best and equal ways."""
    views = {name: view.routing() for name, view in device.world.views.items() if view.alive}
    for route in learned(device.world, device.switch.name):
        for link in route.ways:
            way = _by_bgp(device, views, link) if route.by == "bgp" else _by_ospf(device, views, link, route.hops + 1)
            yield ipaddress.IPv4Network(route.prefix), way


def _by_bgp(device: Device, views: Mapping[str, RoutingView], link: Link) -> Way:
    """Between interfaces the next hop is the far end's link-local address."""
    mine, theirs = views[device.switch.name], views[link.far]
    client = f"bgp-{mine.asn}"
    kind, preference = ("internal", _IBGP) if mine.asn == theirs.asn else ("external", _EBGP)
    if link.port in mine.link_local:
        digits = mac(device.peers[link.far], link.far_port).replace(".", "")
        local = ipaddress.IPv6Address(f"fe80::{digits[:4]}:{digits[4:6]}ff:fe{digits[6:8]}:{digits[8:]}")
        return Way(f"{local}%default", link.port, preference, 0, client, kind, str(theirs.asn))
    hop = theirs.addresses.get(link.far_port, theirs.router_id).partition("/")[0]
    return Way(hop, "", preference, 0, client, kind, str(theirs.asn))


def _by_ospf(device: Device, views: Mapping[str, RoutingView], link: Link, metric: int) -> Way:
    """Every link costs 1: the reference bandwidth is 40 Gb/s, and no port is slower."""
    theirs = views[link.far]
    tag = next((node.values["tag"] for node in device.root.begin("router ospf")), "1")
    hop = theirs.addresses[link.far_port].partition("/")[0]
    return Way(hop, link.port, _OSPF, metric, f"ospf-{tag}", "intra")


def show_route_summary(session: Session, found: Found) -> Output:
    """How many routes a VRF has, and where they come from."""
    text = ""
    for _, vrf in vrfs.meant(session.device, found):
        table = _table(session.device, vrf)
        sources: dict[str, int] = {}
        for ways in table.values():
            sources[ways[0].client] = sources.get(ways[0].client, 0) + 1
        text += f'IP Route Table for VRF "{vrf}"\nTotal number of routes: {len(table)}\n'
        text += f"Total number of paths:  {sum(len(ways) for ways in table.values())}\n\nBest paths per protocol:\n"
        text += "".join(f"  {client:<15}: {count}\n" for client, count in sorted(sources.items())) + "\n"
    return Output(text)


def show_forwarding_route(session: Session, found: Found) -> Output:
    """The table as the forwarding hardware has it."""
    bar = "+".join("-" * width for width in (18, 41, 22, 17, 17)) + "\n"
    text = ""
    for _, vrf in vrfs.meant(session.device, found):
        text += f"IPv4 routes for table {vrf}/base\n\n{bar}Prefix            | Next-hop                                "
        text += f"| Interface            | Labels          | Partial Install\n{bar}"
        for prefix, ways in sorted(_table(session.device, vrf).items()):
            for number, way in enumerate(ways):
                hop, port = way.hop.partition("%")[0], way.port
                if way.client in ("direct", "local"):
                    hop, port = ("Attached", way.port) if way.client == "direct" else ("Receive", "sup-eth1")
                hop, port = (hop, port) if way.port != "Null0" else ("Drop", "Null0")
                text += (
                    f"{str(prefix) if number == 0 else '':<20} {hop:<41} {port or _towards(session.device, way.hop)}\n"
                )
        text += "\n"
    return Output(text)


def _towards(device: Device, hop: str) -> str:
    """The interface behind which a next hop is."""
    return next((name for name, own in attached(device, "default") if ipaddress.ip_address(hop) in own.network), "--")


SHOWS = {f.__name__: f for f in (show_ip_route, show_route_summary, show_forwarding_route)}
