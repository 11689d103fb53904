"""GPUs of a server that are divided in different ways."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Spec


class MigGpus(Spec):
    """GPUs of each server that are divided alike, those that follow the group before."""

    count: Annotated[int, Field(ge=1, le=16)]
    """How many GPUs. The counts of all groups add up to the GPUs of each server: MIG manager takes a layout that leaves
    one out for not applied (NVIDIA/mig-parted, cmd/nvidia-mig-parted/assert/config.go)."""
    slices: dict[str, Annotated[int, Field(ge=1, le=7)]] = {}
    """MIG slices by profile on each of these GPUs: {3g.71gb: 1, 1g.18gb: 3}. Empty leaves them whole."""
