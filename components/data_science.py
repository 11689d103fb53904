"""Data scientists' tools: Red Hat OpenShift AI, its components, and sizes of workbenches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi

from podwright.components.contract import After, ArgsError
from podwright.components.design.operators import WorkbenchPool, data_scientists
from podwright.components.model import DataScience, OpenShift, Pool, Server, Team
from podwright.components.model.coherence import tools_problems
from podwright.components.model.problems import Problem
from podwright.components.operators import InstalledOperator, Made, OperatorArgs


@dataclass(frozen=True)
class DataScienceOperatorArgs(OperatorArgs):
    """What of Red Hat OpenShift AI is switched on, for whom, and where workbenches run."""

    data_science: DataScience | None = None
    """What is switched on, needed: `openshift.data_science`."""
    pools: Mapping[str, Pool] = field(default_factory=dict)
    """Pools that workbenches run on, by name."""
    servers: Mapping[str, Server] = field(default_factory=dict)
    """Servers of these pools by the name of their node."""
    teams: Mapping[str, Team] = field(default_factory=dict)
    """Teams that are projects, by name: their quotas decide which sizes there are."""


class DataScienceOperator(InstalledOperator):
    """Red Hat OpenShift AI: dashboard, the components that are named, and sizes of workbenches by pool."""

    TOKEN = "podwright:index:DataScienceOperator"

    def __init__(self, name: str, args: DataScienceOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        section = args.data_science
        if section is None:
            raise ArgsError("DataScienceOperator", name, [Problem(("data_science",), "is missing", "hand it over")])
        if problems := tools_problems(section, args.pools, args.servers, args.teams, args.section):
            raise ArgsError("DataScienceOperator", name, problems)
        super().__init__(name, args, opts)
        places = [
            WorkbenchPool(each, args.pools[each], {n: s for n, s in args.servers.items() if s.pool == each})
            for each in section.pools
        ]
        self.install(args, data_scientists(args.section, section, places, args.teams))


def tools(openshift: OpenShift | None, pools: Mapping[str, Pool], servers: Mapping[str, Server]) -> Sequence[Made]:
    """What makes the operator of data scientists' tools; nothing where the cluster has none."""
    section = openshift.data_science if openshift else None
    if openshift is None or section is None:
        return ()
    own: dict[str, Any] = {
        "data_science": section,
        "pools": {name: pools[name] for name in section.pools},
        "servers": {node: server for node, server in servers.items() if server.pool in section.pools},
        "teams": {name: openshift.teams[name] for name in section.teams},
    }

    def made(common: Mapping[str, Any], after: After, opts: pulumi.ResourceOptions) -> InstalledOperator:
        args = DataScienceOperatorArgs(**common, after=after, **own)
        return DataScienceOperator(f"{args.cluster}-data-science", args, opts)

    return (made,)
