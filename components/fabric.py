"""The fabric layer: every switch as one resource, or the word of the stack that holds them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from components.design.compute import digest
from components.design.fabric import SwitchPlan, plan, waves
from components.providers.nxos.resources import Soak, Switch
from components.providers.resources import Podwright
from components.spec import Cluster

SCHEMA = 1


@dataclass(frozen=True)
class Outputs:
    """What the layers above need of the network."""

    ready: tuple[pulumi.Resource, ...]
    """What must stand before anything uses the network."""
    digests: pulumi.Input[Mapping[str, str]]
    """Digest of each switch's configuration, by hostname: what an acceptance test of a path depends on."""
    summary: pulumi.Input[Mapping[str, Any]]


class Fabric(pulumi.ComponentResource):
    """All switches of a cluster."""

    def __init__(self, cluster: Cluster, opts: pulumi.ResourceOptions | None = None) -> None:
        elsewhere = cluster.fabric.stack
        props = {"stack": elsewhere, "switches": _names(cluster)}
        super().__init__("podwright:fabric:Fabric", cluster.name, props, opts)
        self.outputs = _referenced(elsewhere, self) if elsewhere else self._build(cluster)
        self.register_outputs({"summary": self.outputs.summary})

    def _build(self, cluster: Cluster) -> Outputs:
        fabric = cluster.fabric
        provider = Podwright(
            "nxos",
            credentials={"user": fabric.user, "secret": fabric.credential},
            drain=fabric.rollout.drain if fabric.rollout else None,
            opts=pulumi.ResourceOptions(parent=self),
        )
        specs = {switch.hostname: _spec(cluster, switch) for switch in plan(cluster).switches}
        digests = {name: digest([spec["config"], spec["links"]]) for name, spec in specs.items()}
        made: list[pulumi.Resource] = []
        gate: list[pulumi.Resource] = []
        for number, wave in enumerate(waves(cluster), 1):
            options = pulumi.ResourceOptions(
                parent=self, provider=provider, protect=cluster.protect or None, depends_on=[*gate]
            )
            gate = [Switch(name, specs[name], opts=options) for name in wave]
            made += gate
            if fabric.rollout:
                soaked = {name: _soaked(specs[name], digests[name]) for name in wave}
                about = {"schema": SCHEMA, "wave": number, "seconds": fabric.rollout.soak_seconds, "switches": soaked}
                after = pulumi.ResourceOptions(parent=self, provider=provider, depends_on=gate)
                gate = [Soak(f"wave-{number}", about, opts=after)]
        made += gate if fabric.rollout else []
        summary = {
            name: {"role": spec["role"], "model": spec["model"], "management": spec["management"]}
            for name, spec in specs.items()
        }
        return Outputs(tuple(made), digests, summary)


def _names(cluster: Cluster) -> list[str]:
    return [*cluster.fabric.leaves, *cluster.fabric.spines]


def _referenced(stack: str, parent: pulumi.Resource) -> Outputs:
    """The fabric as another stack exports it."""
    other = pulumi.StackReference(stack, opts=pulumi.ResourceOptions(parent=parent))
    exported = other.require_output("fabric")
    return Outputs((other,), exported.apply(lambda value: value["digests"]), exported.apply(lambda v: v["switches"]))


def _soaked(spec: Mapping[str, Any], digest: str) -> dict[str, Any]:
    return {**{key: spec[key] for key in ("management", "credential", "generation")}, "digest": digest}


def _spec(cluster: Cluster, switch: SwitchPlan) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "hostname": switch.hostname,
        "management": str(switch.management),
        "model": switch.model,
        "release": cluster.fabric.release,
        "role": switch.role,
        **({"serial": switch.serial} if switch.serial else {}),
        "adopt": switch.adopt,
        "credential": cluster.fabric.credential,
        "generation": cluster.fabric.generation,
        "config": dict(switch.config),
        "links": {
            port: {"device": end.device, "port": end.port, "role": end.role} for port, end in switch.links.items()
        },
        "lossless": dict(switch.lossless) if switch.lossless else None,
    }
