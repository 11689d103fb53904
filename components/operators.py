"""The operators layer: each operator pinned, approved, running, then told what to do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from podwright.components import platform
from podwright.components.design.fabric import plan as fabric_plan
from podwright.components.design.operators import Operator, concerns_rails, plan, readiness
from podwright.components.manifests import Objects
from podwright.components.model import Cluster
from podwright.components.providers.openshift.resources import OperatorInstall, PoolReady

Resources = tuple[pulumi.Resource, ...]


@dataclass(frozen=True)
class Outputs:
    """What the layers above need of the operators."""

    ready: Resources
    """What must stand before pods can have GPUs and rails."""
    settings: tuple[Mapping[str, Any], ...]
    """What the operators were told about rails: what acceptance judges beside the switches."""
    rails: Resources
    """Pools whose nodes offer GPUs and rails: what must stand before the network is measured."""
    summary: Mapping[str, str]


class Operators(pulumi.ComponentResource):
    """NFD, then SR-IOV and NVIDIA network, then GPU."""

    def __init__(self, cluster: Cluster, base: platform.Outputs, opts: pulumi.ResourceOptions | None = None) -> None:
        release = {"release": cluster.operators.release}
        super().__init__("podwright:operators:Operators", cluster.name, release, opts)
        operators = plan(cluster, fabric_plan(cluster))
        objects = Objects(self, base.cloud, base.ready)
        running: dict[str, Resources] = {}
        for each in operators:
            below = [resource for name in each.after for resource in running[name]]
            # A rail's attachment is made in the namespace that uses it, so that one must be there.
            spaces = [base.teams[name][0] for name in each.attaches_to]
            running[each.name] = self._start(objects.following([*below, *spaces]), each)
        summary = {each.name: str(each.subscription["spec"]["startingCSV"]) for each in operators}
        ready = tuple(resource for members in running.values() for resource in members)
        settings = tuple(setting for each in operators for setting in each.settings if concerns_rails(setting))
        options = pulumi.ResourceOptions(parent=self, provider=base.cloud.openshift, depends_on=[*base.ready, *ready])
        rails = tuple(
            PoolReady(f"ready-{name}", spec, base.cloud.kubeconfig, opts=options)
            for name, spec in readiness.ready(cluster, settings).items()
        )
        self.outputs = Outputs(ready, settings, rails, summary)
        self.register_outputs({"summary": summary})

    def _start(self, objects: Objects, operator: Operator) -> Resources:
        """Subscribe, approve, configure. What others wait for are the settings; the first one is the operator's own."""
        home = objects.add(operator.namespace)
        group = objects.add(operator.group, [home])
        running: pulumi.Resource = objects.add(operator.subscription, [home, group])
        if operator.approval is not None:
            options = pulumi.ResourceOptions(
                parent=self, provider=objects.cloud.openshift, depends_on=[*objects.after, running]
            )
            running = OperatorInstall(operator.name, operator.approval, objects.cloud.kubeconfig, opts=options)
        made: list[pulumi.Resource] = []
        for setting in operator.settings:
            made.append(objects.add(setting, [running, *made[:1]]))
        return tuple(made)
