"""Workloads, derived: training jobs and inference services that the scheduler can place for the right reasons."""

from dataclasses import dataclass

from podwright.components.design.platform.names import Manifest
from podwright.components.design.workloads.inference import service
from podwright.components.design.workloads.training import job
from podwright.components.model import Cluster

__all__ = ["Workloads", "plan"]


@dataclass(frozen=True)
class Workloads:
    """The workloads layer's plan: objects of each workload, by `<team>/<name>`."""

    training: dict[str, tuple[Manifest, ...]]
    inference: dict[str, tuple[Manifest, ...]]

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """Every object the layer makes."""
        return tuple(each for group in (self.training, self.inference) for made in group.values() for each in made)


def plan(cluster: Cluster) -> Workloads:
    """Everything the workloads layer makes for a coherent cluster."""
    defined = cluster.workloads
    return Workloads(
        training={f"{each.team}/{name}": job(cluster, name, each) for name, each in defined.training.items()},
        inference={f"{each.team}/{name}": service(cluster, name, each) for name, each in defined.inference.items()},
    )
