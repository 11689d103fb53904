"""The pool of OpenShift's own pods: what it is for, and nodes enough for those that share none."""

from collections.abc import Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.platform import members
from podwright.components.model.coherence.references import reference
from podwright.components.model.problems import Loc, Problem, counted

APART = 2
"""Nodes that Prometheus and Alertmanager need, two pods each that share none (openshift/cluster-monitoring-operator,
assets/prometheus-k8s/prometheus.yaml: required anti-affinity by host name)."""


def _pool(cluster: Cluster) -> Iterator[Problem]:
    section = cluster.openshift.infrastructure if cluster.openshift else None
    if section is None:
        return
    loc: Loc = ("openshift", "infrastructure")
    yield from reference((*loc, "pool"), section.pool, cluster.pools, "pool", "pools")
    pool = cluster.pools.get(section.pool)
    if pool is None:
        return
    count = len(members(cluster.servers, section.pool))
    if pool.purpose != "infrastructure":
        message = f"pool {section.pool} is for {pool.purpose}, and OpenShift's own pods want nodes to themselves"
        yield Problem((*loc, "pool"), message, "take a pool of purpose infrastructure")
    elif count < APART:
        servers = f"{count or 'no'} server{'s' * (count != 1)}"
        message = f"pool {section.pool} has {servers}; two routers, two Prometheus and two Alertmanagers share no node"
        yield Problem((*loc, "pool"), message, f"give it {APART} servers or more; Red Hat recommends three")
    elif section.routers > count:
        servers = counted(count, "server")
        message = f"pool {section.pool} has {servers}, and no node has two routers: each takes its host's ports"
        yield Problem((*loc, "routers"), message, f"write at most {count}")
    elif pool.max_unavailable >= count:
        message = f"pool {section.pool} has {counted(count, 'server')}: every router could be away at once"
        yield Problem(("pools", section.pool, "max_unavailable"), message, f"write at most {count - 1}")


CLUSTER = (_pool,)
