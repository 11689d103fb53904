"""Storage: classes by purpose, and the teams' claims."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi

from podwright.components.contract import After, Component, under
from podwright.components.design.storage import plan
from podwright.components.manifests import Objects
from podwright.components.model import Storage as StorageSection
from podwright.components.model.coherence import storage_problems


@dataclass(frozen=True)
class StorageArgs:
    """Storage classes and volumes."""

    cluster: str
    """Name of the cluster; it is stamped on every resource."""
    section: StorageSection
    """Classes and volumes."""
    teams: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    """`ready` of each team that has volumes, by name."""
    protect: bool = False
    """Deletion protection of the claims."""
    after: After = ()
    """`ready` of what must stand first: the cluster."""


class Storage(Component):
    """Storage classes and claims."""

    TOKEN = "podwright:index:Storage"
    PROVIDERS = ("kubernetes",)

    classes: pulumi.Output[list[str]]
    """Names of the classes."""
    claims: pulumi.Output[Mapping[str, str]]
    """Storage class of each claim, by name."""
    ready: pulumi.Output[str]
    """Its name, once classes and claims exist."""

    def __init__(self, name: str, args: StorageArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        problems = under("section", storage_problems(args.section, args.teams))
        super().__init__(name, args.cluster, {"classes": list(args.section.classes)}, opts, problems)
        design = plan(args.section)
        classes = [Objects(self, args.after).add(each) for each in design.classes]
        gate = tuple(self.gate("classes", classes))
        claims = [
            Objects(self, (args.teams[each["metadata"]["namespace"]],), gate).add(each, protect=args.protect)
            for each in design.claims
        ]
        self.finish(
            classes=list(args.section.classes),
            claims={key: volume.storage_class for key, volume in args.section.volumes.items()},
            ready=self.join("ready", claims or gate, args.after).ready,
        )
