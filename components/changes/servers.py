"""Rows of servers and interconnects: Intersight's policies and profiles, and machines over Redfish."""

from __future__ import annotations

from typing import Final

from podwright.components.changes.disruption import Disruption
from podwright.components.changes.row import ChangeClass, Row

_PROGRAM, _LIVE = ChangeClass.PROGRAM_ONLY, ChangeClass.LIVE
_DISRUPTIVE, _REPLACED = ChangeClass.DISRUPTIVE, ChangeClass.REPLACED

_HELD = "Intersight holds it; a server takes it when its profile is deployed, and that profile is classed by itself"
_SHAPE = Row("schema", _PROGRAM, "the number of the spec's shape")
_ADOPT = Row("adopt", _PROGRAM, "whether an existing object of the name may be taken over")
_APPROVED = Row("approved_disruptions", _PROGRAM, "what a deployment may disrupt; more than that stops it")

POLICY: Final = (
    _SHAPE,
    Row("object_type", _REPLACED, "an object of another type is another object"),
    Row("name", _REPLACED, "the name is the object's identity"),
    Row("organization", _REPLACED, "an object cannot change its organization"),
    Row("properties", _LIVE, _HELD),
    Row("references", _LIVE, _HELD),
    Row("children", _LIVE, _HELD),
    Row("initial", _PROGRAM, "which properties only a new object is given"),
    _ADOPT,
)


_REGISTRY: Final = "Terraform registry, ciscodevnet/intersight, intersight"
_CHASSIS_DERIVED: Final = f"{_REGISTRY}_chassis_profile_template"
_DOMAIN_DERIVED: Final = f"{_REGISTRY}_fabric_switch_cluster_profile_template"


def _deployed(name: str) -> Row:
    return Row(
        name,
        _DISRUPTIVE,
        "what needs a restart takes effect at the next one: at once with `deploy`, at the pool's roll-out with `stage`",
        source="Intersight API, server.Profile: actions Deploy and Activate, ConfigContext.ConfigStateSummary",
        scope="server",
        verb="restart",
        lasts="10 to 30 minutes",
        staged=True,
        disruption=Disruption.REBOOT,
    )


def _identity(name: str, verb: str, reason: str) -> Row:
    return Row(name, _REPLACED, reason, scope="server", verb=verb)


SERVER_PROFILE: Final = (
    _SHAPE,
    Row("name", _LIVE, "with `renamed_from` the profile is renamed in place, and nothing is deployed"),
    _identity("organization", "lose their profile and get another", "a profile cannot change its organization"),
    _identity("target_platform", "lose their profile and get another", "a profile cannot change its platform"),
    Row(
        "serial",
        _DISRUPTIVE,
        "the profile is unassigned from one server and deployed to another, also where another blade is in its slot",
        scope="server",
        verb="change their profile",
        lasts="10 to 30 minutes",
    ),
    Row("model", _PROGRAM, "what the design assumes of the server"),
    Row("server_family", _LIVE, "Intersight knows by it which BIOS tokens a server has; nothing is deployed"),
    _deployed("policies"),
    _deployed("digest"),
    Row(
        "uuid_pool",
        ChangeClass.REFUSED,
        "a server keeps the UUID that it was installed with, by which its node is known: write `own_uuid: true` for "
        "one that stands already, or take it out of the file, run `podwright up`, and add it again",
        source="Intersight API, server.Profile.UuidAddressType; Kubernetes, NodeSystemInfo.systemUUID",
        scope="server",
    ),
    Row("firmware", _PROGRAM, "what permits the version of the firmware policy, which is classed as a policy is"),
    _deployed("restart_digest"),
    Row(
        "wipe_digest",
        _REPLACED,
        "drives change their state, arrays or keys, and what is on them is lost",
        source="SDK, storage.StoragePolicy: DefaultDriveMode, UnusedDisksState",
        scope="server",
        verb="lose data",
        disruption=Disruption.WIPE,
        beside="digest",
    ),
    Row("tags", _LIVE, "labels that Intersight holds; nothing is deployed"),
    Row("leave", _PROGRAM, "what becomes of the machine when its server leaves the file, and not before"),
    Row(
        "template",
        _LIVE,
        "the profile joins a template, leaves it or is brought in step with it, and keeps its server; what that costs "
        "is classed with `policies`, and with each policy",
        source="SDK, motemplate.ActionEntry: Attach, Detach, Sync; bulk.MoMerger",
    ),
    Row("action", _PROGRAM, "how the next deployment goes"),
    _APPROVED,
    _ADOPT,
)

_MERGED = "no machine takes anything from a template; its profiles do, when they are brought in step, and are classed"
_TEMPLATE: Final = (
    _SHAPE,
    Row("name", _REPLACED, "a template of another name is another one; its profiles move to it"),
    Row("organization", _REPLACED, "an object cannot change its organization"),
)
SERVER_PROFILE_TEMPLATE: Final = (
    *_TEMPLATE,
    Row("target_platform", _REPLACED, "a template for another platform is another one"),
    Row("server_family", _LIVE, _MERGED),
    Row("uuid_pool", _LIVE, _MERGED),
    Row("policies", _LIVE, _MERGED, source="SDK, motemplate.ActionEntry: Sync"),
    _ADOPT,
)


DOMAIN_PROFILE_TEMPLATE: Final = (*_TEMPLATE, Row("policies", _LIVE, _MERGED, source=_DOMAIN_DERIVED), _ADOPT)
CHASSIS_PROFILE_TEMPLATE: Final = (*_TEMPLATE, Row("policies", _LIVE, _MERGED, source=_CHASSIS_DERIVED), _ADOPT)


def _ports(name: str, *, staged: bool = True) -> Row:
    return Row(
        name,
        _DISRUPTIVE,
        "a deployment acts on one interconnect after the other; ports whose role changes go down meanwhile",
        scope="interconnects",
        verb="redeploy, one fabric after the other",
        lasts="up to 30 minutes a fabric",
        staged=staged,
    )


DOMAIN_PROFILE: Final = (
    _SHAPE,
    Row("name", _REPLACED, "the name is the profile's identity", scope="interconnects", verb="lose their profile"),
    Row("organization", _REPLACED, "a profile cannot change its organization", scope="interconnects"),
    _ports("serials", staged=False),
    _ports("policies"),
    _ports("digest"),
    Row(
        "template",
        _LIVE,
        "the profile joins a template, leaves it or is merged with it; a deployment is classed with `policies`",
        source=_DOMAIN_DERIVED,
    ),
    Row("action", _PROGRAM, "how the next deployment goes"),
    _APPROVED,
    _ADOPT,
)

_CHASSIS_TAKES: Final = "settings of the chassis's own controller: its blades run on; Intersight's word is compared"
_CHASSIS_SOURCE: Final = (
    "unsettled, by what the policies are: SDK, power.Policy, thermal.Policy; Cisco TAC document 223066: without a "
    "profile a chassis has preset values of the same settings"
)
CHASSIS_PROFILE: Final = (
    _SHAPE,
    Row("name", _REPLACED, "the name is the profile's identity"),
    Row("organization", _REPLACED, "a profile cannot change its organization"),
    Row("domain", _PROGRAM, "what messages name; Intersight finds the chassis by its serial number"),
    Row("serial", _LIVE, "the profile is unassigned from one chassis and deployed to another"),
    Row("model", _PROGRAM, "what the design assumes of the chassis"),
    Row("policies", _LIVE, _CHASSIS_TAKES, source=_CHASSIS_SOURCE),
    Row("digest", _LIVE, _CHASSIS_TAKES, source=_CHASSIS_SOURCE),
    Row(
        "template",
        _LIVE,
        "the profile joins a template, leaves it or is brought in step with it, and keeps its chassis",
        source=_CHASSIS_DERIVED,
    ),
    Row("action", _PROGRAM, "how the next deployment goes"),
    _APPROVED,
    _ADOPT,
)

REDFISH: Final = (
    _SHAPE,
    Row("name", _PROGRAM, "nothing on the machine has a name of ours"),
    Row("address", _PROGRAM, "where its controller is reached; the controller's own address is not written"),
    Row("serial", _PROGRAM, "a controller that answers for another machine is refused"),
    Row("model", _PROGRAM, "what the design assumes of the server"),
    Row("credential", _PROGRAM, "the name of the secret that the login uses"),
    Row("generation", _PROGRAM, "says that the login's secret was rotated"),
    Row(
        "bios",
        _LIVE,
        "staged in the controller; the machine takes it at its next reset, which its pool's roll-out brings",
        source="DMTF DSP0268, Bios: settings are applied on reset",
    ),
    Row(
        "firmware",
        _PROGRAM,
        "what its components are compared with, and what permits that; its pool's roll-out brings images, and the "
        "roll-out's trigger is classed",
        source="DMTF DSP0268, UpdateService: the version of a component that waits for a reset",
    ),
    Row("power", _DISRUPTIVE, "the machine is shut down or switched on", scope="server", verb="switch power"),
)

_GROUP = "Intersight, Organizations and Resource Groups: https://www.cisco.com/c/en/us/support/docs/\
cloud-systems-management/intersight/222719-troubleshoot-organizations-and-resource.html"
RESOURCE_GROUP: Final = (
    _SHAPE,
    Row("name", _REPLACED, "a group of another name is another one; it is made first, then the other is deleted"),
    Row("organization", _LIVE, "another organization sees the servers; no server notices", source=_GROUP),
    Row("selectors", _LIVE, "an organization sees other servers; no server notices, profiles stay", source=_GROUP),
    _ADOPT,
)

POLICY_GONE: Final = Row("", _LIVE, "nothing refers to it any more; Intersight refuses while something does")
TEMPLATE_GONE: Final = Row("", _LIVE, "no profile is derived from it any more; Intersight refuses while one is")
GROUP_GONE: Final = Row("", _LIVE, "its organization sees no server through it any more; no server notices")
PROFILE_GONE: Final = Row(
    "",
    _LIVE,
    "the profile is unassigned and deleted; the machine keeps running as it is",
    scope="server",
    verb="lose their profile",
)
DOMAIN_GONE: Final = Row(
    "",
    _DISRUPTIVE,
    "the profile is unassigned and deleted; the servers behind the pair lose their ports",
    scope="interconnects",
    verb="lose their profile",
    lasts="for good",
)
CHASSIS_GONE: Final = Row("", _LIVE, "the profile is unassigned and deleted; the chassis keeps running with its blades")
REDFISH_GONE: Final = Row("", _PROGRAM, "the machine is let go as it stands")
