"""The storage plan: who may mount a volume, where a block volume lands, and what outlives a deleted claim."""

from typing import Any

from podwright.components.design import storage
from podwright.components.model import Cluster, StorageClass, Volume
from tests.design.goldens import cluster

CLASSES = {
    "shared": StorageClass(provisioner="csi.trident.netapp.io", parameters={"backendType": "ontap-nas"}, shared=True),
    "block": StorageClass(provisioner="csi.trident.netapp.io", parameters={"backendType": "ontap-san"}),
}
VOLUMES = {
    "datasets": Volume(team="research", storage_class="shared", size_gib=1000),
    "scratch": Volume(team="research", storage_class="block", size_gib=10),
}


def _with_storage() -> Cluster:
    lab = cluster("lab")
    return lab.model_copy(
        update={"storage": lab.storage.model_copy(update={"classes": CLASSES, "volumes": VOLUMES})}
    )  # fmt: skip


def _by_name(kind: str) -> dict[str, dict[str, Any]]:
    return {
        each["metadata"]["name"]: each
        for each in storage.plan(_with_storage().storage).manifests
        if each["kind"] == kind
    }


def test_many_nodes_mount_a_shared_volume_and_one_a_block_volume() -> None:
    claims = _by_name("PersistentVolumeClaim")
    assert {name: each["spec"]["accessModes"] for name, each in claims.items()} == {
        "datasets": ["ReadWriteMany"], "scratch": ["ReadWriteOnce"],
    }  # fmt: skip
    assert {name: each["spec"]["storageClassName"] for name, each in claims.items()} == {
        "datasets": "shared", "scratch": "block",
    }  # fmt: skip
    assert claims["scratch"]["spec"]["resources"] == {"requests": {"storage": "10Gi"}}
    assert {each["metadata"]["namespace"] for each in claims.values()} == {"research"}


def test_data_outlives_a_claim_that_was_deleted() -> None:
    assert {name: each["reclaimPolicy"] for name, each in _by_name("StorageClass").items()} == {
        "shared": "Retain", "block": "Retain",
    }  # fmt: skip


def test_a_block_volume_waits_for_the_pod_it_lands_with() -> None:
    found = _by_name("StorageClass")
    assert {name: each["volumeBindingMode"] for name, each in found.items()} == {
        "shared": "Immediate", "block": "WaitForFirstConsumer",
    }  # fmt: skip
    assert found["block"]["parameters"] == {"backendType": "ontap-san"}
    # A claim that waits for its first pod is not waited for: no pod would ever be made.
    waits = {name: each["metadata"].get("annotations", {}) for name, each in _by_name("PersistentVolumeClaim").items()}
    assert waits == {"datasets": {}, "scratch": {"pulumi.com/skipAwait": "true"}}
