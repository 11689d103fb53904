"""Backups of etcd: the objects, the hours, and the job's own script under a real shell."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design.image_set import image_set
from podwright.components.design.platform import etcd_backup
from podwright.components.model import Cluster, EtcdBackup
from podwright.components.model.advisory import findings
from tests.design import whole
from tests.design.goldens import cluster

IMAGE = f"registry.redhat.io/openshift4/ose-cli@sha256:{'c' * 64}"
NFS = {"server": "nfs-01.example.com", "path": "/exports/etcd"}
CHROOT = """#!/bin/sh
# The host's script, as far as the job sees of it.
[ "$2" = /usr/local/bin/cluster-backup.sh ] || exit 127
mkdir -p "$1$3" && echo half > "$1$3/snapshot.db" && [ ! -e "$1/fails" ] && echo whole > "$1$3/snapshot.db"
"""


def _backup(**changes: Any) -> EtcdBackup:
    return EtcdBackup.model_validate({"image": IMAGE, "copy_to": NFS, **changes})


def _stack(backup: EtcdBackup | None) -> Cluster:
    lab = cluster("lab")
    assert lab.openshift
    return lab.model_copy(update={"openshift": lab.openshift.model_copy(update={"etcd_backup": backup})})


def test_the_job_runs_the_hosts_script_on_one_control_plane_host_and_nothing_else_has_the_host() -> None:
    """Every object, word by word."""
    golden = Path(__file__).with_name("etcd_backup.yaml")
    assert [etcd_backup.namespace(), *etcd_backup.inside(_backup())] == list(yaml.safe_load_all(golden.read_text()))


def test_nothing_is_planned_unless_defined_and_its_image_is_mirrored() -> None:
    kinds = [each["kind"] for each in whole.platform(_stack(None)).manifests]
    planned = [each["kind"] for each in whole.platform(_stack(_backup())).manifests]
    assert "CronJob" not in kinds
    assert sorted(planned) == sorted([*kinds, "Namespace", "ServiceAccount", "RoleBinding", "CronJob"])
    images = image_set(_stack(_backup())).document["mirror"]["additionalImages"]
    assert {"name": IMAGE} in images and {"name": IMAGE} not in image_set(_stack(None)).document["mirror"][
        "additionalImages"
    ]


def test_backups_on_the_hosts_alone_are_an_open_finding() -> None:
    words = "backups of etcd are lost with the control-plane hosts"
    assert [words in " ".join(findings(_stack(each))) for each in (_backup(), _backup(copy_to=None))] == [False, True]


@pytest.mark.parametrize(("at", "every", "schedule"), [
    ("02:30", 24, "30 2 * * *"),
    ("22:05", 8, "5 6,14,22 * * *"),
    ("00:00", 1, f"0 {','.join(map(str, range(24)))} * * *"),
])  # fmt: skip
def test_hours_are_counted_from_the_first_one(at: str, every: int, schedule: str) -> None:
    assert etcd_backup.schedule(_backup(at=at, every_hours=every)) == schedule


def _run(tmp_path: Path, backup: EtcdBackup) -> int:
    """The script with the pod's two mounts in a folder of this test."""
    host, copy, tools = tmp_path / "host", tmp_path / "copy", tmp_path / "tools"
    for folder in (host, copy, tools):
        folder.mkdir(exist_ok=True)
    (tools / "chroot").write_text(CHROOT)
    (tools / "chroot").chmod(0o755)
    text = etcd_backup.script(backup).replace("/host", str(host)).replace("/copy", str(copy))
    path = f"{tools}:/usr/bin:/bin"
    return subprocess.run(["/bin/bash", "-euc", text], env={"PATH": path}, check=False).returncode


def _found(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir() if each.name != "fails")


def test_the_last_ones_stay_on_the_host_and_in_the_copy(tmp_path: Path) -> None:
    here = tmp_path / "host" / etcd_backup.DIRECTORY.lstrip("/")
    old = [f"2026-01-0{day}T023000Z" for day in range(1, 6)]
    for folder in (here, tmp_path / "copy"):
        for each in (*old, "notes"):
            (folder / each).mkdir(parents=True)
    assert _run(tmp_path, _backup(keep=3)) == 0
    for folder in (here, tmp_path / "copy"):
        *kept, new, others = _found(folder)
        assert (kept, others) == (old[-2:], "notes") and new > old[-1]
        assert (folder / new / "snapshot.db").read_text() == "whole\n"


def test_a_run_that_fails_leaves_no_backup_and_takes_none_away(tmp_path: Path) -> None:
    here = tmp_path / "host" / etcd_backup.DIRECTORY.lstrip("/")
    (here / "2026-01-01T023000Z").mkdir(parents=True)
    (tmp_path / "host/fails").touch()
    assert _run(tmp_path, _backup(keep=1)) != 0
    assert _found(here) == ["2026-01-01T023000Z", "unfinished"] and _found(tmp_path / "copy") == []
    (tmp_path / "host/fails").unlink()
    assert _run(tmp_path, _backup(keep=1)) == 0
    (left,) = _found(here)
    assert left > "2026-01-01T023000Z"


@pytest.mark.parametrize("change", [{"at": "24:00"}, {"at": 230}, {"every_hours": 5}, {"keep": 0}, {"copy_to": {
    "server": "nfs", "path": "/a b"}}, {"image": ""}])  # fmt: skip
def test_what_cron_or_nfs_cannot_take_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        _backup(**change)
