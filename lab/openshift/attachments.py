"""Volumes on their way to a pod: the CSI drivers' external-attacher, and kubelet that mounts what is attached.

Which volume goes to which node, and that a volume of one node is refused to a second one, is the cluster's own
attach-detach controller (kubernetes/kubernetes, pkg/controller/volume/attachdetach), which runs here as it does there:
it makes a VolumeAttachment, and the driver's attacher answers in its status (kubernetes-csi/external-attacher,
pkg/controller/csi_handler.go). kwok starts no pod with a claim before kubelet has mounted it.
"""

from __future__ import annotations

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.daemons import node_ready
from podwright.lab.openshift.kinds import ATTACHMENTS, CLAIMS, CSI_DRIVERS, NODES, PODS, VOLUMES
from podwright.lab.openshift.volumes import BLOCK, DRIVERS

MOUNTED = "lab.podwright.io/mounted"
"""Annotation of a pod whose claims its node has mounted."""


class Attachments(Controller):
    """Attaches volumes of drivers that run, and mounts them for pods."""

    watches = (ATTACHMENTS, CLAIMS, CSI_DRIVERS, NODES, PODS, VOLUMES)

    def reconcile(self) -> None:
        """One pass over attachments that wait, then over pods that do."""
        self.each(ATTACHMENTS, self._attach)
        self.each(PODS, self._mount)

    def _attach(self, item: Object) -> None:
        spec, name = item["spec"], item["spec"]["source"].get("persistentVolumeName")
        runs = spec["attacher"] in DRIVERS and spec["attacher"] not in self.around.stopped_drivers
        if not runs or (item.get("status") or {}).get("attached") or "deletionTimestamp" in item["metadata"]:
            return
        volume = self.cache.get(VOLUMES, name or "")
        if volume is None or self.cache.get(NODES, spec["nodeName"]) is None:
            return
        if set(volume["spec"]["accessModes"]) <= BLOCK and (other := self._elsewhere(item)):
            # As a driver answers ControllerPublishVolume: FAILED_PRECONDITION (CSI specification).
            message = f"rpc error: code = FailedPrecondition desc = volume {name} is published to node {other}"
            self.set_status(ATTACHMENTS, item, {"attached": False, "attachError": {"message": message}})
            return
        self.set_status(ATTACHMENTS, item, {"attached": True, "attachError": None})

    def _elsewhere(self, item: Object) -> str | None:
        """Another node that has the volume."""
        for each in self.cache.list(ATTACHMENTS):
            same = each["spec"]["source"] == item["spec"]["source"]
            away = same and each["spec"]["nodeName"] != item["spec"]["nodeName"]
            if away and (each.get("status") or {}).get("attached"):
                return str(each["spec"]["nodeName"])
        return None

    def _mount(self, pod: Object) -> None:
        meta, spec = pod["metadata"], pod["spec"]
        claims = [each["persistentVolumeClaim"]["claimName"] for each in spec.get("volumes") or ()
                  if "persistentVolumeClaim" in each]  # fmt: skip
        waits = spec.get("nodeName") and pod.get("status", {}).get("phase") == "Pending"
        if not claims or not waits or MOUNTED in meta.get("annotations", {}) or "deletionTimestamp" in meta:
            return
        node = self.cache.get(NODES, spec["nodeName"])
        if node is not None and node_ready(node) and all(self._there(pod, each) for each in claims):
            self.note(PODS, pod, **{MOUNTED: "true"})

    def _there(self, pod: Object, claim: str) -> bool:
        """Whether a claim's volume is attached to the pod's node, or needs no attaching."""
        found = self.cache.get(CLAIMS, claim, pod["metadata"]["namespace"])
        if found is None or found.get("status", {}).get("phase") != "Bound":
            return False
        volume = self.cache.get(VOLUMES, found["spec"]["volumeName"])
        if volume is None:
            return False
        driver = self.cache.get(CSI_DRIVERS, (volume["spec"].get("csi") or {}).get("driver", ""))
        if driver is not None and not driver["spec"].get("attachRequired", True):
            return True
        return any(
            each["spec"]["nodeName"] == pod["spec"]["nodeName"]
            and each["spec"]["source"].get("persistentVolumeName") == volume["metadata"]["name"]
            and (each.get("status") or {}).get("attached")
            for each in self.cache.list(ATTACHMENTS)
        )
