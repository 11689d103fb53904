"""Which operators a cluster subscribes to, of its release set."""

from podwright.components.design.platform import pools
from podwright.components.model import Asked, Cluster, OpenShift, Operators, Queues
from podwright.components.model.catalogue import RELEASE_SETS, Package


def subscriptions(cluster: Cluster) -> list[Package]:
    """Operators that a stack subscribes to: those of rails and GPUs where it has some; none without `operators`."""
    if cluster.operators is None:
        return []
    return packages(
        cluster.operators,
        cluster.openshift,
        rails=any(pool.nics for pool in pools.offered(cluster.pools, cluster.servers)),
        gpus=any(server.gpus for server in cluster.servers.values()),
        asked=cluster.asked,
    )


def packages(
    operators: Operators, openshift: OpenShift | None, *, rails: bool, gpus: bool, asked: Asked
) -> list[Package]:
    """What a cluster subscribes to: with `rails` the operators of NICs, with `gpus` that of GPUs, those that workloads
    have `asked` for; what else, `openshift` says."""
    release = RELEASE_SETS[operators.release]
    own = ("queues", "data_science", "lost_nodes", "service_mesh")
    keys = {key for key in own if getattr(openshift, key, None) is not None}
    queues = openshift.queues if openshift is not None else None
    chosen = (
        (True, (release.nfd,)),
        (rails, (release.sriov, release.maintenance, release.network)),
        (gpus, (release.gpu,)),
        (openshift is not None and openshift.host_network == "managed", (release.nmstate,)),
        (certified(queues, sets=asked.sets), (release.cert_manager,)),
        (asked.sets, (release.job_set,)),
        ("queues" in keys, (release.kueue,)),
        ("data_science" in keys, (release.data_science,)),
        (asked.scales, (release.autoscaler,)),
        (keyed(openshift), (release.keys,)),
        ("service_mesh" in keys, (release.mesh,)),
        ("lost_nodes" in keys, (release.self_node_remediation, release.node_health_check)),
    )
    return [package for asked_for, some in chosen for package in some if asked_for]


def keyed(openshift: OpenShift | None) -> bool:
    """Whether clients of the inference gateway have keys."""
    gateway = openshift.inference_gateway if openshift is not None else None
    return gateway is not None and gateway.keys is not None


def certified(queues: Queues | None, *, sets: bool) -> bool:
    """Whether cert-manager is installed: queues and `sets` need it, and the site may say that it has its own."""
    return queues.cert_manager if queues is not None else sets
