"""Make the table of Intersight properties from the installed `intersight` SDK, or check it.

    python -m tools.intersight.properties [--check]

The stack file and what the provider sends are judged with this table, offline: names, types, enums, ranges, patterns,
what is read-only, and what the platform puts where nothing is said. The SDK's model classes carry Cisco's OpenAPI
document; they are imported and asked. Output: `components/intersight_table/properties.json.gz`.

Shape: {"release": SDK release, "objects": {"ntp.Policy": {"path": "ntp/Policies", "properties": {Name: property}}},
"nested": {"NtpAuthNtpServer": {"class": "ntp.AuthNtpServer", "choices": {class id: nested name}, "properties"}}}.
A property: {"kind": "string"|"integer"|"number"|"boolean"|"time"|"reference"|"free"|"nested", "of": nested name or
object type, "list": true, "one_of": [...], "low", "high", "shortest", "longest", "fewest", "most", "pattern",
"default", "fixed": true when only the server writes it, "secret": true when it is written and never answered: the
object then says `Is<Name>Set` in its place}.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import importlib.metadata
import json
import re
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "components" / "intersight_table" / "properties.json.gz"

NAMES = """
access.Policy adapter.ConfigPolicy bios.Policy boot.PrecisionPolicy certificatemanagement.Policy chassis.Profile
chassis.ProfileTemplate compute.PcieConnectivityPolicy compute.ScrubPolicy compute.ServerSetting
deviceconnector.Policy fabric.AppliancePcRole fabric.ApplianceRole fabric.EthNetworkControlPolicy
fabric.EthNetworkGroupPolicy fabric.EthNetworkPolicy fabric.FlowControlPolicy fabric.LinkAggregationPolicy
fabric.LinkControlPolicy fabric.MulticastPolicy fabric.PortMode fabric.PortPolicy fabric.ServerRole
fabric.SwitchClusterProfile fabric.SwitchClusterProfileTemplate fabric.SwitchControlPolicy fabric.SwitchProfile
fabric.SwitchProfileTemplate fabric.SystemQosPolicy fabric.UplinkPcRole fabric.UplinkRole fabric.Vlan fcpool.Pool
firmware.Policy iam.EndPointUser iam.EndPointUserPolicy iam.EndPointUserRole iam.LdapGroup iam.LdapPolicy
iam.LdapProvider ipmioverlan.Policy ippool.Pool iqnpool.Pool kvm.Policy macpool.Pool memory.Policy
networkconfig.Policy ntp.Policy power.Policy resource.Group resourcepool.Pool resourcepool.QualificationPolicy
server.Profile server.ProfileTemplate smtp.Policy snmp.Policy sol.Policy ssh.Policy storage.DriveGroup
storage.DriveSecurityPolicy storage.StoragePolicy syslog.Policy thermal.Policy uuidpool.Pool vmedia.Policy
vnic.EthAdapterPolicy vnic.EthIf vnic.EthNetworkPolicy vnic.EthQosPolicy vnic.FcAdapterPolicy vnic.FcIf
vnic.FcNetworkPolicy vnic.FcQosPolicy vnic.LanConnectivityPolicy vnic.SanConnectivityPolicy vnic.VnicTemplate
"""
OBJECTS = NAMES.split()

KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", datetime: "time", date: "time"}
LIMITS = {
    "inclusive_minimum": "low",
    "inclusive_maximum": "high",
    "min_length": "shortest",
    "max_length": "longest",
    "min_items": "fewest",
    "max_items": "most",
}
# A discriminator with more branches is a root of the object model, not a choice that a person makes.
WIDEST_CHOICE = 80
# The longest list a person picks from is that of time zones (about 440 names); longer ones list the API's own types.
WIDEST_ENUM = 600
DEFAULT = re.compile(
    r"^ {12}(\w+) \(.*?\): .*?(?:default value of|defaults to) (\".*?\"|[\w.]+)(?:,|\.| {2}#|$)", re.MULTILINE
)
POST = re.compile(r"'endpoint_path': '/api/v1/([^'{]+)',\s*'operation_id': 'create_(\w+)'")


class Table:
    """Collects objects and the nested types they use."""

    def __init__(self) -> None:
        package = importlib.import_module("intersight")
        self.folder = Path(next(iter(package.__path__)))
        self.modules = {path.stem.replace("_", ""): path.stem for path in (self.folder / "model").glob("*.py")}
        self.nested: dict[str, Any] = {}

    def model(self, class_name: str) -> Any:
        """The SDK class of that name, loaded from the module that its name spells."""
        module = importlib.import_module(f"intersight.model.{self.modules[class_name.lower()]}")
        return next(value for name, value in vars(module).items() if name.lower() == class_name.lower())

    def paths(self) -> dict[str, str]:
        """Collection path by object type in lower case without dots."""
        found = {}
        for space in sorted({name.split(".")[0] for name in OBJECTS}):
            text = (self.folder / "api" / f"{space}_api.py").read_text(encoding="utf-8")
            for path, operation in POST.findall(text):
                found[operation.replace("_", "")] = path
        # Server settings come with the server: there is no POST to find them by.
        return found | {"computeserversetting": "compute/ServerSettings"}

    def properties(self, model: Any) -> dict[str, Any]:
        """Every property of a class under its wire name."""
        defaults = _defaults(model)
        table = {}
        for name, types in model.openapi_types.items():
            entry = self._property(name, types, model)
            if name in defaults and entry["kind"] in {"string", "integer", "number", "boolean"} and "list" not in entry:
                entry["default"] = defaults[name]
            if name in getattr(model, "read_only_vars", ()):
                entry["fixed"] = True
            if f"Is{model.attribute_map[name]}Set" in model.attribute_map.values():
                entry["secret"] = True
            table[model.attribute_map[name]] = entry
        return dict(sorted(table.items()))

    def _property(self, name: str, types: tuple[Any, ...], model: Any) -> dict[str, Any]:
        kinds = [kind for kind in types if kind is not type(None)]
        kind = kinds[0]
        many = isinstance(kind, list)
        if many:
            kind = kind[0]
        entry: dict[str, Any] = self._kind(kind) if len(kinds) == 1 else {"kind": "free"}
        if many:
            entry["list"] = True
        allowed = [value for value in model.allowed_values.get((name,), {}).values() if value is not None]
        if 0 < len(allowed) <= WIDEST_ENUM:
            entry["one_of"] = allowed
        for rule, value in model.validations.get((name,), {}).items():
            if rule == "regex":
                entry["pattern"] = value["pattern"]
            else:
                entry[LIMITS[rule]] = value
        return entry

    def _kind(self, kind: Any) -> dict[str, Any]:
        if kind in KINDS:
            return {"kind": KINDS[kind]}
        name = getattr(kind, "__name__", "")
        if name.endswith("Relationship"):
            return {"kind": "reference", "of": _class_id(self.model(name.removesuffix("Relationship"))) or ""}
        if name and name != "DisplayNames" and getattr(kind, "attribute_map", None):
            return {"kind": "nested", "of": self._nest(name)}
        return {"kind": "free"}

    def _nest(self, name: str) -> str:
        if name in self.nested:
            return name
        model = self.model(name)
        entry: dict[str, Any] = {"class": _class_id(model)}
        self.nested[name] = entry
        branches = (model.discriminator or {}).get("class_id", {})
        if 0 < len(branches) <= WIDEST_CHOICE:
            entry["choices"] = {
                class_id: self._nest(branch.__name__)
                for class_id, branch in sorted(branches.items())
                if branch.__name__ != name
            }
        entry["properties"] = self.properties(model)
        return name

    def document(self) -> dict[str, Any]:
        """The whole table. Raises SystemExit when the SDK lacks an object of the list."""
        paths = self.paths()
        objects = {}
        for name in sorted(OBJECTS):
            spelled = name.replace(".", "").lower()
            if spelled not in paths or spelled not in self.modules:
                raise SystemExit(f"the installed SDK has no {name}")
            objects[name] = {"path": paths[spelled], "properties": self.properties(self.model(spelled))}
        release = importlib.metadata.version("intersight")
        return {"release": release, "objects": objects, "nested": dict(sorted(self.nested.items()))}


def _class_id(model: Any) -> str | None:
    values = list(model.allowed_values.get(("class_id",), {}).values())
    return values[0] if len(values) == 1 else None


def _defaults(model: Any) -> dict[str, Any]:
    """Defaults as the constructor's documentation states them; prose defaults are left out."""
    found: dict[str, Any] = {}
    text = (model._from_openapi_data.__doc__ or "") + (model.__init__.__doc__ or "")
    for name, value in DEFAULT.findall(text):
        try:
            found.setdefault(name, json.loads({"True": "true", "False": "false"}.get(value, value)))
        except ValueError:
            continue
    return found


def build() -> bytes:
    """The file's bytes, the same for one SDK release."""
    text = json.dumps(Table().document(), separators=(",", ":"), ensure_ascii=True)
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def main(arguments: list[str]) -> int:
    """Write the table, or with --check compare it; 1 when it is stale."""
    parser = argparse.ArgumentParser(description="Intersight properties for the offline checks")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if the file is not current")
    content = build()
    if not parser.parse_args(arguments).check:
        TARGET.write_bytes(content)
        print(f"{TARGET.name}: {len(content)} bytes")
        return 0
    if TARGET.exists() and gzip.decompress(TARGET.read_bytes()) == gzip.decompress(content):
        return 0
    print(f"{TARGET.name} is stale: run python -m tools.intersight.properties", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
