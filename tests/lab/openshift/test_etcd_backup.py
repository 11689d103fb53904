"""A backup of the lab's real etcd by the planned job, and the drill: another control plane made of it."""

from __future__ import annotations

import copy
import subprocess
import sys
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from podwright.cli.etcd_backup import backup
from podwright.components.design.platform import etcd_backup
from podwright.components.model import EtcdBackup
from podwright.components.providers.status.snapshot import Snapshot
from podwright.lab.openshift.binaries import IMPORTED_FROM, programs
from podwright.lab.openshift.controlplane import ControlPlane, Identity
from podwright.lab.openshift.ports import ReservedPort
from tests.cli.test_etcd_backup import _stack
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

BACKUP = EtcdBackup.model_validate({"image": f"registry.example.com/ose-cli@sha256:{'c' * 64}"})
SPACE = ("-n", etcd_backup.NAMESPACE)


def _planned() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    *others, job = copy.deepcopy([etcd_backup.namespace(), *etcd_backup.inside(BACKUP)])
    return others, job


def _run(cluster: Rack, name: str) -> dict[str, Any]:
    """Start the job by hand, and wait for its end."""
    cluster.kubectl("create", "job", name, f"--from=cronjob/{etcd_backup.NAME}", *SPACE)
    rows: dict[str, Any] = {}

    def ended() -> bool:
        found = cluster.get("job", name, *SPACE)["status"].get("conditions", [])
        rows.update({row["type"]: row for row in found if row["status"] == "True"})
        return bool(rows.keys() & {"Complete", "Failed"})

    cluster.wait(f"{name} ends", ended, 120)
    return rows


def _snapshots(cluster: Rack) -> list[Path]:
    plane = cluster.side.cluster.plane
    assert plane is not None
    return sorted(plane.disk("x").parent.glob(f"*{etcd_backup.DIRECTORY}/unfinished/snapshot_*.db"))


def _etcdutl() -> None:
    subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "restore"], cwd=IMPORTED_FROM, check=True)


def test_a_restored_control_plane_has_what_was_there_at_the_backup_and_takes_writes(
    cluster: Rack, tmp_path: Path
) -> None:
    others, job = _planned()
    cluster.apply(*others, job)
    cluster.kubectl("create", "configmap", "before", "--from-literal=a=1")
    uid = cluster.get("configmap", "before")["metadata"]["uid"]
    assert "Complete" in _run(cluster, "first")
    cluster.kubectl("delete", "configmap", "before")
    cluster.kubectl("create", "configmap", "after")
    (snapshot,) = _snapshots(cluster)
    with tarfile.open(next(snapshot.parent.glob("static_kuberesources_*.tar.gz"))) as archive:
        assert {"ca.key", "tokens.key"} <= set(archive.getnames())

    # Reported by the real CronJob controller, and read as the status screen reads it.
    cluster.wait("reported", lambda: "lastSuccessfulTime" in cluster.get("cronjob", "etcd-backup", *SPACE)["status"])
    live = Snapshot({"CronJob": tuple(cluster.items("cronjobs", "-A")), "Job": tuple(cluster.items("jobs", "-A"))})
    seen = backup(_stack(), live, datetime.now(UTC))
    assert seen is not None and not seen.late and "min old" in seen.text

    _etcdutl()
    current = cluster.side.cluster.current
    assert current is not None
    port = ReservedPort()
    restored = ControlPlane(
        Identity.of(current.content), programs(), tmp_path / "restored", port.number, lambda *_: None, {}
    )
    try:
        api = restored.start(snapshot)
        found = api.get("/api/v1/namespaces/default/configmaps/before")
        assert found is not None and found["metadata"]["uid"] == uid and found["data"] == {"a": "1"}
        assert api.get("/api/v1/namespaces/default/configmaps/after") is None
        assert len(api.request("GET", "/api/v1/nodes")["items"]) == 5
        # A store whose log is shorter than what it remembers loses writes without a word.
        written = {"metadata": {"name": "new"}, "data": {"b": "2"}}
        api.create("/api/v1/namespaces/default/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", **written})
        again = api.get("/api/v1/namespaces/default/configmaps/new")
        assert again is not None and again["data"] == {"b": "2"}
        api.close()
    finally:
        restored.stop()
        port.close()


def test_a_job_that_could_not_run_on_a_host_fails_in_the_scripts_words(cluster: Rack) -> None:
    others, job = _planned()
    cluster.apply(*others, job)
    pod = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({}, {"securityContext": {"privileged": False}}, "Operation not permitted"),
        ({"nodeSelector": {"node-role.kubernetes.io/worker": ""}}, {}, "error finding manifests"),
    ]
    for index, (changed, container, words) in enumerate(cases):
        spec = {**pod, **changed, "containers": [{**pod["containers"][0], **container}]}
        meta = {"name": f"wrong-{index}", "namespace": etcd_backup.NAMESPACE}
        cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
        cluster.wait("failed", lambda: cluster.pod(f"wrong-{index}", etcd_backup.NAMESPACE)[0] == "Failed")  # noqa: B023
        state = cluster.get("pod", meta["name"], *SPACE)["status"]["containerStatuses"][0]["state"]["terminated"]
        assert state["exitCode"] == 1 and words in state["message"]


def test_a_snapshot_that_was_changed_is_not_restored(cluster: Rack, tmp_path: Path) -> None:
    plane, current = cluster.side.cluster.plane, cluster.side.cluster.current
    assert plane is not None and current is not None
    snapshot = tmp_path / "snapshot.db"
    plane.save(snapshot)
    content = bytearray(snapshot.read_bytes())
    content[len(content) // 2] ^= 1
    snapshot.write_bytes(content)
    _etcdutl()
    port = ReservedPort()
    restored = ControlPlane(
        Identity.of(current.content), programs(), tmp_path / "new", port.number, lambda *_: None, {}
    )
    try:
        with pytest.raises(Exception, match="sha256"):
            restored.start(snapshot)
    finally:
        restored.stop()
        port.close()
