"""The network checked and measured between servers, before anything trains on it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
from pulumi_command import Provider
from pulumi_command.local import Command

from podwright.components.contract import After, Component, known_as
from podwright.components.design import acceptance
from podwright.components.design.compute import digest
from podwright.components.design.operators import readiness
from podwright.components.design.platform.names import Manifest
from podwright.components.model import Acceptance, FabricPaths, RailPool
from podwright.components.model.coherence import measured_problems
from podwright.components.providers.nxos.resources import Verification
from podwright.components.providers.openshift.resources import PoolReady
from podwright.components.providers.resources import secret_variable

RUNNER = "podwright-measure"
"""Reads the plan on standard input, runs it, prints the outcome; fails under a threshold."""


@dataclass(frozen=True)
class FabricAcceptanceArgs:
    """A fabric, the servers on it, and how much must arrive."""

    cluster: str
    """Name of the cluster; it is stamped on every resource."""
    section: Acceptance
    """Thresholds and image."""
    paths: FabricPaths
    """Every path through the fabric: its `paths`."""
    kubeconfig: pulumi.Input[str]
    """Access to the cluster that the tests' pods run on."""
    pools: Sequence[RailPool] = ()
    """Pools whose servers are measured: `rails` of each node pool."""
    host_checks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By switch, what its ports to servers must show: `host_checks` of the fabric."""
    settings: Sequence[Manifest] = ()
    """What configures rails on nodes: settings of the SR-IOV and the network operator. A change measures again."""
    switch_digests: pulumi.Input[Mapping[str, str]] = field(default_factory=dict)
    """`digests` of the fabric."""
    server_digests: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    """By host name, `digest` of each server."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """By switch, the name that it had."""
    secrets: pulumi.Input[Mapping[str, str]] | None = None
    """Values by secret name, of the stack's configuration. None: the runner looks where the provider does."""
    after: After = ()
    """`ready` of what must stand first: fabric, operators."""


class FabricAcceptance(Component):
    """Pools that offer their GPUs and rails, switches that show what is planned towards them, RoCE that arrives."""

    TOKEN = "podwright:index:FabricAcceptance"

    minimum_gbps: pulumi.Output[Mapping[str, int]]
    """Least Gb/s by test."""
    unproven: pulumi.Output[Mapping[str, str]]
    """Why, by test, of those that the last run could not make: nobody knows what their paths carry."""
    ready: pulumi.Output[str]
    """Its name, once everything was measured."""

    def __init__(self, name: str, args: FabricAcceptanceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        problems = measured_problems(args.section, args.paths, args.pools)
        super().__init__(name, args.cluster, {"pools": [pool.name for pool in args.pools]}, opts, problems)
        tests = acceptance.plan(args.section, args.paths, args.pools)
        offered = [self._offered(args, pool) for pool in args.pools if pool.nics]
        checked = self._checked(args, self.gate("pools", offered))
        left: pulumi.Input[Mapping[str, str]] = {test.name: "acceptance is switched off" for test in tests.tests}
        last: Sequence[pulumi.Resource] = checked or offered
        if args.section.enabled and tests.tests:
            run = self._measured(args, tests, self.gate("checked", last))
            left = run.stdout.apply(lambda printed: acceptance.unproven(printed or ""))
            last = [run]
        self.finish(
            minimum_gbps={test.name: test.minimum_gbps for test in tests.tests},
            unproven=left,
            ready=self.join("ready", last, args.after).ready,
        )

    def _offered(self, args: FabricAcceptanceArgs, pool: RailPool) -> pulumi.Resource:
        spec = readiness.ready(pool, args.settings)
        return PoolReady(self.child(f"ready-{pool.name}"), spec, args.kubeconfig, opts=self.options(args.after))

    def _checked(self, args: FabricAcceptanceArgs, offered: list[pulumi.Resource]) -> list[pulumi.Resource]:
        """What switches show towards servers, looked at again when those servers or their rails' settings changed."""
        rails = digest(list(args.settings))
        made: list[pulumi.Resource] = []
        for name, spec in args.host_checks.items():
            faced = {each["faces"].split()[0] for each in spec["interfaces"].values()}
            behind = {server: value for server, value in args.server_digests.items() if server in faced}
            digests = {**spec["digests"], **behind, **({"rails": rails} if behind else {})}
            whole = pulumi.Output.from_input({**spec, "digests": digests})
            # Pools on offer stand behind everything else already.
            was = args.renamed.get(name)
            found = known_as(self.child(f"{was}-hosts") if was else None)
            options = self.options(() if offered else args.after, offered, aliases=found)
            made.append(Verification(self.child(f"{name}-hosts"), whole, opts=options))
        return made

    def _measured(
        self, args: FabricAcceptanceArgs, tests: acceptance.Acceptance, after: list[pulumi.Resource]
    ) -> Command:
        """One run inside the update, again whenever anything on a tested path changed."""
        settings = {"rails": list(args.settings)}
        changed = pulumi.Output.all(switches=args.switch_digests, servers=args.server_digests).apply(
            lambda digests: acceptance.trigger(tests, digests["switches"], digests["servers"], settings)
        )
        return Command(
            self.child("acceptance"),
            create=RUNNER,
            stdin=json.dumps(tests.document(), sort_keys=True),
            environment={"PODWRIGHT_KUBECONFIG": args.kubeconfig, **_login(args.paths.credential, args.secrets)},
            triggers=[changed],
            opts=self.options(
                () if after else args.after,
                after,
                provider=Provider(self.child("command"), opts=pulumi.ResourceOptions(parent=self)),
            ),
        )


def _login(name: str, secrets: pulumi.Input[Mapping[str, str]] | None) -> dict[str, pulumi.Output[str]]:
    """The switches' password for the runner, where the stack's configuration holds it."""
    if secrets is None:
        return {}
    # An empty value is none: the runner then looks where it looks without a configured one.
    values: pulumi.Output[Mapping[str, str]] = pulumi.Output.from_input(secrets)
    return {secret_variable(name): values.apply(lambda known: known.get(name, ""))}
