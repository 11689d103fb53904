"""Scheduled backups of etcd: when, how many are kept, and where they are copied."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from podwright.components.model.types import Host, Image, Spec, Words

TimeOfDay = Annotated[
    str,
    StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$"),
    Words('a time of day in quotes, such as "02:30"'),
]


class NfsTarget(Spec):
    """A folder of an NFS server."""

    server: Host
    """Name or address of the server, reached from the control-plane hosts."""
    path: Annotated[str, StringConstraints(pattern=r"^/[A-Za-z0-9/_.-]{1,200}$"), Words("a path such as /exports/etcd")]
    """Exported folder. Who reads it reads the cluster's Secrets: they are in the snapshot as etcd has them, and where
    etcd is encrypted the keys are in the file beside it."""


class EtcdBackup(Spec):
    """Backups of etcd by OpenShift's own script on one control-plane host at a time.

    A backup restores the release that it was taken from, down to the patch: the first one after an update counts.
    """

    image: Image
    """Image with a shell and chroot, OpenShift's ose-cli for example, by digest; the script is the host's own."""
    at: TimeOfDay = "02:30"
    """When the first one of a day begins, UTC: a snapshot loads the disk that etcd writes to."""
    every_hours: Literal[1, 2, 3, 4, 6, 8, 12, 24] = 24
    """Hours from one to the next."""
    keep: Annotated[int, Field(ge=1, le=168)] = 7
    """Backups that stay on each control-plane host, under /var/lib/podwright/etcd-backup, and as many in `copy_to`."""
    copy_to: NfsTarget | None = None
    """Where each backup is copied, outside the cluster; while the server does not answer no backup is taken, which
    `podwright status` reports. Null: backups lie on the control-plane hosts alone, and are lost with them."""
