"""Networks of nodes that run: the Kubernetes NMState Operator, and what brings each pool's nodes to their VLANs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi

from podwright.components.contract import After, ArgsError
from podwright.components.design.compute.host_network import Pairs
from podwright.components.design.compute.standing_network import rollouts
from podwright.components.design.operators import host_networks
from podwright.components.model import Fabric, OpenShift, Pair, Pool, Server, Site
from podwright.components.model.problems import Problem
from podwright.components.operators import InstalledOperator, Made, OperatorArgs
from podwright.components.providers.openshift.resources import HostNetwork


@dataclass(frozen=True)
class NmstateOperatorArgs(OperatorArgs):
    """The Kubernetes NMState Operator, and what nodes' VLANs follow from."""

    servers: Mapping[str, Server] = field(default_factory=dict)
    """Servers by the name of their node."""
    pools: Mapping[str, Pool] = field(default_factory=dict)
    """Node pools by name."""
    openshift: OpenShift | None = None
    """The installation, whose `host_network` is managed."""
    site: Site | None = None
    """The site."""
    frontend: Pair | None = None
    """The frontend pair that hosts are cabled to; its ports name servers by their nodes."""
    host_mtu: int = 9000
    """MTU of the hosts' interfaces on the frontend, in bytes: `host_mtu` of its lossless class."""
    storage_pair: Pair | None = None
    """The storage pair that hosts with `storage_macs` are cabled to. None: no host has interfaces there."""
    storage_mtu: int = 9000
    """MTU of the hosts' interfaces on the storage pair, in bytes: `host_mtu` of its lossless class."""


class NmstateOperator(InstalledOperator):
    """The Kubernetes NMState Operator, and the VLANs and storage bonds of nodes that run: one node first, then within
    their budget."""

    TOKEN = "podwright:index:NmstateOperator"

    def __init__(self, name: str, args: NmstateOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        given = {"openshift": args.openshift, "site": args.site, "frontend": args.frontend}
        if missing := [Problem((key,), "is missing", "hand it over") for key, value in given.items() if value is None]:
            raise ArgsError("NmstateOperator", name, missing)
        assert args.openshift and args.site and args.frontend
        super().__init__(name, args, opts)
        pairs = Pairs(args.frontend, args.host_mtu, args.storage_pair, args.storage_mtu)
        planned = rollouts(args.servers, args.pools, args.openshift, args.site, pairs)
        by_pool = {f"network-{pool}": spec for pool, spec in planned.items()}
        self.install(args, host_networks(args.section), pools=by_pool)

    def _wait(
        self, args: OperatorArgs, pools: Mapping[str, Mapping[str, Any]], behind: Sequence[pulumi.Resource]
    ) -> list[pulumi.Resource]:
        """One pool after the other: what fails in one reaches no further one."""
        last = list(behind)
        for name, spec in pools.items():
            last = [HostNetwork(self.child(name), spec, args.kubeconfig, opts=self.options(resources=last))]
        return last


def managed(
    openshift: OpenShift | None,
    site: Site,
    servers: Mapping[str, Server],
    pools: Mapping[str, Pool],
    pairs: tuple[Pair | None, Pair | None],
    fabric: Fabric,
) -> Made | None:
    """What makes the operator, from what all operators of a cluster are given; None where hosts keep what they were
    installed with. `pairs` are the frontend and the storage pair, their servers by the names of their nodes."""
    frontend, storage = pairs
    if openshift is None or openshift.host_network != "managed" or frontend is None:
        return None
    own: dict[str, Any] = {"openshift": openshift, "site": site, "frontend": frontend, "host_mtu": fabric.frontend_mtu}
    own |= {"storage_pair": storage, "storage_mtu": fabric.storage_mtu}

    def make(common: Mapping[str, Any], after: After, opts: pulumi.ResourceOptions) -> InstalledOperator:
        args = NmstateOperatorArgs(**common, after=after, servers=servers, pools=pools, **own)
        return NmstateOperator(f"{args.cluster}-nmstate", args, opts)

    return make
