"""Blades that are known by where they sit: the place is theirs, and one that the file has."""

from collections.abc import Iterator, Mapping

from podwright.components.model import blades
from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.compute import Domain, Server
from podwright.components.model.problems import Problem


def is_place(serial: str) -> bool:
    """Whether a server's `serial` is where it sits, and no serial number."""
    return "/" in serial


def _blade(server: Server) -> Iterator[Problem]:
    if server.model in SERVERS and not blades.slots(server) and is_place(server.serial) and server.slot is None:
        message = f"{server.model} is a rack server and sits in no chassis"
        yield Problem(("serial",), message, "write its own serial number")


def place_problems(servers: Mapping[str, Server], domains: Mapping[str, Domain]) -> list[Problem]:
    """A place is a chassis of the server's own domain that has a profile, and the slot that `slot` names."""
    found = []
    for name, server in servers.items():
        pair = domains.get(server.domain or "")
        if not is_place(server.serial) or not blades.slots(server) or pair is None:
            continue
        profiles = {key: box.profile.serial for key, box in pair.chassis.items() if box.profile is not None}
        chassis, _, slot = server.serial.partition("/")
        named = next((key for key, serial in profiles.items() if serial == chassis), None)
        loc = ("servers", name, "serial")
        if server.slot is None:
            hint = f"write `slot: {named or '<chassis>'}/{slot}` in its stead"
            found.append(Problem(loc, f"{server.serial} is a slot, which others may have too", hint))
        elif named is None:
            hint = f"give its chassis `profile: {{serial: {chassis}}}`, or write the blade's own serial number"
            found.append(Problem(loc, f"no chassis of {server.domain} has a profile with {chassis}", hint))
        elif server.slot != f"{named}/{slot}":
            found.append(Problem(loc, f"is slot {slot} of {named}, and `slot` is {server.slot}", "delete this line"))
    return found


def _places(cluster: Cluster) -> Iterator[Problem]:
    yield from place_problems(cluster.servers, cluster.domains)


SERVER = (_blade,)
CLUSTER = (_places,)
