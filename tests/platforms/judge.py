"""Runs apart, in the environment of the schemas: `python judge.py DUMP`, a line with a release and an object in, a
verdict out.

A verdict has an entry for each validator that knows the kind: what is wrong, empty where nothing is.
"""

import functools
import gzip
import json
import sys
from typing import Any

import jsonschema
from kubernetes_validate import utils

_KEPT: dict[int, Any] = {}


def _kept(schema: Any, registry: Any) -> Any:
    """One validator for each schema: it looks its references up once."""
    return _KEPT.setdefault(id(schema), jsonschema.Draft202012Validator(schema, registry=registry))


utils.schema_contents = functools.cache(utils.schema_contents)
utils.jsonschema.validators.Draft202012Validator = _kept
_ANYTHING: dict[str, Any] = {}


def strict(schema: Any) -> Any:
    """A published schema that takes no field it does not list, where it lists any; of metadata, whatever there is."""
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema or "$ref" in str(schema.get("allOf", "")):
        return _ANYTHING
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    left_out = {"default", "format"}
    made = {key: value for key, value in schema.items() if not key.startswith("x-") and key not in left_out}
    for key in ("items", "additionalProperties"):
        if key in made:
            made[key] = strict(made[key])
    if "properties" in made:
        made["properties"] = {name: strict(each) for name, each in made["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            made.setdefault("additionalProperties", False)
    return made


class OpenShift:
    """The dump's custom resources: kinds whose fields it lists itself. Built-in ones it only refers to."""

    def __init__(self, dump: str) -> None:
        with gzip.open(dump, "rt", encoding="utf-8") as opened:
            self._schemas = json.load(opened)
        self._made: dict[tuple[str, str], Any] = {}

    def problem(self, found: dict[str, Any]) -> "str | None":
        """What is wrong, empty where nothing is; None for a kind that it does not know."""
        key = (found["apiVersion"], found["kind"])
        if key not in self._made:
            self._made[key] = self._validator(*key)
        validator = self._made[key]
        return None if validator is None else first(validator.iter_errors(found))

    def _validator(self, version: str, kind: str) -> Any:
        group, _, number = version.rpartition("/")
        for schema in self._schemas.get(kind.lower(), []):
            known = {(each["group"], each["version"]) for each in schema["x-kubernetes-group-version-kind"]}
            spec = schema["properties"].get("spec") or schema["properties"].get("data") or {}
            if (group, number) in known and "properties" in {**schema, **spec} and "$ref" not in json.dumps(spec):
                return jsonschema.Draft202012Validator(strict(schema))
        return None


def first(errors: Any) -> str:
    """The first of the problems by its place, with the place."""
    found = sorted(errors, key=lambda each: [str(part) for part in each.absolute_path])
    return f"{'.'.join(map(str, found[0].absolute_path))}: {found[0].message[:300]}" if found else ""


def built_in(found: dict[str, Any], release: str) -> "str | None":
    """What kubernetes-validate finds wrong; None for a kind that it does not know."""
    try:
        utils.validate(found, release, strict=True)
    except utils.SchemaNotFoundError:
        return None
    except utils.ValidationError as problem:
        return f"{'.'.join(map(str, problem.absolute_path))}: {problem.message[:300]}"
    return ""


def main(dump: str) -> None:
    """Answer until the input ends."""
    openshift = OpenShift(dump)
    for line in sys.stdin:
        release, found = json.loads(line)
        verdicts = {"kubernetes-validate": built_in(found, release), "OpenShift's": openshift.problem(found)}
        print(json.dumps({name: each for name, each in verdicts.items() if each is not None}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
