"""Operators, derived: NFD, then SR-IOV and NVIDIA network, then GPU; each pinned, approved, configured, awaited."""

from collections.abc import Iterable

from podwright.components.design.operators import gpu, network, readiness
from podwright.components.design.operators.model import Operator
from podwright.components.design.operators.subscription import operator
from podwright.components.design.platform.names import EVERY_POOL, Manifest
from podwright.components.model import Operators, RailNetworks, RailPool
from podwright.components.model.catalogue import RELEASE_SETS, ReleaseSet

__all__ = ["Operator", "concerns_rails", "feature_discovery", "gpus", "nics", "readiness", "sriov", "subscriptions"]

_WHITELIST = "\n".join(f'        - "{number}"' for number in ("0200", "0207", "0300", "0302"))
_PCI = f"sources:\n  pci:\n    deviceClassWhitelist:\n{_WHITELIST}\n    deviceLabelFields:\n      - vendor\n"
"""PCI classes that become node labels: Ethernet and InfiniBand controllers, display and 3D controllers."""


def feature_discovery(operators: Operators) -> Operator:
    """Node Feature Discovery, which every other operator selects its nodes by."""
    release = RELEASE_SETS[operators.release]
    return operator(operators, release.nfd, (_discovery(operators, release),))


def sriov(
    operators: Operators, pools: Iterable[RailPool], networks: RailNetworks, namespaces: Iterable[str]
) -> Operator:
    """The SR-IOV operator: one RDMA device per rail on every node of `pools`, reached from `namespaces`."""
    release = RELEASE_SETS[operators.release]
    return operator(operators, release.sriov, tuple(network.sriov(release, pools, networks, namespaces)))


def nics(operators: Operators) -> Operator:
    """The NVIDIA network operator: the NICs' driver."""
    release = RELEASE_SETS[operators.release]
    return operator(operators, release.network, (network.nic_cluster_policy(operators, release),))


def gpus(operators: Operators, products: Iterable[str], *, rdma: bool) -> Operator:
    """The GPU operator for these products."""
    release = RELEASE_SETS[operators.release]
    return operator(operators, release.gpu, tuple(gpu.settings(operators, release, products, rdma=rdma)))


def subscriptions(operators: Operators, *, rails: bool, gpus: bool) -> list[str]:
    """Names of the operators' subscriptions: with `rails` those of NICs, with `gpus` that of GPUs."""
    release = RELEASE_SETS[operators.release]
    with_rails = (release.sriov, release.network) if rails else ()
    return [each.package for each in (release.nfd, *with_rails, *((release.gpu,) if gpus else ()))]


def concerns_rails(setting: Manifest) -> bool:
    """Whether a setting decides what a pod's rail is: SR-IOV and NIC driver, not GPUs."""
    return str(setting["apiVersion"]).startswith(("sriovnetwork.openshift.io/", "mellanox.com/"))


def _discovery(operators: Operators, release: ReleaseSet) -> Manifest:
    tolerations = {"workerTolerations": EVERY_POOL} if operators.gpu_node_tolerations else {}
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
