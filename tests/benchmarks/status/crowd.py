"""A cluster as large as asked for, as its API server shows it: nodes, their pods, functions of their NICs, events.

Sizes are those of a running OpenShift cluster: a node's object with the images that its kubelet lists is some 20 KB, a
pod's with its volumes and managed fields some 7 KB, and a GPU node has about thirty pods of OpenShift and of the
operators (https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/scalability_and_performance/).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from podwright.components.model import Cluster
from podwright.components.providers.openshift.kube import Kube

PODS_OF_A_NODE = 30
IMAGES = 50
"""What a kubelet lists at most (`nodeStatusMaxImages`)."""
FUNCTIONS = 16
SPACE = "openshift-crowd"
LANES = 8
_NODES, _PODS, _EVENTS = "/api/v1/nodes", f"/api/v1/namespaces/{SPACE}/pods", f"/api/v1/namespaces/{SPACE}/events"
_STATES = "/apis/sriovnetwork.openshift.io/v1/namespaces/openshift-sriov-network-operator/sriovnetworknodestates"


async def fill(kube: Kube, cluster: Cluster) -> int:
    """Make every object; returns how many. Raises KubeError."""
    lanes = asyncio.Semaphore(LANES)

    async def made(path: str, thing: dict[str, Any]) -> None:
        async with lanes:
            answer = await kube.request("POST", path, thing)
            if "status" in thing:
                status = {"status": thing["status"]}
                await kube.merge(f"{path}/{answer['metadata']['name']}/status", status)

    of_nodes = [list(_of_a_node(name)) for name in cluster.node_names]
    await asyncio.gather(*(made(*things[0]) for things in of_nodes))
    await asyncio.gather(*(made(path, thing) for things in of_nodes for path, thing in things[1:]))
    return sum(map(len, of_nodes))


def _of_a_node(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    labels = {f"feature.node.kubernetes.io/cpu-cpuid.FEATURE{n}": "true" for n in range(90)}
    images = [
        {"names": [f"quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:{n:064x}"], "sizeBytes": 10**8 + n}
        for n in range(IMAGES)
    ]
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}
    yield _NODES, {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": labels | {"node-role.kubernetes.io/worker": ""}},
        "status": {"conditions": [ready], "images": images, "allocatable": {"nvidia.com/gpu": "8", "cpu": "250"}},
    }  # fmt: skip
    yield _STATES, {
        "apiVersion": "sriovnetwork.openshift.io/v1", "kind": "SriovNetworkNodeState",
        "metadata": {"name": name, "namespace": "openshift-sriov-network-operator"},
        "status": {"syncStatus": "Succeeded", "interfaces": [_port(n) for n in range(8)]},
    }  # fmt: skip
    for n in range(PODS_OF_A_NODE):
        yield _PODS, _pod(f"{name}-{n}", name)
    yield _EVENTS, {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": SPACE}, "type": "Normal",
        "involvedObject": {"kind": "Pod", "namespace": SPACE, "name": f"{name}-0"}, "reason": "Pulled",
        "message": "Container image already present on machine",
    }  # fmt: skip


def _port(n: int) -> dict[str, Any]:
    functions = [
        {"vfID": vf, "pciAddress": f"0000:{n:02x}:{vf // 8:02x}.{vf % 8}", "driver": "mlx5_core", "mtu": 9000,
         "name": f"eth{n}v{vf}", "mac": f"02:00:00:00:{n:02x}:{vf:02x}", "vendor": "15b3", "deviceID": "101e"}
        for vf in range(FUNCTIONS)
    ]  # fmt: skip
    return {
        "name": f"eth{n}", "pciAddress": f"0000:{n:02x}:00.0", "vendor": "15b3", "deviceID": "a2dc",
        "driver": "mlx5_core", "mtu": 9216, "numVfs": FUNCTIONS, "totalvfs": FUNCTIONS, "Vfs": functions,
    }  # fmt: skip


def _pod(name: str, node: str) -> dict[str, Any]:
    variables = [{"name": f"VARIABLE_{n}", "value": "a value as operators give it " * 2} for n in range(20)]
    mounts = [{"name": f"volume-{n}", "mountPath": f"/var/lib/of-a-volume/{n}"} for n in range(10)]
    container = {"name": "main", "image": "registry.example.com/daemon:1", "env": variables, "volumeMounts": mounts}
    volumes = [{"name": f"volume-{n}", "hostPath": {"path": f"/var/lib/of-a-volume/{n}"}} for n in range(10)]
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": SPACE},
        "spec": {"nodeName": node, "containers": [container], "volumes": volumes},
    }  # fmt: skip
