"""Answers that say the same in another form, drawn from a seed: lists that have no order are shuffled, keys come in any
order, keys that no client knows yet stand beside those it knows, and what nobody set is left out, null or spelt out.

That relationship lists have no order is reported (terraform-provider-intersight #224), and newer servers do answer keys
and values that older clients lack (intersight-python #16, #51). Which of the other forms a real server takes is not
published, so a client that works under all of them builds on none.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from podwright.lab.intersight.schema import REFERENCE_KEYS, Properties, Schema

_UNORDERED = """
AccountTypes BiosConfigurations BiosTokens Certificates Changes Classes DceInterfaceSettings DeployedPolicies
Disruptions ExcludeComponentList InconsistencyReason Mappings ModelBundleCombo Owners Ports Qualifiers ScrubTargets
Settings SnmpUsers Tags VirtualDrives
"""
UNORDERED = frozenset(_UNORDERED.split())
"""Lists of values that are sets by their meaning: entries have a name, number or type of their own. Boot devices, time
servers and blocks of addresses have an order.
"""
TOLD_APART = REFERENCE_KEYS | {"Name"}
TAG = {"Key": "cisco.meta.definition", "Value": "1", "SysTag": True, "Type": "KeyValue"}
NEWER: tuple[Any, ...] = (
    None,
    7,
    "NewInThisRelease",
    [],
    {"ClassId": "lab.Newer", "ObjectType": "lab.Newer", "On": True},
)
_MAC = re.compile(r"^([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$")
_SELDOM, _OFTEN = 0.1, 0.5


class Forms:
    """Other forms of the answers of one account; each answer is drawn anew."""

    def __init__(self, schema: Schema, seed: object) -> None:
        self._schema = schema
        self._lot = random.Random(str(seed))

    def told(self, document: Any, ordered: bool) -> Any:
        """A whole answer; `ordered` when the request asked for an order of the listing."""
        if isinstance(document, list):
            return [self.told(each, ordered) for each in document]
        if not isinstance(document, dict):
            return document
        if isinstance(document.get("Results"), list):
            results = [self.told(each, ordered) for each in document["Results"]]
            return {**document, "Results": results if ordered else self._mixed(results)}
        kind = self._schema.objects.get(document.get("ObjectType", ""))
        if kind is None or "Moid" not in document or set(document) <= REFERENCE_KEYS:
            return document
        told = self._values(kind.properties, document)
        if "Tags" in told and isinstance(told["Tags"], list) and self._lot.random() < _OFTEN:
            told["Tags"] = self._mixed([*told["Tags"], TAG])
        return told

    def _mixed(self, values: list[Any]) -> list[Any]:
        return self._lot.sample(values, len(values))

    def _values(self, properties: Properties, values: Mapping[str, Any]) -> dict[str, Any]:
        """An object or a nested value, its properties told and in any order, with a key nobody knows now and then."""
        told = {}
        for name, value in values.items():
            entry = properties.get(name)
            if entry is None:
                told[name] = value
            elif not self._left_out(name, entry, value):
                told[name] = self._one(name, entry, value)
        if self._lot.random() < _OFTEN:
            told[f"Newer{self._lot.randrange(100)}"] = self._lot.choice(NEWER)
        return {name: told[name] for name in self._mixed(list(told))}

    def _left_out(self, name: str, entry: Mapping[str, Any], value: Any) -> bool:
        """What nobody set may be missing; what tells an object apart never is."""
        unset = value in (None, [], "") or ("default" in entry and value == entry["default"])
        return name not in TOLD_APART and unset and self._lot.random() < _SELDOM

    def _one(self, name: str, entry: Mapping[str, Any], value: Any) -> Any:
        if isinstance(value, list):
            told = [self._one(name, {**entry, "list": False}, each) for each in value]
            if not told and self._lot.random() < _SELDOM:
                return None
            return self._mixed(told) if entry["t"] == "ref" or name in UNORDERED else told
        if isinstance(value, dict):
            return self._nested(entry, value)
        if isinstance(value, str) and _MAC.match(value):
            return value.lower() if self._lot.random() < _OFTEN else value.upper()
        return value

    def _nested(self, entry: Mapping[str, Any], value: Mapping[str, Any]) -> Any:
        if entry["t"] == "ref":  # expanded, it is a whole object
            whole = not set(value) <= REFERENCE_KEYS
            reference = {name: value[name] for name in self._mixed(list(value))}
            return self.told(dict(value), ordered=False) if whole else {"Selector": "", **reference}
        kind = self._schema.types.get(entry["t"])
        if kind is None:
            return value
        own = self._schema.types[kind.get("sub", {}).get(value.get("ClassId"), entry["t"])]
        return self._values(own["properties"], value)
