"""Properties that Intersight takes and never answers: by name in a spec, by value in a request alone.

Intersight says of such a property only whether it is set. So one that was taken away is put back, and one that somebody
else changed is not seen; a rotated one is written when the number beside its name is raised.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from podwright.components.intersight_table.formats import SECRET
from podwright.components.providers.intersight.table import Rule, rules_of, rules_of_nested
from podwright.components.providers.protocol.kind import ProviderError

_LONGEST = 16384
"""Characters of a secret that Cisco's document gives no limit for: a private key is longer than a password."""
_PEM = (".Certificates.Privatekey",)
"""Properties that Intersight takes as PEM text in base64 (terraform-cisco-modules, base64encode of the key)."""

Lookup = Callable[[str], str]
"""The value behind a name; raises ProviderError where there is none."""


def rotated(now: Mapping[str, Any], before: Mapping[str, Any]) -> frozenset[str]:
    """Properties whose secrets are other ones than before, by name or by number."""
    return frozenset(name for name, value in now.items() if _names(value) and _names(value) != _names(before.get(name)))


def _names(value: Any) -> tuple[str, ...]:
    return tuple(_each_name(value))


def _each_name(value: Any) -> Iterator[str]:
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    for each in inner:
        yield from _each_name(each)
    if isinstance(value, str) and SECRET.fullmatch(value):
        yield value


def with_values(object_type: str, body: Mapping[str, Any], lookup: Lookup) -> dict[str, Any]:
    """A request's body with values in place of names.

    Raises ProviderError, which never repeats a value, where one is missing or none that the property takes.
    """
    rules = rules_of(object_type)
    return {name: _value(value, rules.get(name), f"{object_type}.{name}", lookup) for name, value in body.items()}


def _value(value: Any, rule: Rule | None, place: str, lookup: Lookup) -> Any:
    if rule is None:
        return value
    if isinstance(value, list):
        return [_value(each, rule, place, lookup) for each in value]
    if isinstance(value, Mapping) and rule["kind"] == "nested":
        rules = rules_of_nested(rule, value)
        return {name: _value(inner, rules.get(name), f"{place}.{name}", lookup) for name, inner in value.items()}
    named = SECRET.fullmatch(value) if rule.get("secret") and isinstance(value, str) else None
    return _fitting(named[1], lookup(named[1]), rule, place) if named else value


def _fitting(name: str, value: str, rule: Rule, place: str) -> str:
    if place.endswith(_PEM) and value.startswith("-----BEGIN"):
        value = base64.b64encode(value.encode()).decode()
    least, most = rule.get("shortest", 1), rule.get("longest", _LONGEST)
    if not least <= len(value) <= most:
        raise ProviderError(f"the secret {name!r} cannot be {place}: that takes {least} to {most} characters")
    if "pattern" in rule and not re.search(rule["pattern"], value):
        raise ProviderError(f"the secret {name!r} cannot be {place}: it has a character which that does not take")
    return value
