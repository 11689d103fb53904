"""How the nodes of a pool reach block storage: the array, and the protocols."""

from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.types import Spec

Protocol = Literal["iscsi", "fc", "nvme-tcp", "nvme-rdma"]


class BlockStorage(Spec):
    """What nodes of a pool need before a CSI driver attaches volumes of an array to them."""

    array: Literal["netapp-ontap", "pure-flasharray"]
    """Whose multipath settings and NVMe path policy they have."""
    protocols: Annotated[tuple[Protocol, ...], Field(min_length=1)]
    """iscsi and fc: multipathd with the array's settings, and the initiator's daemon. nvme-tcp and nvme-rdma: the
    kernel's module, its own multipathing, and a host NQN and host id that no other node has."""
