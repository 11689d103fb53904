"""What is defined about storage: classes, claims on them, and how fast GPUs read."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Name, Spec


class StorageClass(Spec):
    """A StorageClass by purpose."""

    provisioner: str
    """CSI driver, for example csi.trident.netapp.io."""
    parameters: dict[str, str] = {}
    """The driver's parameters."""
    shared: bool = False
    """Volumes may be mounted by many nodes at once (ReadWriteMany): needs a file protocol, not a block one."""


class Volume(Spec):
    """A claim on a StorageClass."""

    team: Name
    """Team whose namespace holds it."""
    storage_class: Name
    """A key of `storage.classes`."""
    size_gib: Annotated[int, Field(ge=1, le=10_000_000)]
    """Size."""


class Read(Spec):
    """How fast GPUs read training data, in gigabits: vendors' tables are in gigabytes, of eight."""

    gbps_per_gpu: Annotated[float, Field(gt=0, le=400)]
    """Gb/s that a server must be able to take for each of its GPUs (12.5: Cisco's AI PODs, 100 Gb/s for eight GPUs;
    NVIDIA's SuperPOD guideline for a node of eight, 4, 8 and 40 GB/s, is 4, 8 and 40)."""
    at_once: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of all GPUs that read at that rate at the same time, which whatever serves storage is sized for (SuperPOD's
    better guideline, 40 GB/s for 32 nodes of 8 GB/s each, is 0.16)."""


class Storage(Spec):
    """Storage classes and volumes."""

    classes: dict[Name, StorageClass] = {}
    """Classes by name."""
    volumes: dict[Name, Volume] = {}
    """Claims by name."""
    read: Read | None = None
    """How fast GPUs read. Null: not given, and nothing is checked against it."""
