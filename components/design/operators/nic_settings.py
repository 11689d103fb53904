"""NICs of the lossless class: what NVIDIA's NIC Configuration Operator sets on every rail, and who lets it restart a
node.

The switches' half is in `components/design/fabric`; both come from the one class of the file.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from podwright.components.design import lossless
from podwright.components.design.platform.names import POOL_LABEL, Manifest
from podwright.components.model import Lossless, RailPool
from podwright.components.model.catalogue import ReleaseSet

API = "configuration.net.nvidia.com/v1alpha1"
WAIT = "network.nvidia.com/operator.nic-configuration.wait"
"""Node label: true until everything that templates ask of a node's NICs is applied."""
DRIVER_WAIT = "network.nvidia.com/operator.mofed.wait"
"""Node label: true until the NICs' driver runs."""
FUNCTIONS = 1
"""Virtual functions of every rail: one pod has all of it. Firmware and SR-IOV policy must agree, or one of both
operators undoes what the other one did."""
UPDATING = "ConfigUpdateInProgress"
"""Condition of a NicDevice; False with reason `UpdateSuccessful` once it is as its template asks."""
_IMAGES = "nvcr.io/nvidia/mellanox"


def section(release: ReleaseSet) -> dict[str, Any]:
    """`nicConfigurationOperator` of the NicClusterPolicy: operator and daemon of the release."""
    images = {"operator": "nic-configuration-operator", "configurationDaemon": "nic-configuration-operator-daemon"}
    return {
        part: {"image": image, "repository": _IMAGES, "version": release.nic_configuration}
        for part, image in images.items()
    }


def templates(release: ReleaseSet, pools: Iterable[RailPool], fabric: Lossless) -> Iterator[Manifest]:
    """One template for each NIC model of each pool.

    All rails of a fabric are in one class. A card with two ports is one device for the operator, and a device that two
    templates select is given neither: so rails do not have templates of their own.
    """
    for pool in pools:
        addresses: dict[str, set[str]] = {}
        for nics in pool.nics:
            addresses.setdefault(nics.device, set()).update(nics.pci)
        for device, found in sorted(addresses.items()):
            yield {
                "apiVersion": API,
                "kind": "NicConfigurationTemplate",
                "metadata": {"name": f"{pool.name}-{device}", "namespace": release.network.namespace},
                "spec": {
                    "nodeSelector": {POOL_LABEL: pool.name},
                    "nicSelector": {"nicType": device, "pciAddresses": sorted(found)},
                    "template": settings_of(fabric),
                },
            }


def settings_of(fabric: Lossless) -> dict[str, Any]:
    """What every rail NIC of the class is set to.

    Release 1.3.1 of the operator has no `qos.ecn`: mlx5 reacts to marks and sends notifications as it is delivered.
    """
    host = lossless.host(fabric)
    # For both ports: a card with one leaves out the second one's.
    raw = [
        {"name": f"{name}_P{port}", "value": str(value)}
        for port in (1, 2)
        for name, value in (("CNP_DSCP", host.cnp_dscp), ("CNP_802P_PRIO", host.cnp_priority))
    ]
    return {
        "numVfs": FUNCTIONS,
        "linkType": "Ethernet",
        "roceOptimized": {
            "enabled": True,
            "qos": {"trust": host.trust, "pfc": host.pfc, "tos": host.traffic_class},
        },
        # Without them the operator marks notifications with DSCP 4, which is in no class of the switches.
        "rawNvConfig": raw,
    }


def maintenance(release: ReleaseSet, pools: Iterable[RailPool]) -> Iterator[Manifest]:
    """How many nodes the Maintenance Operator lets go at once: one less than the narrowest pool allows, at least one.

    Its limits are the cluster's, not a pool's. Nodes that others have taken away count as unavailable too; but the
    SR-IOV operator, which drains one node at a time, counts nobody's, and takes its one on top. That of OpenShift 4.22
    can leave its drains to the network operator, which asks this one (sriov-network-operator, main.go,
    USE_EXTERNAL_DRAINER; Mellanox/network-operator v26.4.1, controllers/drain_controller.go); branches release-4.20 and
    release-4.21 have no such setting.
    """
    budget = max(1, min(pool.max_unavailable for pool in pools) - 1)
    yield {
        "apiVersion": "maintenance.nvidia.com/v1alpha1",
        "kind": "MaintenanceOperatorConfig",
        "metadata": {"name": "default", "namespace": release.maintenance.namespace},
        "spec": {"logLevel": "info", "maxParallelOperations": budget, "maxUnavailable": budget},
    }


def expected(pool: RailPool, fabric: Lossless) -> dict[str, Any]:
    """What readiness compares NicDevices with: rails by number with their PCI addresses, and the template's content."""
    return {
        "rails": {str(nics.rail): list(nics.pci) for nics in pool.nics},
        "template": settings_of(fabric),
    }
