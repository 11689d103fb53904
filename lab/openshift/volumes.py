"""Provisioning by the storage classes whose driver the lab knows: a claim is bound to a volume made for it.

No data is kept anywhere. Drivers in the table are asked for what they can do: a claim for an access mode that the
driver lacks stays Pending with the event its provisioner would post. A driver is installed with the first class that
names it, and may be stopped: then claims of its classes stay Pending, as those of a driver that nobody installed.
"""

from __future__ import annotations

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.kinds import CLAIMS, CSI_DRIVERS, PODS, STORAGE_CLASSES, VOLUMES

SHARED = frozenset({"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"})
BLOCK = frozenset({"ReadWriteOnce", "ReadWriteOncePod"})
DRIVERS = {
    "csi.trident.netapp.io": SHARED,
    "pxd.portworx.com": SHARED,
    "csi.vastdata.com": SHARED,
    "csi.weka.io": SHARED,
    "nfs.csi.k8s.io": SHARED,
    "openshift-storage.cephfs.csi.ceph.com": SHARED,
    "openshift-storage.rbd.csi.ceph.com": BLOCK,
    "topolvm.io": BLOCK,
}
"""CSI driver name to the access modes of its file volumes."""
UNATTACHED = frozenset({"nfs.csi.k8s.io", "topolvm.io"})
"""Drivers whose volumes need no attaching (kubernetes-csi/csi-driver-nfs, deploy/csi-nfs-driverinfo.yaml; topolvm,
charts/topolvm/templates/csidriver.yaml). Of the others every volume is attached to a node first."""


class Volumes(Controller):
    """Binds claims, at once or when the first pod that uses them has a node, as the class says."""

    watches = (CLAIMS, VOLUMES, STORAGE_CLASSES, PODS, CSI_DRIVERS)

    def reconcile(self) -> None:
        """One pass over unbound claims."""
        self.each(STORAGE_CLASSES, self._install)
        self.each(CLAIMS, self._serve)
        self.each(VOLUMES, self._collect)

    def _install(self, found: Object) -> None:
        name = found["provisioner"]
        if name in DRIVERS and self.cache.get(CSI_DRIVERS, name) is None:
            spec = {"attachRequired": name not in UNATTACHED, "podInfoOnMount": False}
            self.api.ensure(CSI_DRIVERS.path(), {
                "apiVersion": CSI_DRIVERS.api_version, "kind": "CSIDriver", "metadata": {"name": name}, "spec": spec,
            })  # fmt: skip

    def _serve(self, claim: Object) -> None:
        spec, meta = claim["spec"], claim["metadata"]
        if spec.get("volumeName") or claim.get("status", {}).get("phase") == "Bound":
            return
        found = self.cache.get(STORAGE_CLASSES, spec.get("storageClassName") or "")
        if found is None or found["provisioner"] not in set(DRIVERS) - self.around.stopped_drivers:
            return
        waits = found.get("volumeBindingMode") == "WaitForFirstConsumer"
        if waits and "volume.kubernetes.io/selected-node" not in meta.get("annotations", {}):
            return
        beyond = sorted(set(spec["accessModes"]) - DRIVERS[found["provisioner"]])
        if beyond:
            name = found["metadata"]["name"]
            message = f'failed to provision volume with StorageClass "{name}": {beyond[0]} is not supported'
            self.event(claim, "PersistentVolumeClaim", "ProvisioningFailed", message)
            return
        name = f"pvc-{meta['uid']}"
        self.api.ensure(VOLUMES.path(), {
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": name, "annotations": {"pv.kubernetes.io/provisioned-by": found["provisioner"]}},
            "spec": {
                "capacity": {"storage": spec["resources"]["requests"]["storage"]}, "accessModes": spec["accessModes"],
                "storageClassName": found["metadata"]["name"], "volumeMode": spec.get("volumeMode", "Filesystem"),
                "persistentVolumeReclaimPolicy": found.get("reclaimPolicy", "Delete"),
                "csi": {"driver": found["provisioner"], "volumeHandle": name},
                "claimRef": {
                    "apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": meta["name"],
                    "namespace": meta["namespace"], "uid": meta["uid"],
                },
            },
        })  # fmt: skip

    def _collect(self, volume: Object) -> None:
        """A released volume goes when its class says so."""
        released = volume.get("status", {}).get("phase") == "Released"
        ours = volume["spec"].get("csi", {}).get("driver") in DRIVERS
        if released and ours and volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
            self.api.delete(VOLUMES.path(None, volume["metadata"]["name"]))
