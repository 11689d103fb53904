"""Backups of etcd on the status screen: well only where the last good one is as young as defined."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from podwright.cli.etcd_backup import backup
from podwright.components.design.platform import etcd_backup
from podwright.components.model import Cluster, EtcdBackup
from podwright.components.providers.status.snapshot import Snapshot
from tests.cli.test_status import CLUSTER

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
META = {"name": etcd_backup.NAME, "namespace": etcd_backup.NAMESPACE, "uid": "u1"}


def _text(hours: float) -> str:
    return (NOW - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _stack(**changes: Any) -> Cluster:
    defined = EtcdBackup.model_validate({"image": f"cli@sha256:{'c' * 64}", **changes})
    assert CLUSTER.openshift
    return CLUSTER.model_copy(update={"openshift": CLUSTER.openshift.model_copy(update={"etcd_backup": defined})})


def _snapshot(made: float, done: float | None, began: float | None = None) -> Snapshot:
    status = {} if done is None else {"lastSuccessfulTime": _text(done)}
    job = {"metadata": {**META, "creationTimestamp": _text(made)}, "status": status}
    run = {
        "metadata": {"name": "run", "ownerReferences": [{"uid": "u1"}]},
        "status": {"startTime": _text(began or 0), "completionTime": _text(done or 0)},
    }
    return Snapshot({"CronJob": (job,), "Job": (run,) if began else ()})


@pytest.mark.parametrize(("snapshot", "late", "words"), [
    (_snapshot(200, 3), False, "the last good backup of etcd is 3 h old"),
    (_snapshot(200, 3, began=3.4), False, "is 3 h old"),
    (_snapshot(200, 0.4, began=0.5), False, "is 30 min old"),
    (_snapshot(200, 25), True, "is 25 h old; one every 24 h is defined"),
    (_snapshot(5, None), False, "no backup of etcd has succeeded yet, in 5 h"),
    (_snapshot(200, None), True, "no backup of etcd has succeeded yet, in 200 h"),
    (Snapshot(), True, "no CronJob takes backups of etcd"),
])  # fmt: skip
def test_the_age_of_the_last_good_one_and_whether_one_was_missed(snapshot: Snapshot, late: bool, words: str) -> None:
    found = backup(_stack(), snapshot, NOW)
    assert found is not None and (found.late, words in found.text) == (late, True), found


def test_a_shorter_interval_is_missed_sooner() -> None:
    ages = {every: backup(_stack(every_hours=every), _snapshot(200, 7), NOW) for every in (6, 8)}
    assert {every: found and found.late for every, found in ages.items()} == {6: True, 8: False}


def test_a_file_without_backups_has_no_line() -> None:
    assert backup(CLUSTER, _snapshot(200, 3), NOW) is None
