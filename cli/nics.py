"""Rail NICs as NVIDIA's NIC Configuration Operator reports them, beside the lossless class of the file."""

from collections.abc import Iterator
from dataclasses import dataclass

from podwright.components import model
from podwright.components.design.operators.nic_settings import expected
from podwright.components.design.platform import pools
from podwright.components.providers.status.nics import out_of_class, pending
from podwright.components.providers.status.snapshot import Snapshot


@dataclass(frozen=True)
class Nics:
    """The rail NICs of one pool."""

    pool: str
    total: int
    """How many its nodes have by the file."""
    out_of_class: tuple[str, ...]
    """A phrase for each that is not set as the class asks."""
    pending: tuple[str, ...]
    """Nodes whose NICs the operator still works on."""


def nics(cluster: model.Cluster, snapshot: Snapshot) -> Iterator[Nics]:
    """Each pool with rails; none where the file has no operators, which would set them."""
    if cluster.operators is None:
        return
    for pool in pools.offered(cluster.pools, cluster.nodes):
        if not pool.nics or not pool.nodes:
            continue
        wanted = expected(pool, cluster.fabric.lossless)
        total = len(pool.nodes) * len(wanted["rails"])
        late = out_of_class(snapshot, pool.nodes, wanted)
        yield Nics(pool.name, total, late, pending(snapshot, pool.nodes))
