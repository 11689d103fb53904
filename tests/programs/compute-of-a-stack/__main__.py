"""Servers and Fabric Interconnects of the stack file `stack.yaml`; no switch is configured, no cluster installed."""

import pulumi

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
from podwright.components.model import load
from podwright.components.providers.resources import Podwright

stack = load("stack.yaml")
name, intersight, bmc = stack.name, stack.intersight, stack.bmc
podwright = Podwright(
    "site",
    intersight={"key_id": intersight.key_id, "secret": intersight.key, "endpoint": intersight.endpoint},
    redfish={"user": bmc.user, "secret": bmc.password},
)
on_site = pulumi.ResourceOptions(providers=[podwright])
about = ServerRoleArgs(
    name, intersight, stack.site, stack.servers, stack.domains, stack.fabric.frontend, stack.compute.roles
)
role = ServerRole(name, about, on_site)
pairs = {
    key: InterconnectDomain(
        key, DomainArgs(name, domain, role.domains[key], stack.fabric.frontend, after=[role.ready]), on_site
    ).ready
    for key, domain in stack.domains.items()
}
for host, server in stack.servers.items():
    if host in role.hosts:
        after = [role.ready, *([pairs[server.domain]] if server.domain else [])]
        bound = ServerProfileArgs(name, host, server, role.profiles[host], role.digests[host], after=after)
        ServerProfile(host, bound, on_site)
    else:
        RedfishServer(host, RedfishServerArgs(name, host, server, bmc, stack.compute.roles), on_site)
