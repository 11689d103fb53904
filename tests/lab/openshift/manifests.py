"""The YAML a person would write to get from a bare cluster to GPU pods; nothing of podwright's own."""

from __future__ import annotations

from typing import Any

Manifest = dict[str, Any]
POOL_TAINT = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
SRIOV_NAMESPACE = "openshift-sriov-network-operator"
OPERATORS = {
    "nfd": ("openshift-nfd", "redhat-operators", "stable", "nfd.4.22.0"),
    "sriov-network-operator": (SRIOV_NAMESPACE, "redhat-operators", "stable", "sriov-network-operator.v4.22.0"),
    "nvidia-network-operator": (
        "nvidia-network-operator", "certified-operators", "stable", "nvidia-network-operator.v26.4.1",
    ),
    "nvidia-maintenance-operator": (
        "nvidia-maintenance-operator", "certified-operators", "v0.2", "nvidia-maintenance-operator.v0.2.3",
    ),
    "gpu-operator-certified": ("nvidia-gpu-operator", "certified-operators", "v26.7", "gpu-operator-certified.v26.7.0"),
    "kubernetes-nmstate-operator": (
        "openshift-nmstate", "redhat-operators", "stable", "kubernetes-nmstate-operator.4.22.0",
    ),
}  # fmt: skip


def operator(package: str) -> list[Manifest]:
    """Namespace, OperatorGroup and a Subscription with Manual approval."""
    namespace, source, channel, csv = OPERATORS[package]
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
        {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
         "metadata": {"name": package, "namespace": namespace},
         "spec": {"targetNamespaces": [namespace]}},
        {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
         "metadata": {"name": package, "namespace": namespace},
         "spec": {"name": package, "channel": channel, "source": source, "sourceNamespace": "openshift-marketplace",
                  "installPlanApproval": "Manual", "startingCSV": csv}},
    ]  # fmt: skip


def feature_discovery(**spec: Any) -> Manifest:
    """The NodeFeatureDiscovery of Red Hat's documentation."""
    config = 'sources:\n  pci:\n    deviceClassWhitelist: ["0200", "03", "12"]\n    deviceLabelFields: ["vendor"]\n'
    return {
        "apiVersion": "nfd.openshift.io/v1", "kind": "NodeFeatureDiscovery",
        "metadata": {"name": "nfd-instance", "namespace": "openshift-nfd"},
        "spec": {"operand": {"image": "registry.redhat.io/openshift4/ose-node-feature-discovery-rhel9"},
                 "workerConfig": {"configData": config}, **spec},
    }  # fmt: skip


def cluster_policy(name: str = "gpu-cluster-policy", **sections: Any) -> Manifest:
    """The smallest ClusterPolicy that the CRD accepts and OpenShift needs."""
    spec: dict[str, Any] = {
        "operator": {"defaultRuntime": "crio", "use_ocp_driver_toolkit": True},
        "daemonsets": {"tolerations": [POOL_TAINT]}, "dcgm": {"enabled": True}, "dcgmExporter": {}, "devicePlugin": {},
        "driver": {"enabled": True}, "gfd": {}, "nodeStatusExporter": {"enabled": True}, "toolkit": {"enabled": True},
        "mig": {"strategy": "mixed"}, "migManager": {"enabled": True},
    }  # fmt: skip
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": name},
        "spec": {**spec, **sections},
    }


def gpu_pod(name: str, resource: str, count: int = 1, **spec: Any) -> Manifest:
    """A pod that asks for GPUs or MIG devices and tolerates the pool taint."""
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
        "spec": {"tolerations": [POOL_TAINT], "containers": [
            {"name": "main", "image": "registry.example.com/x", "resources": {"limits": {resource: count}}}], **spec},
    }  # fmt: skip


def operator_config() -> Manifest:
    """The SriovOperatorConfig without which the SR-IOV operator does nothing."""
    return {
        "apiVersion": "sriovnetwork.openshift.io/v1", "kind": "SriovOperatorConfig",
        "metadata": {"name": "default", "namespace": SRIOV_NAMESPACE},
        "spec": {"enableInjector": True, "enableOperatorWebhook": True, "logLevel": 2},
    }  # fmt: skip


def node_policy(rail: int, namespace: str = SRIOV_NAMESPACE, **spec: Any) -> Manifest:
    """One rail's policy, by the NIC's PCI address."""
    return {
        "apiVersion": "sriovnetwork.openshift.io/v1", "kind": "SriovNetworkNodePolicy",
        "metadata": {"name": f"rail{rail}", "namespace": namespace},
        "spec": {
            "resourceName": f"rail{rail}", "numVfs": 1, "mtu": 9000, "isRdma": True, "deviceType": "netdevice",
            "nodeSelector": {"node-role.kubernetes.io/worker": ""},
            "nicSelector": {"vendor": "15b3", "rootDevices": [f"0000:{0x10 + 16 * rail:02x}:00.0"]}, **spec,
        },
    }  # fmt: skip


def nic_cluster_policy(*, configured: bool = True) -> Manifest:
    """The DOCA driver, and with `configured` the NIC Configuration Operator, as NVIDIA's documentation has them."""
    home, tag = "nvcr.io/nvidia/mellanox", "network-operator-v26.4.1"
    nics = {
        "operator": {"image": "nic-configuration-operator", "repository": home, "version": tag},
        "configurationDaemon": {"image": "nic-configuration-operator-daemon", "repository": home, "version": tag},
    }
    return {
        "apiVersion": "mellanox.com/v1alpha1", "kind": "NicClusterPolicy", "metadata": {"name": "nic-cluster-policy"},
        "spec": {
            "ofedDriver": {"image": "doca-driver", "repository": home, "version": "doca3.4.1-26.04-1.1.0.0-1"},
            "tolerations": [{"operator": "Exists"}], **({"nicConfigurationOperator": nics} if configured else {}),
        },
    }  # fmt: skip


def nic_template(name: str = "rails", priority: int = 3, **template: Any) -> Manifest:
    """Trust and pause for every rail, and nothing said of congestion notifications."""
    pfc = ",".join("1" if each == priority else "0" for each in range(8))
    return {
        "apiVersion": "configuration.net.nvidia.com/v1alpha1", "kind": "NicConfigurationTemplate",
        "metadata": {"name": name, "namespace": "nvidia-network-operator"},
        "spec": {
            "nodeSelector": {"node-role.kubernetes.io/worker": ""},
            "nicSelector": {"nicType": "a2dc"},
            "template": {
                "numVfs": 1, "linkType": "Ethernet",
                "roceOptimized": {"enabled": True, "qos": {"trust": "dscp", "pfc": pfc, "tos": 106}}, **template,
            },
        },
    }  # fmt: skip


def maintenance_config(**spec: Any) -> Manifest:
    """How many nodes may be away at once."""
    return {
        "apiVersion": "maintenance.nvidia.com/v1alpha1", "kind": "MaintenanceOperatorConfig",
        "metadata": {"name": "default", "namespace": "nvidia-maintenance-operator"},
        "spec": {"maxParallelOperations": 1, "maxUnavailable": 1, **spec},
    }  # fmt: skip


def pool_config(mode: str = "exclusive") -> Manifest:
    """The RDMA mode of every worker."""
    selector = {"matchLabels": {"node-role.kubernetes.io/worker": ""}}
    return {
        "apiVersion": "sriovnetwork.openshift.io/v1", "kind": "SriovNetworkPoolConfig",
        "metadata": {"name": "rails", "namespace": SRIOV_NAMESPACE},
        "spec": {"rdmaMode": mode, "maxUnavailable": 1, "nodeSelector": selector},
    }  # fmt: skip


def network(rail: int, target: str = "default", **spec: Any) -> Manifest:
    """One rail's network with whereabouts addresses."""
    ipam = f'{{"type": "whereabouts", "range": "198.51.100.{64 * rail}/26"}}'
    return {
        "apiVersion": "sriovnetwork.openshift.io/v1", "kind": "SriovNetwork",
        "metadata": {"name": f"rail{rail}", "namespace": SRIOV_NAMESPACE},
        "spec": {"resourceName": f"rail{rail}", "networkNamespace": target, "ipam": ipam, **spec},
    }  # fmt: skip


def perftest_pod(name: str, node: str, command: list[str], rail: int | None = 0, network: str | None = "") -> Manifest:
    """A pod that runs perftest on a node, with one rail's function unless `rail` is None."""
    resources = {} if rail is None else {"limits": {f"openshift.io/rail{rail}": 1}}
    wanted = f"rail{rail}" if network == "" else network
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name, "namespace": "default",
            "annotations": {"k8s.v1.cni.cncf.io/networks": wanted} if wanted and rail is not None else {},
        },
        "spec": {
            "restartPolicy": "Never", "nodeSelector": {"kubernetes.io/hostname": f"{node}.lab.example.com"},
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "perftest", "image": "x", "command": command, "resources": resources}],
        },
    }  # fmt: skip
