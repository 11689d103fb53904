"""Where nodes pull from and which images they run: mirrors, allowed registries, signatures, each once nodes have it."""

from collections.abc import Mapping
from typing import Any

import pulumi

from podwright.components.contract import Component
from podwright.components.design.platform.images import ImagesPlan
from podwright.components.design.platform.mirror import MirrorPlan
from podwright.components.manifests import Objects
from podwright.components.providers.openshift.resources import Install, PoolReady


def mirrored(cluster: Component, plan: MirrorPlan | None, installed: Install, first: Objects) -> list[pulumi.Resource]:
    """Where nodes pull from, once they do; then the catalogues that can be pulled, and no others."""
    if plan is None:
        return []
    trusted = [first.patch(plan.trust, installed.urn)] if plan.trust else []
    made = [first.add(each, trusted) for each in plan.sets]
    taken = _taken(cluster, "mirrors", plan.ready, installed, made)
    behind = first.following(cluster.gate("mirrored", taken))
    return [behind.patch(plan.hub, installed.urn), *(behind.add(each) for each in plan.catalogs)]


def allowed(cluster: Component, plan: ImagesPlan | None, installed: Install, first: Objects) -> list[pulumi.Resource]:
    """Which images may run, once every pool's nodes go by it."""
    if plan is None:
        return []
    # Given up as any other field it would leave `spec: null`, which the API server refuses: the waits release it.
    made = [first.patch(plan.registries, installed.urn, kept=True)] if plan.registries else []
    # A policy for what is not allowed yet would keep the operator from rendering either.
    made += [first.add(each, made) for each in plan.policies]
    return _taken(cluster, "images", plan.ready, installed, made)


def _taken(
    cluster: Component,
    what: str,
    ready: Mapping[str, Mapping[str, Any]],
    installed: Install,
    after: list[pulumi.CustomResource],
) -> list[pulumi.Resource]:
    """One wait a pool."""
    placed = cluster.options(resources=after)
    return [
        PoolReady(cluster.child(f"{what}-{pool}"), spec, installed.kubeconfig, opts=placed)
        for pool, spec in ready.items()
    ]
