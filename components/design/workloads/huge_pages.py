"""Huge pages of a pod: what it asks for, and where it finds them beside its shared memory.

Requests and limits of them are equal by rule, and a volume's medium names their size
(https://kubernetes.io/docs/tasks/manage-hugepages/scheduling-hugepages/).
"""

from typing import Any

RESOURCE = "hugepages-1Gi"
MEDIUM = "HugePages-1Gi"
PATH = "/dev/hugepages"


def amounts(gib: int) -> dict[str, str]:
    """Entry of a container's requests and limits."""
    return {RESOURCE: f"{gib}Gi"} if gib else {}


def volumes(shm_gib: int, gib: int) -> list[dict[str, Any]]:
    """Shared memory of a size, and the huge pages that the container asks for."""
    shared = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": f"{shm_gib}Gi"}}
    return [shared, {"name": "hugepages", "emptyDir": {"medium": MEDIUM}}] if gib else [shared]


def mounts(gib: int) -> list[dict[str, Any]]:
    """Where the container finds both."""
    shared = {"name": "shm", "mountPath": "/dev/shm"}  # noqa: S108 - that is the device, not a scratch file
    return [shared, {"name": "hugepages", "mountPath": PATH}] if gib else [shared]
