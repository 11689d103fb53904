"""Chassis profiles: bound by serial number, filled with the four policies that a chassis takes, and deployed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podwright.components.providers.intersight import derived, ownership
from podwright.components.providers.intersight.account import account, reference
from podwright.components.providers.intersight.assignment import assigned_serial, on_another, withdraw
from podwright.components.providers.intersight.deploy import deploy, unassign
from podwright.components.providers.intersight.difference import bucket_difference
from podwright.components.providers.intersight.discovery import find_chassis
from podwright.components.providers.intersight.managed import Desired, Owned, converge, existing_of_ours, finder, guard
from podwright.components.providers.intersight.references import live_references, resolve
from podwright.components.providers.intersight.shape import PROFILE_NAME, judge_bucket, judge_name, spec_of
from podwright.components.providers.intersight.table import object_types
from podwright.components.providers.intersight.workflow import (
    StoppedWaitingError,
    config_state,
    disruptions,
    pending,
    settled,
)
from podwright.components.providers.protocol.kind import (
    UNKNOWN,
    CheckContext,
    Context,
    Created,
    Difference,
    Failure,
    Incomplete,
    Kind,
    Path,
    ProviderError,
    Read,
    Values,
)
from podwright.components.providers.protocol.shape import devices_of, judge_spec

OBJECT, ASSIGNED = "chassis.Profile", "AssignedChassis"
TAKEN = ("access.Policy", "power.Policy", "snmp.Policy", "thermal.Policy")
"""Types of policies that a chassis takes: Cisco, "Intersight policies" solution overview, chassis policies;
vesposito/easyucs, config/intersight/chassis_profiles.py, which maps these four."""
REQUIRED = {
    "name": str,
    "organization": str,
    "domain": str,
    "serial": str,
    "model": str,
    "policies": list,
    "action": str,
}
OPTIONAL = {"approved_disruptions": list, "adopt": bool, "digest": str, "template": str}


class ChassisProfileKind(Kind):
    """``podwright:intersight:ChassisProfile``."""

    token = "podwright:intersight:ChassisProfile"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys and names; policies that a chassis takes, one of a type."""
        del ctx
        found = judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)
        if found:
            return found
        spec = spec_of(inputs)
        found += [*judge_name(spec, PROFILE_NAME), *judge_name(spec, PROFILE_NAME, "template")]
        if spec["action"] not in ("stage", "deploy"):
            found.append(Failure(("spec", "action"), f"must be stage or deploy, not {spec['action']!r}"))
        return [*found, *judge_taken(spec["policies"])]

    def devices(self, inputs: Values) -> Mapping[Path, str]:
        """The serial number of the chassis."""
        return devices_of(spec_of(inputs), "serial")

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; the order of policies means nothing."""
        del outputs
        found = bucket_difference(old_inputs, new_inputs).without(("spec", "schema"))
        return found.replacing(("spec", "name"), ("spec", "organization"))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """Its state is known after the deployment."""
        known = outputs or {}
        return {
            **inputs,
            "config_state": UNKNOWN,
            "pending_disruptions": UNKNOWN,
            "moid": known.get("moid", UNKNOWN),
            "adopted": known.get("adopted", False),
        }

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Wait for the chassis to be found, then make, fill, assign and deploy."""
        return Created(_id(spec_of(inputs)), await self._put(inputs, {}, ctx))

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Write what differs, leave another chassis first, deploy again."""
        del id, old_inputs
        return await self._put(inputs, outputs, ctx)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """Bucket, chassis and state as they are live. A profile that waits for a deployment reads as staged."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        live = await existing_of_ours(api, OBJECT, spec, outputs, ctx, _what(spec))
        if live is None:
            return None
        seen = {key: value for key, value in spec.items() if key != "template"}
        seen |= await derived.seen(api, spec, live)
        bucket = {"PolicyBucket": spec["policies"]}
        seen["policies"] = (await live_references(api, spec, bucket, live)).get("PolicyBucket", [])
        seen["serial"] = await assigned_serial(api, live, ASSIGNED, "equipment.Chassis")
        if spec["action"] == "deploy" and pending(live):
            seen["action"] = "stage"
        state = _outputs(live) | {"adopted": bool(outputs.get("adopted"))}
        return Read({**inputs, "spec": seen}, {**inputs, "spec": seen, **state})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Off the chassis first, then away. The chassis keeps the settings that it was given last."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        find = finder(api, OBJECT, spec)
        owned = Owned(_what(spec), ctx.identity, find, outputs.get("moid"), bool(outputs.get("adopted")))
        await withdraw(api, owned, ctx)

    async def _put(self, inputs: Values, outputs: Values, ctx: Context) -> dict[str, Any]:
        spec, api = spec_of(inputs), account(ctx)
        find, what = finder(api, OBJECT, spec), _what(spec)
        desired = Desired(
            object_type=OBJECT,
            what=what,
            identity=ctx.identity,
            find=find,
            birth={
                "Name": spec["name"],
                "Organization": await api.organization_of(spec["organization"]),
                "TargetPlatform": "FIAttached",
            },
            owned={},
            adopt=bool(spec.get("adopt")),
            moid=outputs.get("moid"),
            late=frozenset({"PolicyBucket", ASSIGNED, "ChassisAssignmentMode"}),
        )
        existing = await find()
        if existing is not None:
            guard(desired, existing)  # before it is taken off anything
        chassis = await find_chassis(api, spec, ctx, what)
        if on_another(existing, chassis, ASSIGNED):
            ctx.log(f"{what} leaves another chassis first")
            try:
                await unassign(api, find, ctx, what)
            except StoppedWaitingError as stopped:
                raise ProviderError(str(stopped)) from None
            existing = await find()
        template = await derived.template_of(api, OBJECT, spec)
        bucket = await resolve(api, spec, {"PolicyBucket": spec["policies"]})
        owned = {ASSIGNED: reference(chassis), "ChassisAssignmentMode": "Static"}
        owned |= bucket if template is None else {}
        desired = replace(desired, owned=owned, labels=derived.kept(existing if template else None, {}, {}))
        if existing is not None and template is None and derived.source(existing):
            existing = await derived.detach(api, find, ctx, what)
        live = await converge(api, desired, existing or {})
        adopted = bool(outputs.get("adopted")) or ownership.is_adopted(live)
        try:
            live = await settled(find, ctx, what)
            if template is not None:
                live = await converge(api, desired, await derived.follow(api, find, ctx, what, template))
                derived.compare(what, live, bucket["PolicyBucket"], spec["policies"])
            if spec["action"] == "deploy":
                live = await deploy(api, find, spec.get("approved_disruptions") or [], ctx, what, spec["name"])
        except (ProviderError, StoppedWaitingError) as unfinished:
            now = await find() or live
            left = {**inputs, "spec": await derived.unfinished(api, spec, now, template), **_outputs(now)}
            raise Incomplete(_id(spec), {**left, "adopted": adopted}, [str(unfinished)]) from None
        return {**inputs, **_outputs(live), "adopted": adopted}


def judge_taken(policies: list[Any]) -> list[Failure]:
    """What is wrong with the policies of a chassis profile, or of a template of such, entry by entry: each of a type
    that a chassis takes, one of a type."""
    types = [entry.get("object_type") for entry in policies if isinstance(entry, Mapping)]
    others = [
        Failure(("spec", "policies", index), f"a chassis takes no {kind}: it takes {', '.join(TAKEN)}")
        for index, kind in enumerate(types)
        if kind in object_types() and kind not in TAKEN
    ]
    return sorted([*others, *judge_bucket(policies)], key=lambda each: int(each.path[2]))


def _what(spec: Mapping[str, Any]) -> str:
    return f"chassis profile {spec['name']!r}"


def _id(spec: Mapping[str, Any]) -> str:
    return f"{OBJECT}/{spec['organization']}/{spec['name']}"


def _outputs(live: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "config_state": config_state(live),
        "pending_disruptions": disruptions(live),
        "moid": str(live.get("Moid") or ""),
    }
