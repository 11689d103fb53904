"""Coherence by section: what a component checks of its own arguments, by the functions the whole file is checked by.

A problem's `loc` is relative to what is given: a path in the section itself (`rails` of a pool, `nodes` of a job), or
`hosts`, `servers`, `openshift`, `site` and a path in what was given beside it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from podwright.components.model.coherence import (
    addresses,
    admission,
    alerts,
    attached,
    baseline,
    breakout,
    cables,
    canary,
    chassis,
    cluster_networks,
    compute,
    elastic,
    engines,
    fabric,
    fault_domains,
    gateway,
    gpu_driver,
    host_network,
    images,
    inventory,
    kserve,
    launching,
    lossless,
    mounts,
    pairs,
    places,
    platform,
    power,
    rails,
    raw_lines,
    references,
    renamed,
    rendezvous_store,
    saving,
    scaling,
    secret_variables,
    sharing,
    sizing,
    spreading,
    survive,
    teams,
    tenancy,
    workloads,
)
from podwright.components.model.coherence.operators import release
from podwright.components.model.coherence.platform import Installation, NodePool, members
from podwright.components.model.coherence.workloads import InferenceOn, StorageFor, TrainingOn
from podwright.components.model.compute import Domain, Server
from podwright.components.model.handover import Attachments
from podwright.components.model.network import FabricArgs
from podwright.components.model.operators import Operators
from podwright.components.model.pair import Pair
from podwright.components.model.platform import OpenShift, Pool
from podwright.components.model.pooled import as_pooled
from podwright.components.model.problems import Problem
from podwright.components.model.site import Site
from podwright.components.model.storage import Storage
from podwright.components.model.workloads import Inference, Training

_Given = TypeVar("_Given")

FABRIC: tuple[Callable[[FabricArgs], Iterator[Problem]], ...] = (
    *references.FABRIC,
    *inventory.FABRIC,
    *renamed.FABRIC,
    *fabric.FABRIC,
    *lossless.FABRIC,
    *tenancy.FABRIC,
    *baseline.FABRIC,
    *addresses.FABRIC,
    *pairs.FABRIC,
    *attached.FABRIC,
    *host_network.FABRIC,
    *breakout.FABRIC,
    *raw_lines.FABRIC,
    *cables.FABRIC,
    *power.FABRIC,
    *chassis.FABRIC,
    *survive.FABRIC,
)
"""What a fabric is checked for, alone or in a file."""
_FABRIC_ALONE = (*inventory.FABRIC_ALONE, *addresses.FABRIC_ALONE)


def _problems(checks: Iterable[Callable[[_Given], Iterator[Problem]]], given: _Given) -> list[Problem]:
    return [problem for check in checks for problem in check(given)]


def fabric_problems(args: FabricArgs) -> list[Problem]:
    """Contradictions of all switches, what is cabled to them and the racks they stand in."""
    return _problems((*FABRIC, *_FABRIC_ALONE), args)


def domain_problems(name: str, domain: Domain, frontend: Pair | None) -> list[Problem]:
    """Contradictions of one Fabric Interconnect pair and the frontend it hangs on."""
    cables = attached.uplinks_of(name, domain, frontend) if frontend is not None else ()
    return [*_problems(compute.DOMAIN, domain), *cables]


def server_problems(name: str, server: Server) -> list[Problem]:  # noqa: ARG001 - one signature for all components
    """Contradictions of one server: its model, GPUs, how it is reached, whether it has rails."""
    return _problems((*compute.SERVER, *places.SERVER), server)


def openshift_problems(cluster: str, openshift: OpenShift, servers: Mapping[str, Server], site: Site) -> list[Problem]:  # noqa: ARG001
    """Contradictions of one installation: addresses, the control plane's spread, namespaces."""
    checks = (
        *fault_domains.OPENSHIFT,
        *platform.OPENSHIFT,
        *cluster_networks.OPENSHIFT,
        *teams.OPENSHIFT,
        *alerts.OPENSHIFT,
        *images.OPENSHIFT,
    )
    alone = (*platform.OPENSHIFT_ALONE, *cluster_networks.OPENSHIFT_ALONE)
    return _problems((*checks, *alone), Installation(openshift, servers, site))


def pool_problems(name: str, pool: Pool, servers: Mapping[str, Server]) -> list[Problem]:
    """Contradictions of one node pool and its servers; servers of other pools may be given too."""
    checks = (*platform.POOL, *sharing.POOL, *gpu_driver.POOL, *admission.POOL)
    return _problems(checks, NodePool(name, pool, members(servers, name)))


def operators_problems(operators: Operators, version: str | None) -> list[Problem]:
    """Contradictions of the operator stack; `version` is OpenShift's, None where it is not known."""
    return list(release(operators, version))


def storage_problems(storage: Storage, namespaces: Collection[str]) -> list[Problem]:
    """Contradictions of classes and volumes; `namespaces` are the teams there are."""
    return _problems(workloads.STORAGE, StorageFor(storage, namespaces))


def training_problems(
    name: str,  # noqa: ARG001
    job: Training,
    pool: Pool,
    servers: Mapping[str, Server],
    attachments: Attachments = "group",
) -> list[Problem]:
    """Contradictions of one training job and the pool it runs on; servers of other pools may be given too."""
    offered = as_pooled(pool, members(servers, job.pool))
    checks = (
        *workloads.TRAINING, *rails.TRAINING, *launching.TRAINING, *elastic.TRAINING, *sharing.TRAINING,
        *mounts.TRAINING, *saving.TRAINING, *rendezvous_store.TRAINING, *secret_variables.TRAINING,
    )  # fmt: skip
    return _problems(checks, TrainingOn(job, pool, offered, attachments == "fabric"))


def inference_problems(name: str, service: Inference, pool: Pool, servers: Mapping[str, Server]) -> list[Problem]:
    """Contradictions of one inference service and the pool it runs on; servers of other pools may be given too."""
    checks = (
        *workloads.INFERENCE, *sharing.INFERENCE, *sizing.INFERENCE, *mounts.INFERENCE, *engines.INFERENCE,
        *scaling.INFERENCE, *canary.INFERENCE, *kserve.INFERENCE, *gateway.INFERENCE,
        *secret_variables.INFERENCE, *spreading.INFERENCE, *workloads.INFERENCE_ALONE,
    )  # fmt: skip
    given = InferenceOn(service, pool, members(servers, service.pool))
    return [*_problems(checks, given), *kserve.name_problems(name, service)]
