"""A profile that is derived from a template: attached to it, in step with it, or on its own again.

A reference to the template copies nothing, a merge does; a profile leaves one template before it joins another; and
what the template owns is written by a merge alone (Intersight refuses it to everybody else, with 403).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podwright.components.providers.intersight import ownership
from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.managed import Find
from podwright.components.providers.intersight.repeats import VALIDATING_TIMES, Repeats
from podwright.components.providers.intersight.workflow import Pace, settled
from podwright.components.providers.protocol.kind import Context, ProviderError

TEMPLATES: Mapping[str, str] = {
    "server.Profile": "server.ProfileTemplate",
    "chassis.Profile": "chassis.ProfileTemplate",
    "fabric.SwitchClusterProfile": "fabric.SwitchClusterProfileTemplate",
    "fabric.SwitchProfile": "fabric.SwitchProfileTemplate",
    "vnic.EthIf": "vnic.VnicTemplate",
}
"""Type of the templates that objects of a type are derived from."""
MERGES = 5
"""Merges after which a profile must be in step with its template."""
UNDER_WAY = frozenset({"Scheduled", "InProgress"})
"""Statuses in which Intersight brings the profile in step by itself."""

Ref = Mapping[str, Any]


def source(live: Mapping[str, Any]) -> str:
    """Moid of the template that a profile is attached to; empty for one on its own."""
    ref = live.get("SrcTemplate")
    return str(ref.get("Moid") or "") if isinstance(ref, Mapping) else ""


async def template_of(api: Account, kind: str, spec: Mapping[str, Any]) -> Ref | None:
    """Reference to the template that the spec of a profile of type `kind` names, None where it names none.

    Raises ProviderError for a missing one.
    """
    name = spec.get("template")
    if name is None:
        return None
    found = await api.refer({"object_type": TEMPLATES[kind], "name": name}, spec["organization"])
    if found is None:
        raise ProviderError(f"{spec['name']} is derived from the template {name!r}, which Intersight does not have")
    return found


async def seen(
    api: Account, spec: Mapping[str, Any], live: Mapping[str, Any], *, installing: bool = False
) -> dict[str, str]:
    """The spec's `template` as it is live. One that is not in step reads as `<name>: OutOfSync`, which no spec says.

    A profile that holds its installation's image is off its template for that time.
    """
    moid = source(live)
    if not moid:
        return {"template": spec["template"]} if installing and "template" in spec else {}
    kind = TEMPLATES[str(live["ObjectType"])]
    asked = {"object_type": kind, "name": spec["template"]} if "template" in spec else None
    ours = await api.refer(asked, spec["organization"]) if asked else None
    same = ours is not None and ours["Moid"] == moid
    name = spec["template"] if same else await api.name_of({"ObjectType": kind, "Moid": moid})
    status = await status_of(api, live)
    return {"template": name if status == "OK" else f"{name}: {status}"}


async def status_of(api: Account, live: Mapping[str, Any]) -> str:
    """Intersight's word for how an attached profile and its template are in step; where it has none, as for profiles of
    chassis, whether both have the same policies."""
    if "TemplateSyncStatus" in live or not source(live):
        return str(live.get("TemplateSyncStatus") or "OK")
    template = await api.by_moid(TEMPLATES[str(live["ObjectType"])], source(live))
    return "OK" if template is not None and _bucket(live) == _bucket(template) else "OutOfSync"


async def detach(api: Account, find: Find, ctx: Context, what: str) -> dict[str, Any] | None:
    """Take the profile off its template; its policies and its server stay. Returns it, None where there is none."""
    repeats = Repeats()
    for _ in range(VALIDATING_TIMES):
        live = await find()
        if live is None or not source(live):
            return live
        ctx.log(f"{what} leaves its template")
        await repeats.attempt(api.patch(live, {"SrcTemplate": None}, what))
    raise ProviderError(f"{what} does not leave its template; look at it in Intersight")


async def attach(api: Account, find: Find, ctx: Context, what: str, template: Ref) -> dict[str, Any]:
    """Attach it to the template, off another one first, and return it. That brings none of the template's values."""
    repeats = Repeats()
    for _ in range(VALIDATING_TIMES):
        live = await settled(find, ctx, what)
        if source(live) == template["Moid"]:
            return live
        if source(live):
            await detach(api, find, ctx, what)
        else:
            ctx.log(f"{what} joins its template")
            await repeats.attempt(api.patch(live, {"SrcTemplate": dict(template), **_order(live)}, what))
    raise ProviderError(f"{what} does not join its template; look at it in Intersight")


async def take(api: Account, find: Find, ctx: Context, what: str, template: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the template (as it is live) into a profile until both have the same policies; returns the profile."""
    repeats, merges = Repeats(), 0
    for _ in range(VALIDATING_TIMES):
        live = await settled(find, ctx, what)
        if source(live) not in ("", template["Moid"]):
            await detach(api, find, ctx, what)
        elif _bucket(live) == _bucket(template):
            return live
        elif merges == MERGES:
            break
        else:
            made = await repeats.attempt(api.merge(template, live, what))
            merges += not isinstance(made, Exception)
    raise ProviderError(f"{what} has not the policies of its template after {merges} merges{_errors(live)}")


async def follow(api: Account, find: Find, ctx: Context, what: str, template: Ref) -> dict[str, Any]:
    """Attach the profile to the template and merge it until Intersight says that they are in step.

    Raises ProviderError with Intersight's own reasons where they do not come in step, and StoppedWaitingError.
    """
    repeats, merges, pace = Repeats(), 0, Pace(ctx, what, limit=900)
    for _ in range(VALIDATING_TIMES):
        live = await attach(api, find, ctx, what, template)
        if live.get("TemplateSyncStatus") in UNDER_WAY:
            await pace.wait()
        elif await in_step(api, live, template):
            return live
        elif merges == MERGES:
            raise ProviderError(f"{what} is not in step with its template after {merges} merges{_errors(live)}")
        else:
            made = await repeats.attempt(api.merge(template, live, what))
            merges += not isinstance(made, Exception)
    raise ProviderError(f"{what} is busy without end; look at it in Intersight")


def compare(what: str, live: Mapping[str, Any], bucket: Sequence[Ref], policies: Sequence[Mapping[str, Any]]) -> None:
    """Raise ProviderError where the template gives the profile other policies than its spec lists."""
    has = _bucket(live)
    wanted = {str(ref["Moid"]): entry for ref, entry in zip(bucket, policies, strict=True)}
    if has == set(wanted):
        return
    lacks = sorted(f"{entry['object_type']} {entry['name']}" for moid, entry in wanted.items() if moid not in has)
    more = len(has - set(wanted))
    differs = [f"lacks {', '.join(lacks)}"] * bool(lacks) + [f"has {more} that are not listed"] * bool(more)
    raise ProviderError(
        f"{what}: its template {' and '.join(differs)}; the template must hold the policies that the profile lists: "
        "run `pulumi refresh`, then update again"
    )


async def in_step(api: Account, live: Mapping[str, Any], template: Ref) -> bool:
    """True for a profile that is attached to the template and has what that has."""
    return source(live) == template["Moid"] and await status_of(api, live) == "OK"


async def unfinished(
    api: Account, spec: Mapping[str, Any], live: Mapping[str, Any], template: Ref | None
) -> dict[str, Any]:
    """The spec as far as it was reached: without a template that the profile is not in step with yet."""
    reached = template is None or await in_step(api, live, template)
    return {key: value for key, value in spec.items() if key != "template" or reached}


def kept(live: Mapping[str, Any] | None, labels: Mapping[str, str], before: Mapping[str, str]) -> Mapping[str, str]:
    """Tags to keep on a derived profile: those of the spec, and people's, which a merge may take for the template's."""
    theirs = {key: value for key, value in ownership.tags(live or {}).items() if key not in before}
    return theirs | dict(labels)


def _bucket(live: Mapping[str, Any]) -> set[str]:
    return {str(ref["Moid"]) for ref in live.get("PolicyBucket") or []}


def _order(live: Mapping[str, Any]) -> dict[str, Any]:
    """What Cisco sends along when it attaches a vNIC (intersight-ansible, intersight_attach_vnic_template.yml); with a
    profile it is not executed."""
    if live["ObjectType"] != "vnic.EthIf":
        return {}
    mark = "motemplate.ActionEntry"
    return {"TemplateActions": [{"ClassId": mark, "ObjectType": mark, "Type": "Attach"}]}


def _errors(live: Mapping[str, Any]) -> str:
    found = [str(each.get("Message")) for each in live.get("TemplateSyncErrors") or [] if each.get("Message")]
    return f": {'; '.join(found)}" if found else ""
