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


def by_cluster(resources: Sequence[Resource]) -> dict[str, list[Resource]]:
    """Resources by cluster. Those that carry none belong to the only cluster of the stack, where there is one."""
    found: dict[str, list[Resource]] = {}
    for each in resources:
        found.setdefault(cluster(each), []).append(each)
    if len(found) == 2 and "" in found:
        (name,) = found.keys() - {""}
        return {name: [each for each in resources if cluster(each) in ("", name)]}
    return found
