"""The workloads layer: the network held against its plan and measured, then what the cluster is there for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_command import Provider
from pulumi_command.local import Command

from podwright.components import compute, fabric, operators, platform, storage
from podwright.components.design.acceptance import Acceptance, trigger, unproven
from podwright.components.design.acceptance import plan as acceptance_plan
from podwright.components.design.compute import digest
from podwright.components.design.fabric import plan as fabric_plan
from podwright.components.design.workloads import plan
from podwright.components.manifests import Objects
from podwright.components.model import Cluster
from podwright.components.providers.nxos.resources import Verification
from podwright.components.providers.resources import secret_variable

RUNNER = ".venv/bin/python -m podwright.components.providers.acceptance"
"""Reads the plan on standard input, runs it, prints the outcome; fails under a threshold. Run from the project."""

Resources = tuple[pulumi.Resource, ...]


@dataclass(frozen=True)
class Below:
    """What the layers underneath hand over."""

    network: fabric.Outputs
    servers: compute.Outputs
    base: platform.Outputs
    accelerators: operators.Outputs
    disks: storage.Outputs
    secrets: pulumi.Output[Mapping[str, str]] | None = None
    """Values by name, where the stack's configuration holds any."""


@dataclass(frozen=True)
class Outputs:
    """What the stack exports about workloads."""

    acceptance: Mapping[str, Any]
    """Least Gb/s by test; the whole plan follows from the stack file and would fill the screen."""
    unproven: pulumi.Input[Mapping[str, str]]
    """Why, by test, of those that the last run could not make: nobody knows what their paths carry."""
    summary: Mapping[str, Any]


class Workloads(pulumi.ComponentResource):
    """Acceptance, training and inference of a cluster."""

    def __init__(self, cluster: Cluster, below: Below, opts: pulumi.ResourceOptions | None = None) -> None:
        design = plan(cluster)
        props = {"training": list(design.training), "inference": list(design.inference)}
        super().__init__("podwright:workloads:Workloads", cluster.name, props, opts)
        tests = acceptance_plan(cluster, fabric_plan(cluster))
        verified = self._verified(below)
        check = (
            self._acceptance(cluster, below, tests, verified) if cluster.acceptance.enabled and tests.tests else None
        )
        left: pulumi.Input[Mapping[str, str]] = {test.name: "acceptance is switched off" for test in tests.tests}
        if check is not None:
            left = check.stdout.apply(lambda printed: unproven(printed or ""))
        if design.manifests:
            ready = (*below.accelerators.ready, *below.disks.ready)
            objects = Objects(self, below.base.cloud, ready)
            # Training trusts the rails, so it waits for their test; serving does not use them.
            for after, group in (((check,) if check else verified, design.training), ((), design.inference)):
                for name, manifests in group.items():
                    home = below.base.teams[name.partition("/")[0]]
                    made: list[pulumi.Resource] = []
                    for manifest in manifests:
                        made.append(objects.add(manifest, [*home, *after, *made[:1]]))
        least = {test.name: test.minimum_gbps for test in tests.tests}
        self.outputs = Outputs(least, left, _summary(cluster))
        self.register_outputs({"summary": self.outputs.summary})

    def _verified(self, below: Below) -> Resources:
        """What switches show towards servers, looked at again when those servers or their rails' settings changed."""
        network, servers = below.network, below.servers.digests
        rails = digest(list(below.accelerators.settings))
        options = pulumi.ResourceOptions(
            parent=self, provider=network.provider, depends_on=[*network.ready, *below.accelerators.rails]
        )
        made = []
        for name, spec in network.hosts.items():
            faced = {each["faces"].split()[0] for each in spec["interfaces"].values()}
            behind = {server: value for server, value in servers.items() if server in faced}
            digests = {**spec["digests"], **behind, **({"rails": rails} if behind else {})}
            made.append(Verification(f"{name}-hosts", {**spec, "digests": digests}, opts=options))
        return tuple(made)

    def _acceptance(self, cluster: Cluster, below: Below, tests: Acceptance, after: Resources) -> Command:
        """One run inside the update, again whenever anything on a tested path changed."""
        settings = {"rails": list(below.accelerators.settings)}
        digests = pulumi.Output.from_input(below.network.digests)
        return Command(
            "acceptance",
            create=RUNNER,
            stdin=json.dumps(tests.document(), sort_keys=True),
            environment={
                "PODWRIGHT_KUBECONFIG": below.base.cloud.kubeconfig,
                **_login(cluster.fabric.credential, below.secrets),
            },
            triggers=[digests.apply(lambda switches: trigger(tests, switches, below.servers.digests, settings))],
            opts=pulumi.ResourceOptions(
                parent=self,
                provider=Provider("command", opts=pulumi.ResourceOptions(parent=self)),
                depends_on=[*below.network.ready, *below.accelerators.rails, *after],
            ),
        )


def _login(name: str, secrets: pulumi.Output[Mapping[str, str]] | None) -> dict[str, pulumi.Output[str]]:
    """The switches' password for the runner, where the stack's configuration holds it."""
    if secrets is None:
        return {}
    # An empty value is none: the runner then looks where it looks without a configured one.
    return {secret_variable(name): secrets.apply(lambda held: held.get(name, ""))}


def _summary(cluster: Cluster) -> dict[str, Any]:
    work = cluster.workloads
    training = {
        name: {"team": each.team, "pool": each.pool, "pods": each.nodes} for name, each in work.training.items()
    }
    inference = {
        name: {"team": each.team, "pool": each.pool, "pods": each.replicas} for name, each in work.inference.items()
    }
    return {"training": training, "inference": inference}
