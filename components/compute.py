"""The compute layer: servers behind their controllers, Intersight policies and profiles. Nothing here reboots."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from podwright.components.design.compute import Compute as Plan
from podwright.components.design.compute import Profile, plan
from podwright.components.model import Cluster
from podwright.components.providers.intersight.resources import DomainProfile, Policy, Pool, ServerProfile
from podwright.components.providers.redfish.resources import Server
from podwright.components.providers.resources import Podwright

Made = dict[str, pulumi.Resource]


@dataclass(frozen=True)
class Outputs:
    """What the layers above need of the servers."""

    ready: tuple[pulumi.Resource, ...]
    """What must stand before a server boots for the installation."""
    install: Mapping[str, Any]
    """Spec of the installation."""
    digests: Mapping[str, str]
    """Digest by host name of what needs a reboot to take effect."""
    summary: Mapping[str, Any]


class Compute(pulumi.ComponentResource):
    """All servers of a cluster."""

    def __init__(self, cluster: Cluster, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("podwright:compute:Compute", cluster.name, {"servers": list(cluster.servers)}, opts)
        design = plan(cluster)
        ready = (*self._redfish(cluster, design), *self._intersight(cluster, design))
        summary = {
            name: {"model": server.model, "pool": server.pool, "gpus": server.gpus, "rack": server.rack}
            for name, server in cluster.servers.items()
        }
        self.outputs = Outputs(ready, design.install, design.digests, summary)
        self.register_outputs({"summary": summary})

    def _redfish(self, cluster: Cluster, design: Plan) -> tuple[pulumi.Resource, ...]:
        if not design.redfish:
            return ()
        credentials = {"user": cluster.bmc.user, "secret": cluster.bmc.password}
        provider = Podwright("redfish", credentials=credentials, opts=pulumi.ResourceOptions(parent=self))
        options = pulumi.ResourceOptions(parent=self, provider=provider, protect=cluster.protect or None)
        return tuple(Server(name, spec, opts=options) for name, spec in design.redfish.items())

    def _intersight(self, cluster: Cluster, design: Plan) -> tuple[pulumi.Resource, ...]:
        account = cluster.intersight
        if not design.profiles and not design.domains:
            return ()
        provider = Podwright(
            "intersight",
            credentials={"key_id": account.key_id, "secret": account.key},
            endpoint=account.endpoint,
            opts=pulumi.ResourceOptions(parent=self),
        )
        made: Made = {}
        for each in (*design.pools, *design.policies):
            kind = Pool if each in design.pools else Policy
            options = self._options(provider, [made[name] for name in sorted(each.needs) if name in made])
            made[each.name] = kind(each.name, each.spec(account.organization), opts=options)
        domains = tuple(
            DomainProfile(f"domain-{each.name}", each.spec, opts=self._profile(provider, each, made, cluster.protect))
            for each in design.domains
        )
        # A blade is found behind its interconnects only once their ports are up.
        servers = tuple(
            ServerProfile(each.name, each.spec, opts=self._profile(provider, each, made, cluster.protect, domains))
            for each in design.profiles
        )
        return (*domains, *servers)

    def _options(
        self, provider: Podwright, after: list[pulumi.Resource], *, protect: bool = False
    ) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(parent=self, provider=provider, depends_on=after, protect=protect or None)

    def _profile(
        self,
        provider: Podwright,
        profile: Profile,
        made: Made,
        protect: bool,
        domains: tuple[pulumi.Resource, ...] = (),
    ) -> pulumi.ResourceOptions:
        after = [made[policy.name] for policy in profile.policies]
        behind = list(domains) if profile.spec.get("target_platform") == "FIAttached" else []
        return self._options(provider, [*after, *behind], protect=protect)
