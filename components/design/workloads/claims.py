"""Claims of a pod: its volumes, and where its container finds them."""

from collections.abc import Mapping
from typing import Any

from podwright.components.model import Mount


def volumes(mounts: Mapping[str, Mount]) -> list[dict[str, Any]]:
    """One for each claim; a claim may be called like a volume that every pod has."""
    return [{"name": _name(claim), "persistentVolumeClaim": {"claimName": claim}} for claim in mounts]


def mounts(found: Mapping[str, Mount]) -> list[dict[str, Any]]:
    """Where the container finds each.

    Read only by the mount alone: kubelet gives a volume that is read only as a whole to no fsGroup, and a user of
    OpenShift's choice would read none of it (kubernetes/kubernetes, pkg/volume/csi/csi_mounter.go, supportsFSGroup).
    """
    return [
        {
            "name": _name(claim),
            "mountPath": mount.path,
            **({"readOnly": True} if mount.read_only else {}),
            **({"subPath": mount.sub_path} if mount.sub_path else {}),
        }
        for claim, mount in found.items()
    ]


def context(mounts: Mapping[str, Mount]) -> dict[str, str]:
    """What a pod with claims says of its group's ownership.

    The group itself is the namespace's: `restricted-v2` and podwright's own SCC give every pod the first one. By
    itself kubelet changes group and mode of every file at every start, an hour's work on a large volume; where the
    root of the volume has both already, it need not (https://kubernetes.io/docs/tasks/configure-pod-container/
    security-context/#configure-volume-permission-and-ownership-change-policy-for-pods).
    """
    return {"fsGroupChangePolicy": "OnRootMismatch"} if mounts else {}


def _name(claim: str) -> str:
    return f"claim-{claim}"
