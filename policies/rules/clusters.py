"""Which cluster a resource belongs to: one stack may hold two, with equal names of pools and switches."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .resource import Resource, UnknownValueError

CLUSTER: Final = "podwright.io/cluster"
"""The label of Kubernetes objects; resources of our own carry it as `cluster`, inside their `spec` or beside it."""


def cluster(resource: Resource) -> str:
    """The id of the cluster that a resource belongs to; empty where it carries none, or nobody knows yet."""
    try:
        return _cluster(resource)
    except UnknownValueError:
        return ""


def _cluster(resource: Resource) -> str:
    if resource.type.startswith("podwright:"):
        spec = resource.props.get("spec")
        inside = spec.get("cluster") if isinstance(spec, Mapping) else None
        return _id(inside) or _id(resource.props.get("cluster"))
    return _label(resource.props) or _label(_template(resource.props))


def _id(value: object) -> str:
    return value if isinstance(value, str) else ""


def _template(props: Mapping[str, Any]) -> Mapping[str, Any]:
    """The pod template of an object that has one."""
    spec = props.get("spec")
    found = spec.get("template") if isinstance(spec, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _label(owner: Mapping[str, Any]) -> str:
    metadata = owner.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    return _id(labels.get(CLUSTER)) if isinstance(labels, Mapping) else ""


def by_cluster(resources: Sequence[Resource]) -> tuple[dict[str, list[Resource]], dict[Resource, UnknownValueError]]:
    """Resources by cluster, and those of which nobody knows yet whose they are.

    Those that carry no cluster belong to the only one of the stack, where there is one; so do, then, those that are not
    known. Without any resource it is one cluster that has none.
    """
    found: dict[str, list[Resource]] = {name: [] for each in resources if (name := cluster(each))}
    if len(found) < 2:
        return {next(iter(found), ""): list(resources)}, {}
    unplaced: dict[Resource, UnknownValueError] = {}
    for each in resources:
        try:
            found.setdefault(_cluster(each), []).append(each)
        except UnknownValueError as unknown:
            unplaced[each] = unknown
    return found, unplaced
