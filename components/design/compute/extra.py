"""Policies and pools that a role or a server names beside the design's own."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from podwright.components.design.compute.model import Child, IntersightObject, Reference
from podwright.components.model import Effective, Extra, named_secrets, on_profile, takes_several


def policies(role: str, settings: Effective, objects: dict[str, IntersightObject]) -> Iterator[IntersightObject]:
    """Policies for a server's profile; they and what they refer to are added to `objects`."""
    for key, entry in settings.settings.policies.items():
        names = {each: _name(role, each, settings) for each in (key, *_needed(settings, key))}
        children = tuple(
            Child(each.type, name, _sent(each), _references(each, settings, names))
            for name, each in entry.children.items()
        )
        references = _references(entry, settings, names)
        made = IntersightObject(entry.type, names[key], _sent(entry), references, children)
        made = objects.setdefault(made.name, made)
        if on_profile(entry.type):
            yield made


def _sent(entry: Extra) -> dict[str, Any]:
    return filled(named_secrets(entry.type, entry.properties))


def filled(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Properties without those that are null, each nested value with both marks of the type that it names."""
    return {key: _typed(value) for key, value in properties.items() if value is not None}


def over(base: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Properties over others; of a nested value only those keys that it names. Null: the platform's default."""
    merged = dict(base)
    for key, value in properties.items():
        known = merged.get(key)
        merged[key] = over(known, value) if isinstance(known, Mapping) and isinstance(value, Mapping) else value
    return filled(merged)


def _typed(value: Any) -> Any:
    if isinstance(value, list):
        return [_typed(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    mark = {"ClassId": value["ObjectType"]} if "ObjectType" in value and "ClassId" not in value else {}
    return {**mark, **filled(value)}


def _needed(settings: Effective, key: str, above: Collection[str] = ()) -> set[str]:
    """Entries that one refers to, and those that they refer to."""
    entry = settings.settings.policies[key]
    parts = (entry, *entry.children.values())
    direct = {target for part in parts for value in part.references.values() for target in _targets(value)}
    found = {each for each in direct if each in settings.settings.policies and each not in above}
    return found.union(*(_needed(settings, each, {*above, key}) for each in found))


def _name(role: str, key: str, settings: Effective) -> str:
    """After the role where all that it is made of is the role's, else after the server."""
    owners = {settings.owner_of("policies", each) for each in (key, *_needed(settings, key))}
    return f"{role}-{key}-{settings.server if settings.server in owners else owners.pop()}"


def _references(
    entry: Extra, settings: Effective, names: Mapping[str, str]
) -> dict[str, Reference | tuple[Reference, ...]]:
    """By name in Intersight; several where the property takes several, however many the file names."""
    known = settings.settings.policies
    found: dict[str, Reference | tuple[Reference, ...]] = {}
    for name, value in entry.references.items():
        made = tuple({"object_type": known[each].type, "name": names[each]} for each in _targets(value))
        found[name] = made if takes_several(entry.type, name) else made[0]
    return found


def _targets(value: Any) -> tuple[str, ...]:
    """Entries that a property refers to: one, or those of a list."""
    return (value,) if isinstance(value, str) else tuple(value)
