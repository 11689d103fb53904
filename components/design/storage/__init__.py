"""Storage, derived: classes by purpose, and the teams' claims."""

from dataclasses import dataclass

from podwright.components.design.platform.names import Manifest
from podwright.components.model import Storage as Section
from podwright.components.model import StorageClass, Volume

__all__ = ["Storage", "plan"]


@dataclass(frozen=True)
class Storage:
    """The storage layer's plan."""

    classes: tuple[Manifest, ...]
    claims: tuple[Manifest, ...]

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """Every object the layer makes."""
        return (*self.classes, *self.claims)


def plan(storage: Section) -> Storage:
    """Classes and claims of a coherent section."""
    return Storage(
        classes=tuple(_class(name, each) for name, each in storage.classes.items()),
        claims=tuple(
            _claim(name, volume, storage.classes[volume.storage_class]) for name, volume in storage.volumes.items()
        ),
    )


def _class(name: str, storage: StorageClass) -> Manifest:
    """A shared volume is placed at once; a block volume waits for the pod, so that it lands where the pod does."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": storage.provisioner,
        **({"parameters": dict(storage.parameters)} if storage.parameters else {}),
        # A claim deleted by mistake does not take a month of checkpoints with it.
        "reclaimPolicy": "Retain",
        "allowVolumeExpansion": True,
        "volumeBindingMode": "Immediate" if storage.shared else "WaitForFirstConsumer",
    }


def _claim(name: str, volume: Volume, of: StorageClass) -> Manifest:
    waits = {} if of.shared else {"annotations": {"pulumi.com/skipAwait": "true"}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": volume.team, **waits},
        "spec": {
            "accessModes": ["ReadWriteMany" if of.shared else "ReadWriteOnce"],
            "storageClassName": volume.storage_class,
            "resources": {"requests": {"storage": f"{volume.size_gib}Gi"}},
        },
    }
