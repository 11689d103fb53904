"""Sections that belong together: a file holds only those it uses, and each of those with what it stands on."""

from collections.abc import Iterator

from podwright.components.model import describe
from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.problems import Loc, Problem


def _needs(loc: Loc, missing: str, why: str, instead: str = "delete this section") -> Problem:
    """A section that stands on one which is not there: what to add, by the keys it must have."""
    section = describe.shape(describe.hints(Cluster)[missing])
    keys = ", ".join(describe.required(section.kind)) if describe.is_model(section) else ""
    hint = f"add `{missing}:`{f' with {keys}' if keys else ''}, or {instead}"
    return Problem(loc, f"{why}, and `{missing}` is missing", hint, at_key=True, cause=(missing,))


def _installed(cluster: Cluster) -> Iterator[Problem]:
    """What runs on a cluster stands on an installation."""
    if cluster.openshift is not None:
        return
    used: dict[str, object] = {
        "pools": cluster.pools,
        "operators": cluster.operators,
        "acceptance": cluster.acceptance,
        "workloads": cluster.workloads.training or cluster.workloads.inference,
        "storage": cluster.storage.classes or cluster.storage.volumes,
    }
    for name, section in used.items():
        if section:
            yield _needs((name,), "openshift", f"`{name}` stands on an installation")


def _operated(cluster: Cluster) -> Iterator[Problem]:
    """GPUs and rails reach pods by the operators."""
    if cluster.operators is not None or cluster.openshift is None:
        return
    if cluster.workloads.training or cluster.workloads.inference:
        yield _needs(("workloads",), "operators", "pods get GPUs and rails from the operators")
    if cluster.openshift.queues is not None:
        yield _needs(("openshift", "queues"), "operators", "Kueue is one of the operators")
    if cluster.openshift.lost_nodes is not None:
        yield _needs(("openshift", "lost_nodes"), "operators", "what gives nodes up is two of the operators")
    if cluster.openshift.data_science is not None:
        yield _needs(("openshift", "data_science"), "operators", "Red Hat OpenShift AI is one of the operators")
    if cluster.openshift.service_mesh is not None:
        yield _needs(("openshift", "service_mesh"), "operators", "Service Mesh is one of the operators")
    if cluster.acceptance is not None and cluster.acceptance.enabled:
        yield _needs(("acceptance",), "operators", "the check runs in pods on rails")


def _managed(cluster: Cluster) -> Iterator[Problem]:
    """A server is configured through Intersight or its management controller, a domain through Intersight."""
    for name, server in cluster.servers.items():
        model = SERVERS.get(server.model)
        instead = "take this server out"
        if cluster.intersight is None and model is not None and model.manager == "intersight":
            yield _needs(("servers", name), "intersight", f"{model.name} is managed through Intersight", instead)
        if cluster.bmc is None and server.bmc is not None:
            why = "this server is reached through its management controller"
            yield _needs(("servers", name), "bmc", why, instead)
    for name in cluster.domains if cluster.intersight is None else ():
        yield _needs(("domains", name), "intersight", "Fabric Interconnects are managed through Intersight")


CLUSTER = (_installed, _operated, _managed)
