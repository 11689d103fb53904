"""How objects look in a reply: references with links, nested values completed, secrets left out, order shuffled.

The real server answers keys and relationship lists in an order of its own; so does the lab, from its seed: repeatable,
and never the order a client sent.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from podwright.lab.intersight.query import bad_query
from podwright.lab.intersight.store import Mo, Store

LINK = "https://www.intersight.com/api/v1"
ALWAYS = ("ClassId", "ObjectType", "Moid")
SECRETS = frozenset({"Password", "PrivacyPassword", "AuthPassword", "PmcDeployedSecurePassphrase", "Privatekey"})
# The system tag that permanent diffs of other tools are reported about (terraform-provider-intersight #273). When
# the real server sets it is not published; here every other object has it, so that no client gets by without care.
SYSTEM_TAG = {"Key": "cisco.meta.sharingpresent", "Value": "no", "SysTag": True}


class Renderer:
    """Turns stored objects into reply documents."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def document(self, mo: Mo, select: str = "", expand: str = "") -> dict[str, Any]:
        """One object. `select` and `expand` are as in the query."""
        kind = self._store.schema.objects[mo["ObjectType"]]
        expansions = parse_expand(expand)
        out: dict[str, Any] = {}
        for name, value in self._store.view(mo).items():
            entry = kind.properties.get(name)
            if entry is None:
                continue  # the server's own notes
            if entry["t"] == "ref":
                out[name] = self._related(value, expansions.get(name), mo)
            else:
                out[name] = self._plain(entry, value)
        if "Tags" in out and "Organization" in kind.properties and int(mo["Moid"][-1], 16) % 2:
            out["Tags"] = self._plain(kind.properties["Tags"], [*mo["Tags"], SYSTEM_TAG])
        if select:
            wanted = {*ALWAYS, *(name.strip().split(".")[0] for name in select.split(","))}
            out = {name: value for name, value in out.items() if name in wanted}
        out = without_secrets(out)
        return self._shuffled(out, mo)

    def _plain(self, entry: Mapping[str, Any], value: Any) -> Any:
        return without_secrets(self._store.schema.completed(entry, value))

    def _related(self, value: Any, options: Mapping[str, str] | None, mo: Mo) -> Any:
        if value is None:
            return None
        if not isinstance(value, list):
            return self._one(value, options)
        mixed = sorted(value, key=lambda r: random.Random(f"{self._store.seed} {mo['Moid']} {r['Moid']}").random())
        return [self._one(item, options) for item in mixed]

    def _one(self, reference: Mapping[str, str], options: Mapping[str, str] | None) -> dict[str, Any]:
        target = self._store.target(reference)
        if options is not None and target is not None:
            return self.document(target, options.get("$select", ""), options.get("$expand", ""))
        path = self._store.schema.objects[reference["ObjectType"]].path
        return {"ClassId": "mo.MoRef", **reference, "link": f"{LINK}/{path}/{reference['Moid']}"}

    def _shuffled(self, document: dict[str, Any], mo: Mo) -> dict[str, Any]:
        keys = sorted(document)
        random.Random(f"{self._store.seed} {mo['Moid']} {mo['ModTime']}").shuffle(keys)
        return {key: document[key] for key in keys}

    def order(self, mo: Mo) -> float:
        """Place of an object in a listing that asked for no order: stable, so that pages fit together."""
        return random.Random(f"{self._store.seed} {mo['Moid']}").random()


def without_secrets(value: Any) -> Any:
    """The value without write-only parts; `Is<Name>Set` says that there is one."""
    if isinstance(value, list):
        return [without_secrets(item) for item in value]
    if not isinstance(value, dict):
        return value
    hidden = {name for name in value if name in SECRETS or f"Is{name}Set" in value}
    out = {k: without_secrets(v) for k, v in value.items() if k not in hidden}
    for name in hidden:
        if f"Is{name}Set" in value:
            out[f"Is{name}Set"] = bool(value[name])
    return out


def parse_expand(text: str) -> dict[str, dict[str, str]]:
    """`A,B($select=X,Y;$expand=Z)` → {"A": {}, "B": {"$select": "X,Y", "$expand": "Z"}}. Raises ApiError 400."""
    out: dict[str, dict[str, str]] = {}
    for part in _split(text, ","):
        match = re.fullmatch(r"([\w.]+)(?:\((.*)\))?", part.strip(), re.DOTALL)
        if match is None:
            raise bad_query(f"$expand {part!r}")
        options = (option.partition("=") for option in _split(match[2] or "", ";"))
        out[match[1]] = {name.strip(): value for name, _, value in options}
    return out


def _split(text: str, separator: str) -> list[str]:
    """Parts between separators that stand outside parentheses."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == separator and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]
