"""A resource of which nobody knows yet to which of two clusters it belongs accuses nobody in either."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from podwright.policies.rules import RULES
from podwright.policies.rules.clusters import CLUSTER
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import StackRule
from tests.policies import worlds
from tests.policies.test_unknown import stacks

OF_A_CLUSTER = [
    replace(each, together=lambda found, _: found) for each in RULES if isinstance(each, StackRule) and each.per_cluster
]
"""Every finding by itself, though several of one cause are reported as one."""


def placed(resource: Resource, cluster: str, suffix: str = "") -> Resource:
    """The resource as one of a cluster."""
    props: dict[str, Any] = {**resource.props}
    spec = props.get("spec")
    if not resource.type.startswith("podwright:"):
        metadata = props.get("metadata") or {}
        props["metadata"] = {**metadata, "labels": {**(metadata.get("labels") or {}), CLUSTER: cluster}}
    elif isinstance(spec, dict):
        props["spec"] = {**spec, "cluster": cluster}
    else:
        props["cluster"] = cluster
    return replace(resource, urn=resource.urn + suffix, props=props)


def unplaced(rule: StackRule) -> Iterator[worlds.Place]:
    """What says whose each resource is, of each case of a rule beside a second cluster that has all others too."""
    for stack in stacks(rule):
        for at, each in enumerate(stack):
            if not rule.types(each.type):
                continue
            others = [placed(one, "west", "-west") for one in stack if one is not each]
            east = [placed(one, "east") for one in stack]
            ours = each.type.startswith("podwright:")
            inside = ("spec", "cluster") if isinstance(each.props.get("spec"), dict) else ("cluster",)
            yield worlds.Place([*east, *others], at, inside if ours else ("metadata", "labels", CLUSTER))


@pytest.mark.parametrize("rule", OF_A_CLUSTER, ids=lambda one: one.id)
def test_a_resource_of_either_cluster_accuses_nobody_that_it_may_not_accuse_in_both(rule: StackRule) -> None:
    looked_at = 0
    for place in unplaced(rule):
        seen = worlds.found(rule, place.unknown())
        made = [{each.urn for each in worlds.found(rule, place.turned_out(one))} for one in ("east", "west", "north")]
        for each in seen:
            assert all(each.urn in world for world in made), f"{place.resource.name}: {each.message}"
        looked_at += 1
    assert looked_at
