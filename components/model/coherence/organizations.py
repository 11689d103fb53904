"""Organizations of Intersight: what cannot be divided among them, and the groups through which they see servers."""

from collections.abc import Iterator, Mapping

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.management import attached
from podwright.components.model.coherence.places import is_place
from podwright.components.model.compute import Intersight, Server
from podwright.components.model.effective import Roles, organization_of, role_of
from podwright.components.model.problems import Problem

_OWN = "default"
"""The group that every account has: it holds all that was ever claimed."""


def organization_problems(account: Intersight, servers: Mapping[str, Server], roles: Roles) -> Iterator[Problem]:
    """Servers behind Fabric Interconnects take addresses of one pool, which is in one organization; a resource group
    is one organization's and holds servers by their serial numbers."""
    yield from _addresses(account, servers, roles)
    yield from _groups(account, servers, roles)


def _addresses(account: Intersight, servers: Mapping[str, Server], roles: Roles) -> Iterator[Problem]:
    if account.management.addresses is None:
        return
    reported = set()
    for name in attached(servers):
        role = role_of(servers[name], roles)
        other = organization_of(servers[name], roles, account)
        if role is None or other == account.organization or role in reported:
            continue
        reported.add(role)
        message = f"{name} takes an address of intersight.management.addresses, a pool of {account.organization}"
        hint = f"delete this line, or write intersight.organization: {other} where all servers belong to it"
        yield Problem(("roles", role, "organization"), message, hint)


def _groups(account: Intersight, servers: Mapping[str, Server], roles: Roles) -> Iterator[Problem]:
    profiled = [name for name, each in servers.items() if _manager(each) == "intersight"]
    homes = {name: organization_of(servers[name], roles, account) for name in profiled}
    owners: dict[str, str] = {}
    for organization, group in account.resource_groups.items():
        here = ("intersight", "resource_groups", organization)
        members = [name for name in profiled if homes[name] == organization]
        if not members:
            known = ", ".join(dict.fromkeys(homes.values()))
            message = f"no server of this file has its profile in {organization}"
            yield Problem(here, message, f"delete this line; organizations with servers: {known}", at_key=True)
        other = owners.setdefault(group, organization)
        if group == _OWN:
            message = "default is the account's own group, which holds every device"
            yield Problem(here, message, "give this one another name")
        elif other != organization:
            message = f"{group} is the group of {other} already, and would show the servers of both to both"
            yield Problem(here, message, "give each organization a group of its own")
        placed = [name for name in members if is_place(servers[name].serial)]
        if placed:
            message = f"a group selects servers by serial number, and {placed[0]} is named by its slot"
            hint = f"write the serial number of {', '.join(placed)}, or make the group in Intersight"
            yield Problem(here, message, hint, at_key=True)


def _manager(server: Server) -> str:
    model = SERVERS.get(server.model)
    return "" if model is None else model.manager


def _of_cluster(cluster: Cluster) -> Iterator[Problem]:
    if cluster.intersight is not None:
        for problem in organization_problems(cluster.intersight, cluster.servers, cluster.compute.roles):
            yield problem.moved(lambda loc: ("compute", *loc) if loc[0] == "roles" else loc)


CLUSTER = (_of_cluster,)
