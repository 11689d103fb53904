"""A second version of a service: a Route keeps its share, clients call it as the first, and there are GPUs for it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from podwright.components.model.canary import SUFFIX, Canary, share
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import engines, mounts, sizing, workloads
from podwright.components.model.coherence.beside import alone
from podwright.components.model.coherence.workloads import InferenceOn
from podwright.components.model.problems import Problem
from podwright.components.model.workloads import called, second

_POINTS: Final = 1.0
"""Requests of a hundred by which a share may differ from what is written."""
_BY: Final = {
    "leastconn": "counts open connections: a version that answers faster gets more, and idle ones take turns",
    "random": "takes the less busy of two replicas that it draws",
    "source": "goes by clients' addresses, of which one may send most requests",
}
_KEEPS: Final = "write balance: roundrobin in `route` while there is a canary"


def _second(given: InferenceOn) -> Iterator[Problem]:
    """What is wrong with the second version and not with the first."""
    other = second("service", given.job)
    if other is None:
        return
    checks = (*workloads.INFERENCE, *sizing.INFERENCE, *mounts.INFERENCE, *engines.INFERENCE)
    for check in checks:
        known = list(check(given))
        for problem in check(replace(given, job=other[1])):
            if problem not in known:
                yield problem.moved(lambda loc: ("canary", *loc) if loc[0] in Canary.model_fields else ("canary",))


def _new(given: InferenceOn) -> Iterator[Problem]:
    """Something is new in it, and clients do not notice."""
    job, new = given.job, given.job.canary
    if new is None:
        return
    parts = ("image", "model", "sizing")
    if all(getattr(new, key) in (None, getattr(job, key)) for key in parts):
        message = "it is the first version again: neither image nor model nor sizing is another one"
        yield Problem(("canary",), message, "write the new one's, or leave `canary` out", at_key=True)
    if job.served_name is None and new.model is not None:
        # Of a path both are called as the service is.
        now, then = (called("service", each) for each in (job, job.model_copy(update={"model": new.model})))
        if now != then:
            message = f"clients call the model {job.model}, and another name once this version is the only one"
            yield Problem(("canary", "model"), message, f"write served_name: {job.model} beside `canary`")


def _share(given: InferenceOn) -> Iterator[Problem]:
    """Requests are shared as it is written."""
    job, new = given.job, given.job.canary
    if new is None:
        return
    if job.gateway is not None:
        return  # Said where the gateway is looked at.
    if job.route is None:
        message = "requests are shared by a Route, and this service has none"
        yield Problem(("canary",), message, "add `route: {balance: roundrobin}` beside it", at_key=True)
        return
    balance, percent = job.route.balance, new.percent
    if balance == "cookie":
        message = "by its cookie a client stays at the version of its first request, whatever the share is"
        yield Problem(("canary", "percent"), message, _KEEPS)
    elif 0 < percent < 100 and balance in _BY:
        yield Problem(
            ("canary", "percent"), f"{percent} of 100 requests are not kept: {balance} {_BY[balance]}", _KEEPS
        )
    elif first := next((n for n in range(job.replicas, job.most + 1) if not _kept(percent, n, new.replicas)), None):
        message = f"{first} and {new.replicas} replicas get {share(percent, first, new.replicas):.1f} of "
        message += f"100 requests, for {percent}: the router's weights are whole numbers of at most 256"
        # As many as the first version has always do.
        counts = sorted(range(1, max(first, new.replicas) + 1), key=lambda each: abs(each - new.replicas))
        nearest = next(each for each in counts if _kept(percent, first, each))
        yield Problem(("canary", "percent"), message, f"write replicas: {nearest}, or another share")


def _kept(percent: int, first: int, new: int) -> bool:
    return abs(share(percent, first, new) - percent) <= _POINTS


def _names(cluster: Cluster) -> Iterator[Problem]:
    """Its objects have names to themselves."""
    for name, service in cluster.workloads.inference.items():
        if service.canary is not None:
            yield from alone(cluster, name + SUFFIX, service.team, ("workloads", "inference", name, "canary"))


def _watch(given: InferenceOn) -> Iterator[Problem]:
    """What it is watched for can show within the watch."""
    new = given.job.canary
    if new is None or new.watch is None:
        return
    watch, seconds = new.watch, 60 * new.watch.minutes
    if watch.unready_seconds >= seconds:
        message = f"a replica that is not ready for {watch.unready_seconds} seconds shows in no watch of {seconds}"
        yield Problem(("canary", "watch", "unready_seconds"), message, f"write less than {seconds}, or more minutes")


INFERENCE = (_second, _new, _share, _watch)
CLUSTER = (_names,)
