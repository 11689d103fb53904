"""Settings of roles and servers: names and values that Cisco's table knows, for the platform of each server."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from podwright.components.intersight_table import bios
from podwright.components.intersight_table.table import Finding, Rule, judge_value, nearest
from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import objects
from podwright.components.model.coherence.compute import cores
from podwright.components.model.coherence.platform import CONTROL_PLANE
from podwright.components.model.coherence.references import reference
from podwright.components.model.compute import Server
from podwright.components.model.effective import Roles, effective, role_of
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.settings import Settings

_THREADS = ("SmtMode", "IntelHyperThreadingTech", "CbsCpuSmtCtrl")
"""Tokens behind `smt`, by platform."""
_NUMA = ("CbsDfCmnDramNps", "Snc")
"""Tokens by which a socket is more than one NUMA node."""
_AMI = re.compile(r"[A-Z]{3,6}[0-9][0-9A-F]{2,3}")
"""An attribute's id as AMI's BIOS has them, such as PCIS007: no table knows those of a board."""
_FEW = 12
"""Values that a hint lists; of more, the message alone says what is wrong."""


def settings_problems(servers: Mapping[str, Server], roles: Roles) -> list[Problem]:
    """What is wrong with settings, below `servers` and `roles`: those of a role for every server that has it."""
    found = [*_named(servers, roles), *_twice(roles)]
    for name, server in servers.items():
        found += [*_server(name, server, roles), *objects.settings(("servers", name), server)]
        found += objects.on_server(name, server, roles)
    used = {role_of(server, roles) for server in servers.values()}
    for name, role in roles.items():
        found += objects.settings(("roles", name), role)
        if name not in used:
            found += _tokens(role, ("roles", name), tuple(bios.NAMES), "")
    return found


def platform(model: str) -> bios.Platform | None:
    """Which BIOS tokens a model takes; None for one that the catalogue does not have."""
    known = SERVERS.get(model)
    if known is None:
        return None
    return "c845a" if model == "UCSC-845A-M8" else known.cpu_vendor


def _named(servers: Mapping[str, Server], roles: Roles) -> Iterator[Problem]:
    for name, server in servers.items():
        if server.role is not None:
            yield from reference(("servers", name, "role"), server.role, roles, "role", "compute.roles")
    for name, role in roles.items():
        for position, model in enumerate(role.models):
            if model not in SERVERS:
                hint = _near(nearest(model, SERVERS)) or f"known: {', '.join(SERVERS)}"
                yield Problem(("roles", name, "models", position), f"{model} is not in the server catalogue", hint)


def _twice(roles: Roles) -> Iterator[Problem]:
    """A pool, or a model, has one role."""
    for field, what in (("pools", "pool"), ("models", "model")):
        first: dict[str, str] = {}
        for name, role in roles.items():
            for position, each in enumerate(getattr(role, field)):
                if first.setdefault(each, name) != name:
                    message = f"{what} {each} has the role {first[each]} already"
                    hint = "delete it here or there, or give the servers a `role` each"
                    yield Problem(("roles", name, field, position), message, hint)


def _server(name: str, server: Server, roles: Roles) -> Iterator[Problem]:
    takes = platform(server.model)
    if takes is None:
        return
    role = role_of(server, roles)
    layers: list[tuple[Loc, Settings]] = [(("servers", name), server)]
    if role is not None:
        layers.append((("roles", role), roles[role]))
    if server.profile is not None and SERVERS[server.model].manager == "redfish":
        message = f"{name} ({server.model}) has no server profile: it is configured through its own controller"
        yield Problem(("servers", name, "profile"), message, "delete it here", at_key=True)
    for loc, settings in layers:
        yield from _tokens(
            settings, loc, (takes,), f"{name} ({server.model})", SERVERS[server.model].manager == "redfish"
        )


def _tokens(
    settings: Settings, loc: Loc, takes: tuple[bios.Platform, ...], server: str, by_bmc: bool = False
) -> Iterator[Problem]:
    """`by_bmc`: the server's own controller takes the names of its own BIOS too, and judges them when it is reached."""
    for token, value in settings.bios.items():
        here = (*loc, "bios", token)
        if by_bmc and _AMI.fullmatch(token):
            continue
        if token in _THREADS:
            hint = "write `smt: {enabled: ..., reason: ...}`, by which processors are isolated on the node too"
            yield Problem(here, f"{token} is set by `smt`", hint, at_key=True)
            continue
        rules = [bios.tokens(each)[token] for each in takes if token in bios.tokens(each)]
        if not rules:
            yield _unknown(here, token, takes, server)
        elif all(found := [judge_value(rule, value, here) for rule in rules]):
            yield from (_wrong(each, value, rules[0]) for each in found[0])


def _unknown(loc: Loc, token: str, takes: tuple[bios.Platform, ...], server: str) -> Problem:
    others = bios.platforms(token)
    if others:
        message = f"{token} is a BIOS token of {' and '.join(bios.NAMES[each] for each in others)}, not of {server}"
        return Problem(loc, message, "delete it here, or move it to a role of such servers", at_key=True)
    known = [name for each in takes for name in bios.tokens(each)]
    hint = _near(nearest(token, known)) or "write a token of Intersight's bios.Policy, such as SrIov"
    return Problem(loc, f"there is no BIOS token {token}", hint, at_key=True)


def _wrong(found: Finding, value: Any, rule: Rule) -> Problem:
    """A value in the words of the table, and what to write instead."""
    choices = [str(each) for each in rule.get("one_of", ())]
    if not isinstance(value, str) and str(value) in choices:
        hint = f'quote it: "{value}"'
    elif found.near:
        hint = _near(found.near)
    elif choices:
        hint = f"write one of {', '.join(choices[:_FEW])}"
    else:
        hint = f"write a {rule['kind']}" + (f" from {rule['low']} to {rule['high']}" if "low" in rule else "")
    return Problem(found.trail, found.message, hint)


def _near(word: str) -> str:
    return f"did you mean `{word}`?" if word else ""


def threads_problems(pool: str, servers: Mapping[str, Server], roles: Roles) -> Iterator[Problem]:
    """Servers of one pool have processors alike where its nodes isolate some: one profile has their numbers."""
    found: dict[str, bool] = {}
    yield from _processors_differ(pool, servers, roles)
    for name, server in servers.items():
        smt = effective(name, server, roles).settings.smt
        found[name] = smt is None or smt.enabled
    first = next(iter(found), "")
    for name, enabled in found.items():
        if enabled != found[first]:
            counts = {True: "two threads", False: "one thread"}
            message = f"{name} has {counts[enabled]} on each core and {first} {counts[not enabled]}"
            hint = f"define `smt` alike for all of pool {pool}: one list of reserved processors is for all its nodes"
            yield Problem(("servers", name, "smt"), message, hint)


def _processors_differ(pool: str, servers: Mapping[str, Server], roles: Roles) -> Iterator[Problem]:
    """Whole cores of every NUMA node are reserved, so the numbers depend on how many there are of both."""
    known = {name: count for name, server in servers.items() if (count := cores(server)) is not None}
    first = next(iter(known), "")
    for name, count in known.items():
        if count != known[first]:
            message = f"pool {pool} reserves processors: {name} has {count} cores and {first} {known[first]}"
            hint = "give servers of other processors a pool of their own: one list of reserved processors is for all"
            yield Problem(("servers", name), message, hint)
            continue
        for token in _NUMA:
            one, two = (effective(each, servers[each], roles).settings.bios.get(token) for each in (name, first))
            if one != two:
                message = f"{name} has {token} {one or 'as planned'} and {first} {two or 'as planned'}"
                hint = f"define {token} alike for all of pool {pool}: a core is reserved on each NUMA node"
                yield Problem(("servers", name), message, hint)


def _of_cluster(cluster: Cluster) -> Iterator[Problem]:
    roles = cluster.compute.roles
    yield from _in_compute(settings_problems(cluster.servers, roles))
    if cluster.fabric.frontend is not None:
        known = {vlan.id for vlan in cluster.fabric.frontend.vlans.values()}
        yield from _in_compute(objects.vlans(cluster.servers, roles, known))
    for name, role in roles.items():
        for position, pool in enumerate(role.pools):
            loc = ("compute", "roles", name, "pools", position)
            yield from reference(loc, pool, (CONTROL_PLANE, *cluster.pools), "pool", "pools")


def _in_compute(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Roles stand under `compute` in a file."""
    for problem in problems:
        yield problem.moved(lambda loc: ("compute", *loc)) if problem.loc[0] == "roles" else problem


def _threads(cluster: Cluster) -> Iterator[Problem]:
    for name, pool in cluster.pools.items():
        if pool.reserves_processors:
            servers = {host: server for host, server in cluster.servers.items() if server.pool == name}
            yield from threads_problems(name, servers, cluster.compute.roles)


CLUSTER = (_of_cluster, _threads)
