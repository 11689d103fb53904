"""Mutual TLS between pods: Red Hat OpenShift Service Mesh, before any team whose pods are in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi

from podwright.components.contract import After, under
from podwright.components.design.operators import service_mesh
from podwright.components.design.workloads import clear
from podwright.components.model import Inference, OpenShift, Operators
from podwright.components.model.coherence.service_mesh import pin_problems
from podwright.components.operators import InstalledOperator, OperatorArgs
from podwright.components.platform import OpenShiftCluster


@dataclass(frozen=True)
class MeshOperatorArgs(OperatorArgs):
    """Where Service Mesh comes from; there is nothing to choose about it."""


class MeshOperator(InstalledOperator):
    """Red Hat OpenShift Service Mesh in ambient mode: istiod, and on every node what takes pods in and their proxy."""

    TOKEN = "podwright:index:MeshOperator"

    def __init__(self, name: str, args: MeshOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, args, opts, under("section", pin_problems(args.section)))
        self.install(args, service_mesh(args.section))


@dataclass(frozen=True)
class Meshed:
    """The mesh of a cluster, and which teams stand behind it."""

    every: Sequence[MeshOperator] = ()
    """Its operator; none where the file has no mesh."""
    teams: Sequence[str] = ()
    """Whose pods are in it."""
    services: Mapping[str, Inference] = field(default_factory=dict)

    def of(self, team: str, after: After) -> dict[str, Any]:
        """What a team's component gets of it: `after` alone where the team is not in it."""
        if team not in self.teams:
            return {"after": after}
        return {"after": [*after, *(each.ready for each in self.every)], "clear": clear(self.services, team)}


def meshed(
    cluster: str,
    openshift: OpenShift,
    section: Operators | None,
    services: Mapping[str, Inference],
    installed: OpenShiftCluster,
    opts: pulumi.ResourceOptions,
) -> Meshed:
    """The mesh where the file has one: before teams, so that none is closed to what is not a mesh's before there is
    one."""
    if openshift.service_mesh is None or section is None:
        return Meshed()
    about = MeshOperatorArgs(
        cluster=cluster,
        section=section,
        kubeconfig=installed.kubeconfig,
        catalogs=installed.planned_catalogs,
        after=[installed.ready],
    )
    return Meshed((MeshOperator(f"{cluster}-mesh", about, opts),), openshift.service_mesh.teams, services)
