"""Make the lab's Intersight schema file from the installed `intersight` SDK, or check that it is current.

    python -m tools.intersight.schema [--check]

The SDK's classes carry Cisco's OpenAPI document in Python form: property names, types, enums, patterns, ranges,
read-only marks and defaults. They are read as source text (`ast`), never imported: 40 MB of memory instead of 130.
Output: `lab/intersight/schema.json.gz`, deterministic byte for byte for one SDK release.

Shape: {"sdk": release, "objects": {"ntp.Policy": {"path", "verbs", "properties"}},
        "types": {"NtpAuthNtpServer": {"class": "ntp.AuthNtpServer", "sub": {class id: type}, "properties"}}}
A property: {"t": str|int|float|bool|datetime|any|ref|<type name>, "list", "enum", "pattern", "min", "max",
"minlen", "maxlen", "minitems", "maxitems", "default", "ro", "to": [object types a reference may name]}.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import importlib.metadata
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "lab" / "intersight" / "schema.json.gz"

OBJECTS = (Path(__file__).parent / "objects.txt").read_text(encoding="utf-8").split()

PRIMITIVES = {"str": "str", "int": "int", "float": "float", "bool": "bool", "datetime": "datetime", "date": "datetime"}
VALIDATIONS = {
    "inclusive_minimum": "min",
    "inclusive_maximum": "max",
    "min_length": "minlen",
    "max_length": "maxlen",
    "min_items": "minitems",
    "max_items": "maxitems",
}
# A base class with more concrete types than this is a root of the model, not a choice a client is offered.
WIDEST_CHOICE = 80
# Time zones are the longest list a person chooses from (about 440); longer ones name every type of the API.
WIDEST_ENUM = 600
DEFAULT = re.compile(r"^ {12}(\w+) \([^)]*\):.*(?:default value of|defaults to) (.+?)(?:, must be| {2}# noqa|$)")
VERBS = re.compile(
    r"'response_type': (?:\((\w+),\)|None),.*?'endpoint_path': '/api/v1/([^']+)',\s*'operation_id': '\w+',"
    r"\s*'http_method': '(\w+)'",
    re.DOTALL,
)


def sdk_folder() -> Path:
    """Folder of the installed SDK.

    Raises:
        SystemExit: the package `intersight` is not installed.
    """
    spec = importlib.util.find_spec("intersight")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("intersight: the SDK is not installed; `pip install intersight` and run again")
    return Path(next(iter(spec.submodule_search_locations)))


def snake(class_name: str, modules: dict[str, str]) -> str:
    """Module of a model class, found without regard to where underscores fall."""
    return modules[class_name.lower()]


def literal(node: ast.AST) -> Any:
    """Value of a literal expression of the SDK's tables."""
    return ast.literal_eval(node)


class Model:
    """One SDK model class, read from its source file."""

    def __init__(self, path: Path) -> None:
        text = path.read_text()
        self.cls = next(n for n in ast.parse(text).body if isinstance(n, ast.ClassDef))
        self.defaults = self._defaults(text)

    @staticmethod
    def _defaults(text: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for line in text[text.find("def _from_openapi_data") :].splitlines():
            match = DEFAULT.match(line)
            if match and match[1] not in found:
                try:
                    found[match[1]] = ast.literal_eval(match[2])
                except (ValueError, SyntaxError):
                    continue  # a default told in prose, not as a value
        return found

    def table(self, name: str) -> ast.AST | None:
        """A class-level assignment, or what a cached property returns (or assigns to `val`)."""
        for node in self.cls.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
                return node.value
            if isinstance(node, ast.FunctionDef) and node.name == name:
                for inner in node.body:
                    if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Dict):
                        return inner.value
                    if isinstance(inner, ast.Return) and inner.value is not None:
                        return inner.value
        return None

    def literal_table(self, name: str) -> dict[Any, Any]:
        """A table of plain values; empty when the class has none."""
        node = self.table(name)
        return literal(node) if node is not None and not isinstance(node, ast.Constant) else {}

    def subtypes(self) -> dict[str, str]:
        """Class id → model class of a polymorphic type."""
        node = self.table("discriminator")
        if not isinstance(node, ast.Dict):
            return {}
        return {
            str(literal(k)): v.id
            for k, v in zip(node.keys, node.values, strict=True)
            if k is not None and isinstance(v, ast.Name)
        }

    def class_id(self) -> str | None:
        """The one value `ClassId` may take; None for an abstract type."""
        allowed = self.literal_table("allowed_values").get(("class_id",), {})
        values = list(allowed.values())
        return values[0] if len(values) == 1 else None

    def types(self) -> Iterator[tuple[str, str, bool]]:
        """(property, type name, is a list) of every property."""
        node = self.table("openapi_types")
        assert isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True):
            assert key is not None
            assert isinstance(value, ast.Tuple)
            kinds = [e for e in value.elts if not (isinstance(e, ast.Name) and e.id == "none_type")]
            if len(kinds) == 1 and isinstance(kinds[0], ast.Name):
                yield literal(key), kinds[0].id, False
            elif len(kinds) == 1 and isinstance(kinds[0], ast.List) and isinstance(kinds[0].elts[0], ast.Name):
                yield literal(key), kinds[0].elts[0].id, True
            else:
                yield literal(key), "any", False


class Generator:
    """Walks from the wanted objects to every nested type."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules = {p.stem.replace("_", ""): p.stem for p in (folder / "model").glob("*.py")}
        self.types: dict[str, Any] = {}
        self.endpoints = self._endpoints()
        self.bases: dict[str, set[str]] = {}

    def model(self, class_name: str) -> Model:
        """The model class of that name."""
        return Model(self.folder / "model" / f"{snake(class_name, self.modules)}.py")

    def _endpoints(self) -> dict[str, tuple[str, list[str]]]:
        """Model class → (collection path, verbs: LIST GET POST PATCH UPDATE DELETE)."""
        paths: dict[str, set[str]] = {}
        owner: dict[str, str] = {}
        wanted = {name.split(".")[0] for name in OBJECTS}
        for file in sorted((self.folder / "api").glob("*_api.py")):
            if file.stem.removesuffix("_api").replace("_", "") not in wanted:
                continue
            for response, path, verb in VERBS.findall(file.read_text()):
                base, _, tail = path.partition("/{Moid}")
                if "{" in base or tail:
                    continue
                single = path != base
                names = {} if single else {"GET": "LIST"}
                names |= {"POST": "UPDATE"} if single else {}
                paths.setdefault(base, set()).add(names.get(verb, verb))
                if single and verb == "GET":
                    owner[base] = response
                elif not single and verb == "POST":
                    owner.setdefault(base, response)  # what can be made and never read: asset.DeviceClaim
        return {owner[base]: (base, sorted(verbs)) for base, verbs in paths.items() if base in owner}

    def property(self, name: str, kind: str, many: bool, model: Model) -> dict[str, Any]:
        """Schema of one property; queues nested types."""
        entry: dict[str, Any] = {"t": PRIMITIVES.get(kind, "any")}
        if kind.endswith("Relationship"):
            entry = {"t": "ref", "to": self.targets(kind)}
        elif kind[0].isupper() and kind != "DisplayNames":
            entry = {"t": self.nested(kind)}
        if many:
            entry["list"] = True
        enum = model.literal_table("allowed_values").get((name,))
        if enum and len(enum) <= WIDEST_ENUM:
            entry["enum"] = [v for v in enum.values() if v is not None]
        for key, value in model.literal_table("validations").get((name,), {}).items():
            if key == "regex":
                entry["pattern"] = value["pattern"]
            else:
                entry[VALIDATIONS[key]] = value
        if name in model.defaults and kind in PRIMITIVES and not many:
            entry["default"] = model.defaults[name]
        return entry

    def targets(self, relationship: str) -> list[str]:
        """Object types of the schema that this relationship may point at: the class itself and all derived from it."""
        base = relationship.removesuffix("Relationship").lower()
        return sorted(name for name in OBJECTS if base in self.ancestry(name.replace(".", "").lower()))

    def ancestry(self, module: str) -> set[str]:
        """The class (lower case) and everything its `allOf` chain inherits from."""
        if module not in self.bases:
            self.bases[module] = found = {module}
            composed = self.model(module).table("_composed_schemas")
            for node in ast.walk(composed) if composed is not None else ():
                if isinstance(node, ast.Name):
                    found |= self.ancestry(node.id.lower())
        return self.bases[module]

    def properties(self, model: Model) -> dict[str, Any]:
        """All properties of a class under their wire names."""
        wire = model.literal_table("attribute_map")
        node = model.table("read_only_vars")
        read_only = set(literal(node)) if node is not None else set()
        out = {}
        for name, kind, many in model.types():
            entry = self.property(name, kind, many, model)
            if name in read_only:
                entry["ro"] = True
            out[wire[name]] = entry
        return dict(sorted(out.items()))

    def nested(self, class_name: str) -> str:
        """Register a nested type; returns its name in `types`, `any` when it is no object."""
        if class_name in self.types:
            return class_name
        model = self.model(class_name)
        if model.table("openapi_types") is None or not model.literal_table("attribute_map"):
            return "any"
        entry: dict[str, Any] = {"class": model.class_id()}
        self.types[class_name] = entry
        sub = {cid: name for cid, name in model.subtypes().items() if name != class_name}
        if 0 < len(sub) <= WIDEST_CHOICE:
            entry["sub"] = {cid: self.nested(name) for cid, name in sorted(sub.items())}
        entry["properties"] = self.properties(model)
        return class_name

    def objects(self) -> dict[str, Any]:
        """Every wanted managed object.

        Raises:
            SystemExit: the SDK has no such object, so the list above is wrong for this release.
        """
        out = {}
        by_lower = {name.lower(): (name, value) for name, value in self.endpoints.items()}
        for name in sorted(OBJECTS):
            found = by_lower.get(name.replace(".", "").lower())
            if found is None:
                raise SystemExit(f"the SDK has no endpoint for {name}")
            class_name, (path, verbs) = found
            model = self.model(class_name)
            out[name] = {"path": path, "verbs": verbs, "properties": self.properties(model)}
        return out


def build() -> bytes:
    """The schema file's bytes."""
    generator = Generator(sdk_folder())
    document = {
        "sdk": importlib.metadata.version("intersight"),
        "objects": generator.objects(),
        "types": dict(sorted(generator.types.items())),
    }
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True)
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def main(arguments: list[str]) -> int:
    """Write the file, or with --check compare it; 1 when it is stale."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is not current")
    options = parser.parse_args(arguments)
    content = build()
    if options.check:
        # Compare what is inside: two zlib builds may pack the same text differently.
        if TARGET.exists() and gzip.decompress(TARGET.read_bytes()) == gzip.decompress(content):
            return 0
        print(f"{TARGET.name} is stale: run python -m tools.intersight.schema", file=sys.stderr)
        return 1
    TARGET.write_bytes(content)
    print(f"{TARGET.name}: {len(content)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
