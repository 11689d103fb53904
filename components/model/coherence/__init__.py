"""What could never work although every field is well formed: checks by section and across them, all reported at once.

That something would work but is unwise is a policy, which can be waived, and no matter of this package.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial, wraps
from typing import TypeVar

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import (
    admission,
    alerts,
    canary,
    certificates,
    cluster_networks,
    compute,
    data_science,
    engines,
    fault_domains,
    firmware,
    gpu_driver,
    host_network,
    huge_pages,
    images,
    infrastructure,
    kserve,
    launching,
    lost_nodes,
    management,
    mirror,
    mounts,
    needed,
    numa,
    operators,
    organizations,
    placement,
    places,
    platform,
    queues,
    rails,
    renamed,
    routes,
    saving,
    scaling,
    settings,
    sharing,
    sizing,
    storage,
    teams,
    tenants,
    together,
    waivers,
    workloads,
)
from podwright.components.model.coherence.data_science import tools_problems
from podwright.components.model.coherence.firmware import (
    controller_firmware_problems,
    firmware_problems,
    own_firmware_problems,
)
from podwright.components.model.coherence.gpu_driver import driver_problems
from podwright.components.model.coherence.handover import (
    beside_problems,
    measured_problems,
    members_problems,
    products_problems,
    rails_problems,
    role_problems,
    run_problems,
    servers_problems,
    team_problems,
)
from podwright.components.model.coherence.host_network import bonds_problems, storage_bonds_problems
from podwright.components.model.coherence.lost_nodes import agents_problems, watched_problems
from podwright.components.model.coherence.management import management_problems
from podwright.components.model.coherence.organizations import organization_problems
from podwright.components.model.coherence.places import is_place
from podwright.components.model.coherence.platform import Installation, NodePool, members
from podwright.components.model.coherence.queues import queue_problems, shares_problems
from podwright.components.model.coherence.sections import (
    FABRIC,
    domain_problems,
    fabric_problems,
    inference_problems,
    openshift_problems,
    operators_problems,
    pool_problems,
    server_problems,
    storage_problems,
    training_problems,
)
from podwright.components.model.coherence.settings import settings_problems, threads_problems
from podwright.components.model.coherence.tenants import tenants_problems
from podwright.components.model.coherence.workloads import InferenceOn, StorageFor, TrainingOn
from podwright.components.model.compute import Domain, Server
from podwright.components.model.network import FabricArgs
from podwright.components.model.pooled import as_pooled
from podwright.components.model.problems import Loc, Malformed, Problem, below

__all__ = [
    "CHECKS",
    "agents_problems",
    "beside_problems",
    "bonds_problems",
    "check",
    "controller_firmware_problems",
    "domain_problems",
    "driver_problems",
    "fabric_problems",
    "firmware_problems",
    "inference_problems",
    "is_place",
    "management_problems",
    "measured_problems",
    "members_problems",
    "openshift_problems",
    "operators_problems",
    "organization_problems",
    "own_firmware_problems",
    "pool_problems",
    "products_problems",
    "queue_problems",
    "rails_problems",
    "role_problems",
    "run_problems",
    "server_problems",
    "servers_problems",
    "settings_problems",
    "shares_problems",
    "storage_bonds_problems",
    "storage_problems",
    "team_problems",
    "tenants_problems",
    "threads_problems",
    "tools_problems",
    "training_problems",
    "watched_problems",
]

Check = Callable[[Cluster], Iterator[Problem]]
_Given = TypeVar("_Given")
Parts = Callable[[Cluster], Iterable[tuple[Loc, _Given]]]
"""Every section of one kind in a file, by its path."""


def _each(parts: "Parts[_Given]", check: Callable[[_Given], Iterator[Problem]]) -> Check:
    """A check of one kind of section as a check of the file, which has the servers that stand beside it once."""

    @wraps(check)
    def whole(cluster: Cluster) -> Iterator[Problem]:
        for loc, given in parts(cluster):
            for problem in check(given):
                yield problem if problem.loc[:1] == ("servers",) else problem.moved(partial(_below, loc))

    return whole


def _below(loc: Loc, inner: Loc) -> Loc:
    return (*loc, *inner)


def _fabric(check: Callable[[FabricArgs], Iterator[Problem]]) -> Check:
    """A check of the fabric as one of the file: hosts that are servers stand under `servers` there."""

    @wraps(check)
    def whole(cluster: Cluster) -> Iterator[Problem]:
        def place(loc: Loc) -> Loc:
            return ("servers", *loc[1:]) if loc[0] == "hosts" and loc[1] in cluster.servers else loc

        return (problem.moved(place) for problem in check(cluster.network))

    return whole


def _installation(cluster: Cluster) -> Iterator[tuple[Loc, Installation]]:
    if cluster.openshift is not None:
        yield (), Installation(cluster.openshift, cluster.servers, cluster.site)


def _pools(cluster: Cluster) -> Iterator[tuple[Loc, NodePool]]:
    for name, pool in cluster.pools.items():
        yield ("pools", name), NodePool(name, pool, members(cluster.servers, name))


def _training(cluster: Cluster) -> Iterator[tuple[Loc, TrainingOn]]:
    for name, job in cluster.workloads.training.items():
        if job.pool in cluster.pools:
            pool, spans = cluster.pools[job.pool], cluster.fabric.attachments == "fabric"
            on = TrainingOn(job, pool, as_pooled(pool, members(cluster.servers, job.pool)), spans)
            yield ("workloads", "training", name), on


def _inference(cluster: Cluster) -> Iterator[tuple[Loc, InferenceOn]]:
    for name, job in cluster.workloads.inference.items():
        if job.pool in cluster.pools:
            on = InferenceOn(job, cluster.pools[job.pool], members(cluster.servers, job.pool))
            yield ("workloads", "inference", name), on


def _storage(cluster: Cluster) -> Iterator[tuple[Loc, StorageFor]]:
    if cluster.openshift is not None:
        yield ("storage",), StorageFor(cluster.storage, cluster.teams)


@wraps(operators.release)
def _release(cluster: Cluster) -> Iterator[Problem]:
    if cluster.operators is not None:
        version = cluster.openshift.version if cluster.openshift else None
        yield from below(("operators",), operators.release(cluster.operators, version))


def _of_servers(cluster: Cluster) -> Iterator[tuple[Loc, Server]]:
    yield from ((("servers", name), server) for name, server in cluster.servers.items())


def _of_domains(cluster: Cluster) -> Iterator[tuple[Loc, Domain]]:
    yield from ((("domains", name), domain) for name, domain in cluster.domains.items())


_OF_A_SERVICE = (
    *workloads.INFERENCE, *sharing.INFERENCE, *sizing.INFERENCE, *mounts.INFERENCE, *engines.INFERENCE,
    *scaling.INFERENCE, *canary.INFERENCE, *kserve.INFERENCE,
)  # fmt: skip
CHECKS: tuple[Check, ...] = (
    *(_fabric(each) for each in FABRIC),
    *(_each(_of_servers, each) for each in (*compute.SERVER, *places.SERVER)),
    *(_each(_of_domains, each) for each in compute.DOMAIN),
    *(
        _each(_installation, each)
        for each in (
            *fault_domains.OPENSHIFT,
            *platform.OPENSHIFT,
            *cluster_networks.OPENSHIFT,
            *teams.OPENSHIFT,
            *alerts.OPENSHIFT,
            *images.OPENSHIFT,
        )
    ),
    *(_each(_pools, each) for each in (*platform.POOL, *sharing.POOL, *gpu_driver.POOL, *admission.POOL)),
    _release,
    *(_each(_storage, each) for each in workloads.STORAGE),
    *(
        _each(_training, each)
        for each in (
            *workloads.TRAINING,
            *rails.TRAINING,
            *launching.TRAINING,
            *sharing.TRAINING,
            *mounts.TRAINING,
            *saving.TRAINING,
        )
    ),
    *(_each(_inference, each) for each in _OF_A_SERVICE),
    *canary.CLUSTER,
    *storage.CLUSTER,
    *together.CLUSTER,
    *huge_pages.CLUSTER,
    *mounts.CLUSTER,
    *saving.CLUSTER,
    *placement.CLUSTER,
    *numa.CLUSTER,
    *renamed.CLUSTER,
    *needed.CLUSTER,
    *firmware.CLUSTER,
    *settings.CLUSTER,
    *management.CLUSTER,
    *organizations.CLUSTER,
    *places.CLUSTER,
    *certificates.CLUSTER,
    *mirror.CLUSTER,
    *images.CLUSTER,
    *engines.CLUSTER,
    *gpu_driver.CLUSTER,
    *sharing.CLUSTER,
    *host_network.CLUSTER,
    *infrastructure.CLUSTER,
    *routes.CLUSTER,
    *queues.CLUSTER,
    *tenants.CLUSTER,
    *lost_nodes.CLUSTER,
    *data_science.CLUSTER,
    *kserve.CLUSTER,
    *waivers.CLUSTER,
)
"""Every check of a file. Each is total: it passes over what another one refuses."""


def check(cluster: Cluster) -> list[Problem]:
    """Every contradiction of a cluster; empty when it can be built.

    Of a stand-in for a malformed one (`wellformed.readable`) those of whatever is well formed.
    """
    found: list[Problem] = []
    for one in CHECKS:
        with suppress(Malformed):
            for problem in one(cluster):
                found.append(problem)
    return found
