"""A whole Pulumi program: the stack's file, the site's provider instance, the cluster, what the stack exports."""

import asyncio
import gc
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pulumi

from podwright.components import former
from podwright.components.cluster import AiCluster, Secrets
from podwright.components.contract import Component
from podwright.components.lifetime import end_with_the_engine
from podwright.components.limits import At, limits
from podwright.components.model import Cluster, load, located, stack_file
from podwright.components.model.based import BASE
from podwright.components.model.problems import Loc, SpecErrors
from podwright.components.providers.resources import Podwright

GARBAGE = 100_000
"""Objects made and still alive before Python looks for garbage among them; its own number is 700."""


def site(
    cluster: Cluster, secrets: Secrets | None = None, world: str | None = None, at: At = lambda _: ""
) -> Podwright:
    """The provider instance of a stack file's site: one process, with a login for each of its modules."""
    account, fabric = cluster.intersight, cluster.fabric
    drain = {"drain": fabric.rollout.drain} if fabric.rollout else {}
    return Podwright(
        cluster.name,
        nxos={"user": fabric.user, "secret": fabric.credential, **drain},
        intersight={"key_id": account.key_id, "secret": account.key, "endpoint": account.endpoint} if account else None,
        redfish={"user": cluster.bmc.user, "secret": cluster.bmc.password} if cluster.bmc else None,
        secrets=secrets,
        world=world,
        **limits(cluster, at),
        opts=pulumi.ResourceOptions(aliases=[former.provider()]),
    )


async def build(
    cluster: Cluster, secrets: Secrets | None = None, world: str | None = None, at: At = lambda _: ""
) -> dict[str, Any]:
    """Register a coherent cluster, wait for its resources, return what the stack exports.

    The wait is a barrier over resources: left to itself, the SDK looks at every pending output again each time one
    completes, which is quadratic in their number.
    """
    registered: list[pulumi.Resource] = []

    def found_again(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        registered.append(args.resource)
        parent = args.opts.parent
        if isinstance(args.resource, Component):
            known = former.layer(args.resource.TOKEN, cluster.name)
        elif isinstance(parent, Component):
            known = former.resource(args, parent.TOKEN, parent.label, cluster.name)
        else:
            known = None
        if known is None:
            return None
        options = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(aliases=[known]))
        return pulumi.ResourceTransformationResult(args.props, options)

    instance = site(cluster, secrets, world, at)
    today = cluster.model_copy(update={"changes": cluster.changes.in_force(datetime.now(UTC))})
    made = AiCluster(today, pulumi.ResourceOptions(providers=[instance], transformations=[found_again]), secrets)
    await asyncio.gather(*(resource.urn.future() for resource in registered), return_exceptions=True)
    return made.exported


async def program() -> dict[str, Any]:
    """The stack's file in the working directory, everything wrong with it at once, or the whole graph."""
    end_with_the_engine()
    # What a program registers lives until it ends: looking for garbage in it takes a tenth of the time and finds none.
    gc.freeze()
    gc.set_threshold(GARBAGE)
    config = pulumi.Config()
    file = stack_file(Path.cwd(), pulumi.get_stack())
    try:
        # `podwright undo` names what was in force before, and leaves the file to the person.
        former = config.get_object("former")
        if not former and file.exists():
            cluster, where = located(file)
        else:
            if config.get("base") and not former:
                raise pulumi.RunError(f"{BASE} names files beside {file.name}, and there is none in {file.parent}")
            cluster, where = load(former or config.require_object("cluster")), lambda _: None
    except SpecErrors as errors:
        raise pulumi.RunError(str(errors)) from None

    def at(place: Loc) -> str:
        found = where(place)
        return found.at(file.name) if found else ""

    return await build(cluster, config.get_secret_object("secrets"), config.get("world"), at)
