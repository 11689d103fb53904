"""Servers and Fabric Interconnects of `inventory.json`, and nothing above or below them."""

import json
from pathlib import Path

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
from podwright.components.model import Bmc, Domain, Intersight, Server, Site
from podwright.components.providers.resources import Podwright


def sections(name: str, kind: type[Server] | type[Domain]) -> dict:
    return {key: kind.model_validate_json(json.dumps(each)) for key, each in defined[name].items()}


defined = json.loads(Path("inventory.json").read_text())
cluster = defined["cluster"]
intersight = Intersight.model_validate_json(json.dumps(defined["intersight"]))
bmc = Bmc(**defined["bmc"])
site = Site.model_validate_json(json.dumps(defined["site"]))
servers, domains = sections("servers", Server), sections("domains", Domain)

podwright = Podwright(
    "site",
    intersight={"key_id": intersight.key_id, "secret": intersight.key, "endpoint": intersight.endpoint},
    redfish={"user": bmc.user, "secret": bmc.password},
)
on_site = pulumi.ResourceOptions(providers=[podwright])

role = ServerRole(cluster, ServerRoleArgs(cluster, intersight, site, servers, domains), on_site)
pairs = [
    InterconnectDomain(name, DomainArgs(cluster, domain, role.domains[name], after=[role.ready]), on_site).ready
    for name, domain in domains.items()
]
for name, server in servers.items():
    if name in role.hosts:
        after = [role.ready, *(pairs if server.bmc is None else [])]
        about = ServerProfileArgs(cluster, name, server, role.profiles[name], role.digests[name], after=after)
        ServerProfile(name, about, on_site)
    else:
        RedfishServer(name, RedfishServerArgs(cluster, name, server, bmc), on_site)
