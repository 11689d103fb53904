"""What layers import: Intersight objects as Pulumi resources.

Every resource takes one `spec` that is fully known at preview, so that policies can judge every leaf of it. Ids
are logical (``ntp.Policy/default/ai-ntp``); Intersight's own identifier appears as the output `moid`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi


class Policy(pulumi.CustomResource):
    """A policy, with the children that live and die with it (the vNICs of a LAN connectivity policy).

    `spec`: ``{"schema": 1, "object_type": "bios.Policy", "name", "organization", "properties": {CamelCase property:
    value}, "references": {"MacPool": {"object_type", "name"}}, "children": [{"object_type", "name", "properties",
    "references"}], "adopt": bool}``. A property that is not defined is left at the platform's default and not owned.
    """

    spec: pulumi.Output[dict[str, Any]]
    moid: pulumi.Output[str]
    """Intersight's own identifier."""

    def __init__(
        self, name: str, spec: pulumi.Input[Mapping[str, Any]], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("podwright:intersight:Policy", name, {"spec": spec, "moid": None}, opts)


class Pool(pulumi.CustomResource):
    """An identifier pool (MAC, UUID, IP, …); `spec` has the shape of `Policy`'s."""

    spec: pulumi.Output[dict[str, Any]]
    moid: pulumi.Output[str]
    """Intersight's own identifier."""

    def __init__(
        self, name: str, spec: pulumi.Input[Mapping[str, Any]], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("podwright:intersight:Pool", name, {"spec": spec, "moid": None}, opts)


class ServerProfile(pulumi.CustomResource):
    """A server profile bound to a server by serial number, or to the slot that a blade sits in; staged or deployed.

    `spec`: ``{"schema": 1, "name", "organization", "target_platform": "Standalone"|"FIAttached", "serial", "model",
    "policies": [{"object_type", "name"}], "action": "stage"|"deploy", "approved_disruptions": ["Reboot"],
    "digest", "restart_digest", "wipe_digest", "template": name, "adopt": bool}``. `stage` hands everything to
    the server and leaves what needs a reboot to the next one; `deploy` reboots too. What
    Intersight says would disrupt more than `approved_disruptions` stops before it starts.
    `digest` stands for the content of the policies: a change hands them over again. `restart_digest` stands for what
    of it takes effect with a restart only: while it stays, and Intersight says that the server must restart, nothing
    is handed over. `wipe_digest` stands for what costs data on disks when it changes: another one needs an approval.
    With `template` the profile is attached to it and brought in step; one that Intersight calls out of sync is drift.
    """

    spec: pulumi.Output[dict[str, Any]]
    config_state: pulumi.Output[str]
    """Configuration state, as Intersight names it."""
    pending_disruptions: pulumi.Output[list[str]]
    """What a deployment would disrupt, in Intersight's words."""
    hardware_uuid: pulumi.Output[str]
    """UUID that the server it is bound to was made with."""
    uuid: pulumi.Output[str | None]
    """UUID that it leased from `uuid_pool`, which the operating system reports; nothing without one."""
    serial: pulumi.Output[str]
    """Serial number of the blade that was found in its slot; nothing where the spec has the number."""
    moid: pulumi.Output[str]
    """Intersight's own identifier."""

    def __init__(
        self, name: str, spec: pulumi.Input[Mapping[str, Any]], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        props = {
            "spec": spec,
            "config_state": None,
            "pending_disruptions": None,
            "hardware_uuid": None,
            "uuid": None,
            "serial": None,
            "moid": None,
        }
        super().__init__("podwright:intersight:ServerProfile", name, props, opts)


class ServerProfileTemplate(pulumi.CustomResource):
    """A server profile template: what profiles that name it as their `template` are derived with.

    `spec`: ``{"schema": 1, "name", "organization", "target_platform": "Standalone"|"FIAttached", "policies":
    [{"object_type", "name"}], "adopt": bool}``.
    """

    spec: pulumi.Output[dict[str, Any]]
    moid: pulumi.Output[str]
    """Intersight's own identifier."""

    def __init__(
        self, name: str, spec: pulumi.Input[Mapping[str, Any]], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("podwright:intersight:ServerProfileTemplate", name, {"spec": spec, "moid": None}, opts)


class ChassisProfileTemplate(pulumi.CustomResource):
    """A chassis profile template: what profiles that name it as their `template` are derived with.

    `spec`: ``{"schema": 1, "name", "organization", "policies": [{"object_type", "name"}], "adopt": bool}``.
    """

    spec: pulumi.Output[dict[str, Any]]
    moid: pulumi.Output[str]
    """Intersight's own identifier."""

    def __init__(
        self, name: str, spec: pulumi.Input[Mapping[str, Any]], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("podwright:intersight:ChassisProfileTemplate", name, {"spec": spec, "moid": None}, opts)


class DomainProfileTemplate(pulumi.CustomResource):
    """A domain profile template: what profiles that name it as their `template` are derived with.

    `spec`: ``{"schema": 1, "name", "organization", "policies": {"A": [{"object_type", "name"}], "B": [...]},
    "adopt": bool}``.
    """

    spec: pulumi.Output[dict[str, Any]]
    moid: pulumi.Output[str]
    """Intersight's own identifier."""

    def __init__(
        self, name: str, spec: pulumi.Input[Mapping[str, Any]], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("podwright:intersight:DomainProfileTemplate", name, {"spec": spec, "moid": None}, opts)


class DomainProfile(pulumi.CustomResource):
    """The profile of a Fabric Interconnect pair: a cluster profile and one switch profile per fabric.

    `spec`: ``{"schema": 1, "name", "organization", "serials": {"A", "B"}, "policies": {"A": [{"object_type",
    "name"}], "B": [...]}, "action": "stage"|"deploy", "approved_disruptions": [...], "template": name,
    "adopt": bool}``. With `template` the profile is attached to it, and both switch profiles have its policies.
    """

    spec: pulumi.Output[dict[str, Any]]
    config_states: pulumi.Output[dict[str, str]]
    """Configuration state of each interconnect, as Intersight names it."""
    moid: pulumi.Output[str]
    """Intersight's own identifier."""

    def __init__(
        self, name: str, spec: pulumi.Input[Mapping[str, Any]], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        props = {"spec": spec, "config_states": None, "moid": None}
        super().__init__("podwright:intersight:DomainProfile", name, props, opts)


class ChassisProfile(pulumi.CustomResource):
    """The profile of a chassis behind Fabric Interconnects, bound by serial number and deployed.

    `spec`: ``{"schema": 1, "name", "organization", "domain", "serial", "model", "policies": [{"object_type", "name"}],
    "action": "stage"|"deploy", "approved_disruptions": [...], "digest", "template": name, "adopt": bool}``. A chassis
    takes one access.Policy, power.Policy, snmp.Policy and thermal.Policy each. With `template` the profile is attached
    to it and has its policies.
    """

    spec: pulumi.Output[dict[str, Any]]
    config_state: pulumi.Output[str]
    """Configuration state, as Intersight names it."""
    pending_disruptions: pulumi.Output[list[str]]
    """What a deployment would disrupt, in Intersight's words."""
    moid: pulumi.Output[str]
    """Intersight's own identifier."""

    def __init__(
        self, name: str, spec: pulumi.Input[Mapping[str, Any]], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        props = {"spec": spec, "config_state": None, "pending_disruptions": None, "moid": None}
        super().__init__("podwright:intersight:ChassisProfile", name, props, opts)


class ResourceGroup(pulumi.CustomResource):
    """A resource group of servers, given to one organization beside the groups that it has.

    `spec`: ``{"schema": 1, "name", "organization", "selectors": ["/api/v1/compute/RackUnits?$filter=Serial in
    ('WZP00000001')"], "adopt": bool}``. It is made once the organization sees every server that a selector finds.
    """

    spec: pulumi.Output[dict[str, Any]]
    moid: pulumi.Output[str]
    """Intersight's own identifier."""

    def __init__(
        self, name: str, spec: pulumi.Input[Mapping[str, Any]], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("podwright:intersight:ResourceGroup", name, {"spec": spec, "moid": None}, opts)
