"""Nodes that fall silent for good: the agents that reset them, and the checks that decide when one is lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi

from podwright.components.contract import After, ArgsError, under
from podwright.components.design.operators import health_checks, remediation
from podwright.components.model import LostNodes, OpenShift, Server, Site
from podwright.components.model.coherence import agents_problems, watched_problems
from podwright.components.model.problems import Problem, below
from podwright.components.operators import InstalledOperator, Made, OperatorArgs


class SelfNodeRemediationOperator(InstalledOperator):
    """The Self Node Remediation Operator: an agent on every node, which resets it when it is given up."""

    TOKEN = "podwright:index:SelfNodeRemediationOperator"

    def __init__(self, name: str, args: OperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        if problems := under("section", agents_problems(args.section)):
            raise ArgsError("SelfNodeRemediationOperator", name, problems)
        super().__init__(name, args, opts)
        self.install(args, remediation(args.section, admission=args.admission))


@dataclass(frozen=True)
class NodeHealthCheckOperatorArgs(OperatorArgs):
    """Which nodes count as lost, and when."""

    lost_nodes: LostNodes | None = None
    """When a node is given up, needed: `openshift.lost_nodes`."""
    servers: Mapping[str, Server] = field(default_factory=dict)
    """Servers of the cluster by name: those of the pools that are watched."""
    site: Site | None = None
    """Racks and feeds of these servers. None: where they stand is not known."""


class NodeHealthCheckOperator(InstalledOperator):
    """The Node Health Check Operator, and one check of each pool that is watched; the agents must stand."""

    TOKEN = "podwright:index:NodeHealthCheckOperator"

    def __init__(
        self, name: str, args: NodeHealthCheckOperatorArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        section = args.lost_nodes
        if section is None:
            problem = Problem(("lost_nodes",), "is missing", "hand it over")
            raise ArgsError("NodeHealthCheckOperator", name, [problem])
        problems: list[Problem] = []
        for index, pool in enumerate(section.pools):
            members = {node: server for node, server in args.servers.items() if server.pool == pool}
            problems += below(("lost_nodes",), watched_problems(section, pool, members, args.site, index))
        if problems:
            raise ArgsError("NodeHealthCheckOperator", name, problems)
        super().__init__(name, args, opts)
        self.install(args, health_checks(args.section, section))


def given_up(openshift: OpenShift | None, servers: Mapping[str, Server], site: Site) -> Sequence[Made]:
    """What makes the operators that give silent nodes up, agents first; none where such nodes keep their pods."""
    section = openshift.lost_nodes if openshift else None
    if section is None:
        return ()
    own: dict[str, Any] = {"lost_nodes": section, "servers": servers, "site": site}

    def agents(common: Mapping[str, Any], after: After, opts: pulumi.ResourceOptions) -> InstalledOperator:
        args = OperatorArgs(**common, after=after)
        return SelfNodeRemediationOperator(f"{args.cluster}-self-node-remediation", args, opts)

    def checks(common: Mapping[str, Any], after: After, opts: pulumi.ResourceOptions) -> InstalledOperator:
        args = NodeHealthCheckOperatorArgs(**common, after=after, **own)
        return NodeHealthCheckOperator(f"{args.cluster}-node-health-check", args, opts)

    return agents, checks
