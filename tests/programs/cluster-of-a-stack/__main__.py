"""Servers, Fabric Interconnects, OpenShift and node pools of the stack file `stack.yaml`; no switch is configured."""

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
from podwright.components.platform import NodePool, NodePoolArgs, OpenShiftCluster, OpenShiftClusterArgs
from podwright.components.program import site

stack = load("stack.yaml")
name, intersight, bmc, roles = stack.name, stack.intersight, stack.bmc, stack.compute.roles
podwright = site(stack)
on_site = pulumi.ResourceOptions(providers=[podwright])
about = ServerRoleArgs(name, intersight, stack.site, stack.servers, stack.domains, stack.fabric.frontend, roles)
role = ServerRole(name, about, on_site)
pairs = {
    key: InterconnectDomain(
        key, DomainArgs(name, domain, role.domains[key], stack.fabric.frontend, after=[role.ready]), on_site
    ).ready
    for key, domain in stack.domains.items()
}
machines: dict[str, ServerProfile | RedfishServer] = {}
for host, server in stack.servers.items():
    if host in role.hosts:
        after = [role.ready, *([pairs[server.domain]] if server.domain else [])]
        bound = ServerProfileArgs(name, host, server, role.profiles[host], role.digests[host], after=after)
        machines[host] = ServerProfile(host, bound, on_site)
    else:
        machines[host] = RedfishServer(host, RedfishServerArgs(name, host, server, bmc, roles), on_site)
ready = [machine.ready for machine in machines.values()]
wired = {"frontend": stack.nodes_frontend, "host_mtu": stack.fabric.frontend_mtu}
whole = OpenShiftClusterArgs(name, stack.openshift, stack.servers, stack.site, bmc, intersight, after=ready, **wired)
installed = OpenShiftCluster(name, whole, on_site)
in_cluster = pulumi.ResourceOptions(providers=[podwright, installed.kubernetes])
for pool, section in stack.pools.items():
    members = {host: server for host, server in stack.servers.items() if server.pool == pool}
    of = NodePoolArgs(
        name,
        pool,
        section,
        members,
        installed.kubeconfig,
        {host: machines[host].digest for host in members},
        {host: machines[host].urn for host in members},
        bmc,
        intersight,
        roles,
        after=[installed.ready],
    )
    NodePool(pool, of, in_cluster)
pulumi.export("kubeconfig", installed.kubeconfig)
