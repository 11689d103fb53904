"""Drivers' attachers and kubelets that mount: what is attached, what is refused, which pod may start."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from podwright.lab.openshift.attachments import MOUNTED, Attachments
from podwright.lab.openshift.controller import Surroundings
from podwright.lab.openshift.kinds import ATTACHMENTS, CLAIMS, CSI_DRIVERS, NODES, PODS, STORAGE_CLASSES, VOLUMES
from podwright.lab.openshift.volumes import Volumes
from tests.lab.openshift.memory_api import MemoryApi, MemoryCache

TRIDENT, NFS = "csi.trident.netapp.io", "nfs.csi.k8s.io"


class Site:
    """Two nodes, a claim and its volume."""

    def __init__(self, driver: str = TRIDENT, mode: str = "ReadWriteOnce") -> None:
        self.api = MemoryApi()
        self.around = Surroundings(
            self.api,  # type: ignore[arg-type]
            MemoryCache(self.api),  # type: ignore[arg-type]
            SimpleNamespace(variants={}),  # type: ignore[arg-type]
            lambda _name: None,
            SimpleNamespace(),  # type: ignore[arg-type]
        )
        ready = {"conditions": [{"type": "Ready", "status": "True"}]}
        for node in ("gpu-1", "gpu-2"):
            self.api.put(NODES.path(None, node), {"metadata": {"name": node}, "spec": {}, "status": ready})
        meta = {"name": "files"}
        self.api.put(STORAGE_CLASSES.path(None, "files"), {"metadata": meta, "provisioner": driver})
        wanted = {"accessModes": [mode], "storageClassName": "files", "resources": {"requests": {"storage": "1Gi"}}}
        self.api.put(
            CLAIMS.path("team", "corpus"),
            {"metadata": {"name": "corpus", "namespace": "team"}, "spec": wanted, "status": {"phase": "Pending"}},
        )

    def step(self) -> None:
        """One pass of both stand-ins."""
        for controller in (Volumes(self.around), Attachments(self.around)):
            controller.reconcile()

    def bind(self) -> None:
        """As the cluster's own controller binds what the provisioner made."""
        (volume,) = self.api.listed(VOLUMES)
        change = {"spec": {"volumeName": volume["metadata"]["name"]}, "status": {"phase": "Bound"}}
        self.api.merge(CLAIMS.path("team", "corpus"), change)

    def attach(self, node: str) -> None:
        """As the cluster's own controller asks for a volume on a node."""
        (volume,) = self.api.listed(VOLUMES)
        source = {"persistentVolumeName": volume["metadata"]["name"]}
        spec = {"attacher": volume["spec"]["csi"]["driver"], "nodeName": node, "source": source}
        self.api.put(ATTACHMENTS.path(None, node), {"metadata": {"name": node}, "spec": spec})

    def attached(self, node: str) -> dict[str, Any]:
        return dict((self.api.get(ATTACHMENTS.path(None, node)) or {}).get("status") or {})

    def place(self, node: str) -> None:
        volume = {"name": "claim-corpus", "persistentVolumeClaim": {"claimName": "corpus"}}
        meta = {"name": node, "namespace": "team"}
        spec = {"nodeName": node, "volumes": [{"name": "shm", "emptyDir": {}}, volume]}
        self.api.put(PODS.path("team", node), {"metadata": meta, "spec": spec, "status": {"phase": "Pending"}})

    def starts(self, node: str) -> bool:
        found = self.api.get(PODS.path("team", node)) or {}
        return bool(found["metadata"].get("annotations", {}).get(MOUNTED))


def test_a_pod_starts_once_its_volume_is_attached_to_its_node() -> None:
    site = Site()
    site.place("gpu-1")
    site.step()
    assert not site.starts("gpu-1"), "its claim is not bound"
    site.bind()
    site.step()
    assert not site.starts("gpu-1"), "its volume is attached nowhere"
    site.attach("gpu-2")
    site.step()
    assert not site.starts("gpu-1"), "it is attached to another node"
    site.api.delete(ATTACHMENTS.path(None, "gpu-2"))
    site.attach("gpu-1")
    site.step()
    assert site.attached("gpu-1")["attached"] and site.starts("gpu-1")


@pytest.mark.parametrize(("mode", "second"), [("ReadWriteOnce", False), ("ReadWriteMany", True)])
def test_a_volume_of_one_node_is_refused_to_a_second_one(mode: str, second: bool) -> None:
    site = Site(mode=mode)
    site.step()
    for node in ("gpu-1", "gpu-2"):
        site.attach(node)
        site.step()
    assert site.attached("gpu-1")["attached"]
    assert site.attached("gpu-2")["attached"] is second
    assert second or "is published to node gpu-1" in site.attached("gpu-2")["attachError"]["message"]


def test_a_driver_that_attaches_nothing_needs_no_attachment() -> None:
    site = Site(driver=NFS, mode="ReadWriteMany")
    site.step()
    site.bind()
    site.place("gpu-1")
    site.step()
    assert (site.api.get(CSI_DRIVERS.path(None, NFS)) or {})["spec"]["attachRequired"] is False
    assert site.starts("gpu-1")


def test_a_stopped_driver_makes_and_attaches_nothing() -> None:
    site = Site()
    site.around.stopped_drivers.add(TRIDENT)
    site.step()
    assert site.api.listed(VOLUMES) == []
    site.around.stopped_drivers.clear()
    site.step()
    site.bind()
    site.around.stopped_drivers.add(TRIDENT)
    site.attach("gpu-1")
    site.step()
    assert not site.attached("gpu-1")


def test_a_class_of_a_driver_that_nobody_installed_makes_nothing() -> None:
    site = Site(driver="csi.example.com")
    site.step()
    assert site.api.listed(VOLUMES) == [] and site.api.listed(CSI_DRIVERS) == []
