"""Operators, derived: NFD, then maintenance, NVIDIA network, SR-IOV, then GPU; each pinned, approved, configured,
awaited.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from podwright.components.design.operators import (
    cert_manager,
    data_science,
    gpu,
    gpu_driver,
    job_sets,
    keda,
    kueue,
    lost_nodes,
    network,
    nic_driver,
    nic_settings,
    node_addresses,
    readiness,
)
from podwright.components.design.operators.data_science import WorkbenchPool
from podwright.components.design.operators.keys import client_keys
from podwright.components.design.operators.kueue import QueuedPool, places
from podwright.components.design.operators.mesh import service_mesh
from podwright.components.design.operators.model import Operator
from podwright.components.design.operators.subscribed import certified, packages
from podwright.components.design.operators.subscription import operator
from podwright.components.design.platform.names import Manifest, every_node
from podwright.components.model import (
    DataScience,
    Lossless,
    LostNodes,
    MigGpus,
    Operators,
    Queues,
    RailNetworks,
    RailPool,
    Team,
    Tenants,
)
from podwright.components.model.catalogue import RELEASE_SETS, ReleaseSet
from podwright.components.model.queued import Sets

__all__ = [
    "LASTING",
    "Operator",
    "QueuedPool",
    "WorkbenchPool",
    "autoscaling",
    "certificates",
    "certified",
    "client_keys",
    "concerns_rails",
    "data_scientists",
    "driver_rollout",
    "feature_discovery",
    "gpu_boots",
    "gpus",
    "health_checks",
    "host_networks",
    "job_sets_operator",
    "maintenance",
    "nic_driver_rollout",
    "nics",
    "of_namespace",
    "packages",
    "places",
    "queues",
    "readiness",
    "remediation",
    "service_mesh",
    "sriov",
]

LASTING = ("NVIDIADriver",)
"""Kinds that are not deleted unless a person lifts their protection: with one go the drivers of nodes that work."""
_WHITELIST = "\n".join(f'        - "{number}"' for number in ("0200", "0207", "0300", "0302"))
_PCI = f"sources:\n  pci:\n    deviceClassWhitelist:\n{_WHITELIST}\n    deviceLabelFields:\n      - vendor\n"
"""PCI classes that become node labels: Ethernet and InfiniBand controllers, display and 3D controllers."""


def feature_discovery(operators: Operators, *, admission: bool = False) -> Operator:
    """Node Feature Discovery, which every other operator selects its nodes by."""
    release = RELEASE_SETS[operators.release]
    return operator(operators, release.nfd, [[_discovery(operators, release, admission=admission)]])


def sriov(
    operators: Operators,
    pools: Iterable[RailPool],
    networks: RailNetworks,
    namespaces: Iterable[str],
    tenants: Tenants | None = None,
    shared: str | None = None,
) -> Operator:
    """The SR-IOV operator: one RDMA device per rail on every node of `pools`, reached from `namespaces`: from those of
    a tenant's teams its own alone. `shared`: why teams without one share them."""
    release = RELEASE_SETS[operators.release]
    made = network.sriov(release, pools, networks, namespaces, tenants, shared)
    return operator(operators, release.sriov, _first_alone(made))


def maintenance(operators: Operators, pools: Iterable[RailPool]) -> Operator:
    """NVIDIA's Maintenance Operator: lets the network operator restart nodes of `pools` within their budget."""
    release = RELEASE_SETS[operators.release]
    return operator(operators, release.maintenance, [nic_settings.maintenance(release, pools)])


def nics(
    operators: Operators,
    pools: Iterable[RailPool],
    lossless: Lossless,
    networks: RailNetworks | None = None,
    *,
    admission: bool = False,
) -> Operator:
    """The NVIDIA network operator: the NICs' driver, what puts the rails of `pools` into the lossless class, and where
    host ports of `networks` route, the addresses that pods have on each node.

    Drivers of pools come before the cluster's policy, which calls every node that no pool's policy selects driven;
    templates and CIDRPools after it: it brings their kinds.
    """
    release, pools = RELEASE_SETS[operators.release], tuple(pools)
    drivers = nic_driver.policies(operators, release, pools, admission=admission)
    routed = networks if networks is not None and networks.routed else None
    policy = network.nic_cluster_policy(operators, release, routed=routed is not None, admission=admission)
    addresses = node_addresses.pools(release, pools, routed) if routed is not None else ()
    templates = nic_settings.templates(release, pools, lossless)
    return operator(operators, release.network, [drivers, [policy], [*addresses, *templates]])


def gpus(
    operators: Operators,
    products: Iterable[str],
    *,
    rdma: bool,
    rolled: bool = False,
    sharing: bool = False,
    mig_gpus: Iterable[Sequence[MigGpus]] = (),
    pools: Iterable[RailPool] = (),
) -> Operator:
    """The GPU operator for these products, `sharing` where a pool shares them, `mig_gpus` of pools; its policy
    follows what it reads, and what nodes of `pools` boot with for it.

    `rolled`: roll-outs of pools wait for the policy's state, which is not ready while some node has an earlier driver
    (gpu-operator, controllers/object_controls.go, isDaemonSetReady); they begin once the policy is made.
    """
    release = RELEASE_SETS[operators.release]
    pools = tuple(pools)
    drivers = gpu_driver.objects(operators, release, pools, rdma=rdma)
    about: dict[str, Any] = {"rdma": rdma, "sharing": sharing, "admission": _admission(pools)}
    *maps, policy = gpu.settings(operators, release, products, mig_gpus=mig_gpus, **about)
    if rolled:
        del policy["metadata"]["annotations"]
    if drivers:
        policy["spec"]["driver"]["useNvidiaDriverCRD"] = True
    booted = [config for _, config in gpu_driver.pass_through(operators, pools)]
    # NVIDIADrivers stand before the policy hands the driver over to them: until then each is disabled.
    return operator(operators, release.gpu, [[*maps, *booted, *drivers], [policy]])


def _admission(pools: Iterable[RailPool]) -> bool:
    """Whether some pool checks its nodes before they take workloads; those have GPUs."""
    return any(pool.admission for pool in pools)


def gpu_boots(operators: Operators, pools: Iterable[RailPool]) -> dict[str, dict[str, Any]]:
    """By pool, the spec of the wait until its nodes have booted with what GPUs need; none where they need nothing."""
    return {pool.name: readiness.booted(pool, config) for pool, config in gpu_driver.pass_through(operators, pools)}


def driver_rollout(
    operators: Operators, pool: RailPool, *, rdma: bool, pools: Iterable[RailPool] = ()
) -> dict[str, Any]:
    """Spec of the roll-out that takes a pool's nodes to the GPU driver of their operator, and on the backend to the
    NICs' one; of `pools` one may have a GPU driver of its own."""
    release, pools = RELEASE_SETS[operators.release], tuple(pools)
    objects, admission = gpu_driver.objects(operators, release, pools, rdma=rdma), _admission(pools)
    own = next((each for each in objects if each["metadata"]["name"] == gpu_driver.of_pool(pool)), None)
    spec = (
        gpu.driver_rollout(operators, release, pool, rdma=rdma, admission=admission)
        if own is None
        else gpu_driver.rollout(operators, release, pool, own)
    )
    return {**spec, **nic_driver.beside(operators, release, pool, admission=admission)} if pool.nics else spec


def nic_driver_rollout(operators: Operators, pool: RailPool, *, admission: bool = False) -> dict[str, Any]:
    """Spec of the roll-out that takes nodes without GPUs to the NICs' driver of their operator."""
    return nic_driver.rollout(operators, RELEASE_SETS[operators.release], pool, admission=admission)


def host_networks(operators: Operators) -> Operator:
    """The Kubernetes NMState Operator: a handler on every node. Who writes its policies waits for the handlers."""
    release = RELEASE_SETS[operators.release]
    instance = {"apiVersion": "nmstate.io/v1", "kind": "NMState", "metadata": {"name": "nmstate"}}
    return operator(operators, release.nmstate, [[instance]])


def certificates(operators: Operators) -> Operator:
    """cert-manager, from which webhooks of Kueue and of JobSet have their certificates."""
    package = RELEASE_SETS[operators.release].cert_manager
    made = operator(operators, package, [], privileged=False)
    return made.completing((cert_manager.placement(),), [cert_manager.MADE])


def job_sets_operator(operators: Operators) -> Operator:
    """Red Hat's JobSet Operator: the kind JobSet, and what makes its Jobs."""
    package = RELEASE_SETS[operators.release].job_set
    return operator(operators, package, [[job_sets.configuration()]], privileged=False)


def queues(
    operators: Operators,
    section: Queues,
    pools: Sequence[QueuedPool],
    shares: Mapping[str, Mapping[str, int]],
    giving_way: Collection[str] = (),
    sets: Sets | None = None,
    tenants: Tenants | None = None,
) -> Operator:
    """The Red Hat build of Kueue, and the queues of pools: `shares` are GPUs by team and pool, `giving_way` teams with
    jobs that their others stop, `sets` JobSets that wait; `tenants` say whose jobs take which of several places of a
    pool."""
    release, some = RELEASE_SETS[operators.release], sets or Sets({}, train_jobs=False)
    about = {"sets": bool(some.places), "train_jobs": some.train_jobs}
    stages = kueue.stages(section, pools, shares, giving_way, tenants=tenants, **about)
    made = operator(operators, release.kueue, stages, privileged=False)
    return (
        replace(made, answers=kueue.answers(section, some.places, train_jobs=some.train_jobs)) if some.places else made
    )


def data_scientists(
    operators: Operators, section: DataScience, pools: Sequence[WorkbenchPool], teams: Mapping[str, Team]
) -> Operator:
    """Red Hat OpenShift AI: its components, and sizes of workbenches on `pools` for which `teams` have quotas."""
    package = RELEASE_SETS[operators.release].data_science
    stages = data_science.stages(section, pools, teams)
    return data_science.subscribed(operator(operators, package, stages, privileged=False))


def remediation(operators: Operators, *, admission: bool = False) -> Operator:
    """The Self Node Remediation Operator: agents on nodes of every pool, and the way in which a node is given up."""
    release = RELEASE_SETS[operators.release]
    own = (lost_nodes.configuration(release, admission=admission),)
    made = operator(operators, release.self_node_remediation, [[lost_nodes.template(release)]])
    return made.completing(own, [lost_nodes.made(release)])


def health_checks(operators: Operators, section: LostNodes) -> Operator:
    """The Node Health Check Operator, and a check of each pool that is watched."""
    release = RELEASE_SETS[operators.release]
    checks = lost_nodes.health_checks(release, section)
    return operator(operators, release.node_health_check, [checks], privileged=False)


def autoscaling(operators: Operators) -> Operator:
    """The Custom Metrics Autoscaler, which is KEDA."""
    made = operator(operators, RELEASE_SETS[operators.release].autoscaler, [[keda.controller()]], privileged=False)
    return replace(made, namespace=keda.without_default(made.namespace))


def of_namespace(setting: Manifest) -> str:
    """The namespace of a setting of which others have one of the same name; empty for all others."""
    return str(setting["metadata"]["namespace"]) if setting["kind"] == "LocalQueue" else ""


def _first_alone(settings: Iterable[Manifest]) -> list[list[Manifest]]:
    """An operator's own configuration, then all the rest."""
    first, *rest = settings
    return [[first], rest]


def concerns_rails(setting: Manifest) -> bool:
    """Whether a setting decides what a pod's rail is: SR-IOV, NIC driver and settings, not GPUs."""
    groups = ("sriovnetwork.openshift.io/", "mellanox.com/", "configuration.net.nvidia.com/", "nv-ipam.nvidia.com/")
    return str(setting["apiVersion"]).startswith(groups)


def _discovery(operators: Operators, release: ReleaseSet, *, admission: bool) -> Manifest:
    tolerations = {"workerTolerations": every_node(admission=admission)} if operators.gpu_node_tolerations else {}
    return {
        "apiVersion": "nfd.openshift.io/v1",
        "kind": "NodeFeatureDiscovery",
        "metadata": {
            "name": "nfd-instance",
            "namespace": release.nfd.namespace,
            "annotations": {"pulumi.com/waitFor": "condition=Available"},
        },
        "spec": {
            "operand": {"imagePullPolicy": "IfNotPresent", "servicePort": 12000, **tolerations},
            "workerConfig": {"configData": _PCI},
        },
    }
