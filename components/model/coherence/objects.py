"""Boot order, disks, vNICs and further policies of roles and servers: names and values by Cisco's table."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from podwright.components.intersight_table.formats import CLEAR
from podwright.components.intersight_table.secrets import named
from podwright.components.intersight_table.table import Finding, judge, nearest, object_types, rules_of
from podwright.components.model.catalogue import SERVER_POLICIES, SERVERS
from podwright.components.model.catalogue.profile_policies import ADDED_FIELDS, OWN_FIELDS, on_profile
from podwright.components.model.coherence import drives
from podwright.components.model.compute import Server
from podwright.components.model.effective import Effective, Roles, effective
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.settings import Extra, ExtraPolicy, Settings

_FIELDS = {
    "boot": "boot.PrecisionPolicy",
    "disks": "storage.StoragePolicy",
    **{field: kind for kind, field in ADDED_FIELDS.items()},
}
"""Settings that are properties of one type."""
_GROUP = "storage.DriveGroup"
_PROFILED = (*_FIELDS, "drive_groups", "vnics", "policies", "tags")
"""Settings that stand in a server profile."""
_HOW = {"FIAttached": "behind Fabric Interconnects", "Standalone": "a standalone server"}
_BOOT = "eth0"
_GIVEN = ("MacAddressType", "StaticMacAddress")
_RESERVED = ("podwright", "cisco.")
_ABSTRACT = {"resourcepool.Pool.QualificationPolicies": "resourcepool.QualificationPolicy"}
"""Types of references that the table names no type of, because it is that of several in Cisco's document."""
_MADE = ("Policy", ".Pool", "vnic.VnicTemplate", "iam.EndPointUser")
"""Ends of the types that live on their own."""


def settings(loc: Loc, given: Settings) -> Iterator[Problem]:
    """What is wrong with the settings of a role or a server, whichever server has them."""
    for field, kind in _FIELDS.items():
        yield from _properties(kind, getattr(given, field), (*loc, field))
    for name, group in given.drive_groups.items():
        yield from _properties(_GROUP, group, (*loc, "drive_groups", name))
    for name, vnic in given.vnics.items():
        here = (*loc, "vnics", name, "properties")
        yield from _properties("vnic.EthIf", vnic.properties, here)
        for key in _GIVEN if name == _BOOT else ():
            if key in vnic.properties:
                hint = "delete this line; the address is the server's `boot_mac`"
                yield Problem((*here, key), f"{key} of {_BOOT} is the design's", hint, at_key=True)
    for key in given.tags:
        if key.startswith(_RESERVED):
            message = f"{key} begins with {' or '.join(_RESERVED)}, as marks of owners and of Intersight do"
            yield Problem((*loc, "tags", key), message, "take another key", at_key=True)
    for name, policy in given.policies.items():
        yield from _policy((*loc, "policies", name), policy)


def _properties(kind: str, properties: Mapping[str, Any], loc: Loc) -> Iterator[Problem]:
    return (_problem(each, kind) for each in judge(kind, named(kind, properties), loc))


def _problem(found: Finding, kind: str) -> Problem:
    if found.message.startswith(CLEAR):
        message = f"{CLEAR}: only its name stands in this file"
        hint = "write secret: NAME in braces, {secret: NAME}, and put the value where secrets are kept"
        return Problem(found.trail, message, hint, confidential=True)
    unknown = found.message.partition(" ")[0] in (kind, "there")
    if found.near:
        hint = f"did you mean `{found.near}`?"
    elif "must be one of" in found.message:
        hint = "write one of these"
    elif unknown:
        known = sorted(name for name, rule in rules_of(kind).items() if not rule.get("fixed"))
        hint = f"properties of {kind}: {', '.join(known)}" if found.message.startswith(kind) else "delete this line"
    else:
        hint = "write such a value, or delete this line"
    return Problem(found.trail, found.message, hint, at_key=unknown)


def _policy(loc: Loc, policy: ExtraPolicy) -> Iterator[Problem]:
    known = tuple(each for each in object_types() if each.endswith(_MADE))
    if policy.type in OWN_FIELDS:
        hint = f"write its properties under `{OWN_FIELDS[policy.type]}`"
        yield Problem((*loc, "type"), f"{policy.type} is the design's", hint)
    elif policy.type not in known:
        near = nearest(policy.type, known)
        hint = f"did you mean `{near}`?" if near else f"types: {', '.join(known)}"
        yield Problem((*loc, "type"), f"{policy.type} is no policy or pool of the table", hint)
    else:
        yield from _object(loc, policy)
    for name, child in policy.children.items():
        inside = [each for each in object_types() if policy.type in _of(each)]
        if child.type not in inside:
            near = nearest(child.type, inside)
            hint = f"did you mean `{near}`?" if near else f"inside it: {', '.join(inside) or 'nothing'}"
            yield Problem((*loc, "children", name, "type"), f"{child.type} does not live in a {policy.type}", hint)
        else:
            yield from _object((*loc, "children", name), child)


def _object(loc: Loc, defined: Extra) -> Iterator[Problem]:
    yield from _properties(defined.type, defined.properties, (*loc, "properties"))
    for each in judge(defined.type, defined.references, (*loc, "references"), references=True):
        yield _problem(each, defined.type)


def _of(child: str) -> set[str]:
    """Types that objects of a type live in: what they refer to by a property named after it, and have no name of."""
    if child.endswith(_MADE):
        return set()
    return {rule["of"] for name, rule in rules_of(child).items() if rule["kind"] == "reference" and rule["of"]}


def on_server(name: str, server: Server, roles: Roles) -> Iterator[Problem]:
    """What is wrong with the settings that hold for one server, at the server or the role that has them."""
    found = effective(name, server, roles)
    model = SERVERS.get(server.model)
    if model is None:
        return
    for field in _PROFILED:
        own = [place for key, place in found.places.items() if key[0] == field and place[0] == "servers"]
        if own and model.manager != "intersight":
            message = f"{model.name} is configured through its management controller, which takes `bios` and `smt`"
            yield Problem(("servers", name, field), message, "delete this section", at_key=True)
        elif own and field == "vnics" and model.vic is None:
            yield Problem(
                ("servers", name, field), f"{model.name} has no Cisco VIC", "delete this section", at_key=True
            )
    how = "FIAttached" if server.domain is not None else model.platform
    for key, vnic in found.settings.vnics.items():
        if vnic.derived and how != "FIAttached":
            message = f"{name} is not behind Fabric Interconnects: Intersight has vNIC templates of servers that are"
            yield Problem((*found.places["vnics", key], "derived"), message, "delete it here", at_key=True)
    yield from drives.on_server(name, server, found)
    yield from _added(name, how, model.vic, found)
    yield from _references(found.settings.policies, found.places)
    first: dict[str, str] = {}
    for key, policy in found.settings.policies.items():
        if on_profile(policy.type) and first.setdefault(policy.type, key) != key:
            message = f"{name} has a {policy.type} already, {first[policy.type]}; a profile takes one of a type"
            yield Problem((*found.places["policies", key], "type"), message, "delete one of the two")
        if how not in SERVER_POLICIES.get(policy.type, (how,)):
            message = f"the profile of {name}, {_HOW[how]}, takes no {policy.type}"
            yield Problem((*found.places["policies", key], "type"), message, "give it to other servers alone")


def _added(name: str, how: str, vic: str | None, found: Effective) -> Iterator[Problem]:
    """Fields that make a policy of their own: on servers that take it, and not beside another of the type."""
    for kind, field in ADDED_FIELDS.items():
        places = [place for key, place in found.places.items() if key[0] == field]
        if not places:
            continue
        loc = places[0][:-1]
        if how not in SERVER_POLICIES[kind]:
            message = f"the profile of {name}, {_HOW[how]}, takes no {kind}"
            yield Problem(loc, message, "give it to other servers alone", at_key=True)
        elif field == "adapter" and vic is None:
            yield Problem(loc, f"{name} has no Cisco VIC", "give it to other servers alone", at_key=True)
        for key, policy in found.settings.policies.items():
            if policy.type == kind:
                message = f"{name} has a {kind} already, by `{field}`; a profile takes one of a type"
                yield Problem((*found.places["policies", key], "type"), message, "delete one of the two")


def vlans(servers: Mapping[str, Server], roles: Roles, known: Collection[int]) -> Iterator[Problem]:
    """vNICs carry VLANs that the frontend has."""
    settings: list[tuple[Loc, Settings]] = [(("roles", name), role) for name, role in roles.items()]
    settings += [(("servers", name), server) for name, server in servers.items()]
    for loc, given in settings:
        for name, vnic in given.vnics.items():
            for position, vlan in enumerate(vnic.vlans or ()):
                if vlan not in known:
                    hint = f"VLANs: {', '.join(str(each) for each in sorted(known))}"
                    message = f"the frontend has no VLAN {vlan}"
                    yield Problem((*loc, "vnics", name, "vlans", position), message, hint)


def _references(policies: Mapping[str, ExtraPolicy], places: Mapping[Loc, Loc]) -> Iterator[Problem]:
    """References lead to entries of the type that the property takes."""
    for key, policy in policies.items():
        parts: list[tuple[Loc, Extra]] = [((), policy)]
        parts += [(("children", name), child) for name, child in policy.children.items()]
        for inner, part in parts:
            rules = rules_of(part.type) if part.type in object_types() else {}
            for name, target in part.references.items():
                loc = (*places["policies", key], *inner, "references", name)
                rule = rules.get(name, {})
                wanted = rule.get("of") or _ABSTRACT.get(f"{part.type}.{name}")
                if isinstance(target, str):
                    yield from _target(loc, name, target, wanted, policies)
                    continue
                if not isinstance(target, list) or not all(isinstance(each, str) for each in target):
                    hint = "write the name of an entry, or a list of names"
                    yield Problem(loc, f"{name} refers to other entries of `policies` by name", hint)
                    continue
                if rule and not rule.get("list"):
                    yield Problem(loc, f"{name} takes one entry, not a list", "write the name alone")
                for position, each in enumerate(target):
                    yield from _target((*loc, position), name, each, wanted, policies)
                    if each in target[:position]:
                        yield Problem((*loc, position), f"{each} is in this list already", "write it once")


def _target(
    loc: Loc, name: str, target: str, wanted: str | None, policies: Mapping[str, ExtraPolicy]
) -> Iterator[Problem]:
    """What is wrong with one entry that a property refers to."""
    if target not in policies:
        near = nearest(target, policies)
        hint = f"did you mean `{near}`?" if near else f"entries: {', '.join(policies)}"
        yield Problem(loc, f"there is no entry {target} in `policies`", hint)
    elif wanted and policies[target].type != wanted:
        message = f"{target} is a {policies[target].type}; {name} takes a {wanted}"
        yield Problem(loc, message, f"name an entry of type {wanted}")
