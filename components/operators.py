"""Operators: each pinned, approved, running, then configured; and which of them a cluster gets, in which order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi

from podwright.components.contract import After, ArgsError, Component, under
from podwright.components.design.operators import (
    LASTING,
    Operator,
    driver_rollout,
    feature_discovery,
    gpu_boots,
    gpus,
    maintenance,
    nic_driver_rollout,
    nics,
    of_namespace,
    sriov,
)
from podwright.components.design.operators.readiness import admitted, configured, placed
from podwright.components.design.platform.names import Manifest
from podwright.components.design.platform.teams import acceptance
from podwright.components.manifests import Objects
from podwright.components.model import Lossless, MigGpus, Operators, RailNetworks, RailPool, Tenants
from podwright.components.model.coherence import driver_problems, operators_problems, products_problems, rails_problems
from podwright.components.model.problems import Problem
from podwright.components.providers.openshift.resources import (
    DriverRollout,
    GatewayMode,
    OperatorInstall,
    PoolReady,
    QueuesReady,
)


@dataclass(frozen=True)
class OperatorArgs:
    """What every operator is given."""

    cluster: str
    """Name of the cluster; it is stamped on every resource."""
    section: Operators
    """The operator stack: release set and pins."""
    kubeconfig: pulumi.Input[str]
    """Access to the cluster."""
    catalogs: Mapping[str, str] = field(default_factory=dict)
    """CatalogSource in place of OpenShift's own, by catalogue: `planned_catalogs` of a cluster that has a mirror."""
    admission: bool = False
    """Some pool admits its nodes after checks: what the checks need runs on nodes that are not admitted."""
    after: After = ()
    """`ready` of what must stand first."""


class InstalledOperator(Component):
    """One operator through OLM: namespace, group, pinned subscription, approval, settings."""

    PROVIDERS = ("podwright", "kubernetes")

    release: pulumi.Output[str]
    """The ClusterServiceVersion that runs."""
    ready: pulumi.Output[str]
    """Its name, once the operator runs and has taken its settings."""

    package: str
    """Name of its package in the catalogue."""
    settings: tuple[Manifest, ...]
    """Custom resources that configure it."""

    def __init__(
        self,
        name: str,
        args: OperatorArgs,
        opts: pulumi.ResourceOptions | None = None,
        more: Sequence[Problem] = (),
    ) -> None:
        problems = [*under("section", operators_problems(args.section, None)), *more]
        super().__init__(name, args.cluster, {"release": args.section.release}, opts, problems)

    def install(
        self,
        args: OperatorArgs,
        operator: Operator,
        spaces: Sequence[pulumi.Resource] = (),
        pools: Mapping[str, Mapping[str, Any]] | None = None,
        first: Mapping[str, Mapping[str, Any]] | None = None,
        drivers: Mapping[str, Mapping[str, Any]] | None = None,
        checked: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Subscribe, approve, configure; settings wait for those of the stage before.

        `spaces` are what settings make objects in; `pools` what nodes of each pool are waited for with, `first`
        with behind the first stage. `drivers` are roll-outs of pools after all of it, `checked` waits behind them.
        """
        operator = operator.of(args.catalogs)
        self.package, self.settings = operator.name, operator.settings
        objects = Objects(self, args.after)
        home = objects.add(operator.namespace)
        inside = objects.following([home])
        running: pulumi.Resource = inside.add(operator.subscription, [inside.add(operator.group)])
        if operator.approval is not None:
            running = OperatorInstall(
                self.child("install"), operator.approval, args.kubeconfig, opts=self.options(resources=[running])
            )
        # By itself, and not along with the operator's namespace, with which it would stay as it is.
        beside: list[pulumi.Resource] = [objects.patch(each, None) for each in operator.beside]
        if operator.gateways:
            after = self.options(resources=beside)
            beside = [GatewayMode(self.child("gateway-mode"), operator.gateways, args.kubeconfig, opts=after)]
        configured = objects.following(self.gate("running", [running, *spaces, *beside]))
        made: list[pulumi.Resource] = []
        before: list[pulumi.Resource] = [configured.patch(each, home.urn) for each in operator.owned]
        for stage in operator.stages:
            before = [
                configured.add(each, before, protect=each["kind"] in LASTING, part=of_namespace(each)) for each in stage
            ]
            if first and not made:
                configured = configured.following(self.gate("placed", self._wait(args, first, before)))
            asked = None if made else operator.answers
            made += before
            if asked:
                after = self.options(resources=before)
                before = [QueuesReady(self.child("answers"), asked, args.kubeconfig, opts=after)]
        settings = [each for stage in operator.stages for each in stage]
        last = [*made, *self.deleted_first(args, settings, made)] or before or [running]
        if pools:
            last = self._wait(args, pools, self.gate("taken", last))
        if drivers:
            behind = self.options(resources=self.gate("driver", last))
            last = [
                DriverRollout(self.child(f"driver-{name}"), spec, args.kubeconfig, opts=behind)
                for name, spec in drivers.items()
            ]
        if checked:
            last = [*last, *self._wait(args, checked, self.gate("driven", last))]
        csv = str(operator.subscription["spec"]["startingCSV"])
        self.finish(release=csv, ready=self.join("ready", last).ready)

    def deleted_first(
        self, args: OperatorArgs, settings: Sequence[Manifest], made: Sequence[pulumi.Resource]
    ) -> Sequence[pulumi.Resource]:
        """What stands behind the settings and is deleted before them; `made` are their resources, one for each."""
        del args, settings, made
        return ()

    def _wait(
        self, args: OperatorArgs, pools: Mapping[str, Mapping[str, Any]], behind: Sequence[pulumi.Resource]
    ) -> list[pulumi.Resource]:
        """What waits for nodes of each pool, by its name here."""
        after = self.options(resources=behind)
        return [PoolReady(self.child(name), spec, args.kubeconfig, opts=after) for name, spec in pools.items()]


Made = Callable[[Mapping[str, Any], After, pulumi.ResourceOptions], InstalledOperator]
"""Makes one operator of a cluster from what all of them are given, behind what must stand first."""


class NodeFeatureDiscovery(InstalledOperator):
    """Node Feature Discovery: labels of what a node has, by which every other operator selects its nodes."""

    TOKEN = "podwright:index:NodeFeatureDiscovery"

    def __init__(self, name: str, args: OperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, args, opts)
        self.install(args, feature_discovery(args.section, admission=args.admission))


@dataclass(frozen=True)
class SriovOperatorArgs(OperatorArgs):
    """The SR-IOV operator, and what it makes rails of."""

    pools: Sequence[RailPool] = ()
    """Pools on the backend: `rails` of each node pool."""
    networks: RailNetworks | None = None
    """Rails of the fabric: `paths.networks` of the fabric."""
    namespaces: Sequence[str] = ()
    """Namespaces whose pods use rails; they must exist."""
    tenants: Tenants | None = None
    """Which rails are whose. None: each namespace's are all."""
    shared: str | None = None
    """Why teams without a tenant of their own share rails. None: undeclared."""


class SriovOperator(InstalledOperator):
    """One RDMA device per rail on every node of a pool on the backend, and the namespace that rails are measured in."""

    TOKEN = "podwright:index:SriovOperator"

    def __init__(self, name: str, args: SriovOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        if args.networks is None:
            hint = "hand over `planned_paths.networks` of the fabric"
            raise ArgsError("SriovOperator", name, [Problem(("networks",), "is missing", hint)])
        if problems := rails_problems(args.pools, args.networks):
            raise ArgsError("SriovOperator", name, problems)
        super().__init__(name, args, opts)
        home, *inside = acceptance(rdma=True)
        objects = Objects(self, args.after)
        measured = objects.add(home)
        for each in inside:
            objects.following([measured]).add(each)
        namespaces = (*args.namespaces, str(home["metadata"]["name"]))
        first = {f"ports-{pool.name}": placed(pool) for pool in args.pools if pool.addresses}
        planned = sriov(args.section, args.pools, args.networks, namespaces, args.tenants, args.shared)
        self.install(args, planned, [measured], first=first)


@dataclass(frozen=True)
class RailOperatorArgs(OperatorArgs):
    """An operator that looks after the NICs of pools on the backend."""

    pools: Sequence[RailPool] = ()
    """Pools on the backend: `rails` of each node pool."""
    lossless: Lossless = field(default_factory=Lossless)
    """The lossless class that their NICs are set to."""
    networks: RailNetworks | None = None
    """Rails of the fabric: `paths.networks` of the fabric. Where its host ports route, pods have addresses by node."""


class MaintenanceOperator(InstalledOperator):
    """NVIDIA's Maintenance Operator: lets the network operator restart nodes, within the pools' budget."""

    TOKEN = "podwright:index:MaintenanceOperator"

    def __init__(self, name: str, args: RailOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        if not args.pools:
            hint = "hand over `rails` of each pool on the backend: their budget is the operator's"
            raise ArgsError("MaintenanceOperator", name, [Problem(("pools",), "is empty", hint)])
        super().__init__(name, args, opts)
        self.install(args, maintenance(args.section, args.pools))


class NetworkOperator(InstalledOperator):
    """The NVIDIA network operator: the NICs' driver, and the lossless class on every rail."""

    TOKEN = "podwright:index:NetworkOperator"

    def __init__(self, name: str, args: RailOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        if args.networks is not None and (problems := rails_problems(args.pools, args.networks)):
            raise ArgsError("NetworkOperator", name, problems)
        super().__init__(name, args, opts)
        taken = [pool for pool in args.pools if pool.nodes]
        waits = {f"nics-{pool.name}": configured(pool, args.lossless) for pool in taken}
        # Where there are GPUs too, one roll-out takes both drivers to a node, once the GPU operator has its settings.
        alone = [pool for pool in taken if not pool.products]
        rolled = {pool.name: nic_driver_rollout(args.section, pool, admission=args.admission) for pool in alone}
        planned = nics(args.section, args.pools, args.lossless, args.networks, admission=args.admission)
        self.install(args, planned, pools=waits, drivers=rolled)


@dataclass(frozen=True)
class GpuOperatorArgs(OperatorArgs):
    """The GPU operator, and the GPUs it looks after."""

    products: Sequence[str] = ()
    """GPU products of the cluster's servers, as NVML prints them, spaces as dashes."""
    rdma: bool = False
    """NICs read and write GPU memory: some pool has rails."""
    pools: Sequence[RailPool] = ()
    """Pools with GPUs: `rails` of each node pool. A new driver is taken to their nodes within the budget of each."""
    sharing: bool = False
    """Some pool shares its GPUs: nodes choose the device plugin's configuration by a label."""
    mig_gpus: Sequence[Sequence[MigGpus]] = ()
    """`mig_gpus` of each pool that divides its GPUs in different ways."""


class GpuOperator(InstalledOperator):
    """Driver, toolkit, device plugin, feature discovery, MIG and DCGM on every GPU node."""

    TOKEN = "podwright:index:GpuOperator"

    def __init__(self, name: str, args: GpuOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        asked = under("section", driver_problems(args.section, args.products, rdma=args.rdma))
        if problems := [*products_problems(args.products), *asked]:
            raise ArgsError("GpuOperator", name, problems)
        super().__init__(name, args, opts)
        taken = [pool for pool in args.pools if pool.products and pool.nodes]
        rolled = {pool.name: driver_rollout(args.section, pool, rdma=args.rdma, pools=taken) for pool in taken}
        about: dict[str, Any] = {"rdma": args.rdma, "rolled": bool(rolled), "sharing": args.sharing, "pools": taken}
        planned = gpus(args.section, args.products, mig_gpus=args.mig_gpus, **about)
        first = {f"boots-{name}": spec for name, spec in gpu_boots(args.section, taken).items()}
        checked = {f"admitted-{pool.name}": admitted(pool) for pool in taken if pool.admission}
        self.install(args, planned, first=first, drivers=rolled, checked=checked)
