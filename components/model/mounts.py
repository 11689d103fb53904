"""Where pods find claims, and what they have beside them."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import StringConstraints

from podwright.components.model.types import Spec, Words

HOME: Final = "/home/pod"
"""HOME of a pod whose user OpenShift chose. Such a user has no entry in the image's /etc/passwd: CRI-O adds one whose
home is `/`, which nobody but root may write (cri-o/cri-o, utils/utils.go, GeneratePasswd)."""
TAKEN: Final[Mapping[str, str]] = {
    "/dev/shm": "shared memory",  # noqa: S108 - that is the device, not a scratch file
    "/dev/hugepages": "huge pages",
    "/dev/termination-log": "the container's last words",
    HOME: "HOME and caches",
    "/proc": "the kernel's view of processes",
    "/sys": "the kernel's view of devices",
    "/etc/hosts": "a file that kubelet writes",
    "/etc/hostname": "a file that kubelet writes",
    "/etc/resolv.conf": "a file that kubelet writes",
    "/var/run/secrets/kubernetes.io/serviceaccount": "the account's token",
    "/run/secrets/kubernetes.io/serviceaccount": "the account's token",
}
"""Paths that every pod has something at (https://kubernetes.io/docs/concepts/storage/volumes/; kubernetes/kubernetes,
pkg/kubelet/kubelet_pods.go, makeMounts)."""

MountPath = Annotated[
    str,
    StringConstraints(pattern=r"^(/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}){1,8}$"),
    Words("an absolute path without a slash at its end, such as /data"),
]
"""Where a container finds something: absolute, no part of it hidden or `..`, no colon."""

SubPath = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}(/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}){0,7}$"),
    Words("a path within the volume without a slash in front, such as runs/first"),
]
"""A folder of a volume."""

ServedName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/:-]{0,127}$"),
    Words("a name without spaces, such as chat-8b"),
]
"""What clients call a model."""


class Mount(Spec):
    """Where pods find a claim."""

    path: MountPath
    """Where the container finds it."""
    read_only: bool = False
    """The container only reads it."""
    sub_path: SubPath | None = None
    """Folder of the volume that is mounted instead of all of it; kubelet makes it where it is missing, which an NFS
    server that takes root's rights away does not allow. Null: the whole volume."""


def within(path: str, other: str) -> bool:
    """Whether a path is another one or somewhere below it."""
    return path == other or path.startswith(f"{other}/")


def on_disk(model: str) -> bool:
    """Whether a model is named by its path, not by its name on the hub."""
    return model.startswith("/")
