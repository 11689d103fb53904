"""Every value that the compute layer plans, and what it may be changed to.

A site is one value of one kind of object: objects that have the same value in the same place are changed together, as
they are when the line that writes it changes. A value is dropped, and changed to each other one of its enumeration, to
its opposite, to a neighbouring number, or to another address, list or name.
"""

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any, Final

from podwright.components.intersight_table.table import OWN, class_of_nested, rules_of, rules_of_nested
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.servers.inventory import DOMAIN, POLICY, POOL, PROFILE, REDFISH

Path = tuple[str | int, ...]
DROP: Final = object()
_OURS: Final = {
    POLICY: ("name", "organization", "properties", "references", "children"),
    POOL: ("name", "organization", "properties"),
    PROFILE: ("name", "organization", "target_platform", "serial", "model", "server_family", "policies", "action"),
    DOMAIN: ("name", "organization", "serials", "policies", "action"),
    REDFISH: ("name", "address", "serial", "model", "bios"),
}
"""What a spec has that ends in a device; the rest (schema, digest, what may be adopted) is the provider's own."""
MOST: Final = 4
"""Other values of one enumeration: that of time zones has 425."""
_KNOWN_BY: Final = {"children": "name", "BiosTokens": "ObjectType"}
"""What an entry of these lists is known by; one of any other list, by its position."""
_DEFAULT: Final = "platform-default"
_MAC: Final = re.compile(r"^([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$")
_LIST: Final = re.compile(r"^\d+([,-]\d+)*$")


@dataclass(frozen=True)
class Site:
    """A value in one place of one kind of object, and the resources that have it."""

    kind: str
    path: Path
    value: Any
    rule: Mapping[str, Any]
    """What Intersight's table says of it."""
    places: Mapping[str, Path]
    """Where it stands in the spec of each resource, by URN."""

    @property
    def name(self) -> str:
        """Kind and place: `vnic.EthQosPolicy properties.Mtu`."""
        return f"{self.kind} {'.'.join(map(str, self.path))}"


@dataclass(frozen=True)
class Mutant:
    """A site and what it is changed to; DROP takes it away."""

    site: Site
    to: Any

    @property
    def name(self) -> str:
        """The site, and `dropped` or old and new value."""
        return f"{self.site.name}: " + ("dropped" if self.to is DROP else f"{self.site.value} -> {self.to}")

    def apply(self, resources: Mapping[str, Resource]) -> dict[str, Resource]:
        """The changed resources, by URN."""
        return {urn: self._changed(resources[urn], path) for urn, path in self.site.places.items()}

    def _changed(self, resource: Resource, path: Path) -> Resource:
        props = copy.deepcopy(dict(resource.props))
        owner, (*steps, last) = props["spec"], _found(props["spec"], path)
        for step in steps:
            owner = owner[step]
        if self.to is DROP:
            del owner[last]
        else:
            owner[last] = self.to
        return Resource(resource.type, resource.name, resource.urn, props)


def sites(resources: Sequence[Resource]) -> list[Site]:
    """Every value, in the order of the plan."""
    found: dict[tuple[str, Path, str], Site] = {}
    for each in resources:
        if each.type in _OURS:
            spec = each.props["spec"]
            kind = str(spec.get("object_type") or each.type.rpartition(":")[2])
            for path, value in _all(spec, _OURS[each.type]):
                if not _mark(spec, path):
                    place = _of_tokens(spec, kind, path)
                    same = found.get((*place, repr(value)))
                    places = {**(same.places if same else {}), each.urn: path}
                    found[(*place, repr(value))] = Site(*place, value, _rule(spec, path), places)
    return list(found.values())


def _all(spec: Mapping[str, Any], keys: Sequence[str]) -> Iterator[tuple[Path, Any]]:
    for key in keys:
        if key in spec:
            yield from _values(spec[key], (key,))


def _of_tokens(spec: Mapping[str, Any], kind: str, path: Path) -> tuple[str, Path]:
    """Kind and place; plain BIOS tokens of one vendor are one table, whether Intersight or Redfish sets them."""
    tokens = spec.get("bios") or (spec.get("properties") if kind == "bios.Policy" else None)
    if tokens is None or path[0] not in ("bios", "properties") or "BiosConfigurations" in tokens:
        return kind, path
    return f"BIOS of {'AMD' if any(str(each).startswith('Cbs') for each in tokens) else 'Intel'}", path[1:]


def _mark(spec: Mapping[str, Any], path: Path) -> bool:
    """Whether a value only repeats the type of what it stands in: there is no other, or ObjectType says it too."""
    return path[-1] == "ClassId" or (path[-1] in OWN and class_of_nested(_rule(spec, path[:-1])) is not None)


def _values(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Leaves, and members of lists as a whole."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _values(each, (*path, key))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            place = (*path, str(each[_KNOWN_BY[str(path[-1])]]) if path[-1] in _KNOWN_BY else at)
            if isinstance(each, Mapping):
                yield place, each
            yield from _values(each, place)
    else:
        yield path, value


def _found(spec: Any, path: Path) -> Path:
    """The path with every entry by its position."""
    found: list[str | int] = []
    value = spec
    for step in path:
        if isinstance(value, list) and isinstance(step, str):
            mark = _KNOWN_BY[str(found[-1])]
            found.append(next(at for at, each in enumerate(value) if each[mark] == step))
        else:
            found.append(step)
        value = value[found[-1]]
    return tuple(found)


def mutants(site: Site) -> Iterator[Mutant]:
    """What becomes of one value."""
    yield Mutant(site, DROP)
    if not isinstance(site.value, Mapping):
        for to in _others(site):
            yield Mutant(site, to)


def _others(site: Site) -> list[Any]:
    value, rule = site.value, site.rule
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        low, high = rule.get("low", 0), rule.get("high", 2**31)
        return [each for each in (value + 1, value // 2) if each != value and low <= each <= high]
    if rule.get("one_of"):
        others = [each for each in rule["one_of"] if each not in (value, _DEFAULT)]
        return others[:: max(1, -(-len(others) // MOST))]
    return [_other(str(value))]


def _other(text: str) -> str:
    if _MAC.match(text):
        return f"{text[:-2]}{(int(text[-2:], 16) + 1) % 256:02X}"
    if _LIST.match(text):
        return text.rpartition(",")[0] or str(int(text.split("-", maxsplit=1)[0]) + 1)
    try:
        return str(IPv4Address(text) + 1)
    except ValueError:
        return f"{text}x"


def _rule(spec: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    """What Intersight's table says of a value; empty where it has none. Redfish attributes are read as BIOS tokens."""
    if path[0] == "bios":
        return rules_of("bios.Policy").get(str(path[1]), {})
    if path[0] == "children":
        child = next(each for each in spec["children"] if each["name"] == path[1])
        return _rule(child, path[2:]) if path[2:] else {}
    if path[0] != "properties":
        return {}
    rules, value = rules_of(spec["object_type"]), spec["properties"]
    rule: Mapping[str, Any] = {}
    for step in _found(spec, path)[1:]:
        value = value[step]
        rule = rules.get(step, {}) if isinstance(step, str) else rule
        if rule.get("kind") == "nested" and isinstance(value, Mapping):
            rules = rules_of_nested(rule, value)
    return rule
