"""Interconnects and servers of a stack file; a blade is found behind its interconnects only once their ports are up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from podwright.components.cluster.root import Root
from podwright.components.compute import (
    DomainArgs,
    InterconnectDomain,
    RedfishServer,
    RedfishServerArgs,
    ServerProfile,
    ServerProfileArgs,
    ServerRole,
    ServerRoleArgs,
)
from podwright.components.contract import After, known_as
from podwright.components.model import Cluster, Server
from podwright.components.model.coherence import is_place


@dataclass(frozen=True)
class Servers:
    """What stands for the servers, by name of their nodes."""

    machines: Mapping[str, ServerProfile | RedfishServer]
    ready: After
    """Empty where the file has no servers."""

    @property
    def digests(self) -> dict[str, pulumi.Output[str]]:
        """What waits for a server's next restart."""
        return {node: machine.digest for node, machine in self.machines.items()}

    def in_short(self, args: Cluster) -> dict[str, dict[str, Any]]:
        """What a stack exports of its servers, by their own names."""
        return {
            name: {"model": server.model, "pool": server.pool, "gpus": server.gpus, "rack": server.rack}
            | _found(args, self.machines[server.object_name or name], server)
            for name, server in args.servers.items()
        }


def _found(args: Cluster, machine: ServerProfile | RedfishServer, server: Server) -> dict[str, pulumi.Output[Any]]:
    """What Intersight alone knows: a UUID of the file's pool, the serial number of a blade named by its slot."""
    asked = {"uuid": args.intersight and args.intersight.uuids, "serial": is_place(server.serial)}
    return {key: getattr(machine, key) for key in asked if asked[key] and isinstance(machine, ServerProfile)}


def servers(root: Root) -> Servers:
    """Every server of a stack file and what it stands behind: its role's policies, its pair of interconnects."""
    role = _role(root)
    domains = _domains(root, role) if role else {}
    machines = {
        server.object_name or name: _machine(root, name, role, domains) for name, server in root.args.servers.items()
    }
    standing = [*domains.values(), *(machine.ready for machine in machines.values())]
    return Servers(machines, [root.join("servers", standing)] if standing else [])


def _common(args: Cluster) -> dict[str, Any]:
    return {"cluster": args.name, "protect": args.protect}


def _role(root: Root) -> ServerRole | None:
    """Pools, policies and profiles in Intersight; None where servers are reached by Redfish alone."""
    args = root.args
    if args.intersight is None:
        return None
    shared: dict[str, Any] = {"frontend": args.fabric.frontend, "roles": args.compute.roles}
    about = ServerRoleArgs(args.name, args.intersight, args.site, args.servers, args.domains, **shared)
    return ServerRole(args.name, about, root.inside())


def _domains(root: Root, role: ServerRole) -> dict[str, pulumi.Output[str]]:
    """By name, `ready` of each pair of interconnects."""
    args, made = root.args, dict[str, pulumi.Output[str]]()
    for name, domain in args.domains.items():
        about = DomainArgs(
            name=name,
            domain=domain,
            profile=role.domains[name],
            chassis=role.chassis,
            frontend=args.fabric.frontend,
            after=[role.ready],
            **_common(args),
        )
        made[name] = InterconnectDomain(f"{args.name}-{name}", about, root.inside()).ready
    return made


def _machine(
    root: Root, name: str, role: ServerRole | None, domains: Mapping[str, pulumi.Output[str]]
) -> ServerProfile | RedfishServer:
    args, server = root.args, root.args.servers[name]
    was = known_as(f"{args.name}-{server.renamed_from}" if server.renamed_from else None)
    inside = pulumi.ResourceOptions.merge(root.inside(), pulumi.ResourceOptions(aliases=was))
    if role and name in role.hosts:
        profiled = ServerProfileArgs(
            host=name,
            server=server,
            profile=role.profiles[name],
            digest=role.digests[name],
            after=[role.ready, *(ready for pair, ready in domains.items() if pair == server.domain)],
            **_common(args),
        )
        return ServerProfile(f"{args.name}-{name}", profiled, inside)
    assert args.bmc is not None, f"nothing configures {name}: the checks have refused it"
    own = RedfishServerArgs(host=name, server=server, bmc=args.bmc, roles=args.compute.roles, **_common(args))
    return RedfishServer(f"{args.name}-{name}", own, inside)
