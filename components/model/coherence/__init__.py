"""What could never work although every field is well formed: checks by section and across them, all reported at once.

That something would work but is unwise is a policy, which can be waived, and no matter of this package.
"""

from contextlib import suppress

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import (
    admission,
    alerts,
    beside,
    canary,
    certificates,
    cluster_networks,
    compute,
    data_science,
    elastic,
    engines,
    fault_domains,
    firmware,
    gateway,
    gpu_driver,
    host_network,
    huge_pages,
    images,
    infrastructure,
    keys,
    kserve,
    kueue_fields,
    launching,
    lost_nodes,
    management,
    mirror,
    mounts,
    needed,
    numa,
    organizations,
    parts,
    placement,
    places,
    platform,
    queues,
    rails,
    renamed,
    rendezvous_store,
    routes,
    saving,
    scaling,
    secret_variables,
    service_mesh,
    settings,
    sharing,
    sizing,
    spreading,
    storage,
    teams,
    tenants,
    together,
    train_jobs,
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
from podwright.components.model.coherence.queues import queue_problems, shares_problems
from podwright.components.model.coherence.rendezvous_store import store_problems
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
from podwright.components.model.problems import Malformed, Problem

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
    "store_problems",
    "team_problems",
    "tenants_problems",
    "threads_problems",
    "tools_problems",
    "training_problems",
    "watched_problems",
]

_OF_A_SERVICE = (
    *workloads.INFERENCE, *sharing.INFERENCE, *sizing.INFERENCE, *mounts.INFERENCE, *engines.INFERENCE,
    *scaling.INFERENCE, *canary.INFERENCE, *kserve.INFERENCE, *gateway.INFERENCE,
    *secret_variables.INFERENCE, *spreading.INFERENCE,
)  # fmt: skip
CHECKS: tuple[parts.Check, ...] = (
    *(parts.fabric(each) for each in FABRIC),
    *(parts.each(parts.servers, each) for each in (*compute.SERVER, *places.SERVER)),
    *(parts.each(parts.domains, each) for each in compute.DOMAIN),
    *(
        parts.each(parts.installation, each)
        for each in (
            *fault_domains.OPENSHIFT,
            *platform.OPENSHIFT,
            *cluster_networks.OPENSHIFT,
            *teams.OPENSHIFT,
            *alerts.OPENSHIFT,
            *images.OPENSHIFT,
        )
    ),
    *(parts.each(parts.pools, each) for each in (*platform.POOL, *sharing.POOL, *gpu_driver.POOL, *admission.POOL)),
    parts.release,
    *(parts.each(parts.storage, each) for each in workloads.STORAGE),
    *(
        parts.each(parts.training, each)
        for each in (
            *workloads.TRAINING,
            *rails.TRAINING,
            *launching.TRAINING,
            *elastic.TRAINING,
            *rendezvous_store.TRAINING,
            *sharing.TRAINING,
            *mounts.TRAINING,
            *saving.TRAINING,
            *secret_variables.TRAINING,
        )
    ),
    *(parts.each(parts.inference, each) for each in _OF_A_SERVICE),
    *beside.CLUSTER,
    *canary.CLUSTER,
    *gateway.CLUSTER,
    *keys.CLUSTER,
    *storage.CLUSTER,
    *together.CLUSTER,
    *huge_pages.CLUSTER,
    *mounts.CLUSTER,
    *saving.CLUSTER,
    *secret_variables.CLUSTER,
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
    *kueue_fields.CLUSTER,
    *tenants.CLUSTER,
    *lost_nodes.CLUSTER,
    *service_mesh.CLUSTER,
    *data_science.CLUSTER,
    *kserve.CLUSTER,
    *train_jobs.CLUSTER,
    *elastic.CLUSTER,
    *rendezvous_store.CLUSTER,
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
