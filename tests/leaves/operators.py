"""What operators make of their objects: images, budgets, rails in the lossless class, GPUs, storage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from podwright.lab.openshift.catalog import packages
from podwright.lab.openshift.multus import references
from podwright.lab.openshift.sriov.functions import PREFIX
from tests.leaves.reading import at, entries, labels, pods, pools, space, title
from tests.platforms.planned import Object, of_kind

_WAITS: Final = ("network.nvidia.com/operator.mofed.wait", "network.nvidia.com/operator.nic-configuration.wait")
_HOMES: Final = {
    "NodeFeatureDiscovery": "openshift-nfd", "MaintenanceOperatorConfig": "nvidia-maintenance-operator",
    "NicConfigurationTemplate": "nvidia-network-operator",
}  # fmt: skip
"""Namespaces in which operators look for their objects."""
_NETWORKS: Final = "k8s.v1.cni.cncf.io/networks"


def installed(found: list[Object]) -> Iterator[str]:
    """The lab's catalogue has each version in the channel, and the operator can be installed for its group."""
    groups = {space(each): entries(each, "spec", "targetNamespaces") for each in of_kind(found, "OperatorGroup")}
    for each in of_kind(found, "Subscription"):
        package = packages().get(str(at(each, "spec", "name")))
        channel = at(each, "spec", "channel")
        if package is None or at(each, "spec", "startingCSV") not in package.channels.get(channel, []):
            yield f"{title(each)}: channel {channel} does not have {at(each, 'spec', 'startingCSV')}"
        elif ("OwnNamespace" if groups.get(space(each)) else "AllNamespaces") not in package.modes:
            yield f"{title(each)} cannot watch every namespace"
    for each in found:
        if each["kind"] in _HOMES and space(each) != _HOMES[each["kind"]]:
            yield f"{title(each)} is in {space(each)}, where its operator reads nothing"


def pulled(found: list[Object]) -> Iterator[str]:
    """Images of NVIDIA's network operator have a repository, a name and a version: it makes up none of them."""
    for each in found:
        parts = {
            "NicClusterPolicy": [
                at(each, "spec", "nicConfigurationOperator", part) for part in ("operator", "configurationDaemon")
            ],
            "NicNodePolicy": [at(each, "spec", "ofedDriver")],
        }
        for part in parts.get(each["kind"], []):
            if not all(at(part, key) for key in ("repository", "image", "version")):
                yield f"{title(each)}: no image {part}"


def driven(found: list[Object]) -> Iterator[str]:
    """The driver's container has time to build (60 failures of its probe are waited for) and to unload.

    https://docs.nvidia.com/networking/display/kubernetes2570/customizations/crds.html
    """
    for each in of_kind(found, "NicNodePolicy"):
        if (at(each, "spec", "ofedDriver", "startupProbe", "periodSeconds") or 10) < 20:
            yield f"{title(each)}: the driver is given up while it is built"
        if (at(each, "spec", "ofedDriver", "terminationGracePeriodSeconds") or 30) < 300:
            yield f"{title(each)}: the driver is killed while it is unloaded"


def pooled(found: list[Object]) -> Iterator[str]:
    """What is for nodes is for those of one pool."""
    for kind in ("NicConfigurationTemplate", "SriovNetworkNodePolicy", "NicNodePolicy", "SriovNetworkPoolConfig"):
        for each in of_kind(found, kind):
            selector = at(each, "spec", "nodeSelector")
            if at(at(selector, "matchLabels") or selector, "podwright.io/pool") not in pools(found):
                yield f"{title(each)} is for no pool, or for every one"


def lossless(found: list[Object]) -> Iterator[str]:
    """Every NIC that has functions is in the class, and the class is the pods' own."""
    templates = of_kind(found, "NicConfigurationTemplate")
    configured = {
        (at(each, "spec", "nodeSelector", "podwright.io/pool"), address)
        for each in templates for address in entries(each, "spec", "nicSelector", "pciAddresses")
    }  # fmt: skip
    for each in of_kind(found, "SriovNetworkNodePolicy"):
        pool = at(each, "spec", "nodeSelector", "podwright.io/pool")
        for address in entries(each, "spec", "nicSelector", "rootDevices"):
            if (pool, address) not in configured:
                yield f"{title(each)}: the NIC {address} is in no class: it loses packets under load"
    for each in templates:
        qos = at(each, "spec", "template", "roceOptimized", "qos") or {}
        if at(each, "spec", "template", "roceOptimized", "enabled") is not True or qos.get("trust") != "dscp":
            yield f"{title(each)} leaves its NICs without trust in DSCP"
        classes = {
            str(variable.get("value")) for one in pods(found) for box in one.containers()
            for variable in entries(box, "env") if variable.get("name") == "NCCL_IB_TC"
        }  # fmt: skip
        if classes - {str(qos.get("tos"))}:
            yield f"{title(each)}: traffic class {qos.get('tos')}, and NCCL's is {sorted(classes)}"


def offered(found: list[Object]) -> Iterator[str]:
    """Functions for RDMA, a device in each pod that has one, and a daemon that begins behind driver and firmware."""
    policies = of_kind(found, "SriovNetworkNodePolicy")
    rdma = {at(each, "spec", "resourceName"): at(each, "spec", "isRdma") is True for each in policies}
    networks = {at(each, "metadata", "name"): each for each in of_kind(found, "SriovNetwork")}
    for each in networks.values():
        if not rdma.get(at(each, "spec", "resourceName")):
            yield f"{title(each)}: its functions have no RDMA device"
        if not at(each, "spec", "ipam") or at(each, "spec", "spoofChk") != "on":
            yield f"{title(each)}: pods have no address, or any that they like"
        if '"rdma"' not in str(at(each, "spec", "metaPlugins")):
            yield f"{title(each)} leaves the RDMA device on the node"
    for each in of_kind(found, "SriovNetworkPoolConfig"):
        if networks and at(each, "spec", "rdmaMode") != "exclusive":
            yield f"{title(each)}: no device can be moved into a pod in mode {at(each, 'spec', 'rdmaMode')}"
        # https://github.com/k8snetworkplumbingwg/sriov-network-operator/blob/master/api/v1/helper.go: nil is no limit.
        if at(each, "spec", "maxUnavailable") is None:
            yield f"{title(each)}: all nodes of the pool are drained at once"


def made(found: list[Object]) -> Iterator[str]:
    """The SR-IOV operator's daemon begins behind driver and firmware, and its webhooks help those who write pods."""
    for each in of_kind(found, "SriovOperatorConfig"):
        selector = at(each, "spec", "configDaemonNodeSelector") or {}
        for label in _WAITS if of_kind(found, "NicConfigurationTemplate") else ():
            if selector.get(label) != "false":
                yield f"{title(each)}: functions are made before {label} is over, and lost"
        if at(each, "spec", "enableOperatorWebhook") is not True or at(each, "spec", "enableInjector") is not True:
            yield f"{title(each)}: nobody refuses a wrong policy, or gives a team's pod the function of its network"
        firmware = any(at(one, "spec", "template", "numVfs") for one in of_kind(found, "NicConfigurationTemplate"))
        if firmware and "mellanox" not in entries(each, "spec", "disablePlugins"):
            yield f"{title(each)}: two operators write the number of functions into the firmware"


def attached(found: list[Object]) -> Iterator[str]:
    """Pods with functions are attached to as many networks of these, in their namespace."""
    networks = {at(each, "metadata", "name"): each for each in of_kind(found, "SriovNetwork")}
    for run in pods(found):
        named = references(str(at(run.template, "metadata", "annotations", _NETWORKS) or ""), run.space)
        joined = [networks[name] for _, name, _ in named if name in networks]
        asked = Counter({name: int(count) for name, count in run.devices().items() if name.startswith(PREFIX)})
        if asked != Counter(f"{PREFIX}{at(one, 'spec', 'resourceName')}" for one in joined):
            yield f"{run.name} asks for {dict(asked)} and is attached to {len(joined)} networks"
    spaces = {at(each, "metadata", "name") for each in of_kind(found, "Namespace")} - set(_HOMES.values())
    for each in networks.values():
        if at(each, "spec", "networkNamespace") not in spaces:
            yield f"{title(each)} is for pods of no namespace"


def computed(found: list[Object]) -> Iterator[str]:
    """GPUs by the layouts of the plan, with RDMA into their memory, and their metrics collected."""
    maps = {(space(each), at(each, "metadata", "name")) for each in of_kind(found, "ConfigMap")}
    watched = {
        at(each, "metadata", "name") for each in of_kind(found, "Namespace")
        if labels(each).get("openshift.io/cluster-monitoring") == "true"
    }  # fmt: skip
    for each in of_kind(found, "ClusterPolicy"):
        layouts = at(each, "spec", "migManager", "config", "name")
        if ("nvidia-gpu-operator", layouts) not in maps:
            yield f"{title(each)}: layouts of {layouts}, which is not there"
        if of_kind(found, "SriovNetwork") and at(each, "spec", "driver", "rdma", "enabled") is not True:
            yield f"{title(each)}: no NIC reaches the GPUs' memory"
        if at(each, "spec", "dcgmExporter", "serviceMonitor", "enabled") is not True:
            yield f"{title(each)}: nobody collects what the exporter measures"
        elif "nvidia-gpu-operator" not in watched:
            yield f"{title(each)}: its namespace is not monitored"
        if at(each, "spec", "nodeStatusExporter", "enabled") is not True:
            yield f"{title(each)}: nobody reports which node's operands fail"
        for variable in entries(each, "spec", "validator", "plugin", "env"):
            if not variable.get("value"):
                yield f"{title(each)}: {variable.get('name')} has no value"


def maintained(found: list[Object]) -> Iterator[str]:
    """So many nodes at once are away for a driver or firmware, and no more."""
    for each in of_kind(found, "MaintenanceOperatorConfig"):
        if not at(each, "spec", "maxUnavailable"):
            yield f"{title(each)}: any number of nodes may be away at once"


def stored(found: list[Object]) -> Iterator[str]:
    """Claims name a class of the plan; data outlives its claim, and a class grows and knows its backend.

    https://kubernetes.io/docs/concepts/storage/storage-classes/
    """
    classes = {at(each, "metadata", "name") for each in of_kind(found, "StorageClass")}
    for each in of_kind(found, "PersistentVolumeClaim"):
        if at(each, "spec", "storageClassName") not in classes:
            yield f"{title(each)} is of a class that is not of this plan"
    for each in of_kind(found, "StorageClass"):
        if each.get("reclaimPolicy") != "Retain":
            yield f"{title(each)}: data goes with its claim"
        if each.get("allowVolumeExpansion") is not True:
            yield f"{title(each)}: a larger size in the file is refused"
        if "trident" in str(each.get("provisioner")) and not at(each, "parameters", "backendType"):
            yield f"{title(each)}: Trident takes any backend that it has"
