"""The fabric layer: every switch as one resource, or the word of the stack that holds them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from podwright.components.design.compute import digest
from podwright.components.design.fabric import FabricPlan, SwitchPlan, plan, shown, waves
from podwright.components.model import Cluster
from podwright.components.providers.nxos.resources import Soak, Switch, Verification
from podwright.components.providers.resources import Podwright

SCHEMA = 1


@dataclass(frozen=True)
class Outputs:
    """What the layers above need of the network."""

    ready: tuple[pulumi.Resource, ...]
    """What must stand before anything uses the network."""
    hosts: Mapping[str, Mapping[str, Any]]
    """By switch, the spec of what its ports to servers must show once those are up; none of another stack's fabric."""
    provider: Podwright | None
    """Reaches the switches; none of another stack's."""
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
        design = plan(cluster)
        specs = {switch.hostname: _spec(cluster, switch) for switch in design.switches}
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
        links, hosts = _verified(cluster, design, specs, digests)
        after = pulumi.ResourceOptions(parent=self, provider=provider, depends_on=[*made])
        made += [Verification(f"{name}-links", spec, opts=after) for name, spec in links.items()]
        summary = {
            name: {"role": spec["role"], "model": spec["model"], "management": spec["management"]}
            for name, spec in specs.items()
        }
        return Outputs(tuple(made), hosts, provider, digests, summary)


def _names(cluster: Cluster) -> list[str]:
    return [*cluster.fabric.leaves, *cluster.fabric.spines]


def _referenced(stack: str, parent: pulumi.Resource) -> Outputs:
    """The fabric as another stack exports it."""
    other = pulumi.StackReference(stack, opts=pulumi.ResourceOptions(parent=parent))
    exported = other.require_output("fabric")
    digests, summary = exported.apply(lambda value: value["digests"]), exported.apply(lambda value: value["switches"])
    return Outputs((other,), {}, None, digests, summary)


def _soaked(spec: Mapping[str, Any], digest: str) -> dict[str, Any]:
    return {**{key: spec[key] for key in ("management", "credential", "generation")}, "digest": digest}


def _verified(
    cluster: Cluster, design: FabricPlan, specs: Mapping[str, Mapping[str, Any]], digests: Mapping[str, str]
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Specs of what each switch must show, by hostname: between switches, and towards servers.

    The digests of the first are those of the switch and of every switch it is cabled to.
    """
    links: dict[str, dict[str, Any]] = {}
    hosts: dict[str, dict[str, Any]] = {}
    for switch in design.switches if cluster.fabric.verification == "on" else ():
        spec = specs[switch.hostname]
        for stage, interfaces in shown(cluster, design, switch).items():
            near = {switch.hostname, *(end.device for end in switch.links.values() if stage == "links")}
            (links if stage == "links" else hosts)[switch.hostname] = {
                "schema": SCHEMA,
                "stage": stage,
                **{key: spec[key] for key in ("hostname", "management", "credential", "generation")},
                "settle_seconds": cluster.fabric.settle_seconds,
                "interfaces": {name: each.values() for name, each in interfaces.items()},
                "digests": {name: digest for name, digest in digests.items() if name in near},
            }
    return links, hosts


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
