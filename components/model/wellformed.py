"""What of a malformed file can still be checked for coherence: each field whose own shape is right.

A check runs on a stand-in for the cluster. Reading a field whose shape is wrong raises Malformed, and what the check
would have found is left for the next run: a value that is reported already contradicts nothing.
"""

import json
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from podwright.components.model import describe, explain
from podwright.components.model.cluster import Cluster
from podwright.components.model.problems import Loc, Malformed
from podwright.components.model.types import Spec


class Readable:
    """A section some of whose fields are malformed; it has those that are not, under their names."""

    def __init__(self, fields: Mapping[str, Callable[[], object]]) -> None:
        self._fields = fields

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._fields:
            raise Malformed(name)
        return self._fields[name]()


def readable(value: Mapping[str, object], spoiled: Collection[Loc]) -> Cluster:
    """A stand-in for the cluster a malformed file defines. `spoiled` are places that could not even be read."""
    whole = Readable({name: _constant(found) for name, found in _fields(Cluster, value, (), spoiled).items()})
    return cast(Cluster, _with_network(whole))


def _with_network(whole: Any) -> Readable:
    """What the fabric is planned from is put together of several sections, each of which may be malformed."""
    parts: dict[str, Callable[[], object]] = {
        "cluster": lambda: whole.name,
        "site": lambda: whole.site,
        "fabric": lambda: whole.fabric,
        "hosts": lambda: {**whole.servers, **whole.hosts},
        "domains": lambda: whole.domains,
        "gateway": lambda: whole.openshift.gateway if whole.openshift else None,
        "protect": lambda: whole.protect,
    }
    teams = {"teams": lambda: whole.openshift.teams if whole.openshift else {}}
    return Readable({**whole._fields, **teams, "network": _constant(Readable(parts))})


def _constant(found: object) -> Callable[[], object]:
    return lambda: found


def _fields(model: type[Spec], value: Mapping[str, object], loc: Loc, spoiled: Collection[Loc]) -> dict[str, object]:
    """Fields of a section that are well formed, defaults included."""
    found: dict[str, object] = {}
    unknown = [str(key) for key in value if key not in model.model_fields]
    meant = {explain.suggest(key, tuple(model.model_fields)) for key in unknown}
    for name, annotation in describe.hints(model).items():
        info = model.model_fields[name]
        if name in value:
            made = _value(_adapter(model, name), annotation, value[name], (*loc, name), spoiled)
            if made is not _WRONG:
                found[name] = made
        elif not info.is_required() and not any(f"`{name}`" in each for each in meant):
            found[name] = info.get_default(call_default_factory=True)
    return found


_WRONG = object()


@cache
def _adapter(model: type[Spec], name: str) -> TypeAdapter[Any]:
    return TypeAdapter(describe.hints(model)[name])


def _value(adapter: TypeAdapter[Any], annotation: Any, value: object, loc: Loc, spoiled: Collection[Loc]) -> object:
    """A value of one field, a stand-in where it is a mapping with malformed fields, or _WRONG."""
    if not any(each[: len(loc)] == loc for each in spoiled):
        try:
            return adapter.validate_json(json.dumps(value), strict=True)
        except ValidationError:
            pass
    shape = describe.shape(annotation)
    if describe.is_model(shape) and not shape.variants and isinstance(value, dict) and loc not in spoiled:
        return Readable({name: _constant(found) for name, found in _fields(shape.kind, value, loc, spoiled).items()})
    return _WRONG
