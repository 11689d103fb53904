"""Control-plane hosts apart: one rack, feed, chassis or pair of Fabric Interconnects that fails leaves etcd a majority.

etcd of three members bears the loss of one, of five that of two (https://etcd.io/docs/v3.5/faq/).
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from podwright.components.model import blades
from podwright.components.model.coherence.places import is_place
from podwright.components.model.coherence.platform import CONTROL_PLANE, Installation, members
from podwright.components.model.compute import Server
from podwright.components.model.feeds import half_carries, hangs_on
from podwright.components.model.platform import FaultDomain
from podwright.components.model.problems import Problem
from podwright.components.model.site import Site

_WAIVE = "or give the reason in openshift.control_plane_shares"


@dataclass(frozen=True)
class Shared:
    """A fault domain that two control-plane hosts share."""

    kind: FaultDomain
    name: str
    host: str
    other: str
    """The host before it in the file."""


def shared(servers: Mapping[str, Server], site: Site) -> list[Shared]:
    """What control-plane hosts share, host by host; of what lies inside another the outer one is left out."""
    hosts = members(servers, CONTROL_PLANE)
    domains = {server.domain for server in servers.values() if server.domain is not None}
    found: list[Shared] = []
    first: dict[tuple[FaultDomain, str], str] = {}
    for name, server in hosts.items():
        own = domains_of(server, site, domains if len(domains) >= len(hosts) else ())
        for kind, names in own.items():
            both = next((each for each in sorted(names) if (kind, each) in first), None)
            if both is not None:
                found.append(Shared(kind, both, name, first[kind, both]))
                break
        for kind, names in own.items():
            for each in names:
                first.setdefault((kind, each), name)
    return found


def domains_of(server: Server, site: Site, pairs: Collection[str]) -> dict[FaultDomain, Collection[str]]:
    """Of each kind, the narrowest one first, those that take a server down alone.

    `pairs` are the Fabric Interconnect pairs where there is one for each host: the two of a pair fail one by one, and
    where there are fewer nothing is gained by counting them.
    """
    rack = site.racks.get(server.rack)
    return {
        "chassis": {each for each in (_chassis(server),) if each is not None},
        "rack": {server.rack},
        "feed": hangs_on(rack, half_carries(site, server.model)) if rack is not None else (),
        "interconnects": {server.domain} & set(pairs) if server.domain is not None else (),
    }


def _chassis(server: Server) -> str | None:
    """Name, or serial number where nothing else is known, of the chassis that a blade stands in."""
    where = blades.place(server)
    if where is not None:
        return where[0]
    return server.serial.partition("/")[0] if is_place(server.serial) else None


def _control_plane(given: Installation) -> Iterator[Problem]:
    hosts = members(given.servers, CONTROL_PLANE)
    if len(hosts) not in (3, 5):
        hint = "give three servers (or five) `pool: control-plane`, each in a rack and power domain of its own"
        yield Problem(("servers",), f"{len(hosts)} control-plane hosts; etcd needs 3 or 5", hint)


def _apart(given: Installation) -> Iterator[Problem]:
    """Each host by the narrowest domain that it shares; one that a reason is given for is no problem."""
    for each in shared(given.servers, given.site):
        if each.kind in given.openshift.control_plane_shares:
            continue
        server = given.servers[each.host]
        loc = ("servers", each.host, "rack")
        message, hint = {
            "chassis": (f"sits in chassis {each.name}", "a chassis that fails must leave the others a majority"),
            "rack": (f"stands in {each.name}", "a rack that fails must leave the others a majority"),
            "feed": (f"hangs on {each.name}", "take a rack on another power domain"),
            "interconnects": (f"is behind {each.name}", "take a server behind another pair: each can have its own"),
        }[each.kind]
        rack = given.site.racks.get(server.rack)
        if each.kind == "feed" and rack is not None and rack.second_feed is not None:
            hint += f", say in site.supplies that half of the supplies of {server.model} carry it"
        yield Problem(loc, f"{each.other}, a control-plane host too, {message} already", f"{hint}, {_WAIVE}")


def _needless(given: Installation) -> Iterator[Problem]:
    """A reason for what no two hosts share would let the next one pass unseen."""
    kinds = {each.kind for each in shared(given.servers, given.site)}
    for kind in given.openshift.control_plane_shares:
        if kind not in kinds:
            loc = ("openshift", "control_plane_shares", kind)
            yield Problem(loc, f"control-plane hosts share no {kind}", "delete this line", at_key=True)


OPENSHIFT = (_control_plane, _apart, _needless)
