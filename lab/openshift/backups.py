"""Pods that run OpenShift's backup script on a control-plane host: their containers end with a snapshot of real etcd.

After openshift/cluster-etcd-operator, bindata/etcd/cluster-backup.sh: it runs as root in the host's own files, refuses
while an operator of the control plane rolls out, and leaves a snapshot and the static pods' resources in the folder
that it is given. Of the pod's command only the line that calls it is played.
"""

from __future__ import annotations

import re
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, now
from podwright.lab.openshift.kinds import CLUSTER_OPERATORS, NODES, PODS

CALL = re.compile(r"chroot (\S+) /usr/local/bin/cluster-backup\.sh (/[\w/.-]+)")
MASTER = "node-role.kubernetes.io/master"
ROLLING = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd")


class Backups(Controller):
    """Ends each pod that calls the script as the script would end."""

    watches = (PODS, NODES, CLUSTER_OPERATORS)

    def reconcile(self) -> None:
        """One pass over pods that have started."""
        self.each(PODS, self._serve)

    def _serve(self, pod: Object) -> None:
        (container, *_) = pod["spec"]["containers"]
        call = CALL.search(" ".join([*(container.get("command") or []), *(container.get("args") or [])]))
        if call is None or pod["status"].get("phase") != "Running" or "deletionTimestamp" in pod["metadata"]:
            return
        why = self._refused(pod, container, call[1])
        if not why:
            why = self._back_up(pod["spec"]["nodeName"], call[2])
        self._end(pod, container, why)

    def _refused(self, pod: Object, container: dict[str, Any], root: str) -> str:
        """Why the script cannot run there; empty where it can."""
        paths = {each["name"]: (each.get("hostPath") or {}).get("path") for each in pod["spec"].get("volumes") or []}
        mounted = {each["mountPath"]: paths.get(each["name"]) for each in container.get("volumeMounts") or []}
        if not (container.get("securityContext") or {}).get("privileged"):
            return f"chroot: cannot change root directory to '{root}': Operation not permitted"
        if mounted.get(root) != "/":
            return f"chroot: cannot change root directory to '{root}': No such file or directory"
        node = self.cache.get(NODES, pod["spec"]["nodeName"])
        if node is None or MASTER not in node["metadata"].get("labels", {}):
            return "error finding manifests for the kube-apiserver pod. please check if it is running."
        for name in ROLLING:
            operator = self.cache.get(CLUSTER_OPERATORS, name)
            rows = (operator or {}).get("status", {}).get("conditions", [])
            if any(row["type"] == "Progressing" and row["status"] != "False" for row in rows):
                return (
                    f"Currently the {name} operator is progressing. A reliable backup requires that a rollout is not "
                    "in progress.  Aborting!"
                )
        return ""

    def _back_up(self, node: str, folder: str) -> str:
        plane, server = self.around.plane, self.around.server_of(node)
        if plane is None or server is None:
            return "required dependencies not found, please ensure this script is run on a node with etcd"
        target = plane.disk(server.name) / folder.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        stamp = datetime.now(UTC).strftime("%Y-%m-%d_%H%M%S")
        snapshot, resources = target / f"snapshot_{stamp}.db", target / f"static_kuberesources_{stamp}.tar.gz"
        try:
            _pack(resources, plane.static_resources())
            plane.save(snapshot)
        except OSError as problem:
            snapshot.unlink(missing_ok=True)
            resources.unlink(missing_ok=True)
            return f"snapshot failed: {problem}"
        return ""

    def _end(self, pod: Object, container: dict[str, Any], why: str) -> None:
        code = int(bool(why))
        ended = {
            "exitCode": code, "reason": "Error" if code else "Completed", "message": why,
            "startedAt": now(), "finishedAt": now(), "containerID": "cri-o://lab",
        }  # fmt: skip
        row = {
            "name": container["name"], "image": container["image"], "imageID": container["image"],
            "ready": False, "started": False, "restartCount": 0, "state": {"terminated": ended},
        }  # fmt: skip
        status = {"phase": "Failed" if code else "Succeeded", "containerStatuses": [row]}
        self.set_status(PODS, pod, status)


def _pack(target: Path, files: list[Path]) -> None:
    with tarfile.open(target, "w:gz") as archive:
        for file in files:
            archive.add(file, file.name)
    target.chmod(0o600)
