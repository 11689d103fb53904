"""The storage layer: classes and claims."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from podwright.components import platform
from podwright.components.design.storage import plan
from podwright.components.manifests import Objects
from podwright.components.model import Cluster


@dataclass(frozen=True)
class Outputs:
    """What workloads need of storage."""

    ready: tuple[pulumi.Resource, ...]
    summary: Mapping[str, str]


class Storage(pulumi.ComponentResource):
    """Storage classes and volumes of a cluster."""

    def __init__(self, cluster: Cluster, base: platform.Outputs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("podwright:storage:Storage", cluster.name, {"classes": list(cluster.storage.classes)}, opts)
        design = plan(cluster)
        summary = {name: volume.storage_class for name, volume in cluster.storage.volumes.items()}
        self.outputs = Outputs((), summary)
        if design.manifests:
            objects = Objects(self, base.cloud, base.ready)
            classes = [objects.add(each) for each in design.classes]
            claims = [
                objects.add(each, [*classes, base.teams[each["metadata"]["namespace"]][0]], protect=cluster.protect)
                for each in design.claims
            ]
            self.outputs = Outputs((*classes, *claims), summary)
        self.register_outputs({"summary": summary})
