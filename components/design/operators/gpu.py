"""The GPU operator: driver, toolkit, device plugin, feature discovery, MIG, for every GPU node of the cluster."""

import json
from collections.abc import Iterator
from typing import Any

from components.design import hardware
from components.design.platform import pools
from components.design.platform.names import EVERY_POOL, Manifest
from components.design.releases import Release
from components.spec import Cluster

MIG_CONFIG = "podwright-mig-layouts"
OFF = "all-disabled"
"""Layout of nodes that name none; the operator takes no other default."""


def settings(cluster: Cluster, release: Release) -> Iterator[Manifest]:
    """What the GPU operator is told."""
    yield _layouts(cluster, release)
    yield _cluster_policy(cluster)


def _layouts(cluster: Cluster, release: Release) -> Manifest:
    """MIG layouts of all pools, in mig-parted's form, and the one that turns MIG off."""
    configs: dict[str, list[dict[str, Any]]] = {OFF: [{"devices": "all", "mig-enabled": False}]}
    for name, pool in cluster.pools.items():
        if pool.mig is None:
            continue
        products = {server.gpus: server for server in pools.servers(cluster, name).values() if server.gpus}
        for server in products.values():
            gpu = hardware.gpu(server)
            assert gpu is not None
            slices = hardware.layout(gpu, pool.mig) or {}
            entry = {"devices": "all", "mig-enabled": True, "mig-devices": slices}
            if entry not in configs.setdefault(pool.mig, []):
                configs[pool.mig].append(entry)
    document = {"version": "v1", "mig-configs": configs}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": MIG_CONFIG, "namespace": release.gpu.namespace},
        # JSON is YAML, and has one way to be written.
        "data": {"config.yaml": json.dumps(document, indent=2, sort_keys=True) + "\n"},
    }


def _cluster_policy(cluster: Cluster) -> Manifest:
    rdma = any(pool.rails for pool in cluster.pools.values())
    on = {"enabled": True}
    spec: dict[str, Any] = {
        # Only channels before v26.3 read the runtime; their schema demands it.
        "operator": {"defaultRuntime": "crio", "use_ocp_driver_toolkit": True},
        "daemonsets": {
            "updateStrategy": "RollingUpdate",
            "rollingUpdate": {"maxUnavailable": "1"},
            **({"tolerations": EVERY_POOL + _GPU_TAINT} if cluster.operators.gpu_node_tolerations else {}),
        },
        "driver": {
            "enabled": True,
            "kernelModuleType": "auto",
            # GPUDirect: NICs read and write GPU memory.
            "rdma": {"enabled": rdma, "useHostMofed": False},
            "upgradePolicy": {"autoUpgrade": False},
        },
        "toolkit": on,
        "devicePlugin": on,
        "gfd": on,
        "dcgm": on,
        "dcgmExporter": {"enabled": True, "serviceMonitor": {"enabled": True}},
        "nodeStatusExporter": on,
        # mixed: each profile is a resource of its own, whole GPUs stay nvidia.com/gpu.
        "mig": {"strategy": "mixed"},
        "migManager": {"enabled": True, "config": {"name": MIG_CONFIG, "default": OFF}},
        "validator": {"plugin": {"env": [{"name": "WITH_WORKLOAD", "value": "false"}]}},
        "sandboxWorkloads": {"enabled": False},
    }
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {
            "name": "gpu-cluster-policy",
            "annotations": {
                "pulumi.com/waitFor": "jsonpath={.status.state}=ready",
                # A driver is compiled on every node at its first start.
                "pulumi.com/timeoutSeconds": "2700",
            },
        },
        "spec": spec,
    }


_GPU_TAINT = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
