"""Queues of training jobs: cert-manager, and the Red Hat build of Kueue with a queue for each team."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi

from podwright.components.contract import After, ArgsError
from podwright.components.design.operators import QueuedPool, certificates, queues
from podwright.components.model import Pool, Queues, Server, as_pooled
from podwright.components.model.coherence import shares_problems
from podwright.components.model.problems import Problem
from podwright.components.operators import InstalledOperator, Made, OperatorArgs


class CertManagerOperator(InstalledOperator):
    """The cert-manager operator, from whose certificates Kueue's webhooks have theirs."""

    TOKEN = "podwright:index:CertManagerOperator"

    def __init__(self, name: str, args: OperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, args, opts)
        self.install(args, certificates(args.section))


@dataclass(frozen=True)
class KueueOperatorArgs(OperatorArgs):
    """Kueue, the pool whose jobs wait, and whose they are."""

    queues: Queues | None = None
    """The queues, needed: `openshift.queues`."""
    pool: Pool | None = None
    """The pool that they are for, needed."""
    servers: Mapping[str, Server] = field(default_factory=dict)
    """The pool's servers by the name of their node."""
    shares: Mapping[str, int] = field(default_factory=dict)
    """GPUs of each team's queue; the teams' namespaces must exist."""
    giving_way: Sequence[str] = ()
    """Teams with jobs of priority `batch`, which their other jobs stop."""


class KueueOperator(InstalledOperator):
    """The Red Hat build of Kueue, the places of a pool's servers, and a queue of the pool for each team."""

    TOKEN = "podwright:index:KueueOperator"

    def __init__(self, name: str, args: KueueOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        given = {"queues": args.queues, "pool": args.pool}
        if missing := [Problem((key,), "is missing", "hand it over") for key, value in given.items() if value is None]:
            raise ArgsError("KueueOperator", name, missing)
        assert args.queues and args.pool
        if problems := shares_problems(args.queues, args.pool, args.servers, args.shares):
            raise ArgsError("KueueOperator", name, problems)
        super().__init__(name, args, opts)
        place = QueuedPool(args.queues.pool, args.pool, as_pooled(args.pool, args.servers))
        self.install(args, queues(args.section, args.queues, place, args.shares, args.giving_way))


def waiting(
    section: Queues | None,
    pools: Mapping[str, Pool],
    servers: Mapping[str, Server],
    shares: Mapping[str, int],
    teams: Mapping[str, pulumi.Input[str]],
    giving_way: Sequence[str] = (),
) -> Sequence[Made]:
    """What makes the operators of queues; none where no job waits. `servers` are by the name of their node, `shares`
    GPUs by team, `teams` are `ready` of each namespace, `giving_way` those with jobs that their others stop."""
    if section is None:
        return ()
    members = {node: server for node, server in servers.items() if server.pool == section.pool}
    own: dict[str, Any] = {"queues": section, "pool": pools[section.pool], "servers": members, "shares": shares}
    own["giving_way"] = giving_way
    spaces = [teams[name] for name in shares]

    def certified(common: Mapping[str, Any], after: After, opts: pulumi.ResourceOptions) -> InstalledOperator:
        args = OperatorArgs(**common, after=after)
        return CertManagerOperator(f"{args.cluster}-cert-manager", args, opts)

    def queueing(common: Mapping[str, Any], after: After, opts: pulumi.ResourceOptions) -> InstalledOperator:
        args = KueueOperatorArgs(**common, after=[*after, *spaces], **own)
        return KueueOperator(f"{args.cluster}-kueue", args, opts)

    return (*((certified,) if section.cert_manager else ()), queueing)
