"""What is approved for servers, as the provider compares it: by the names of what changes, each with its key."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from podwright.components.design.compute.model import IntersightObject, RolePlan
from podwright.components.model import Roles, Server
from podwright.components.model.changes import Changes, OfServers, ServerApproval
from podwright.components.model.effective import role_of
from podwright.components.model.problems import Loc, dotted

_OF_SERVERS = frozenset(get_args(OfServers))


@dataclass(frozen=True)
class Granted:
    """One approval of the file and what it holds for."""

    place: Loc
    """Where it stands in the file."""
    what: str
    until: str
    on: tuple[str, ...]
    """Names of servers, nodes and policies, switches, pools and clusters; none: of all."""
    servers: tuple[str, ...] = ()
    """Those of the names that are servers of the file; none: it is of all, or of other things."""
    reason: str = ""

    def spec(self) -> dict[str, Any]:
        """As the provider instance takes it."""
        more = {"on": list(self.on), "reason": self.reason, "key": dotted(self.place)}
        if self.place[0] == "changes":
            del more["key"]
        return {"what": self.what, "until": self.until, **{key: value for key, value in more.items() if value}}


def granted(
    changes: Changes, servers: Mapping[str, Server], roles: Roles, plan: RolePlan | None
) -> tuple[Granted, ...]:
    """Every approval of a file. One of servers holds for what they alone use, too: a policy that others share is
    changed for these others as well."""
    users = _users(plan)
    found = []
    for position, each in enumerate(changes.approve):
        on = each.on
        if each.what in _OF_SERVERS and on:
            on = _names((name for name in on if name in servers), servers, users, on)
        named = tuple(name for name in each.on if name in servers)
        found.append(Granted(("changes", "approve", position), each.what, each.until, on, named, each.reason))
    for place, approvals, known in _sections(servers, roles):
        on = _names(known, servers, users)
        found += [
            Granted((*place, "approve", position), each.what, each.until, on, tuple(known), each.reason)
            for position, each in enumerate(approvals)
        ]
    return tuple(found)


def places(
    given: Iterable[Granted], below: Mapping[Loc, tuple[str, ...]], at: Callable[[Loc], str]
) -> dict[str, dict[str, Any]]:
    """What errors say of where approvals stand and would stand: by key the file and line, where `at` has one."""
    found: dict[str, dict[str, Any]] = {}
    for place, on in below.items():
        found[dotted(place)] = {"on": list(on), **_line(at(place))}
    for each in given:
        if each.place[0] != "changes":
            found[dotted(each.place)] = dict(_line(at(each.place)))
    return found


def _line(text: str) -> dict[str, str]:
    return {"at": text} if text else {}


def sections(servers: Mapping[str, Server], roles: Roles, plan: RolePlan | None) -> dict[Loc, tuple[str, ...]]:
    """Where an approval of each server and of what it uses would be written: its role, or itself without one."""
    users = _users(plan)
    return {
        place: _names(known, servers, users)
        for place, _, known in _sections(servers, roles)
        if place[0] == "compute" or role_of(servers[known[0]], roles) is None
    }


def _sections(
    servers: Mapping[str, Server], roles: Roles
) -> Iterator[tuple[Loc, tuple[ServerApproval, ...], list[str]]]:
    for name, role in roles.items():
        if known := [host for host, server in servers.items() if role_of(server, roles) == name]:
            yield ("compute", "roles", name), role.approve, known
    for host, server in servers.items():
        yield ("servers", host), server.approve, [host]


def _names(
    hosts: Iterable[str], servers: Mapping[str, Server], users: Mapping[str, set[str]], more: Iterable[str] = ()
) -> tuple[str, ...]:
    """Names under which changes of these servers come: theirs, their nodes', and those of what they alone use."""
    asked = set(hosts)
    nodes = [servers[host].object_name or host for host in asked]
    theirs = [name for name, by in users.items() if by <= asked]
    return tuple(sorted({*asked, *nodes, *theirs, *more}))


def _users(plan: RolePlan | None) -> dict[str, set[str]]:
    """By name of a policy or pool, the servers whose profile leads to it; one that interconnects use has none."""
    if plan is None:
        return {}
    objects = {each.name: each for each in (*plan.pools, *plan.policies)}
    of_pairs = {name for pair in plan.domains.values() for name in _reached(pair.policies, objects)}
    found: dict[str, set[str]] = {}
    for host, profile in plan.profiles.items():
        for name in _reached(profile.policies, objects) - of_pairs:
            found.setdefault(name, set()).add(host)
    return found


def _reached(policies: Iterable[IntersightObject], objects: Mapping[str, IntersightObject]) -> set[str]:
    waiting, found = [each.name for each in policies], set()
    while waiting:
        name = waiting.pop()
        if name in objects and name not in found:
            found.add(name)
            waiting += objects[name].needs
    return found
