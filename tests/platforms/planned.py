"""The Kubernetes objects of a plan, as the program registers them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from podwright.components.model import Cluster
from tests.components.recording import register

Object = dict[str, Any]
PREFIX: Final = "kubernetes:"
_PATCH: Final = "Patch"


def whole(value: Any) -> Any:
    """Numbers as the plugin of the engine decodes them: the wire has one type of them."""
    if isinstance(value, dict):
        return {key: whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def objects(cluster: Cluster) -> list[Object]:
    """Every object, in the order of registration; a patch of an object is the fields that it owns of it."""
    return list(_objects(register(cluster)))


def _objects(registered: Mapping[str, Any]) -> Iterator[Object]:
    for each in registered.values():
        if each.custom and each.type.startswith(PREFIX):
            _, version, kind = each.type.split(":")
            stated = version.removeprefix("core/")
            found = whole(dict(each.inputs))
            assert found.get("apiVersion", stated) == stated
            yield {**found, "apiVersion": stated, "kind": kind.removesuffix(_PATCH)}


def of_kind(found: list[Object], kind: str) -> list[Object]:
    """Those of one kind."""
    return [each for each in found if each["kind"] == kind]
