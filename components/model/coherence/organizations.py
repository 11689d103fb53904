"""Organizations of roles: what cannot be divided among them."""

from collections.abc import Iterator, Mapping

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.management import attached
from podwright.components.model.compute import Intersight, Server
from podwright.components.model.effective import Roles, organization_of, role_of
from podwright.components.model.problems import Problem


def organization_problems(account: Intersight, servers: Mapping[str, Server], roles: Roles) -> Iterator[Problem]:
    """Servers behind Fabric Interconnects take addresses of one pool, and a pool is in one organization."""
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


def _of_cluster(cluster: Cluster) -> Iterator[Problem]:
    if cluster.intersight is not None:
        for problem in organization_problems(cluster.intersight, cluster.servers, cluster.compute.roles):
            yield problem.moved(lambda loc: ("compute", *loc))


CLUSTER = (_of_cluster,)
