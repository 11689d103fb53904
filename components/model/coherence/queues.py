"""Queues of training jobs: the pools they are for, their GPUs against the pools', and each job against its queue.

What Kueue never admits waits for ever without an error of any pod, so it is refused here.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import elastic, platform, sliced
from podwright.components.model.coherence.apart import two_members
from podwright.components.model.coherence.compute import refused_gpu
from podwright.components.model.coherence.platform import members
from podwright.components.model.coherence.references import reference
from podwright.components.model.compute import Server
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem, below, counted
from podwright.components.model.queued import (
    Shares,
    beside,
    lent,
    lent_by_others,
    most,
    nominal,
    queued,
    unserved,
    waits,
)
from podwright.components.model.queues import Queues
from podwright.components.model.tenants import Tenants, joined
from podwright.components.model.workloads import Training

_LOC: Loc = ("openshift", "queues")
_EVERYBODYS: Final = "default"
"""LocalQueue of what names none (kubernetes-sigs/kueue v0.19.2, pkg/controller/constants: DefaultLocalQueueName)."""


def _batch(cluster: Cluster) -> Iterator[Problem]:
    """Kueue stops a job whole. The scheduler would push single members out, and the others hold their servers."""
    queues = queued(cluster)
    for name, job in cluster.workloads.training.items():
        if job.priority == "batch" and not waits(cluster, job.pool):
            message = f"jobs on pool {job.pool} wait in no queue, and without one nothing stops a job whole"
            hint = f"write openshift.queues: {{pool: {job.pool}}}"
            if queues is not None and (others := _for_training(cluster, queues)):
                hint = f"take pool {' or '.join(others)}"
            yield Problem(("workloads", "training", name, "priority"), message, f"{hint}, or remove priority")


def _for_training(cluster: Cluster, queues: Queues) -> list[str]:
    """Pools with queues that a job may run on."""
    named = dict.fromkeys(queues.names)
    return [name for name in named if name in cluster.pools and cluster.pools[name].purpose == "training"]


def queue_problems(job: Training, queue: str | None) -> list[Problem]:
    """One job by itself, and the LocalQueue that it was handed."""
    found = [*elastic.unqueued(job, queue)]
    if job.priority == "batch" and queue is None:
        hint = "hand over the name of its LocalQueue, or remove section.priority"
        found.append(Problem(("queue",), "a job of priority batch is stopped whole by its queue alone", hint))
    return found


def _queues(cluster: Cluster) -> Iterator[Problem]:
    queues = queued(cluster)
    if queues is None:
        return
    wrong = [*_named(queues), *_references(cluster, queues), *_of_others(queues), *sliced.of_others(queues)]
    yield from wrong
    yield from _without_effect(queues)
    for name in queues.names:
        found = list(_pool(queues, name, cluster.pools[name])) if name in cluster.pools else []
        yield from below(_LOC, found)
        wrong += found
    every = [members(cluster.servers, name) for name in queues.names]
    if wrong or any(map(_unknown, every)):
        return
    yield from sliced.problems(cluster, queues)
    yield from _divided(cluster, queues)
    shares = nominal(cluster)
    yield from _lending(queues, shares, joined(cluster))
    for name, servers in zip(queues.names, every, strict=True):
        yield from _sum(cluster, queues, name, platform.whole(cluster.pools[name], servers))
    for name, job in cluster.workloads.training.items():
        if job.pool in queues.names and job.team in cluster.teams:
            loc = ("workloads", "training", name)
            yield from _job(loc, job, queues, beside(cluster, shares, job.team, job.pool))
            yield from two_members(loc, job, cluster.pools[job.pool], members(cluster.servers, job.pool))


def _named(queues: Queues) -> Iterator[Problem]:
    """Which pools have queues is defined once."""
    if queues.pool is not None and queues.pools:
        message = f"`pool` names {queues.pool}, and `pools` names {', '.join(queues.pools)}"
        yield Problem(("openshift", "queues", "pool"), message, "take one of the two away")
    elif not queues.names:
        yield Problem(_LOC, "no pool has queues", "write pool: training, or pools: [training, tuning]", at_key=True)
    for number, name in enumerate(queues.pools):
        if name in queues.pools[:number]:
            yield Problem((*_LOC, "pools", number), f"pool {name} is named twice", "remove one of the two")


def _place(queues: Queues, pool: str) -> Loc:
    """Where a queued pool is named, below `queues`."""
    return ("queues", "pools", queues.pools.index(pool)) if pool in queues.pools else ("queues", "pool")


def _references(cluster: Cluster, queues: Queues) -> Iterator[Problem]:
    for name in dict.fromkeys(queues.names):
        yield from reference(("openshift", *_place(queues, name)), name, cluster.pools, "pool", "pools")
    for team in queues.teams:
        loc = (*_LOC, "teams", team)
        for problem in reference(loc, team, cluster.teams, "team", "openshift.teams"):
            yield Problem(loc, problem.message, problem.hint, at_key=True)


def _of_others(queues: Queues) -> Iterator[Problem]:
    """A team has GPUs of pools with queues alone."""
    for team, own in queues.teams.items():
        for pool in own.nominal:
            if pool not in queues.names:
                at: Loc = (*_LOC, "teams", team, "nominal", pool)
                hint = f"take one of openshift.queues: {', '.join(dict.fromkeys(queues.names))}"
                yield Problem(at, f"jobs on pool {pool} wait in no queue", hint, at_key=True)


def _pool(queues: Queues, name: str, pool: Pool) -> Iterator[Problem]:
    loc = _place(queues, name)[1:]
    if name == _EVERYBODYS:
        message = (
            f"Kueue puts every job that names no queue into the one of its namespace that is called {name}: one on a "
        )
        message += "pool without queues would wait for ever"
        yield Problem(loc, message, "give the pool another name")
    if pool.purpose != "training":
        message = f"pool {name} is for {pool.purpose}, and queues are of training jobs"
        yield Problem(loc, message, "take a pool of purpose training")
    elif pool.sharing is not None:
        message = f"pool {name} has `sharing`, and queues count whole GPUs and slices"
        yield Problem(loc, message, "take a pool without `sharing`")
    else:
        yield from sliced.unnamed(queues, name, pool, loc)


def shares_problems(
    queues: Queues, pools: Mapping[str, Pool], servers: Mapping[str, Server], shares: Shares
) -> list[Problem]:
    """Contradictions of queues by themselves: the pools they are for, and what all of them have of each."""
    alone = (
        *_named(queues),
        *_of_others(queues),
        *sliced.of_others(queues),
        *_without_effect(queues),
        *_lending(queues, shares, None),
    )
    found = [problem.moved(lambda loc: loc[1:]) for problem in alone]
    for name in dict.fromkeys(queues.names):
        found += reference(_place(queues, name), name, pools, "pool", "pools")
        found += below(("queues",), _pool(queues, name, pools[name]) if name in pools else ())
    every = {name: members(servers, name) for name in queues.names}
    if found or any(map(_unknown, every.values())):
        return found
    for name, own in every.items():
        found += (each.moved(lambda loc: loc[1:]) for each in sliced.sums(queues, name, pools[name], own))
        have, total = platform.whole(pools[name], own), sum(each.get(name, 0) for each in shares.values())
        if total > have:
            found.append(Problem(("shares",), f"{total} GPUs in all, pool {name} has {have}", "hand over less"))
    return found


def _unknown(servers: Mapping[str, Server]) -> bool:
    """Whether what servers have is refused by itself."""
    return any(refused_gpu(each) or each.model not in SERVERS for each in servers.values())


def _divided(cluster: Cluster, queues: Queues) -> Iterator[Problem]:
    """Which GPUs of a team are of which pool, and no more of them than its namespace takes."""
    for name, room in unserved(cluster).items():
        own = queues.teams[name].nominal if name in queues.teams else {}
        if not own and len(queues.names) > 1 and room > 0:
            few = f"{{{name}: {{nominal: {{{queues.names[0]}: {room}}}}}}}"
            message = f"several pools have queues, and of which of them the {room} GPUs of team {name} are is not given"
            yield Problem(("openshift", "teams", name, "gpus"), message, f"write openshift.queues.teams: {few}")
            continue
        if (total := sum(own.values())) > room:
            message = f"queues of {total} GPUs, and the namespace of team {name} has {room} for them"
            taken = cluster.teams[name].gpus - room
            why = f" ({taken} of its {cluster.teams[name].gpus} are for services and jobs in no queue)" if taken else ""
            hint = f"raise openshift.teams.{name}.gpus to {total + taken}, or write less here"
            yield Problem((*_LOC, "teams", name, "nominal"), message + why, hint)


def _without_effect(queues: Queues) -> Iterator[Problem]:
    """Keys that do nothing without another one."""
    if queues.fair_sharing and not queues.borrow:
        message = "no team borrows from another, and what nobody borrows is not shared out"
        yield Problem((*_LOC, "fair_sharing"), message, "write `borrow: true` beside it, or remove fair_sharing")
    for team, own in queues.teams.items():
        loc: Loc = (*_LOC, "teams", team)
        if own.weight is not None and not queues.fair_sharing:
            message = "nothing is shared out by weights"
            yield Problem((*loc, "weight"), message, "write `fair_sharing: true` in openshift.queues, or remove weight")
        for key, limits in (("borrow", own.borrow), ("lend", own.lend)):
            if limits and not queues.borrow:
                hint = f"write `borrow: true` in openshift.queues, or remove {key}"
                yield Problem((*loc, key), "no team borrows from another", hint)


def _lending(queues: Queues, shares: Shares, tenants: Tenants | None) -> Iterator[Problem]:
    """What teams lend is their own, and what they may borrow is lent."""
    for team, own in queues.teams.items() if queues.borrow else ():
        for key, limits in (("borrow", own.borrow), ("lend", own.lend)):
            for pool, count in limits.items():
                others = shares if tenants is None else tenants.beside(team, pool, shares)
                yield from _limit((*_LOC, "teams", team, key, pool), queues, others, count)


def _limit(loc: Loc, queues: Queues, shares: Shares, count: int) -> Iterator[Problem]:
    """One limit, at `openshift.queues.teams.<team>.<borrow or lend>.<pool>`."""
    team, key, pool = str(loc[3]), loc[4], str(loc[5])
    if pool not in shares.get(team, {}):
        message = f"the queue of team {team} has nothing of pool {pool}"
        have = ", ".join(shares.get(team, {}))
        hint = f"write a pool of which it has GPUs ({have})" if have else f"give it GPUs of pool {pool}"
        yield Problem(loc, message, f"{hint}, or remove it", at_key=True)
    elif key == "lend" and count > shares[team][pool]:
        message = f"{count} GPUs lent, and {shares[team][pool]} of pool {pool} are its own"
        yield Problem(loc, message, f"write at most {shares[team][pool]}, or remove it: all of them are lent then")
    elif key == "borrow" and count > (there := lent_by_others(queues, shares, team, pool)):
        each = " + ".join(f"{name} {lent(queues, shares, name, pool)}" for name in shares if name != team)
        message = f"up to {count} GPUs borrowed, and others lend {there} of pool {pool} at most ({each or 'no team'})"
        yield Problem(loc, message, f"write at most {there}, or remove it")


def _sum(cluster: Cluster, queues: Queues, pool: str, have: int) -> Iterator[Problem]:
    """What all queues have in all is there: a team whose own GPUs others hold could wait for ever."""
    shares = {name: own[pool] for name, own in nominal(cluster).items() if pool in own}
    total = sum(shares.values())
    if total <= have:
        return
    name = max(shares, key=lambda each: shares[each])
    summed = " + ".join(f"{each} {count}" for each, count in shares.items())
    message = f"queues of {total} GPUs ({summed}) on pool {pool}, which has {have}"
    given = name in queues.teams and pool in queues.teams[name].nominal
    loc: Loc = (*_LOC, "teams", name, "nominal", pool) if given else ("openshift", "teams", name, "gpus")
    rest = have - total + shares[name]
    more = 0 if given else cluster.teams[name].gpus - shares[name]
    less = f"write at most {rest + more} here" if rest > 0 else "give teams fewer"
    lend = "" if queues.borrow else "; with openshift.queues.borrow a team still takes what others leave idle"
    yield Problem(loc, message, f"{less}{lend}")


def _job(loc: Loc, job: Training, queues: Queues, shares: Shares) -> Iterator[Problem]:
    """A job is admitted with all of its members, or as many as it starts with at least, out of what its team's queue
    may have at most."""
    asks, have = job.least * job.gpus, most(queues, shares, job.team, job.pool)
    if asks <= have:
        return
    if job.pool not in shares.get(job.team, {}) and (queues.borrow or len(queues.names) > 1):
        yield _nothing_of(loc, job, queues, shares)
        return
    servers = f"{asks} GPUs asked, on {counted(job.least, 'server')}"
    own, every = shares.get(job.team, {}).get(job.pool, 0), sum(each.get(job.pool, 0) for each in shares.values())
    if queues.borrow and have < every:
        message = f"{servers}, team {job.team} may have {have}: {own} of its own, and {have - own} that others lend it"
    elif queues.borrow:
        message = f"{servers}, all queues of pool {job.pool} have {have}"
    else:
        message = f"{servers}, the queue of team {job.team} has {have}"
    fits = have // job.gpus
    less = f"write {job.least_key}: {fits} at most, or " if fits else ""
    given = job.team in queues.teams and job.pool in queues.teams[job.team].nominal
    key = f"queues.teams.{job.team}.nominal.{job.pool}" if given else f"teams.{job.team}.gpus"
    lend = "" if queues.borrow or every < asks else ", or `borrow: true` in openshift.queues"
    yield Problem((*loc, job.least_key), message, f"{less}raise openshift.{key} by {asks - have}{lend}")


def _nothing_of(loc: Loc, job: Training, queues: Queues, shares: Shares) -> Problem:
    """A team borrows by a queue of its own alone, which may have a quota of nothing."""
    queue = {**shares.get(job.team, {}), job.pool: 0}
    asks, borrowed = job.least * job.gpus, most(queues, {**shares, job.team: queue}, job.team, job.pool)
    rest = max(0, asks - borrowed)
    hint = f"write openshift.queues.teams.{job.team}.nominal: {{{job.pool}: {rest}}}"
    if len(queues.names) > 1:
        message = f"the queue of team {job.team} has nothing of pool {job.pool}, and the job would wait for ever"
        return Problem((*loc, "pool"), message, f"{hint}, or take another pool")
    message = f"team {job.team} has no queue of pool {job.pool}, by which it would borrow"
    if rest:
        hint = (
            f"raise openshift.teams.{job.team}.gpus by {rest}: others lend it {borrowed} of the {asks} that are asked"
        )
    return Problem((*loc, "pool"), message, hint)


CLUSTER = (_queues, _batch)
