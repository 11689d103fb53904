"""Operators, derived: NFD, then SR-IOV and NVIDIA network, then GPU; each pinned, approved, configured, awaited."""

from collections.abc import Iterator

from podwright.components.design.fabric import FabricPlan
from podwright.components.design.operators import gpu, network, readiness
from podwright.components.design.operators.model import Operator
from podwright.components.design.operators.subscription import operator
from podwright.components.design.platform.names import EVERY_POOL, Manifest
from podwright.components.design.releases import RELEASES, Release
from podwright.components.model import Cluster

__all__ = ["Operator", "concerns_rails", "plan", "readiness"]

_WHITELIST = "\n".join(f'        - "{number}"' for number in ("0200", "0207", "0300", "0302"))
_PCI = f"sources:\n  pci:\n    deviceClassWhitelist:\n{_WHITELIST}\n    deviceLabelFields:\n      - vendor\n"
"""PCI classes that become node labels: Ethernet and InfiniBand controllers, display and 3D controllers."""


def plan(cluster: Cluster, fabric: FabricPlan) -> tuple[Operator, ...]:
    """Operators in the order they start. Those whose hardware the cluster lacks are left out."""
    return tuple(_operators(cluster, fabric, RELEASES[cluster.operators.release]))


def concerns_rails(setting: Manifest) -> bool:
    """Whether a setting decides what a pod's rail is: SR-IOV and NIC driver, not GPUs."""
    return str(setting["apiVersion"]).startswith(("sriovnetwork.openshift.io/", "mellanox.com/"))


def _operators(cluster: Cluster, fabric: FabricPlan, release: Release) -> Iterator[Operator]:
    defined = cluster.operators
    before = [release.nfd.package]
    yield operator(defined, release.nfd, (_discovery(cluster, release),))
    if any(pool.rails for pool in cluster.pools.values()):
        rails = tuple(network.sriov(cluster, fabric, release))
        driver = (network.nic_cluster_policy(cluster, release),)
        yield operator(defined, release.sriov, rails, after=(release.nfd.package,))
        yield operator(defined, release.network, driver, after=(release.nfd.package,))
        before += [release.sriov.package, release.network.package]
    if any(server.gpus for server in cluster.servers.values()):
        yield operator(defined, release.gpu, tuple(gpu.settings(cluster, release)), after=tuple(before))


def _discovery(cluster: Cluster, release: Release) -> Manifest:
    tolerations = {"workerTolerations": EVERY_POOL} if cluster.operators.gpu_node_tolerations else {}
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
