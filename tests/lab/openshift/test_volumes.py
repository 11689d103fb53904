"""Claims on a cluster of the lab: bound by a driver that runs, attached by the cluster's own controller, or awaited."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from podwright.components.providers.status import claims
from podwright.components.providers.status.snapshot import take
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

SHAPE = {"masters": 1, "workers": ("", "")}
TRIDENT = "csi.trident.netapp.io"


def _class(name: str, provisioner: str = TRIDENT, waits: bool = False) -> dict[str, Any]:
    return {
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
        "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer" if waits else "Immediate",
    }  # fmt: skip


def _claim(name: str, of: str, mode: str) -> dict[str, Any]:
    spec = {"accessModes": [mode], "storageClassName": of, "resources": {"requests": {"storage": "1Gi"}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "default"},
            "spec": spec}  # fmt: skip


def _pod(name: str, claim: str, node: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "nodeSelector": {"kubernetes.io/hostname": f"{node}.lab.example.com"}, "terminationGracePeriodSeconds": 1,
            "containers": [{
                "name": "c", "image": "registry.example.com/x", "volumeMounts": [{"name": "v", "mountPath": "/data"}],
            }],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}],
        },
    }  # fmt: skip


def _phase(cluster: Rack, name: str) -> str:
    return cluster.pod(name)[0]


def _bound(cluster: Rack, name: str) -> bool:
    return bool(cluster.get("pvc", name, "-n", "default")["status"]["phase"] == "Bound")


def _reasons(cluster: Rack, name: str) -> list[str]:
    """Why a pod waits, as `podwright status` reads it."""
    seen = asyncio.run(take(cluster.kubeconfig().read_text(), 10))
    pod = seen.named("Pod", name, "default")
    return list(claims.waiting(seen, pod)) if pod else []


def test_a_shared_volume_is_there_on_two_nodes(cluster: Rack) -> None:
    cluster.apply(_class("files"), _claim("corpus", "files", "ReadWriteMany"))
    cluster.wait("the claim is bound before any pod", lambda: _bound(cluster, "corpus"))
    cluster.apply(_pod("one", "corpus", "gpu-1"), _pod("two", "corpus", "gpu-2"))
    cluster.wait("both run", lambda: [_phase(cluster, each) for each in ("one", "two")] == ["Running"] * 2)
    cluster.kubectl("delete", "pod", "one", "two")


def test_a_volume_of_one_node_waits_for_its_pod_and_comes_to_no_second_node(cluster: Rack) -> None:
    cluster.apply(_class("blocks", waits=True), _claim("scratch", "blocks", "ReadWriteOnce"))
    assert not _bound(cluster, "scratch")
    cluster.apply(_pod("first", "scratch", "gpu-1"))
    cluster.wait("it runs", lambda: _phase(cluster, "first") == "Running")
    cluster.apply(_pod("second", "scratch", "gpu-2"))
    cluster.wait(
        "the second one's node is refused",
        lambda: any("Multi-Attach error for volume" in each for each in _reasons(cluster, "second")),
    )
    assert _phase(cluster, "second") == "Pending"
    cluster.kubectl("delete", "pod", "first")
    cluster.wait("the volume moves", lambda: _phase(cluster, "second") == "Running", 90)
    cluster.kubectl("delete", "pod", "second")


def test_a_claim_whose_driver_does_not_run_is_named_and_bound_once_it_does(cluster: Rack) -> None:
    fault = cluster.world.fault_handlers["storage-driver"]
    fault({"driver": TRIDENT, "stopped": True})
    cluster.apply(_class("files"), _claim("late", "files", "ReadWriteMany"), _pod("late", "late", "gpu-1"))
    cluster.wait("it is waited for", lambda: bool(_reasons(cluster, "late")))
    (reason,) = _reasons(cluster, "late")
    assert reason == f"claim default/late is Pending: provisioner {TRIDENT} of class files has not made its volume"
    fault({"driver": TRIDENT, "stopped": False})
    cluster.wait("it runs", lambda: _phase(cluster, "late") == "Running")
