"""Templates: what a derived object takes over, may not change itself, and whether it is in step.

An object is attached by `SrcTemplate`, which copies nothing (nac-compute, terraform-provider-intersight #260); its
template is merged into it by `bulk/MoMergers`. Statuses are those of `motemplate`, worked out as a reply is made, where
the published type has them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from podwright.lab.intersight import errors
from podwright.lab.intersight.clock import Clock
from podwright.lab.intersight.rules import is_policy
from podwright.lab.intersight.runs import PROFILE
from podwright.lab.intersight.schema import ObjectType
from podwright.lab.intersight.service import ROOT, Call, Service
from podwright.lab.intersight.store import Mo, ref


@dataclass(frozen=True)
class Source:
    """Where objects of a type may be derived from."""

    template: str
    """Type of the template."""
    inherited: tuple[str, ...]
    """What both types have of a machine's configuration. TargetPlatform stays the profile's own (nac-compute)."""
    sync: str = ""
    """Who brings objects in step where Cisco's page says it, `ordered` or `automatic`; else the variant does."""


VNIC, LAN = "vnic.EthIf", "LanConnectivityPolicy"
CLUSTER, SWITCH = "fabric.SwitchClusterProfile", "fabric.SwitchProfile"
SOURCES: Mapping[str, Source] = {
    PROFILE: Source("server.ProfileTemplate", ("PolicyBucket", "UuidPool", "UuidAddressType", "ServerFamily")),
    # terraform-provider-intersight, chassis_profile_template: "a call to the /v1/bulk/MoMergers API is to be made".
    "chassis.Profile": Source("chassis.ProfileTemplate", ("PolicyBucket",), "ordered"),
    # terraform-provider-intersight, fabric_switch_cluster_profile_template says the same.
    CLUSTER: Source("fabric.SwitchClusterProfileTemplate", (), "ordered"),
    SWITCH: Source("fabric.SwitchProfileTemplate", ("PolicyBucket",), "ordered"),
    # terraform-provider-intersight, vnic_vnic_template: "the system initiates an automatic call".
    VNIC: Source(
        "vnic.VnicTemplate",
        (
            "Cdn", "EthAdapterPolicy", "EthNetworkPolicy", "EthQosPolicy", "FabricEthNetworkControlPolicy",
            "FabricEthNetworkGroupPolicy", "FailoverEnabled", "IscsiBootPolicy", "MacPool", "PinGroupName",
            "SriovSettings", "UsnicSettings", "VmqSettings",
        ),
        "automatic",
    ),
}  # fmt: skip
PLACE, FABRIC = "Placement", "SwitchId"
"""A vNIC has in its place what its template says of the fabric."""
OVERRIDE, OVERRIDDEN = "EnableOverride", "OverriddenList"
TEMPLATES: Mapping[str, str] = {source.template: kind for kind, source in SOURCES.items()}
"""Type of what is derived, by type of the template."""
OTHERS = ("Description", "Tags")
"""What both types have beside it."""
AGAIN_SECONDS = 0.3
"""Until a sync that met a busy profile is tried again."""


class Templates:
    """Hooks of the service, overlays of both types, and the merge that `bulk/MoMergers` and an automatic sync share."""

    def __init__(self, service: Service, clock: Clock, variants: Mapping[str, str]) -> None:
        self._service = service
        self._store = service.store
        self._clock = clock
        self._variant = variants["template-sync"]
        self._automatic = self._variant == "automatic"
        self._all_common = variants["merge"] == "all-common"
        self._together = variants["domain-merge"] == "together"
        self._merging: set[str] = set()
        self._scheduled: dict[str, str] = {}
        service.hooks.before.append(self.before)
        service.hooks.after.append(self.after)
        for kind, source in SOURCES.items():
            service.store.overlays.setdefault(kind, []).append(self.of_derived)
            service.store.overlays.setdefault(source.template, []).append(self.of_template)

    # --- what is refused --------------------------------------------------------------------------------------

    def before(self, mo: Mo | None, kind: ObjectType, values: dict[str, Any]) -> None:
        """Refuse changes of what a template owns, from the profile's side and from a policy's."""
        if kind.name in TEMPLATES and values.get("TemplateActions"):
            # terraform-provider-intersight #321: the argument ends in an error of the API.
            raise errors.invalid("lab_template_actions", "Template actions are not taken from a request.", kind.name)
        if kind.name in SOURCES:
            # Sent with a profile they are not executed (nac-compute); nothing is kept of them.
            values.pop("TemplateActions", None)
            self._before_derived(mo, SOURCES[kind.name], values)
        elif mo is not None and "Profiles" in values and is_policy(kind):
            for profile in (each for name in SOURCES for each in self._derived(name)):
                held = ref(mo) in profile.get("PolicyBucket", ())
                if held != (ref(profile) in values["Profiles"]):
                    raise _attached(profile)

    def _before_derived(self, mo: Mo | None, source: Source, values: dict[str, Any]) -> None:
        now, new = (mo or {}).get("SrcTemplate"), values.get("SrcTemplate")
        if new and now and new != now:
            text = f"'{(mo or {})['Name']}' is derived from another template; detach it first."
            raise errors.invalid("gershwin_derived_sp_invalid_src", text, (mo or {})["Name"], status=403)
        template = self._store.target(new)
        if template is not None and new != now:
            if template["ObjectType"] != source.template:
                raise errors.bad_value(
                    "SrcTemplate", f"A reference to '{template['ObjectType']}' is not possible here."
                )
            platform = self._platform(mo, values)
            if template.get("TargetPlatform", "FIAttached") != (platform or template.get("TargetPlatform")):
                text = f"The template '{template['Name']}' is for another platform than '{platform}'."
                raise errors.invalid("lab_template_platform", text, template["Name"])
        held = self._template(mo)
        if mo is None or held is None or mo["Moid"] in self._merging or ("SrcTemplate" in values and new != now):
            return
        changed = [name for name in source.inherited if name in values and values[name] != mo.get(name)]
        place = mo.get(PLACE) or {}
        if PLACE in values and (values[PLACE] or {}).get(FABRIC, place.get(FABRIC)) != place.get(FABRIC):
            changed.append(PLACE)
        if changed and not held.get(OVERRIDE):
            raise _attached(mo)
        if changed and OVERRIDDEN in self._store.schema.objects[mo["ObjectType"]].properties:
            values[OVERRIDDEN] = sorted({*(mo.get(OVERRIDDEN) or ()), *changed})

    def _platform(self, mo: Mo | None, values: Mapping[str, Any]) -> str | None:
        """What a profile is for; a vNIC is for what its LAN connectivity policy is for."""
        lan = self._store.target(values.get(LAN, (mo or {}).get(LAN)))
        given: str | None = (lan or values).get("TargetPlatform", (mo or {}).get("TargetPlatform"))
        return given

    def _template(self, derived: Mo | None) -> Mo | None:
        """What an object is derived from; a switch profile follows the template of its domain's profile."""
        template = self._store.target((derived or {}).get("SrcTemplate"))
        if derived is None or template is not None or derived["ObjectType"] != SWITCH:
            return template
        domain = self._template(self._store.target(derived.get(CLUSTER.partition(".")[2])))
        return None if domain is None else self._side(domain, derived["SwitchId"])

    def _side(self, domain: Mo, fabric: str) -> Mo | None:
        kind = SOURCES[SWITCH].template
        below = [mo for mo in self._store.of(kind) if mo["SwitchClusterProfileTemplate"] == ref(domain)]
        return next((mo for mo in below if mo["SwitchId"] == fabric), None)

    def _switches(self, cluster: Mo) -> list[Mo]:
        return [mo for mo in self._store.of(SWITCH) if mo["SwitchClusterProfile"] == ref(cluster)]

    def parts(self, derived: Mo, template: Mo) -> list[tuple[Mo, Mo]]:
        """What a merge writes, and with which template: for a domain's profile those of its switches too, or not."""
        found = [(derived, template)]
        for switch in self._switches(derived) if derived["ObjectType"] == CLUSTER and self._together else ():
            side = self._side(template, switch["SwitchId"])
            found += [(switch, side)] if side is not None else []
        return found

    def _derived(self, kind: str) -> list[Mo]:
        return [mo for mo in self._store.of(kind) if mo.get("SrcTemplate")]

    def _of(self, template: Mo) -> list[Mo]:
        wanted = ref(template)
        return [mo for mo in self._derived(TEMPLATES[template["ObjectType"]]) if mo["SrcTemplate"] == wanted]

    # --- whether they are in step -----------------------------------------------------------------------------

    def of_derived(self, derived: Mo) -> Mapping[str, Any]:
        """Overlay: TemplateSyncStatus; a profile of a chassis has none (SDK)."""
        return self._known(derived, {"TemplateSyncStatus": self._status(derived)})

    def of_template(self, template: Mo) -> Mapping[str, Any]:
        """Overlay: the worst status of what is derived from it, and their number."""
        found = self._of(template)
        statuses = {self._status(profile) for profile in found}
        worst = next((s for s in ("OutOfSync", "InProgress", "Scheduled", "OK") if s in statuses), "None")
        counts = {"Usage": len(found), "UsageCount": len(found)}
        counts["LcpUsageCount"] = len({json.dumps(each.get(LAN)) for each in found})
        return self._known(template, {"UpdateStatus": worst, **counts})

    def _known(self, mo: Mo, values: Mapping[str, Any]) -> dict[str, Any]:
        """Of these values those that the published type has."""
        has = self._store.schema.objects[mo["ObjectType"]].properties
        return {name: value for name, value in values.items() if name in has}

    def _status(self, profile: Mo) -> str:
        template = self._template(profile)
        if template is None:
            return "None"
        if profile["ObjectType"] == CLUSTER:
            statuses = [self._status(switch) for switch in self._switches(profile)]
            return "OK" if all(status == "OK" for status in statuses) else "OutOfSync"
        if profile["Moid"] in self._scheduled:
            return self._scheduled[profile["Moid"]]
        wanted = self.values(profile, template)
        return "OK" if all(_unordered(profile.get(n)) == _unordered(v) for n, v in wanted.items()) else "OutOfSync"

    def values(self, derived: Mo, template: Mo) -> dict[str, Any]:
        """What the template would have it hold: all but what it overrides where that is allowed."""
        found = {name: template.get(name) for name in SOURCES[TEMPLATES[template["ObjectType"]]].inherited}
        if template["ObjectType"] == SOURCES[VNIC].template:
            found[PLACE] = {**(derived.get(PLACE) or {}), FABRIC: template[FABRIC]}
        kept = derived.get(OVERRIDDEN) or () if template.get(OVERRIDE) else ()
        return {name: value for name, value in found.items() if name not in kept}

    # --- merging ----------------------------------------------------------------------------------------------

    def merge(self, profile: Mo, template: Mo, replace: bool) -> Call:
        """The write that merges a template into a profile, to be carried out within `merging`."""
        kind = self._store.schema.objects[profile["ObjectType"]]
        wanted = self.values(profile, template)
        if self._all_common:
            wanted |= {name: template.get(name) for name in OTHERS if name in kind.properties}
        wanted = {name: value for name, value in wanted.items() if replace or value is not None}
        if self._all_common:
            wanted["SrcTemplate"] = ref(template)
        body = _encoded({n: v for n, v in wanted.items() if v is not None or n in kind.references()})
        return Call("PATCH", f"{ROOT}{kind.path}/{profile['Moid']}", {}, {}, body)

    @contextmanager
    def merging(self, profile: Mo) -> Iterator[None]:
        """While this holds, the template's values may be written to its profile."""
        self._merging.add(profile["Moid"])
        try:
            yield
        finally:
            self._merging.discard(profile["Moid"])

    def after(self, mo: Mo, values: Mapping[str, Any]) -> None:
        """A changed template is merged into its profiles some time later, in the variant that does so."""
        if mo["ObjectType"] == VNIC and values.get("SrcTemplate") and self._automatic:
            self._follow([mo])
        source = SOURCES.get(TEMPLATES.get(mo["ObjectType"], ""))
        if source is None or (source.sync or self._variant) != "automatic":
            return
        if OVERRIDE in mo and not mo[OVERRIDE]:
            for each in self._of(mo):
                if each.get(OVERRIDDEN):
                    self._store.update(each, {OVERRIDDEN: []})
        if set(values) & {*source.inherited, FABRIC, OVERRIDE}:
            self._follow(self._of(mo))

    def _follow(self, derived: Iterable[Mo]) -> None:
        for each in derived:
            if self._status(each) == "OutOfSync":
                self._later(each, "Scheduled")

    def _later(self, profile: Mo, status: str) -> None:
        self._scheduled[profile["Moid"]] = status
        self._clock.after(AGAIN_SECONDS, lambda: self._sync(profile["Moid"]))

    def _sync(self, moid: str) -> None:
        profile = self._store.objects.get(moid)
        template = self._store.target((profile or {}).get("SrcTemplate"))
        self._scheduled.pop(moid, None)
        if profile is None or template is None:
            return
        try:
            with self.merging(profile):
                self._service.handle(self.merge(profile, template, replace=True))
            self._store.update(profile, {"TemplateSyncErrors": []})
        except errors.ApiError as problem:
            busy = problem.message_id == "lab_profile_busy"
            error = _sync_error("Transient" if busy else "Validation", problem.message)
            self._store.update(profile, {"TemplateSyncErrors": [error]})
            if busy:
                self._later(profile, "InProgress")


def _attached(derived: Mo) -> errors.ApiError:
    if derived["ObjectType"] == VNIC:
        text = f"The vNIC '{derived['Name']}' is derived from a template that allows no override."
        return errors.invalid("lab_cannot_edit_derived_vnic", text, derived["Name"], status=403)
    text = "Cannot edit a server profile attached to a profile template"
    return errors.invalid("gershwin_cannot_edit_derived_sp", text, derived["Name"], status=403)


def _sync_error(kind: str, message: str) -> dict[str, str]:
    mark = {"ClassId": "motemplate.SyncError", "ObjectType": "motemplate.SyncError"}
    return {**mark, "Type": kind, "Message": message}


def _unordered(value: Any) -> Any:
    return sorted(map(str, value)) if isinstance(value, list) else value


def _encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body).encode()
