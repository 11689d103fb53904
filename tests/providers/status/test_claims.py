"""A claim that a pod waits for is named with its reason, and one that waits for its pod is no reason."""

from typing import Any

import pytest

from podwright.components.providers.status import claims
from podwright.components.providers.status.snapshot import Snapshot

CLASS = {"metadata": {"name": "datasets"}, "provisioner": "csi.trident.netapp.io", "volumeBindingMode": "Immediate"}
LATE = {**CLASS, "volumeBindingMode": "WaitForFirstConsumer"}
POD: dict[str, Any] = {
    "metadata": {"name": "pretrain-0", "namespace": "research", "uid": "uid-pod"},
    "spec": {
        "volumes": [
            {"name": "shm", "emptyDir": {}},
            {"name": "claim-corpus", "persistentVolumeClaim": {"claimName": "corpus"}},
        ]
    },
}
NOT_MADE = (
    "claim research/corpus is Pending: provisioner csi.trident.netapp.io of class datasets has not made its volume"
)
PLACED: dict[str, Any] = {**POD, "spec": {**POD["spec"], "nodeName": "gpu-01"}}


def _claim(phase: str, **annotations: str) -> dict[str, Any]:
    meta = {"name": "corpus", "namespace": "research", "uid": "uid-corpus", "annotations": annotations}
    return {"metadata": meta, "spec": {"storageClassName": "datasets"}, "status": {"phase": phase}}


def _event(uid: str, reason: str, message: str, at: str, kind: str = "Warning") -> dict[str, Any]:
    about = {"involvedObject": {"uid": uid}, "metadata": {"name": f"{uid}-{reason}"}, "lastTimestamp": at}
    return {**about, "type": kind, "reason": reason, "message": message}


def _reasons(pod: dict[str, Any], **objects: list[dict[str, Any]]) -> list[str]:
    return list(claims.waiting(Snapshot({kind: tuple(each) for kind, each in objects.items()}), pod))


def test_a_claim_that_is_not_there_is_named() -> None:
    assert _reasons(POD) == ["there is no claim research/corpus"]


def test_a_claim_of_another_namespace_is_no_claim_of_the_pod() -> None:
    other = _claim("Bound")
    other["metadata"]["namespace"] = "chat"
    assert _reasons(POD, PersistentVolumeClaim=[other]) == ["there is no claim research/corpus"]


def test_a_pending_claim_is_named_with_what_its_provisioner_says() -> None:
    pending = {"PersistentVolumeClaim": [_claim("Pending")], "StorageClass": [CLASS]}
    told = [
        _event("uid-corpus", "ProvisioningFailed", "no space left", "2026-11-25T10:00:00Z"),
        _event("uid-corpus", "ProvisioningFailed", "no aggregate", "2026-11-25T11:00:00Z"),
        _event("uid-corpus", "ExternalProvisioning", "waiting", "2026-11-25T12:00:00Z", "Normal"),
        _event("uid-other", "ProvisioningFailed", "of another", "2026-11-25T12:00:00Z"),
    ]
    assert _reasons(POD, **pending, Event=told) == ["claim research/corpus is Pending: no aggregate"]
    assert _reasons(POD, **pending) == [NOT_MADE]


@pytest.mark.parametrize(
    ("annotations", "reasons"),
    [
        ({}, []),
        (
            {"volume.kubernetes.io/selected-node": "gpu-01"},
            [NOT_MADE],
        ),
    ],
)
def test_a_claim_that_waits_for_its_first_pod_is_no_reason(annotations: dict[str, str], reasons: list[str]) -> None:
    found = {"PersistentVolumeClaim": [_claim("Pending", **annotations)], "StorageClass": [LATE]}
    assert _reasons(POD, **found) == reasons


def test_a_claim_without_its_class_or_volume_says_so() -> None:
    assert _reasons(POD, PersistentVolumeClaim=[_claim("Pending")]) == [
        "claim research/corpus is Pending: there is no StorageClass datasets"
    ]
    assert _reasons(POD, PersistentVolumeClaim=[_claim("Lost")]) == [
        "claim research/corpus is Lost: its volume is gone"
    ]


def test_a_volume_that_another_node_has_is_the_reason() -> None:
    words = 'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node'
    bound = {
        "PersistentVolumeClaim": [_claim("Bound")],
        "Event": [
            _event("uid-pod", "FailedAttachVolume", words, "2026-11-25T10:00:00Z"),
            _event("uid-pod", "FailedScheduling", "earlier", "2026-11-25T11:00:00Z"),
        ],
    }
    assert _reasons(PLACED, **bound) == [words]
    assert _reasons(POD, **bound) == [], "the pod has no node yet"
