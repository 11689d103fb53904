"""Backups of etcd on the status screen: how old the last good one is, and whether one was missed."""

from dataclasses import dataclass
from datetime import datetime

from podwright.components import model
from podwright.components.design.platform import etcd_backup
from podwright.components.providers.status.etcd_backup import age_seconds, exists_seconds
from podwright.components.providers.status.snapshot import Snapshot

_PLACE = (etcd_backup.NAMESPACE, etcd_backup.NAME)


@dataclass(frozen=True)
class Backup:
    """One sentence, and whether a backup is missing."""

    text: str
    late: bool


def backup(cluster: model.Cluster, snapshot: Snapshot, now: datetime) -> Backup | None:
    """The last good backup; None where the file defines none, or nobody can say."""
    defined = cluster.openshift.etcd_backup if cluster.openshift else None
    if defined is None or snapshot.unseen("CronJob"):
        return None
    limit = etcd_backup.late_seconds(defined)
    age, exists = age_seconds(snapshot, *_PLACE, now), exists_seconds(snapshot, *_PLACE, now)
    if exists is None:
        return Backup("no CronJob takes backups of etcd", late=True)
    if age is None:
        return Backup(f"no backup of etcd has succeeded yet, in {_span(exists)}", late=exists > limit)
    where = "" if defined.copy_to is None else f", copied to {defined.copy_to.server}:{defined.copy_to.path}"
    missed = f"; one every {defined.every_hours} h is defined" if age > limit else ""
    return Backup(f"the last good backup of etcd is {_span(age)} old{where}{missed}", late=age > limit)


def _span(seconds: float) -> str:
    minutes = int(seconds // 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"
