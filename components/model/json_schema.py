"""The JSON Schema of a whole stack file: Pulumi's own keys left open, ours closed, choices of the catalogue listed.

An editor checks the file as it is written, patterns included: an entry need not have every key, since a pattern may
give it, and a value may be one that is worked out for each name. `podwright check` then checks what it all comes to.
"""

from typing import Any, get_args

from podwright.components.model import describe
from podwright.components.model.based import BASE, KEY
from podwright.components.model.catalogue import BASELINES, GPUS, RELEASE_SETS, SERVERS, SWITCHES
from podwright.components.model.catalogue.mig import layouts
from podwright.components.model.cluster import Cluster
from podwright.components.model.documentation import docstrings
from podwright.components.model.rates import Rates
from podwright.components.model.types import Alone, Numbered, Spec

_LAYOUTS = sorted({name for gpu in GPUS.values() for name in layouts(gpu)})
_SLICES = sorted({name for gpu in GPUS.values() for name in gpu.mig})
CHOICES: dict[tuple[str, str], tuple[str, ...]] = {
    **{(kind, "model"): tuple(SWITCHES) for kind in ("Switch", "Spine", "Leaf", "PairLeaf")},
    **{(kind, "model"): tuple(SERVERS) for kind in ("Host", "Server")},
    **{(kind, "gpus"): tuple(GPUS) for kind in ("Host", "Server")},
    ("Pool", "mig"): tuple(_LAYOUTS),
    ("Inference", "slice"): tuple(_SLICES),
    ("Operators", "release"): tuple(RELEASE_SETS),
    ("Baseline", "release"): tuple(BASELINES),
}
"""Names of the catalogue by model and field: the model takes any text, so that what is wrong is explained."""
_SUM = {"type": "string", "pattern": r"\+n(/[1-9][0-9]*)?$", "description": "Worked out for the number in each name."}
_NUMBER = {"type": "integer", "minimum": 1, "description": "The number alone."}
_RANGE = {"type": "string", "pattern": r"\[[0-9a-z,-]+\]$", "description": "A list, written as a range."}
_NULL = {"type": "null"}
_FILE = {"type": "string", "minLength": 1}
_BASES = {
    "anyOf": [_FILE, {"type": "array", "items": _FILE, "minItems": 1, "uniqueItems": True}],
    "description": "Files that this one is based on, by their paths from here; later ones come over earlier ones.",
}
_UNCHECKED = "Based on other files: `podwright schema --part` is the schema of such a file."
_PART = r"[^\[\]*]*\[[0-9a-z,-]+\]"
_PATTERN_KEY = rf"^([^\[\]*]*\*|{_PART}(, *{_PART})*)$"


def prices() -> dict[str, Any]:
    """JSON Schema (2020-12) of a site's price file."""
    made = _documented(Rates)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made, "title": "podwright price file"}


def document(*, part: bool = False) -> dict[str, Any]:
    """JSON Schema (2020-12) of `Pulumi.<stack>.yaml`.

    `part`: of a file that others are based on, and of one that is based on others. No key need be in it, and null takes
    one out.
    """
    definitions = _definitions()
    if part:
        definitions = {name: _open(each) for name, each in definitions.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "part of a podwright stack" if part else "podwright stack file",
        "type": "object",
        "properties": {"config": _config(part=part)},
        "required": ["config"],
        "$defs": definitions,
    }


def _definitions() -> dict[str, Any]:
    """The cluster and every mapping in it, by name."""
    cluster = _documented(Cluster)
    definitions: dict[str, Any] = {**cluster.pop("$defs"), "Cluster": cluster}
    models = _models(Cluster, {})
    entries = {name for model in models.values() for name in _entry_models(model)}
    for name in models:
        _choices(name, definitions[name])
    for name, model in models.items():
        definition = definitions[name]
        required = (
            [] if name in entries else [each for each in definition.get("required", ()) if not _left_out(model, each)]
        )
        definition.pop("required", None)
        if required:
            definition["required"] = required
        for field, annotation in describe.hints(model).items():
            if name in entries:
                definition["properties"][field] = _worked_out(definition["properties"][field])
            if any(isinstance(each, Numbered) for each in _innermost(annotation).metadata):
                definition["properties"][field] = _or(definition["properties"][field], _NUMBER)
            for alone in (each for each in describe.shape(annotation).metadata if isinstance(each, Alone)):
                short = definitions[describe.shape(annotation).kind.__name__]["properties"][alone.field]
                definition["properties"][field] = _or(definition["properties"][field], _text_of(short))
            if describe.shape(annotation).kind is tuple and name not in entries:
                definition["properties"][field] = _or(definition["properties"][field], _RANGE, items=False)
            if _of_entries(annotation):
                _named(definition["properties"][field], describe.shape(annotation).arguments[1])
    return definitions


def _config(*, part: bool) -> dict[str, Any]:
    """Configuration, of which Pulumi's own keys are open. A cluster that is based on others is no whole one."""
    whole: dict[str, Any] = {"$ref": "#/$defs/Cluster"}
    if part:
        return {"type": "object", "properties": {BASE: _BASES, KEY: whole}, "required": [KEY]}
    return {
        "type": "object",
        "properties": {BASE: _BASES},
        "required": [KEY],
        "if": {"required": [BASE]},
        "then": {"properties": {KEY: {"type": "object", "description": _UNCHECKED}}},
        "else": {"properties": {KEY: whole}},
    }


def _open(definition: dict[str, Any]) -> dict[str, Any]:
    """A mapping of which some keys are in another file, and null takes one out."""
    made: dict[str, Any] = _any_of({key: each for key, each in definition.items() if key != "required"})
    for name, each in made.get("properties", {}).items():
        values = each.get("additionalProperties")
        if isinstance(values, dict):
            each["additionalProperties"] = {"anyOf": [values, _NULL]}
        made["properties"][name] = _or(each, _NULL, items=False)
    return made


def _any_of(value: Any) -> Any:
    """Choices of which one must fit: without their `kind` several do."""
    if isinstance(value, dict):
        return {"anyOf" if key == "oneOf" else key: _any_of(each) for key, each in value.items()}
    return [_any_of(each) for each in value] if isinstance(value, list) else value


def _documented(root: type[Spec]) -> dict[str, Any]:
    """Pydantic's schema of a model, each field of it and of those below it with its documentation."""
    made = root.model_json_schema()
    for name, model in _models(root, {}).items():
        properties = (made if model is root else made["$defs"][name])["properties"]
        for field, text in docstrings(model).items():
            properties[field] = dict(sorted({**properties[field], "description": text}.items()))
    return made


def _text_of(property_: dict[str, Any]) -> dict[str, Any]:
    """The text that a field takes, which may stand for the whole mapping."""
    found = next(each for each in property_.get("anyOf", [property_]) if each.get("type") == "string")
    return dict(found)


def _models(root: type[Spec], found: dict[str, type[Spec]]) -> dict[str, type[Spec]]:
    """Every mapping below a root by its name in the schema."""
    if root.__name__ not in found:
        found[root.__name__] = root
        for annotation in describe.hints(root).values():
            for each in _within(annotation):
                _models(each, found)
    return found


def _within(annotation: Any) -> list[type[Spec]]:
    shape = describe.shape(annotation)
    if shape.variants:
        return list(shape.variants)
    if describe.is_model(shape):
        return [shape.kind]
    return [each for inner in get_args(annotation) for each in _within(inner)]


def _of_entries(annotation: Any) -> bool:
    shape = describe.shape(annotation)
    return shape.kind is dict and describe.is_model(describe.shape(shape.arguments[1]))


def _entry_models(model: type[Spec]) -> list[str]:
    """Models of named entries, for which a pattern may stand."""
    shapes = [describe.shape(each) for each in describe.hints(model).values() if _of_entries(each)]
    return [describe.shape(each.arguments[1]).kind.__name__ for each in shapes]


def _left_out(model: type[Spec], field: str) -> bool:
    return field not in describe.required(model)


def _choices(name: str, definition: dict[str, Any]) -> None:
    for (model, field), known in CHOICES.items():
        if model == name:
            property_ = definition["properties"][field]
            texts = [each for each in property_.get("anyOf", [property_]) if each.get("type") == "string"]
            for text in texts:
                text.pop("pattern", None)
                text["enum"] = list(known)


def _worked_out(property_: dict[str, Any]) -> dict[str, Any]:
    """A value of an entry, or a pattern of it: a sum, or a list in turn."""
    about: dict[str, Any] = {key: property_.pop(key) for key in ("description", "title", "default") if key in property_}
    return {**about, "anyOf": [*property_.pop("anyOf", [property_]), _SUM, _RANGE, {"type": "array"}]}


def _innermost(annotation: Any) -> describe.Shape:
    """A value's shape, or that of a list's items."""
    shape = describe.shape(annotation)
    return describe.shape(shape.arguments[0]) if shape.kind is tuple else shape


def _or(property_: dict[str, Any], short: dict[str, Any], *, items: bool = True) -> dict[str, Any]:
    """A property that may be written shorter; of a list, each of its `items`."""
    if items and "items" in property_:
        return {**property_, "items": {"anyOf": [property_["items"], short]}}
    about: dict[str, Any] = {key: property_.pop(key) for key in ("description", "title", "default") if key in property_}
    return {**about, "anyOf": [*property_.pop("anyOf", [property_]), short]}


def _named(property_: dict[str, Any], entry: Any) -> None:
    """A mapping of entries: names, ranges and wildcards as keys, a serial number alone where an entry has one."""
    name = describe.shape(entry).kind
    values: list[dict[str, Any]] = [{"$ref": f"#/$defs/{name.__name__}"}, {"type": "null"}]
    if "serial" in name.model_fields:
        values.append({"type": "string", "description": "The serial number alone."})
    choices = property_.get("anyOf", [property_])
    for each in choices:
        if "propertyNames" in each or "patternProperties" in each or each.get("type") == "object":
            known = each.pop("patternProperties", {"": each.pop("additionalProperties", True)})
            each["patternProperties"] = {key: {"anyOf": values} for key in known} | {_PATTERN_KEY: {"anyOf": values}}
            each["additionalProperties"] = False
