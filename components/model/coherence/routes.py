"""Names of Routes: one service each, and none that belongs to the cluster itself."""

from collections.abc import Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.routes import apps_domain

OWN = (
    "console-openshift-console",
    "downloads-openshift-console",
    "oauth-openshift",
    "canary-openshift-ingress-canary",
    "alertmanager-main-openshift-monitoring",
    "prometheus-k8s-openshift-monitoring",
    "prometheus-k8s-federate-openshift-monitoring",
    "thanos-querier-openshift-monitoring",
)
"""Routes of OpenShift's own, as `oc get routes -A` lists them on a new cluster: older than any other of their name, so
that the router refuses the younger one."""


def _hosts(cluster: Cluster) -> Iterator[Problem]:
    """Two Routes of one name: the router serves the older one, and refuses the other."""
    taken: dict[str, str] = {}
    if cluster.openshift is not None:
        domain = apps_domain(cluster.name, cluster.openshift.domain)
        base = domain.removeprefix("apps.")
        taken = {f"{each}.{domain}": "OpenShift itself" for each in OWN}
        taken |= {f"{each}.{base}": "the API server" for each in ("api", "api-int")}
    for name, service in cluster.workloads.inference.items():
        for key, way in (("route", service.route), ("gateway", service.gateway)):
            if way is None:
                continue
            loc: Loc = ("workloads", "inference", name, key, "host")
            if way.host in taken:
                message = f"{way.host} is the name of {taken[way.host]} already"
                yield Problem(loc, message, "write a `host` that nobody has")
            # With both, one of them goes: that is said elsewhere.
            taken.setdefault(way.host, f"service {name}")
            break


def uncertified(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Service and name of each Route for which neither the router's certificate nor the apps record is enough: a
    wildcard stands for one label (RFC 9525, 6.3)."""
    domain = apps_domain(cluster.name, cluster.openshift.domain) if cluster.openshift else None
    for name, service in cluster.workloads.inference.items():
        if service.route is not None and service.route.host.partition(".")[2] != domain:
            yield name, service.route.host


CLUSTER = (_hosts,)
