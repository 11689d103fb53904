"""BGP's table: what this switch originates and what its neighbours sent, with the paths of each prefix.

Routes learned in VRFs other than the default one are not modelled: there the table holds own prefixes only.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.links import mac
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.bgp import none_in, process, view, vrfs_meant
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node
from podwright.lab.world.ospf import Link
from podwright.lab.world.routes import learned
from podwright.lab.world.views import RoutingView

_LEGEND = """Status: s-suppressed, x-deleted, S-stale, d-dampened, h-history, *-valid, >-best
Path type: i-internal, e-external, c-confed, l-local, a-aggregate, r-redist, I-injected
Origin codes: i - IGP, e - EGP, ? - incomplete, | - multipath, & - backup, 2 - best2

   Network            Next Hop            Metric     LocPrf     Weight Path
"""
_LETTER = {"internal": "i", "external": "e", "local": "l", "redist": "r"}


@dataclass(frozen=True)
class Path:
    """One way to a prefix as BGP has it."""

    kind: str
    """internal, external, local or redist."""
    hop: str
    peer: str
    """Neighbour that it came from; empty for the switch's own."""
    router_id: str
    as_path: tuple[int, ...]
    origin: str
    """IGP or incomplete."""
    best: bool

    def line(self, head: str) -> str:
        """The path as the table lists it, behind a prefix or behind nothing."""
        mark, weight = ">" if self.best else "|", 0 if self.peer else 32768
        metric, preference = "0" if self.kind == "redist" else "", "" if self.kind == "external" else "100"
        numbers = "".join(f"{number} " for number in self.as_path)
        tail = f"{metric:>11}{preference:>11}{weight:>11} {numbers}{'i' if self.origin == 'IGP' else '?'}"
        return f"*{mark}{_LETTER[self.kind]}{head:<18} {self.hop:<15}{tail}\n"

    def text(self) -> str:
        """The path at length."""
        state = "is best path" if self.best else "not best reason: newer EBGP path, multipath"
        known = " ".join(map(str, self.as_path)) or "NONE"
        source = "path sourced external to AS" if self.as_path else "path locally originated" \
            if not self.peer else "path sourced internal to AS"  # fmt: skip
        metric, weight = "0" if self.kind == "redist" else "not set", 0 if self.peer else 32768
        return f"""  Path type: {self.kind}, path is valid, {state}, no labeled nexthop{", in rib" if self.peer else ""}
  AS-Path: {known}{" " if self.as_path else ""}, {source}
    {self.hop} (metric 0) from {self.peer or "0.0.0.0"} ({self.router_id})
      Origin {self.origin}, MED {metric}, localpref 100, weight {weight}

"""


Table = dict[ipaddress.IPv4Network, list[Path]]


def table(device: Device, vrf: str) -> Table:
    """Prefix to its paths, the best one first."""
    found: Table = {}
    for prefix, path in (*_own(device, vrf), *(_received_paths(device) if vrf == "default" else ())):
        found.setdefault(ipaddress.IPv4Network(prefix), []).append(path)
    return dict(sorted(found.items()))


def _family(device: Device, vrf: str) -> Node:
    running = process(device) or Node("")
    block = running if vrf == "default" else running.get(f"vrf {vrf}") or Node("")
    return block.get("address-family ipv4 unicast") or Node("")


def _origin(device: Device, vrf: str, prefix: str) -> str:
    return "IGP" if _family(device, vrf).get(f"network {prefix}") else "incomplete"


def _own(device: Device, vrf: str) -> Iterator[tuple[str, Path]]:
    own = view(device, vrf)
    for prefix in own.advertised if vrf == "default" or own is not view(device, "default") else ():
        origin = _origin(device, vrf, prefix)
        kind = "local" if origin == "IGP" else "redist"
        yield prefix, Path(kind, "0.0.0.0", "", own.router_id, (), origin, best=True)


def _received_paths(device: Device) -> Iterator[tuple[str, Path]]:
    known = {name: each.routing() for name, each in device.world.views.items()}
    mine = known[device.switch.name]
    for route in learned(device.world, device.switch.name):
        if route.by != "bgp" or route.prefix in mine.advertised:
            continue
        origin = _origin(device.peers[route.origin], "default", route.prefix)
        for number, link in enumerate(route.ways):
            theirs, hop = known[link.far], next_hop(device, known, link)
            kind = "internal" if theirs.asn == mine.asn else "external"
            yield route.prefix, Path(kind, hop, hop, theirs.router_id, route.as_path, origin, best=number == 0)


def next_hop(device: Device, known: Mapping[str, RoutingView], link: Link) -> str:
    """Address of the far end of a way; between interfaces without addresses its link-local one."""
    theirs = known[link.far]
    if link.port in known[device.switch.name].link_local:
        digits = mac(device.peers[link.far], link.far_port).replace(".", "")
        return str(ipaddress.IPv6Address(f"fe80::{digits[:4]}:{digits[4:6]}ff:fe{digits[6:8]}:{digits[8:]}"))
    return theirs.addresses.get(link.far_port, theirs.router_id).partition("/")[0]


def _listed(found: Table) -> str:
    lines = ""
    for prefix, paths in found.items():
        lines += "".join(path.line("" if n else str(prefix)) for n, path in enumerate(paths))
    return lines


def show_bgp_table(session: Session, found: Found) -> Output:
    """The table of one VRF or all: one line per path."""
    device, text = session.device, ""
    for vrf in vrfs_meant(device, found):
        text += f"BGP routing table information for VRF {vrf}, address family IPv4 Unicast\n"
        own = view(device, vrf).router_id
        text += f"BGP table version is 1, Local Router ID is {own}\n{_LEGEND}{_listed(table(device, vrf))}\n"
    return Output(text) if text else none_in(found)


def show_bgp_prefix(session: Session, found: Found) -> Output:
    """One prefix, or with `detail` all of them, at length."""
    device, text, wanted = session.device, "", found.match.values.get("prefix")
    only = ipaddress.ip_interface(wanted).network if wanted else None
    vrfs = vrfs_meant(device, found)
    for vrf in vrfs:
        for prefix, paths in table(device, vrf).items():
            if only in (None, prefix):
                text += f"BGP routing table information for VRF {vrf}, address family IPv4 Unicast\n"
                text += _entry(prefix, paths)
    return Output(text or "") if vrfs else none_in(found)


def _entry(prefix: ipaddress.IPv4Network, paths: list[Path]) -> str:
    from_neighbors = any(path.peer for path in paths)
    where = "is in urib, is best urib route, is in HW" if from_neighbors else "is not in urib, is not in HW"
    head = f"BGP routing table entry for {prefix}, version 1\nPaths: ({len(paths)} available, best #1)\n"
    head += f"Flags: (0x8000001a) (high32 00000000) on xmit-list, {where}\n"
    return f"{head}\n  Advertised path-id 1\n{''.join(path.text() for path in paths)}"


def show_bgp_neighbor_routes(session: Session, found: Found) -> Output:
    """What came from a neighbour, or what it is told: own prefixes, and those of others where transit is on."""
    device, peer, vrfs = session.device, found.match.values["peer"], vrfs_meant(session.device, found)
    if not vrfs:
        return none_in(found)
    text = ""
    for vrf in vrfs:
        own, inside = view(device, vrf), table(device, vrf)
        if not any(each.peer == peer for each in own.neighbors):
            text += f"Can't find neighbor {peer}\n"
            continue
        advertised = found.match.words[-1] == "advertised-routes"
        chosen = {
            prefix: [p for p in paths if (_passed_on(own.bgp_transit, p, peer) if advertised else p.peer == peer)]
            for prefix, paths in inside.items()
        }
        text += f"Peer {peer} routes for address family IPv4 Unicast:\nBGP table version is 1, Local Router ID is "
        text += f"{own.router_id}\n{_LEGEND}{_listed({p: ways for p, ways in chosen.items() if ways})}\n"
    return Output(text)


def _passed_on(transit: bool, path: Path, peer: str) -> bool:
    return path.best and path.peer != peer and (transit or not path.peer)


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f for f in (show_bgp_table, show_bgp_prefix, show_bgp_neighbor_routes)
}
