"""Sizes of workbenches: what one pod may take of a pool's server, and which team's quota has room for it."""

from collections.abc import Iterable
from dataclasses import dataclass

from podwright.components.model.cluster import Cluster
from podwright.components.model.divided import Divided
from podwright.components.model.platform import Pool
from podwright.components.model.teams import Team

SYSTEM_GIB = 2
"""Memory of a node that no pod gets, in GiB: 1 GiB for kubelet and the system, 100 MiB before pods are evicted
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/nodes/working-with-nodes)."""
WHOLE = "gpu"
"""What a team's `shares` call a GPU that is not divided."""


@dataclass(frozen=True)
class Size:
    """What one workbench takes of a server."""

    unit: str = ""
    """`gpu`, or a MIG profile; empty: no GPU."""
    count: int = 0
    shared: bool = False
    """It takes a share of that unit."""

    @property
    def name(self) -> str:
        """As part of an object's name: 2-gpu, 1g.18gb, shared-gpu, cpu."""
        plain = self.unit.replace("+", ".")
        if self.shared:
            return f"shared-{plain}"
        return f"{self.count}-gpu" if self.unit == WHOLE else plain or "cpu"


def sizes(pool: Pool, offered: Iterable[Divided]) -> tuple[Size, ...]:
    """Sizes of a pool whose servers offer this: 1, 2, 4 or 8 whole GPUs, a slice of each profile, a share of each; on
    servers without any, one size without GPUs."""
    every = list(offered)
    most = max((each.whole for each in every), default=0)
    profiles = sorted({profile for each in every for profile, count in each.slices.items() if count})
    if pool.sharing is not None:
        units = [*([WHOLE] if most else []), *profiles]
        return tuple(Size(unit, 1, shared=True) for unit in units)
    found = [Size(WHOLE, count) for count in (1, 2, 4, 8) if count <= most]
    found += [Size(profile, 1) for profile in profiles]
    return tuple(found) if found or not every else (Size(),)


def admits(team: Team, size: Size) -> bool:
    """Whether the quota of a team has room for one of it."""
    if not size.unit:
        return True
    if size.shared:
        return team.shares.get(size.unit, 0) >= size.count
    return (team.gpus if size.unit == WHOLE else team.slices.get(size.unit, 0)) >= size.count


def projects(cluster: Cluster) -> tuple[str, ...]:
    """Teams whose namespaces are projects of the dashboard; none where the cluster has none."""
    section = cluster.openshift.data_science if cluster.openshift else None
    return section.teams if section is not None else ()


def has_pipelines(cluster: Cluster) -> bool:
    """Whether projects may have servers of pipelines."""
    section = cluster.openshift.data_science if cluster.openshift else None
    return section is not None and "pipelines" in section.components
