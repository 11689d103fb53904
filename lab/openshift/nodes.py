"""What a booted host's kubelet says about itself: the Node object, derived from the world's hardware."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.tuning import huge_pages
from podwright.lab.world.model import Server

KUBELET = "v1.36.3"
OS_IMAGE = "Red Hat Enterprise Linux CoreOS 9.6.20260901-0 (Plow)"
KERNEL = "5.14.0-570.49.1.el9_6.x86_64"
RUNTIME = "cri-o://1.36.1-2.rhaos4.22.el9"
SYSTEM_CPU_MILLI = 500
SYSTEM_MEMORY_MIB = 1024 + 100
"""OpenShift's default reservation: 500m CPU, 1 GiB, and the 100 MiB hard eviction threshold."""
MAX_PODS = 250
"""OpenShift's default `maxPods`."""


def threads(server: Server, bios: Mapping[str, object]) -> int:
    """Logical CPUs: two per core unless the BIOS says that simultaneous multithreading is off."""
    off = any(
        str(bios.get(name, "")).lower() in ("off", "disable", "disabled")
        for name in ("SmtMode", "CbsCpuSmtCtrl", "IntelHyperThread", "IntelHyperThreadingTech")
    )
    return server.cpu.sockets * server.cpu.cores * (1 if off else 2)


def labels(hostname: str, role: str, schedulable_master: bool) -> dict[str, str]:
    """Labels that kubelet and the installer put on a node of this role."""
    wanted = {
        "kubernetes.io/hostname": hostname,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": "amd64",
        "node.openshift.io/os_id": "rhel",
    }
    if role == "master":
        wanted["node-role.kubernetes.io/control-plane"] = ""
        wanted["node-role.kubernetes.io/master"] = ""
    if role == "worker" or schedulable_master:
        wanted["node-role.kubernetes.io/worker"] = ""
    return wanted


@dataclass(frozen=True)
class Boot:
    """How a host came up: number of its boot, BIOS in force, kernel arguments beyond the image's own."""

    number: int
    bios: Mapping[str, object]
    arguments: Sequence[str] = ()
    uuid: str = ""
    """UUID of its SMBIOS; empty: the server's own."""


def status(server: Server, hostname: str, address: str, booted: Boot) -> dict[str, Any]:
    """The first status of a booted node: not ready yet, hardware as the world has it."""
    cpus = threads(server, booted.bios)
    memory_mib = server.memory_gib * 1024
    pages = huge_pages(booted.arguments)
    reserved = pages.get("hugepages-1Gi", 0) * 1024 + pages.get("hugepages-2Mi", 0)
    capacity = {
        "cpu": str(cpus), "memory": f"{memory_mib}Mi", "pods": str(MAX_PODS), "ephemeral-storage": "446Gi",
        "hugepages-1Gi": f"{pages.get('hugepages-1Gi', 0)}Gi", "hugepages-2Mi": f"{pages.get('hugepages-2Mi', 0)}Mi",
    }  # fmt: skip
    boot = hashlib.sha256(f"{server.uuid}/{booted.number}".encode()).hexdigest()
    return {
        "addresses": [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": hostname}],
        "capacity": capacity,
        "allocatable": {
            **capacity, "cpu": f"{cpus * 1000 - SYSTEM_CPU_MILLI}m",
            "memory": f"{memory_mib - SYSTEM_MEMORY_MIB - reserved}Mi",
        },
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": {
            "architecture": "amd64", "operatingSystem": "linux", "systemUUID": booted.uuid or server.uuid,
            "machineID": hashlib.sha256(server.uuid.encode()).hexdigest()[:32],
            "bootID": f"{boot[:8]}-{boot[8:12]}-{boot[12:16]}-{boot[16:20]}-{boot[20:32]}",
            "kernelVersion": KERNEL, "osImage": OS_IMAGE, "containerRuntimeVersion": RUNTIME,
            "kubeletVersion": KUBELET, "kubeProxyVersion": "",
        },
    }  # fmt: skip


def node(hostname: str, role: str, schedulable_master: bool, first_status: dict[str, Any]) -> Object:
    """A Node as its kubelet registers it."""
    uid = hashlib.sha256(hostname.encode()).hexdigest()
    taints = [{"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"}]
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": hostname, "labels": labels(hostname, role, schedulable_master), "annotations": dict(NOTES),
        },
        "spec": {
            "providerID": f"baremetalhost:///openshift-machine-api/{hostname}/{uid[:8]}-{uid[8:12]}",
            **({"taints": taints} if role == "master" and not schedulable_master else {}),
        },
        "status": first_status,
    }  # fmt: skip


NOTES = {"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
"""By which a kubelet leaves attaching to the control plane (pkg/kubelet/kubelet_node_status.go of Kubernetes)."""
NOT_READY = {
    "type": "Ready", "status": "False", "reason": "KubeletNotReady",
    "message": "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady",
}  # fmt: skip
"""What a kubelet says between its start and the network's."""
