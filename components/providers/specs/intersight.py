"""Specs of Intersight objects, field by field."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ReferenceSpec(TypedDict):
    """An Intersight object by type and name."""

    object_type: str
    """For example bios.Policy."""
    name: str
    """Its name in the organization."""


class PolicySpec(TypedDict):
    """An Intersight policy or pool, with the children that live and die with it."""

    schema: int
    """Number of this shape."""
    object_type: str
    """For example bios.Policy."""
    name: str
    """Its name."""
    organization: str
    """The organization it is in."""
    properties: NotRequired[dict[str, Any]]
    """Intersight's own properties; one that is left out is left at the platform's default and not owned."""
    references: NotRequired[dict[str, ReferenceSpec]]
    """Objects it refers to, by property."""
    children: NotRequired[list[dict[str, Any]]]
    """Objects below it: object_type, name, properties, references of each."""
    adopt: NotRequired[bool]
    """Take over an existing object of that name."""
    initial: NotRequired[list[str]]
    """Properties that a new object is given; one that exists keeps its own, and that is no change."""


class ServerProfileSpec(TypedDict):
    """A server profile bound to a server by serial number, or to the slot that a blade sits in."""

    schema: int
    """Number of this shape."""
    name: str
    """Its name."""
    organization: str
    """The organization it is in."""
    target_platform: Literal["Standalone", "FIAttached", "UnifiedEdgeServer"]
    """How the server is managed."""
    serial: str
    """Serial number of the server; or of a blade where it sits, FOX00000043/3: that of its chassis, and the slot."""
    model: str
    """Product id of the server."""
    server_family: NotRequired[Literal["Unspecified", "All", "UCSC845A", "UCSC2XX/4XX"]]
    """Family of a standalone server; Intersight knows the BIOS tokens of a C845A by it."""
    policies: list[ReferenceSpec]
    """What the profile is made of."""
    uuid_pool: NotRequired[ReferenceSpec]
    """Pool that it leases a UUID from, in place of the server's own; behind Fabric Interconnects alone."""
    action: Literal["stage", "deploy"]
    """stage: what needs a reboot waits for the next one. deploy: reboots."""
    approved_disruptions: NotRequired[list[str]]
    """What may be disrupted, in Intersight's words (Reboot); more than that stops before it starts."""
    firmware: NotRequired[dict[str, str]]
    """What permits the version of its firmware policy: version, until (last day, such as 2027-05-01), source. A server
    that runs another one is brought to it until that day, unless Intersight's hardware compatibility list lacks it."""
    adopt: NotRequired[bool]
    """Take over an existing profile of that name."""
    digest: NotRequired[str]
    """Stands for the content of the policies: a change deploys the profile again."""
    restart_digest: NotRequired[str]
    """Stands for what takes effect with a restart only: while it stays, a deployment must need none."""
    wipe_digest: NotRequired[str]
    """Stands for what costs data on disks when it changes, which passes with an approval alone. Left out: disks are
    left as they are."""
    tags: NotRequired[dict[str, str]]
    """Tags beside the mark of its stack. Others that people set stay; one that is no longer named goes."""
    template: NotRequired[str]
    """Name of the server profile template that it is derived from; `policies` are those of the template. Left out: it
    is on its own, and leaves a template that it is attached to."""

    leave: NotRequired[Literal["decommission"]]
    """What becomes of its machine when the profile goes, behind Fabric Interconnects alone: taken out of service, and
    put back when a profile comes back. Left out: it stays in service."""


class ServerProfileTemplateSpec(TypedDict):
    """Policies that server profiles are derived with."""

    schema: int
    """Number of this shape."""
    name: str
    """Its name."""
    organization: str
    """The organization it is in."""
    target_platform: Literal["Standalone", "FIAttached", "UnifiedEdgeServer"]
    """How its profiles' servers are managed."""
    server_family: NotRequired[Literal["Unspecified", "All", "UCSC845A", "UCSC2XX/4XX"]]
    """Family of its profiles' servers."""
    uuid_pool: NotRequired[ReferenceSpec]
    """Pool that its profiles lease a UUID from; behind Fabric Interconnects alone."""
    policies: list[ReferenceSpec]
    """What its profiles are made of."""
    adopt: NotRequired[bool]
    """Take over an existing template of that name."""


class ChassisProfileTemplateSpec(TypedDict):
    """Policies that chassis profiles are derived with."""

    schema: int
    """Number of this shape."""
    name: str
    """Its name."""
    organization: str
    """The organization it is in."""
    policies: list[ReferenceSpec]
    """What its profiles are made of: access, power, snmp and thermal, one of each at most."""
    adopt: NotRequired[bool]
    """Take over an existing template of that name."""


class DomainProfileTemplateSpec(TypedDict):
    """Policies that domain profiles are derived with."""

    schema: int
    """Number of this shape."""
    name: str
    """Its name."""
    organization: str
    """The organization it is in."""
    policies: dict[str, list[ReferenceSpec]]
    """Policies of each interconnect, A and B."""
    adopt: NotRequired[bool]
    """Take over an existing template of that name."""


class DomainProfileSpec(TypedDict):
    """The profile of a Fabric Interconnect pair."""

    schema: int
    """Number of this shape."""
    name: str
    """Its name."""
    organization: str
    """The organization it is in."""
    serials: dict[str, str]
    """Serial numbers of the interconnects, A and B."""
    policies: dict[str, list[ReferenceSpec]]
    """Policies of each, A and B."""
    action: NotRequired[Literal["stage", "deploy"]]
    """What is done with the profile."""
    approved_disruptions: NotRequired[list[str]]
    """What may be disrupted, in Intersight's words."""
    adopt: NotRequired[bool]
    """Take over an existing profile of that name."""
    digest: NotRequired[str]
    """Stands for the content of the policies: a change deploys the profile again."""
    template: NotRequired[str]
    """Name of the domain profile template that it is derived from; `policies` are those of the template. Left out: it
    is on its own, and leaves a template that it is attached to."""


class ChassisProfileSpec(TypedDict):
    """The profile of a chassis behind Fabric Interconnects."""

    schema: int
    """Number of this shape."""
    name: str
    """Its name."""
    organization: str
    """The organization it is in."""
    domain: str
    """Name of the pair of interconnects that it is behind."""
    serial: str
    """Serial number of the chassis."""
    model: str
    """Product id of the chassis."""
    policies: list[ReferenceSpec]
    """What the profile is made of: access, power, snmp and thermal, one of each at most."""
    action: Literal["stage", "deploy"]
    """What is done with the profile."""
    approved_disruptions: NotRequired[list[str]]
    """What may be disrupted, in Intersight's words."""
    adopt: NotRequired[bool]
    """Take over an existing profile of that name."""
    digest: NotRequired[str]
    """Stands for the content of the policies: a change deploys the profile again."""
    template: NotRequired[str]
    """Name of the chassis profile template that it is derived from; `policies` are those of the template. Left out: it
    is on its own, and leaves a template that it is attached to."""


class ResourceGroupSpec(TypedDict):
    """A resource group of servers, and the organization that it is given to."""

    schema: int
    """Number of this shape."""
    name: str
    """Its name, unique in the account."""
    organization: str
    """The organization that sees its servers; it must exist."""
    selectors: list[str]
    """What it holds: /api/v1/compute/RackUnits or /api/v1/compute/Blades, each with a $filter."""
    adopt: NotRequired[bool]
    """Take over an existing group of that name, with what it holds."""
