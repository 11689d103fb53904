"""Teams on the cluster: a namespace each, and what is inside it but workloads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from podwright.components.contract import After, Component
from podwright.components.design.platform import team
from podwright.components.manifests import Objects
from podwright.components.model import Team as TeamSection
from podwright.components.model.coherence import team_problems


@dataclass(frozen=True)
class TeamArgs:
    """One team."""

    cluster: str
    """Name of the cluster; it is stamped on every resource."""
    team: str
    """Name of the team and of its namespace."""
    section: TeamSection
    """The team."""
    trains: bool = False
    """It runs training: its pods may use rails."""
    serves: bool = False
    """It runs inference."""
    in_queue: bool = False
    """Its jobs on the pool of `openshift.queues` wait in a queue."""
    devices: Sequence[str] = ()
    """Extended resources that pools of the cluster offer of their GPUs, such as nvidia.com/mig-1g.18gb or
    nvidia.com/gpu.shared: the quota counts each of them, and of what `section` has no number of it admits none. One
    that is not listed is counted where `section` has it, and is without a limit else."""
    project: bool = False
    """It is a project of data scientists: `openshift.data_science.teams` has it."""
    pipelines: bool = False
    """As a project it may have servers of pipelines: `openshift.data_science.components` has pipelines. Their operator
    reaches its pods then, as it looks for a server's database and object store before it makes one."""
    reached_by: Sequence[str] = ()
    """Teams whose pods reach its own: those that have it in `reaches`."""
    clear: Mapping[str, Sequence[int]] | None = None
    """Its pods are in the service mesh, and these ports of them are reached by those who are not, by the name in their
    labels: {chat: [8000]}. None: its pods are not in it."""
    protect: bool = False
    """Deletion protection of the namespace."""
    after: After = ()
    """`ready` of what must stand first: the cluster."""


class Team(Component):
    """A namespace with quota, closed network, accounts and the right to lock memory where the team trains."""

    TOKEN = "podwright:index:Team"
    PROVIDERS = ("kubernetes",)

    namespace: pulumi.Output[str]
    """The namespace."""
    accounts: pulumi.Output[list[str]]
    """Service accounts that its pods run as."""
    ready: pulumi.Output[str]
    """The team's name, once its namespace is as it should be."""

    def __init__(self, name: str, args: TeamArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, args.cluster, {"gpus": args.section.gpus}, opts, team_problems(args.team))
        plan = team(
            args.team,
            args.section,
            trains=args.trains,
            serves=args.serves,
            in_queue=args.in_queue,
            devices=args.devices,
            reached_by=args.reached_by,
            project=args.project,
            pipelines=args.pipelines,
            clear=args.clear,
        )
        objects = Objects(self, args.after)
        home = objects.add(plan.namespace, protect=args.protect)
        within = objects.following([home])
        inside, opened = ([within.add(each) for each in some] for some in (plan.inside, plan.opened))
        closed = [objects.following([home, *opened]).add(each) for each in plan.closed]
        inside += [*opened, *closed]
        self.finish(
            namespace=args.team,
            accounts=[each["metadata"]["name"] for each in plan.inside if each["kind"] == "ServiceAccount"],
            ready=self.join("ready", inside).ready,
        )
