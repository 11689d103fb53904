"""BIOS attributes of a server: names, allowed values and defaults, as an AMD or an Intel board offers them.

Names and values are the BIOS tokens that Intersight's `bios.Policy` lists for the same boards, so that what a
profile deploys and what Redfish shows is one set of settings. That a BMC spells them so is unverified.
The first value of each list is the factory default (plausible, not measured).

The UCSC-845A-M8 has a token set of its own in Intersight (`bios.C845ServerBiosConfiguration`), read from the schema;
whether it takes the plain tokens beside it is unknown, and the lab does not refuse them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from podwright.lab.intersight import schema
from podwright.lab.world.model import Server

_TABLE: dict[str, dict[str, list[str]]] = json.loads((Path(__file__).parent / "attributes.json").read_text("utf-8"))
OWN_TOKENS = "UCSC-845A-M8"
C845_TOKEN = "C845BiosToken"  # noqa: S105 - a BIOS setting, no secret
BIOS_VERSIONS = {"amd": "4.3.6c.0", "intel": "4.3.2d.0"}


@dataclass(eq=False)
class RefusalError(Exception):
    """A BIOS attribute or value that this board does not have. `message_id` is of the Redfish Base registry."""

    message_id: str
    text: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return self.text


@cache
def c845_tokens() -> dict[str, list[str]]:
    """Token → values, default first, of the UCSC-845A-M8: those of its classes that list their values."""
    out = {}
    for kind in schema.load().types.values():
        value = kind["properties"].get("Value", {})
        if str(kind["class"]).endswith(C845_TOKEN) and "enum" in value:
            name = kind["class"].removeprefix("bios.").removesuffix(C845_TOKEN)
            out[name] = [value["default"], *(v for v in value["enum"] if v != value["default"])]
    return out


def allowed(server: Server) -> dict[str, list[str]]:
    """Attribute → values it takes, for the board of this server. One ACS attribute per GPU slot in use."""
    table = {**_TABLE["any"], **_TABLE[server.cpu.vendor]}
    for name, values in _TABLE["gpu"].items():
        for slot in range(1, (server.gpus.count if server.gpus else 0) + 1):
            table[name.replace("#", str(slot))] = values
    if server.model == OWN_TOKENS:
        table |= c845_tokens()
    return table


def defaults(server: Server) -> dict[str, object]:
    """Attribute → factory default."""
    return {name: values[0] for name, values in allowed(server).items()}


def check(server: Server, attributes: Any) -> dict[str, object]:
    """The attributes, if this board takes every one of them.

    Raises:
        RefusalError: no mapping, an unknown attribute, a value of the wrong type or outside its list.
    """
    if not isinstance(attributes, dict):
        raise RefusalError("PropertyMissing", "The property Attributes is a required property.", ("Attributes",))
    table = allowed(server)
    for name, value in attributes.items():
        if name not in table or value not in table[name]:
            refuse(name, value, known=name in table)
    return dict(attributes)


def refuse(name: str, value: Any, *, known: bool) -> NoReturn:
    """An attribute that the board does not have, a value of the wrong type, or one outside its list: RefusalError."""
    where = f"Attributes/{name}"
    if not known:
        text = f"The property {where} is not in the list of valid properties."
        raise RefusalError("PropertyUnknown", text, (where,))
    if not isinstance(value, str):
        text = f"The value {value!r} for the property {where} is of a different type than the property can accept."
        raise RefusalError("PropertyValueTypeError", text, (str(value), where))
    text = f"The value {value} for the property {where} is not in the list of acceptable values."
    raise RefusalError("PropertyValueNotInList", text, (value, where))


def document(server: Server) -> dict[str, Any]:
    """The AttributeRegistry resource of this board (DMTF schema AttributeRegistry v1.1)."""
    entries = [
        {
            "AttributeName": name,
            "DisplayName": name,
            "Type": "Enumeration",
            "ReadOnly": False,
            "Immutable": False,
            "ResetRequired": True,
            "DefaultValue": values[0],
            "Value": [{"ValueName": value, "ValueDisplayName": value} for value in values],
        }
        for name, values in sorted(allowed(server).items())
    ]
    return {
        "@odata.id": "/redfish/v1/Systems/Bios/BiosRegistry",
        "@odata.type": "#AttributeRegistry.v1_1_1.AttributeRegistry",
        "Id": name_of(server),
        "Name": "BIOS Attribute Registry",
        "Language": "en",
        "OwningEntity": "Cisco Systems Inc.",
        "RegistryVersion": "1.0.0",
        "RegistryEntries": {"Attributes": entries},
    }


def name_of(server: Server) -> str:
    """Identity of the registry, as `Bios.AttributeRegistry` names it."""
    return f"BiosAttributeRegistry.{server.model}.1.0.0"
