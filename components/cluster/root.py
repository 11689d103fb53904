"""Where the layers of a stack file are made: what the file defines, and the component that they are children of."""

from dataclasses import dataclass

import pulumi

from podwright.components.contract import After, Component
from podwright.components.model import Cluster, OpenShift
from podwright.components.platform import OpenShiftCluster
from podwright.components.providers.resources import World


@dataclass(frozen=True)
class Root:
    """A stack file, the component of all of it, and what goes last when it is destroyed."""

    args: Cluster
    component: Component
    world: World

    def inside(self, *providers: pulumi.ProviderResource) -> pulumi.ResourceOptions:
        """Options of a component: what waits for nothing else inside it waits for the world."""
        return pulumi.ResourceOptions(
            parent=self.component, providers=list(providers), transformations=[self.world.before]
        )

    def join(self, ends: str, after: After) -> pulumi.Output[str]:
        """One `ready` that stands for many, of what ends here."""
        return self.component.join(ends, (), after).ready


@dataclass(frozen=True)
class Installed:
    """A stack file's installed cluster, for what is made on it."""

    root: Root
    openshift: OpenShift
    cluster: OpenShiftCluster

    @property
    def args(self) -> Cluster:
        """The whole of the stack file."""
        return self.root.args

    def inside(self) -> pulumi.ResourceOptions:
        """Options of a component whose objects are written to this cluster."""
        return self.root.inside(self.cluster.kubernetes)
