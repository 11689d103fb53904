"""Queues of training jobs: cert-manager, JobSet, and the Red Hat build of Kueue with a queue for each team."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pulumi

from podwright.components.contract import After, ArgsError
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.operators import QueuedPool, certificates, certified, job_sets_operator, places, queues
from podwright.components.design.platform.names import Manifest
from podwright.components.manifests import stack_mark
from podwright.components.model import Pool, Queues, Server, Tenants, as_pooled
from podwright.components.model.coherence import shares_problems, tenants_problems
from podwright.components.model.problems import Problem
from podwright.components.model.queued import Sets
from podwright.components.operators import InstalledOperator, Made, OperatorArgs
from podwright.components.providers.openshift.resources import QueueInUse


class CertManagerOperator(InstalledOperator):
    """The cert-manager operator, from which webhooks of Kueue and of JobSet have their certificates."""

    TOKEN = "podwright:index:CertManagerOperator"

    def __init__(self, name: str, args: OperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, args, opts)
        self.install(args, certificates(args.section))


class JobSetOperator(InstalledOperator):
    """Red Hat's JobSet Operator: the kind JobSet, of which all members are made again when one is gone."""

    TOKEN = "podwright:index:JobSetOperator"

    def __init__(self, name: str, args: OperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, args, opts)
        self.install(args, job_sets_operator(args.section))


@dataclass(frozen=True)
class KueueOperatorArgs(OperatorArgs):
    """Kueue, the pools whose jobs wait, and whose they are."""

    queues: Queues | None = None
    """The queues, needed: `openshift.queues`."""
    pools: Mapping[str, Pool] = field(default_factory=dict)
    """The pools that they are for, by name."""
    servers: Mapping[str, Server] = field(default_factory=dict)
    """Servers of these pools by the name of their node."""
    shares: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """GPUs of each team's queue, by team and pool; the teams' namespaces must exist."""
    giving_way: Sequence[str] = ()
    """Teams with jobs of priority `batch`, which their other jobs stop."""
    sets: Mapping[str, str] = field(default_factory=dict)
    """Teams with a job of kind jobset or trainjob that waits, and the pool of one of these; JobSet's operator must
    stand. With any of them Kueue looks after JobSets too, and queues are written once its webhooks do."""
    train_jobs: bool = False
    """Some of them are of kind trainjob: Kueue looks after these too, and Kubeflow Trainer must stand."""
    tenants: Tenants | None = None
    """Whose pods may use the rails of which of the servers. None: any team's those of all."""
    teams: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    """`ready` of each team, by its name: before one of them goes, jobs of others that run from its queue are named."""


class KueueOperator(InstalledOperator):
    """The Red Hat build of Kueue, the places of the pools' servers, and a queue for each team."""

    TOKEN = "podwright:index:KueueOperator"

    def __init__(self, name: str, args: KueueOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        if args.queues is None:
            raise ArgsError("KueueOperator", name, [Problem(("queues",), "is missing", "hand it over")])
        problems = shares_problems(args.queues, args.pools, args.servers, args.shares)
        if args.tenants is not None and not problems:
            problems = [*tenants_problems(args.tenants, args.pools, args.servers, args.shares)]
        if problems:
            raise ArgsError("KueueOperator", name, problems)
        super().__init__(name, args, opts)
        found = [each for name in args.queues.names for each in _places(args, name)]
        sets = Sets(args.sets, train_jobs=args.train_jobs)
        planned = queues(args.section, args.queues, found, args.shares, args.giving_way, sets, args.tenants)
        self.install(replace(args, after=[*args.after, *args.teams.values()]), planned)

    def deleted_first(
        self, args: OperatorArgs, settings: Sequence[Manifest], made: Sequence[pulumi.Resource]
    ) -> Sequence[pulumi.Resource]:
        """What looks at the jobs of each queue before it goes."""
        assert isinstance(args, KueueOperatorArgs)
        return [
            QueueInUse(
                self.child(f"{team}-in-use"),
                {"schema": SCHEMA, "queue": team, "stack": stack_mark()},
                args.kubeconfig,
                # Behind the queues themselves and not behind what they stand behind: of what stays when a team goes,
                # the engine follows no order.
                opts=self.options(
                    [args.teams[team]] if team in args.teams else (),
                    [one for each, one in zip(settings, made, strict=True) if _is_queue_of(each, team)],
                ),
            )
            for team in args.shares
        ]


def _is_queue_of(manifest: Manifest, team: str) -> bool:
    """One that jobs of the team's namespace name."""
    return bool(manifest["kind"] == "LocalQueue" and manifest["metadata"]["namespace"] == team)


def _places(args: KueueOperatorArgs, name: str) -> Sequence[QueuedPool]:
    own = {node: server for node, server in args.servers.items() if server.pool == name}
    return places(name, args.pools[name], as_pooled(args.pools[name], own), args.tenants)


def waiting(  # noqa: PLR0913, PLR0917 - what an operator of queues is given, each handed over by the cluster
    section: Queues | None,
    pools: Mapping[str, Pool],
    servers: Mapping[str, Server],
    shares: Mapping[str, Mapping[str, int]],
    teams: Mapping[str, pulumi.Input[str]],
    giving_way: Sequence[str] = (),
    sets: Sets | None = None,
    tenants: Tenants | None = None,
) -> Sequence[Made]:
    """What makes the operators of queues and of JobSets; none where no job waits and none is a set. `servers` are by
    the name of their node, `shares` GPUs by team and pool, `teams` are `ready` of each namespace, `giving_way` those
    with jobs that others stop, `sets` JobSets that wait; None: JobSet is not installed. `tenants` say whose pods may
    use which servers' rails. Kueue comes last."""

    def with_certificates(common: Mapping[str, Any], after: After, opts: pulumi.ResourceOptions) -> InstalledOperator:
        args = OperatorArgs(**common, after=after)
        return CertManagerOperator(f"{args.cluster}-cert-manager", args, opts)

    def with_sets(common: Mapping[str, Any], after: After, opts: pulumi.ResourceOptions) -> InstalledOperator:
        args = OperatorArgs(**common, after=after)
        return JobSetOperator(f"{args.cluster}-job-set", args, opts)

    def queueing(common: Mapping[str, Any], after: After, opts: pulumi.ResourceOptions) -> InstalledOperator:
        assert section is not None
        args = KueueOperatorArgs(
            **common,
            queues=section,
            pools={name: pools[name] for name in section.names},
            servers={node: server for node, server in servers.items() if server.pool in section.names},
            shares=shares,
            giving_way=giving_way,
            sets=sets.places if sets else {},
            train_jobs=sets is not None and sets.train_jobs,
            tenants=tenants,
            teams={name: teams[name] for name in shares},
            after=after,
        )
        return KueueOperator(f"{args.cluster}-kueue", args, opts)

    some = sets is not None
    # Kueue looks for the kind JobSet when it starts.
    chosen = ((certified(section, sets=some), with_certificates), (some, with_sets), (section is not None, queueing))
    return tuple(made for asked, made in chosen if asked)


def around(queues: Sequence[Made], tools: Sequence[Made], sets: Sets | None) -> Sequence[Made]:
    """Both in the order in which they wait for each other: tools of data scientists last, but where TrainJobs wait they
    bring Kubeflow Trainer, whose kind Kueue, the last of `queues`, looks for when it starts."""
    last = len(queues) - 1 if sets is not None and sets.train_jobs else len(queues)
    return (*queues[:last], *tools, *queues[last:])
