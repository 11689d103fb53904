"""A store at which members of a training job meet: of any use to the job, and apart from its members."""

from collections.abc import Iterator
from typing import Final

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.beside import alone
from podwright.components.model.coherence.references import reference
from podwright.components.model.coherence.workloads import TrainingOn
from podwright.components.model.launchers import TORCH, launch
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Problem, below
from podwright.components.model.rendezvous import MEETING
from podwright.components.model.workloads import Training

_KEY: Final = "rendezvous_store"
_OWN: Final = ("standalone", "rdzv-backend", "rdzv-endpoint", "rdzv-id", "rdzv-conf")
"""Options by which a command says where its members meet, or by what name."""
_PURPOSES: Final = ("inference", "cpu")


def _used(given: TrainingOn) -> Iterator[Problem]:
    """Launchers come to it, and come back to it when a member has gone."""
    job = given.job
    if job.rendezvous_store is None:
        return
    found = launch(job.command)
    if job.kind != "job":
        message = f"all members of a {job.kind} are made again when one goes: nobody is left to meet the new one"
        yield Problem((_KEY,), message, "write kind: job, or remove rendezvous_store")
    if job.nodes == 1:
        yield Problem((_KEY,), "the job has one member, which meets nobody", "remove it")
    if job.rendezvous == "own":
        message = "where members meet stands in the command, whose rendezvous is its own"
        yield Problem((_KEY,), message, "remove rendezvous, or rendezvous_store")
    elif found is not None and found.launcher != TORCH:
        message = f"members that are started by `{found.launcher}` meet at member 0"
        hint = "write torchrun, or python -m torch.distributed.run, as the first words of the command"
        yield Problem((_KEY,), message, f"{hint}, or remove rendezvous_store")
    elif found is not None and (own := [each for each in _OWN if each in found.options]):
        message = f"members meet where --{own[0]} of the command says, and not at this store"
        yield Problem((_KEY,), message, f"remove --{own[0]} from the command: where members meet is added")
    if not job.starts_again:
        message = "a launcher that never starts its processes again ends when one of them has failed, with a store too"
        yield Problem((_KEY,), message, "write checkpoints, or restarts: 20")


def apart(job: Training, pool: Pool) -> Iterator[Problem]:
    """Whether the pool of a job's store is one that no member runs on."""
    if job.rendezvous_store is not None and pool.purpose not in _PURPOSES:
        name = job.rendezvous_store.pool
        message = f"pool {name} is for {pool.purpose}"
        if pool.purpose == "training":
            message += ": a server of it may have a member, and would take the store along with that one"
        yield Problem((_KEY, "pool"), message, "take a pool of purpose inference or cpu")


def store_problems(job: Training, pool: Pool | None) -> list[Problem]:
    """One job by itself, and the pool of its store that it was handed."""
    if job.rendezvous_store is None:
        return []
    if pool is None:
        hint = "hand over that pool, or remove section.rendezvous_store"
        return [Problem(("store_pool",), f"the store runs on pool {job.rendezvous_store.pool}", hint)]
    return list(below(("section",), list(apart(job, pool))))


def _pools(cluster: Cluster) -> Iterator[Problem]:
    for name, job in cluster.workloads.training.items():
        if job.rendezvous_store is None:
            continue
        loc, pool = ("workloads", "training", name), job.rendezvous_store.pool
        if pool not in cluster.pools:
            fit = [each for each, other in cluster.pools.items() if other.purpose in _PURPOSES]
            yield from reference((*loc, _KEY, "pool"), pool, fit, "pool", "pools")
        else:
            yield from below(loc, list(apart(job, cluster.pools[pool])))
            if not any(server.pool == pool for server in cluster.servers.values()):
                hint = "take one with servers, or give it some"
                yield Problem((*loc, _KEY, "pool"), f"pool {pool} has no servers", hint)


def _names(cluster: Cluster) -> Iterator[Problem]:
    """Its objects have names to themselves."""
    for name, job in cluster.workloads.training.items():
        if job.rendezvous_store is not None:
            yield from alone(cluster, name + MEETING, job.team, ("workloads", "training", name, _KEY))


TRAINING = (_used,)
CLUSTER = (_pools, _names)
