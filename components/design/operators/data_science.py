"""Red Hat OpenShift AI: what of it is switched on, and the sizes of workbenches.

Sources: red-hat-data-services/rhods-operator, branch rhoai-3.4: api/datasciencecluster/v2, api/dscinitialization/v2
(the kinds, their components); cmd/main.go (without DISABLE_DSC_CONFIG the operator makes a DSCInitialization itself,
and its webhook refuses a second one); internal/controller/components/kueue (Unmanaged makes a ClusterQueue of all GPUs
of all nodes, and a LocalQueue of it in every namespace whose jobs wait), trustyai (waits for InferenceServices);
api/infrastructure/v1, internal/webhook/hardwareprofile (what a profile does to a workbench).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from podwright.components.design import hardware
from podwright.components.design.operators.model import Operator
from podwright.components.design.platform.names import (
    APPLICATIONS,
    POOL_LABEL,
    WHOLE_GPU,
    Manifest,
    mig_resource,
    share,
    tolerations,
)
from podwright.components.model import DataScience, Pool, Server, Team
from podwright.components.model.workbenches import SYSTEM_GIB, WHOLE, Size, admits, sizes

INITIAL, NAME = "default-dsci", "default-dsc"
"""Names of the two objects, as the operator and every page of its documentation have them; the cluster has one each."""
_COMPONENTS = {"workbenches": "workbenches", "pipelines": "aipipelines", "model-registry": "modelregistry",
               "mlflow": "mlflowoperator", "kserve": "kserve", "trainer": "trainer"}  # fmt: skip
"""Components of a stack file by their key in the operator's API."""
_OFF = (
    "kueue", "ray", "trustyai", "trainingoperator", "feastoperator", "llamastackoperator",
    "sparkoperator",
)  # fmt: skip
"""Components that no stack file switches on."""
_REMOVED = {"managementState": "Removed"}
_KSERVE = {"rawDeploymentServiceConfig": "Headed", "nim": _REMOVED, "modelsAsService": _REMOVED, "wva": _REMOVED}
"""Fields of KServe beside its state. Its Services have an address of their own, as every other one of a team; what
asks NVIDIA's catalogue for models, brings a gateway or scales by itself is off by name (api/components/v1alpha1/
kserve_types.go)."""
_OWN = {"config": {"env": [{"name": "DISABLE_DSC_CONFIG", "value": "true"}]}}
"""Field of the subscription: the operator makes no DSCInitialization, so that this program's is the one."""
_PROCESSORS, _MEMORY_GIB = 2, 8
"""What a workbench without GPUs asks for unless its user changes it."""
_PART = 4
"""And at most so large a part of a server."""


@dataclass(frozen=True)
class WorkbenchPool:
    """A pool that workbenches run on, and its servers."""

    name: str
    pool: Pool
    servers: Mapping[str, Server]


def subscribed(operator: Operator) -> Operator:
    """The operator, told to make nothing by itself."""
    subscription = operator.subscription
    return replace(operator, subscription={**subscription, "spec": {**subscription["spec"], **_OWN}})


def stages(section: DataScience, pools: Sequence[WorkbenchPool], teams: Mapping[str, Team]) -> list[list[Manifest]]:
    """What the operator starts with, then its components, then sizes of workbenches."""
    return [[initialization()], [components(section)], list(profiles(section, pools, teams))]


def initialization() -> Manifest:
    """Where everything is. Its monitoring is off: it sends usage to Red Hat, and needs two more operators."""
    return {
        "apiVersion": "dscinitialization.opendatahub.io/v2",
        "kind": "DSCInitialization",
        "metadata": {"name": INITIAL, "annotations": {"pulumi.com/waitFor": "jsonpath={.status.phase}=Ready"}},
        "spec": {
            "applicationsNamespace": APPLICATIONS,
            "monitoring": {"managementState": "Removed"},
            # The site's own authorities, where the cluster has some, are the workbenches' too.
            "trustedCABundle": {"managementState": "Managed", "customCABundle": ""},
        },
    }


def components(section: DataScience) -> Manifest:
    """Every component by name, on or off. Ready once all that are on have their controllers."""
    on = {"dashboard", *(_COMPONENTS[each] for each in section.components)}
    states: dict[str, Manifest] = {
        key: {"managementState": "Managed" if key in on else "Removed"}
        for key in ("dashboard", *_COMPONENTS.values(), *_OFF)
    }
    if "kserve" in on:
        states["kserve"] |= _KSERVE
    return {
        "apiVersion": "datasciencecluster.opendatahub.io/v2",
        "kind": "DataScienceCluster",
        "metadata": {"name": NAME, "annotations": {"pulumi.com/waitFor": "condition=Ready"}},
        "spec": {"components": states},
    }


def profiles(section: DataScience, pools: Sequence[WorkbenchPool], teams: Mapping[str, Team]) -> Iterator[Manifest]:
    """Sizes of workbenches, of each pool in turn: those that a quota of `teams` has room for."""
    if "workbenches" not in section.components:
        return
    for each in pools:
        servers = list(each.servers.values())
        for size in sizes(each.pool, [hardware.mig_parts(server, each.pool) for server in servers]):
            if any(admits(teams[team], size) for team in section.teams):
                yield _profile(each, size, servers)


def _profile(where: WorkbenchPool, size: Size, servers: Sequence[Server]) -> Manifest:
    offering = [server for server in servers if _offers(server, where.pool, size)]
    cpus = min(_part(hardware.cores(server), server, where.pool, size) for server in offering)
    memory = min(
        _part(hardware.memory_gib(server) - where.pool.hugepages_gib - SYSTEM_GIB, server, where.pool, size)
        for server in offering
    )
    asked = (cpus, memory) if size.unit else (min(_PROCESSORS, cpus), min(_MEMORY_GIB, memory))
    node = {"nodeSelector": {POOL_LABEL: where.name}, "tolerations": tolerations(where.name)}
    return {
        "apiVersion": "infrastructure.opendatahub.io/v1",
        "kind": "HardwareProfile",
        "metadata": {
            "name": f"{where.name}-{size.name}",
            "namespace": APPLICATIONS,
            "annotations": {
                "opendatahub.io/display-name": f"{where.name}: {_words(size)}",
                "opendatahub.io/description": f"{_words(size)}, on servers of pool {where.name}",
                "opendatahub.io/dashboard-feature-visibility": '["workbench"]',
                "opendatahub.io/disabled": "false",
            },
        },
        "spec": {
            "identifiers": [
                _identifier("CPU", "cpu", "CPU", 1, asked[0], cpus),
                _identifier("Memory", "memory", "Memory", "1Gi", f"{asked[1]}Gi", f"{memory}Gi"),
                *_accelerator(size),
            ],
            "scheduling": {"type": "Node", "node": node},
        },
    }


def _identifier(kind: str, resource: str, words: str, least: object, asked: object, most: object) -> dict[str, Any]:
    return {
        "displayName": words, "identifier": resource, "resourceType": kind, "minCount": least, "defaultCount": asked,
        "maxCount": most,
    }  # fmt: skip


def _accelerator(size: Size) -> Iterator[dict[str, Any]]:
    """Exactly so many: another number is another size."""
    if size.unit:
        unit = WHOLE_GPU if size.unit == WHOLE else mig_resource(size.unit)
        resource = share(unit) if size.shared else unit
        yield _identifier("Accelerator", resource, _words(size), size.count, size.count, size.count)


def _words(size: Size) -> str:
    if not size.unit:
        return "no GPU"
    if size.shared:
        return "a share of a GPU" if size.unit == WHOLE else f"a share of a slice {size.unit}"
    return f"{size.count} GPU{'s' * (size.count > 1)}" if size.unit == WHOLE else f"a slice {size.unit} of a GPU"


def _offers(server: Server, pool: Pool, size: Size) -> bool:
    offered = hardware.mig_parts(server, pool)
    return not size.unit or (offered.whole if size.unit == WHOLE else offered.slices.get(size.unit, 0)) >= size.count


def _part(total: int, server: Server, pool: Pool, size: Size) -> int:
    """Of a server's cores or GiB those that belong to what a size takes of its GPUs; one at least.

    A core counts as one processor, though it runs two threads: the other half is the system's and its daemons'.
    """
    gpus, product = hardware.gpu_count(server), hardware.gpu(server)
    if not size.unit or not gpus or product is None:
        return max(1, total // _PART)
    shares = pool.sharing.replicas if pool.sharing is not None else 1
    if size.unit == WHOLE:
        return max(1, total * size.count // (gpus * shares))
    return max(1, total * product.mig[size.unit].compute // (gpus * product.compute_slices * shares))
