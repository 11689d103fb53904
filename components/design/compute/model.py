"""What the compute layer makes of Intersight: policies, pools and the profiles that refer to them."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from podwright.components.changes.property_changes import what_restarts, what_wipes

Properties = Mapping[str, Any]
Reference = Mapping[str, str]

DISKS: Properties = {"UnusedDisksState": "NoChange", "UseJbodForVdCreation": False}
"""What a storage policy holds where nobody defines disks: drives stay as they are."""
SCHEMA = 1
"""Number of the resource inputs' shape; it moves when a stored spec needs an upgrade."""


@dataclass(frozen=True)
class Child:
    """An Intersight object that lives inside a policy: a vNIC, a VLAN, a port role."""

    object_type: str
    name: str
    properties: Properties
    references: Mapping[str, Reference | tuple[Reference, ...]] = field(default_factory=dict)

    def spec(self) -> dict[str, Any]:
        """The child as the provider takes it."""
        return {
            "object_type": self.object_type,
            "name": self.name,
            "properties": dict(self.properties),
            "references": {key: _plain(value) for key, value in sorted(self.references.items())},
        }


@dataclass(frozen=True)
class IntersightObject:
    """A policy or pool; its name is unique among all objects of the cluster, whatever their type."""

    object_type: str
    name: str
    properties: Properties
    references: Mapping[str, Reference | tuple[Reference, ...]] = field(default_factory=dict)
    children: tuple[Child, ...] = ()
    initial: tuple[str, ...] = ()
    """Properties that a new object is given, and that an existing one keeps."""
    organization: str = ""
    """Organization that it is in. Empty: the account's."""
    repeated: bool = False
    """True: what refers to it lists all that it has, and a change is classed there."""

    @property
    def label(self) -> str:
        """Name of its resource in a stack; names of objects are unique in one organization alone."""
        apart = self.organization and f"-{self.organization}-" not in self.name
        return f"{self.organization}-{self.name}" if apart else self.name

    @property
    def reference(self) -> dict[str, str]:
        """How others name it."""
        return {"object_type": self.object_type, "name": self.name}

    @property
    def needs(self) -> frozenset[str]:
        """Names of the objects that must exist before it."""
        values = [*self.references.values(), *(value for each in self.children for value in each.references.values())]
        return frozenset(each["name"] for value in values for each in (value if isinstance(value, tuple) else (value,)))

    def spec(self, organization: str, adopt: Collection[str] = ()) -> dict[str, Any]:
        """The object as the provider takes it; `adopt` are names of objects that may be taken on."""
        return {
            "schema": SCHEMA,
            "object_type": self.object_type,
            "name": self.name,
            "organization": self.organization or organization,
            "properties": dict(self.properties),
            "references": {key: _plain(value) for key, value in sorted(self.references.items())},
            "children": [child.spec() for child in self.children],
            **({"initial": list(self.initial)} if self.initial else {}),
            **({"adopt": True} if self.name in adopt else {}),
        }


@dataclass(frozen=True)
class Profile:
    """A server, domain or chassis profile: its spec, and the objects it puts on the machine."""

    name: str
    spec: Mapping[str, Any]
    policies: tuple[IntersightObject, ...]


@dataclass(frozen=True)
class Template:
    """A template: what profiles that name it in their spec are derived with."""

    name: str
    spec: Mapping[str, Any]
    of: Literal["server", "chassis", "domain"] = "server"
    """Whose profiles they are."""


@dataclass(frozen=True)
class Group:
    """A resource group: its spec has the servers that its organization sees through it."""

    name: str
    spec: Mapping[str, Any]


@dataclass(frozen=True)
class RolePlan:
    """What one role's servers and interconnects share; every sequence is in the order of the file."""

    pools: tuple[IntersightObject, ...]
    policies: tuple[IntersightObject, ...]
    """Each policy stands after what it refers to."""
    profiles: Mapping[str, Profile]
    """Server profiles by host name."""
    domains: Mapping[str, Profile]
    """Domain profiles by name."""
    chassis: Mapping[str, Profile]
    """Chassis profiles by name."""
    digests: Mapping[str, str]
    """Digest, by host name, of everything that needs a restart to take effect on that server."""
    templates: tuple[Template, ...] = ()
    """Templates of those profiles that are derived."""
    groups: tuple[Group, ...] = ()
    """Resource groups, which must exist before a profile is on one of their servers."""

    @property
    def names(self) -> frozenset[str]:
        """Names of every object and profile."""
        objects = [each.name for each in (*self.pools, *self.policies)]
        profiles = (*self.profiles, *self.domains, *self.chassis)
        groups = (each.name for each in self.groups)
        return frozenset([*objects, *groups, *(each.name for each in self.templates), *profiles])


def digest(value: Any) -> str:
    """Twelve hex digits that change when anything inside the value does."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def carried(policies: Iterable[IntersightObject], objects: Mapping[str, IntersightObject]) -> list[IntersightObject]:
    """Policies and what they refer to, in a fixed order."""
    own = list(policies)
    needed = {name for policy in own for name in policy.needs}
    return own + [objects[name] for name in sorted(needed) if name in objects and not objects[name].repeated]


def digests(policies: Iterable[IntersightObject], objects: Mapping[str, IntersightObject]) -> dict[str, str]:
    """Of a server profile's policies: of all that they hold, and of what takes effect with a restart only."""
    specs = {each.name: each.spec("") for each in carried(policies, objects)}
    return {"digest": digest(list(specs.values())), "restart_digest": digest(what_restarts(specs))}


def wiping(policies: Iterable[IntersightObject], objects: Mapping[str, IntersightObject]) -> dict[str, str]:
    """Of a server profile's policies: what costs data on disks when it changes; nothing where disks are left alone."""
    found = what_wipes(each.spec("") for each in carried(policies, objects))
    left_alone: tuple[Any, ...] = ([], what_wipes([{"object_type": "storage.StoragePolicy", "properties": DISKS}]))
    return {} if found in left_alone else {"wipe_digest": digest(found)}


def _plain(value: Reference | tuple[Reference, ...]) -> Any:
    return [dict(each) for each in value] if isinstance(value, tuple) else dict(value)
