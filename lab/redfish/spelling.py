"""How a BMC spells BIOS attributes: in Intersight's words, or in AMI's ids with values such as PCID002Enabled.

The world keeps Intersight's tokens, whatever the BMC shows; a token that AMI's form has no id for is one that the
board lacks. Ids and texts of `ami.json`: C845A tokens of Intersight's schema (Pcid001, Pcid002, Cpu005, Tcg001, Nwsk001
are AMI's ids), UCS Manager's biosVfCbsCmnGnbNbIOMMU for AMD's capitals, public set-up dumps of AMI boards for texts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podwright.lab.redfish import registry
from podwright.lab.world.model import Server

_AMI: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "ami.json").read_text("utf-8"))


class Spelling:
    """Names and values of one board, to and from what its BMC shows."""

    def __init__(self, server: Server, form: str) -> None:
        self._server = server
        self._ami = _AMI if form == "ami" and server.cpu.vendor == "amd" else {}

    def shown(self, attributes: Mapping[str, object]) -> dict[str, object]:
        """Attributes as the BMC shows them."""
        if not self._ami:
            return dict(attributes)
        return {
            entry["id"]: _value_name(entry, attributes[token])
            for token, entry in self._ami.items()
            if token in attributes
        }

    def taken(self, attributes: Any, future: Mapping[str, object]) -> dict[str, object]:
        """What a client wrote, as tokens. `future` holds the tokens as they will be. Raises RefusalError."""
        if not self._ami or not isinstance(attributes, dict):
            return registry.check(self._server, attributes)
        tokens: dict[str, object] = {}
        for name, value in attributes.items():
            token = next((token for token, entry in self._ami.items() if entry["id"] == name), None)
            known = {} if token is None else _values(token, self._server)
            if token is None or value not in list(known):
                registry.refuse(name, value, known=token is not None)
            tokens[token] = known[value]
        for token in tokens:
            _writable(self._ami[token], {**future, **tokens})
        return tokens

    def document(self) -> dict[str, Any]:
        """The board's AttributeRegistry."""
        made = registry.document(self._server)
        if self._ami:
            made["OwningEntity"] = "AMI"
            made["RegistryEntries"] = {
                "Attributes": [_entry(token, entry, self._server) for token, entry in self._ami.items()],
                "Dependencies": [each for entry in self._ami.values() for each in _dependencies(entry)],
            }
        return made


def _text(entry: Mapping[str, Any], value: object) -> str:
    """enabled → Enabled, as set-up shows it; others stay."""
    plain = str(value)
    return str(entry.get("values", {}).get(plain, plain.capitalize() if plain in ("enabled", "disabled") else plain))


def _value_name(entry: Mapping[str, Any], value: object) -> str:
    return f"{entry['id']}{_text(entry, value)}"


def _values(token: str, server: Server) -> dict[str, str]:
    """ValueName → the token's value."""
    return {_value_name(_AMI[token], value): value for value in registry.allowed(server)[token]}


def _writable(entry: Mapping[str, Any], future: Mapping[str, object]) -> None:
    if "read_only_unless" in entry:
        token, value = entry["read_only_unless"]
        if future.get(token) != value:
            text = f"The property {entry['id']} is a read-only property and cannot be assigned a value."
            raise registry.RefusalError("PropertyNotWritable", text, (f"Attributes/{entry['id']}",))


def _entry(token: str, entry: Mapping[str, Any], server: Server) -> dict[str, Any]:
    values = registry.allowed(server)[token]
    return {
        "AttributeName": entry["id"],
        "DisplayName": entry["display"],
        "Type": "Enumeration",
        "ReadOnly": "read_only_unless" in entry,
        "ResetRequired": True,
        "DefaultValue": _value_name(entry, values[0]),
        "Value": [
            {"ValueName": _value_name(entry, value), "ValueDisplayName": _text(entry, value)} for value in values
        ],
    }


def _dependencies(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """DMTF AttributeRegistry, Dependencies: read-only goes where another attribute has the value."""
    if "read_only_unless" not in entry:
        return []
    token, value = entry["read_only_unless"]
    return [
        {
            "Type": "Map",
            "DependencyFor": entry["id"],
            "Dependency": {
                "MapFrom": [
                    {
                        "MapFromAttribute": _AMI[token]["id"],
                        "MapFromProperty": "CurrentValue",
                        "MapFromCondition": condition,
                        "MapFromValue": _value_name(_AMI[token], value),
                    }
                ],
                "MapToAttribute": entry["id"],
                "MapToProperty": "ReadOnly",
                "MapToValue": condition == "NEQ",
            },
        }
        for condition in ("EQU", "NEQ")
    ]
