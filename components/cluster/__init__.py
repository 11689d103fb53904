"""The composition root: one stack file as components. The only place that knows the whole of it, and their order."""

from collections.abc import Mapping
from typing import Any

import pulumi

from podwright.components.cluster.operators import operators
from podwright.components.cluster.platform import installation, node_pools, ready, teams
from podwright.components.cluster.root import Root
from podwright.components.cluster.servers import Servers, servers
from podwright.components.cluster.workloads import Ground, Secrets, acceptance, serving, storage, training
from podwright.components.contract import After, Component
from podwright.components.fabric import Fabric
from podwright.components.model import BESIDE, Cluster, OpenShift, layout_name
from podwright.components.model.advisory import findings
from podwright.components.model.coherence import check
from podwright.components.providers.resources import World
from podwright.components.service_mesh import meshed
from podwright.components.workloads import in_short
from podwright.components.world import contents, searched

__all__ = ["AiCluster", "Secrets"]


class AiCluster(Component):
    """Everything that one stack file defines."""

    TOKEN = "podwright:index:AiCluster"

    exports: pulumi.Output[Mapping[str, Any]]
    """What the stack exports."""
    ready: pulumi.Output[str]
    """The cluster's name, once everything in it stands."""

    def __init__(
        self, args: Cluster, opts: pulumi.ResourceOptions | None = None, secrets: Secrets | None = None
    ) -> None:
        """`secrets` are handed to the acceptance runner, which is a program of its own."""
        super().__init__(args.name, args.name, args.about, opts, check(args))
        root = Root(args, self, self._world(args))
        # `pulumi state move` leaves a fabric without a parent in the stack that it is moved to.
        before = [pulumi.Alias(parent=None)] if args.fabric.moved_from else None
        found_by = pulumi.ResourceOptions.merge(root.inside(), pulumi.ResourceOptions(aliases=before))
        fabric = Fabric(args.name, args.network, found_by)
        machines = servers(root)
        self.exported: dict[str, Any] = {
            "cluster": args.name,
            "findings": list(findings(args)),
            "fabric": {"switches": fabric.switches, "digests": fabric.digests},
            "servers": machines.in_short(args),
        }
        last: After = [fabric.ready, *machines.ready]
        if args.openshift is not None:
            last = self._platform(root, args.openshift, fabric, machines, secrets)
        # Secret: no preview prints it; approvals and waivers are no part of what is brought about.
        defined = pulumi.Output.secret(args.model_dump_json(exclude=BESIDE))
        self.finish(exports=self.exported, ready=self.join("ready", (), last, defined).ready)

    def _world(self, args: Cluster) -> World:
        """What all else waits for, and what goes last when the stack is destroyed."""
        spec = searched(args.network, args.servers, args.intersight, args.openshift)
        parts = (args.operators, args.servers, args.pools, args.openshift)
        running = contents(*parts, volumes=args.storage.volumes, workloads=args.workloads)
        return World(self.child("world"), {**spec, "contents": running}, self.options())

    def _platform(
        self, root: Root, openshift: OpenShift, fabric: Fabric, machines: Servers, secrets: Secrets | None
    ) -> After:
        """The installation and everything on it."""
        args = root.args
        on = installation(root, openshift, [fabric.ready, *machines.ready])
        self.exported |= {key: getattr(on.cluster, key) for key in ("kubeconfig", "api", "console", "nodes")}
        pools = node_pools(on, machines)
        self.exported["pools"] = {n: {"purpose": p.purpose, "mig": layout_name(p)} for n, p in args.pools.items()}
        mesh = meshed(args.name, openshift, args.operators, args.workloads.inference, on.cluster, on.inside())
        spaces = ready(teams(on, mesh))
        standing = root.join("pools", [on.cluster.ready, *(pool.ready for pool in pools.values())])
        made = operators(on, fabric, pools, spaces, [standing])
        installed: After = [standing]
        if made is not None:
            every = (*mesh.every, *made.every)
            self.exported["operators"] = {each.package: each.release for each in every}
            installed = [root.join("operators", [each.ready for each in every])]
        claims = storage(on, spaces)
        self.exported["volumes"] = {name: volume.storage_class for name, volume in args.storage.volumes.items()}
        ground = Ground(pools, spaces, mesh, installed, claims)
        test = acceptance(on, fabric, machines, ground, made, secrets)
        measured = [test.ready] if test else []
        ran = [*training(on, ground, measured), *serving(on, ground)]
        self.exported["workloads"] = in_short(args.workloads)
        if test:
            self.exported |= {"acceptance": test.minimum_gbps, "unproven": test.unproven}
        return [standing, *spaces.values(), *installed, *claims, *measured, *ran]
