"""Servers before they have an operating system: Intersight policies and profiles, Redfish settings. Nothing reboots."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from podwright.components.contract import After, Component, standing, under
from podwright.components.design.compute import adopted_problems, chassis, digest, redfish_server, restarted_for, role
from podwright.components.design.hardware import cores, gpu_count
from podwright.components.model import Bmc, Domain, Intersight, Pair, Role, Server, Site
from podwright.components.model.coherence import (
    controller_firmware_problems,
    domain_problems,
    firmware_problems,
    is_place,
    management_problems,
    organization_problems,
    own_firmware_problems,
    role_problems,
    server_problems,
    settings_problems,
)
from podwright.components.model.problems import Problem
from podwright.components.providers.intersight.resources import (
    ChassisProfile,
    ChassisProfileTemplate,
    DomainProfile,
    DomainProfileTemplate,
    Policy,
    Pool,
    ResourceGroup,
    ServerProfileTemplate,
)
from podwright.components.providers.intersight.resources import ServerProfile as Profile
from podwright.components.providers.redfish.resources import Server as Machine

_TEMPLATES: Mapping[str, type[ServerProfileTemplate | DomainProfileTemplate | ChassisProfileTemplate]] = {
    "server": ServerProfileTemplate,
    "domain": DomainProfileTemplate,
    "chassis": ChassisProfileTemplate,
}


@dataclass(frozen=True)
class ServerRoleArgs:
    """The servers and interconnects that share pools and policies."""

    cluster: str
    """Name of the cluster; it is stamped on every resource."""
    intersight: Intersight
    """The Intersight account."""
    site: Site
    """The site."""
    servers: Mapping[str, Server] = field(default_factory=dict)
    """Servers by host name; those that Intersight does not profile are passed over."""
    domains: Mapping[str, Domain] = field(default_factory=dict)
    """Fabric Interconnect pairs by name."""
    frontend: Pair | None = None
    """The switches that carry the machine network. None: servers are given no VLANs."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """What servers take settings from, by name."""


class ServerRole(Component):
    """Pools and policies of one role; every Intersight object is named after it."""

    TOKEN = "podwright:index:ServerRole"

    policies: pulumi.Output[list[str]]
    """Names of its policies."""
    profiles: pulumi.Output[Mapping[str, Any]]
    """By host name, what its server profile is: policies, platform, serial number."""
    domains: pulumi.Output[Mapping[str, Any]]
    """By name, what the domain profile of each Fabric Interconnect pair is."""
    chassis: pulumi.Output[Mapping[str, Any]]
    """By name, what the profile of each chassis is that has one."""
    digests: pulumi.Output[Mapping[str, str]]
    """Digest, by host name, of everything that needs a restart to take effect on that server."""
    ready: pulumi.Output[str]
    """The role's name, once every policy exists."""

    def __init__(self, name: str, args: ServerRoleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        inputs: dict[str, Any] = {"servers": list(args.servers), "domains": list(args.domains)}
        problems = role_problems(args.servers, args.domains, args.roles)
        problems += under("intersight", firmware_problems(args.intersight.firmware))
        problems += own_firmware_problems(args.intersight.firmware, args.servers, args.roles)
        problems += organization_problems(args.intersight, args.servers, args.roles)
        problems += management_problems(args.intersight, name, args.servers, args.frontend, args.domains)
        if not problems:
            boxes = chassis.facts(args.servers, args.domains, args.site)
            inputs |= _addresses(args.intersight) | _written(chassis=boxes)
            plan = role(name, args.servers, args.domains, args.intersight, args.site, args.frontend, args.roles)
            problems = list(adopted_problems(args.intersight.adopt, plan.names))
        super().__init__(name, args.cluster, inputs, opts, problems)
        self.hosts = tuple(plan.profiles)
        """Servers that it has a profile for."""
        seen = [ResourceGroup(each.name, each.spec, opts=self.options()) for each in plan.groups]
        made: dict[tuple[str, str], pulumi.Resource] = {}
        for each in (*plan.pools, *plan.policies):
            kind = Pool if each in plan.pools else Policy
            beside = [(each.organization, other) for other in sorted(each.needs)]
            needs = [made[other] for other in beside if other in made]
            # Objects are named after their role already.
            made[each.organization, each.name] = kind(
                each.label,
                each.spec(args.intersight.organization, args.intersight.adopt),
                opts=self.options(resources=needs),
            )
        held = self.gate("policies", list(made.values())) if plan.templates else ()
        for one in plan.templates:
            made["", one.name] = _TEMPLATES[one.of](one.name, one.spec, opts=self.options(resources=held))
        self.finish(
            policies=[each.name for each in plan.policies],
            profiles={host: dict(profile.spec) for host, profile in plan.profiles.items()},
            domains={key: dict(profile.spec) for key, profile in plan.domains.items()},
            chassis={key: dict(profile.spec) for key, profile in plan.chassis.items()},
            digests=dict(plan.digests),
            ready=self.join("ready", [*seen, *made.values()]).ready,
        )


@dataclass(frozen=True)
class DomainArgs:
    """One pair of Fabric Interconnects."""

    cluster: str
    """Name of the cluster; it is stamped on every resource."""
    domain: Domain
    """The pair."""
    profile: pulumi.Input[Mapping[str, Any]]
    """What its profile is: an entry of a role's `domains`."""
    frontend: Pair | None = None
    """The switches that its uplinks go to."""
    chassis: pulumi.Input[Mapping[str, Any]] = field(default_factory=dict)
    """What the profiles of its chassis are: a role's `chassis`."""
    name: str | None = None
    """Its name in the ports of `frontend`, `fi` of fi-a and fi-b. Null: the component's own."""
    protect: bool = False
    """Deletion protection."""
    after: After = ()
    """`ready` of what must stand first: its role."""


class InterconnectDomain(Component):
    """The profile of one pair of Fabric Interconnects and those of the chassis behind it, deployed."""

    TOKEN = "podwright:index:InterconnectDomain"

    states: pulumi.Output[Mapping[str, str]]
    """Configuration state of each interconnect, as Intersight says it."""
    chassis_states: pulumi.Output[Mapping[str, str]]
    """Configuration state of each chassis with a profile, by its name."""
    ready: pulumi.Output[str]
    """Its name, once the pair's profile is deployed: its blades are found from then on."""

    def __init__(self, name: str, args: DomainArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        inputs = {
            "domain": args.name or name,
            "model": args.domain.model,
            "serials": dict(args.domain.serials),
            "uplinks": sorted(args.domain.uplinks),
            "server_ports": sorted(args.domain.server_ports),
        }
        super().__init__(
            name,
            args.cluster,
            inputs,
            opts,
            under("domain", domain_problems(args.name or name, args.domain, args.frontend)),
        )
        made = DomainProfile(self.child("domain"), args.profile, opts=self.options(args.after, protect=args.protect))
        handed = pulumi.Output.from_input(args.chassis)
        boxes = {
            key: ChassisProfile(
                self.child(f"chassis-{key}"), handed[key], opts=self.options(resources=[made], protect=args.protect)
            )
            for key, each in args.domain.chassis.items()
            if each.profile is not None
        }
        states = {key: each.config_state for key, each in boxes.items()}
        self.finish(states=made.config_states, chassis_states=states, ready=standing(made, name))


@dataclass(frozen=True)
class ServerProfileArgs:
    """One server that Intersight profiles."""

    cluster: str
    """Name of the cluster; it is stamped on every resource."""
    host: str
    """Its host name."""
    server: Server
    """The server."""
    profile: pulumi.Input[Mapping[str, Any]]
    """What its profile is: an entry of a role's `profiles`."""
    digest: pulumi.Input[str]
    """What needs a restart to take effect on it: an entry of a role's `digests`."""
    protect: bool = False
    """Deletion protection."""
    after: After = ()
    """`ready` of what must stand first: its role, and the interconnects it hangs on."""


class ServerProfile(Component):
    """One server's profile, staged: what needs a restart waits for the installation's or a roll-out's."""

    TOKEN = "podwright:index:ServerProfile"

    serial: pulumi.Output[str]
    """Serial number of the server that the profile is on; of a blade that is named by its slot the one found there."""
    uuid: pulumi.Output[str | None]
    """UUID that the profile leased from the account's pool; nothing where the server keeps its own."""
    digest: pulumi.Output[str]
    """Digest of everything that needs a restart to take effect."""
    ready: pulumi.Output[str]
    """Its name, once the profile is on the server."""

    def __init__(self, name: str, args: ServerProfileArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        problems = list(under("server", server_problems(args.host, args.server)))
        super().__init__(name, args.cluster, _about(args.host, args.server, problems), opts, problems)
        options = self.options(args.after, protect=args.protect)
        made = Profile(self.child("profile"), args.profile, opts=options)
        serial = made.serial if is_place(args.server.serial) else args.server.serial
        self.finish(serial=serial, uuid=made.uuid, digest=args.digest, ready=standing(made, name))


@dataclass(frozen=True)
class RedfishServerArgs:
    """One server that is configured through its baseboard controller."""

    cluster: str
    """Name of the cluster; it is stamped on every resource."""
    host: str
    """Its host name."""
    server: Server
    """The server."""
    bmc: Bmc
    """Access to its baseboard controller."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """What it may take settings from, by name."""
    protect: bool = False
    """Deletion protection."""
    after: After = ()
    """`ready` of what must stand first."""


class RedfishServer(Component):
    """BIOS settings of one server, written over Redfish; they wait for its next restart."""

    TOKEN = "podwright:index:RedfishServer"

    serial: pulumi.Output[str]
    """Serial number that the controller must report."""
    digest: pulumi.Output[str]
    """Digest of everything that needs a restart to take effect."""
    ready: pulumi.Output[str]
    """Its name, once the settings are with the controller."""

    def __init__(self, name: str, args: RedfishServerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        problems = [*under("server", server_problems(args.host, args.server)), *_without_controller(args.server)]
        problems += _settings(args)
        problems += under("bmc", controller_firmware_problems(args.bmc.firmware))
        super().__init__(name, args.cluster, _about(args.host, args.server, problems), opts, problems)
        spec = redfish_server(args.host, args.server, args.bmc, args.roles)
        made = Machine(self.child("server"), spec, opts=self.options(args.after, protect=args.protect))
        self.finish(serial=args.server.serial, digest=digest(restarted_for(spec)), ready=standing(made, name))


def _settings(args: RedfishServerArgs) -> list[Problem]:
    """What is wrong with its settings, where they stand in its arguments."""
    found = settings_problems({args.host: args.server}, args.roles)
    return [each.moved(lambda loc: ("server", *loc[2:]) if loc[0] == "servers" else loc) for each in found]


def _written(**given: Any) -> dict[str, Any]:
    return {key: value for key, value in given.items() if value}


def _addresses(account: Intersight) -> dict[str, Any]:
    """What rules of the policy pack read about the addresses of management controllers, where any are defined."""
    found = account.management.addresses
    if found is None:
        return {}
    gateway = str(found.gateway or found.network[1])
    return {"addresses": {"first": str(found.first), "last": str(found.last), "gateway": gateway}}


def _about(host: str, server: Server, problems: list[Problem]) -> dict[str, Any]:
    """What rules of the policy pack read about the machine itself: model, node, GPUs and cores (of a coherent one)."""
    hardware = {} if problems else {"gpus": gpu_count(server), "cores": cores(server)}
    node = {"node": server.object_name} if server.object_name else {}
    return {"host": host, "model": server.model, **node, **hardware}


def _without_controller(server: Server) -> list[Problem]:
    if server.bmc is not None:
        return []
    return [Problem(("server", "bmc"), "is missing", "write the address of its baseboard controller")]
