"""Server profiles: bound by serial number, filled with policies, staged, and deployed when it disrupts no more than
was approved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podwright.components.providers.intersight import derived, firmware, leaving, media, ownership, places, uuids
from podwright.components.providers.intersight.account import account
from podwright.components.providers.intersight.assignment import assign, assigned, leave, on_another, withdraw
from podwright.components.providers.intersight.deploy import deploy
from podwright.components.providers.intersight.difference import bucket_difference
from podwright.components.providers.intersight.discovery import PROFILE as OBJECT
from podwright.components.providers.intersight.discovery import find_server
from podwright.components.providers.intersight.managed import Desired, Owned, converge, existing_of_ours, finder, guard
from podwright.components.providers.intersight.references import live_references, resolve
from podwright.components.providers.intersight.rename import rename
from podwright.components.providers.intersight.restarts import DIGEST, planned, reached
from podwright.components.providers.intersight.shape import PROFILE_NAME, judge_bucket, judge_name, judge_tags, spec_of
from podwright.components.providers.intersight.table import rules_of
from podwright.components.providers.intersight.visible import refuse_unseen
from podwright.components.providers.intersight.workflow import (
    StoppedWaitingError,
    config_state,
    disruptions,
    pending,
    staged,
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

REQUIRED = {
    "name": str,
    "organization": str,
    "target_platform": str,
    "serial": str,
    "model": str,
    "policies": list,
    "action": str,
}
_TEXTS = dict.fromkeys(("server_family", "wipe_digest", "template", "leave"), str)
OPTIONAL = {"approved_disruptions": list, "adopt": bool, "firmware": dict, "tags": dict, **_TEXTS}
OPTIONAL |= {"digest": str, DIGEST: str, uuids.KEY: dict}
"""`digest` stands for the content of the policies: when it changes, the profile is deployed again."""
UNSPECIFIED = "Unspecified"
"""ServerFamily of a profile that nobody gave one."""
PLATFORMS = ("Standalone", "FIAttached", "UnifiedEdgeServer")


def profile_what(spec: Mapping[str, Any]) -> str:
    """How a person would name it."""
    return f"server profile {spec['name']!r}"


class ServerProfileKind(Kind):
    """``podwright:intersight:ServerProfile``."""

    token = "podwright:intersight:ServerProfile"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys, names, choices; at most one policy of a type, as Intersight allows."""
        del ctx
        found = judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)
        if found:
            return found
        spec = spec_of(inputs)
        found += judge_name(spec, PROFILE_NAME)
        found += judge_bucket(spec["policies"])
        for key, choices in (("target_platform", PLATFORMS), ("action", ("stage", "deploy"))):
            if spec[key] not in choices:
                found.append(Failure(("spec", key), f"must be one of {', '.join(choices)}, not {spec[key]!r}"))
        found += judge_tags(spec.get("tags") or {}, ("spec", "tags"))
        family = rules_of(OBJECT)["ServerFamily"]["one_of"]
        if spec.get("server_family", family[0]) not in family:
            message = f"must be one of {', '.join(family)}, not {spec['server_family']!r}"
            found.append(Failure(("spec", "server_family"), message))
        found += [*(firmware.judge(spec["firmware"]) if "firmware" in spec else ()), *uuids.judge(spec)]
        found += [*judge_name(spec, PROFILE_NAME, "template"), *leaving.judge(spec), *places.judge(spec)]
        return found

    def devices(self, inputs: Values) -> Mapping[Path, str]:
        """The server's serial number, or its place."""
        return devices_of(spec_of(inputs), "serial")

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; the order of policies means nothing."""
        del outputs
        found = bucket_difference(old_inputs, new_inputs).without(("spec", "schema"), ("spec", "wipe_digest"))
        found = found.replacing(("spec", "organization"), ("spec", "target_platform"))
        # A machine has one profile: the old one leaves it before the new one comes.
        return replace(found, delete_before_replace=bool(found.replaces))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """Only Intersight knows the state after a deploy; identity is known once it exists."""
        known = outputs or {}
        bound = (known.get("spec") or {}).get("serial") == inputs["spec"]["serial"]
        return {
            **inputs,
            "config_state": UNKNOWN,
            "pending_disruptions": UNKNOWN,
            "hardware_uuid": known.get("hardware_uuid", UNKNOWN) if bound else UNKNOWN,
            **({"uuid": known.get("uuid", UNKNOWN)} if uuids.KEY in spec_of(inputs) else {}),
            **places.preview(inputs, known, bound),
            "moid": known.get("moid", UNKNOWN),
            "adopted": known.get("adopted", False),
        }

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Make, fill, assign, deploy as the spec has it. A profile of ours from a cut attempt is completed."""
        spec = spec_of(inputs)
        outputs = await self._put(spec, {}, inputs, {}, ctx)
        return Created(_id(spec), outputs)

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Rename it, write what differs, unassign first when the server is another one, deploy again."""
        del id
        spec = spec_of(inputs)
        before = spec_of(old_inputs)
        await rename(account(ctx), OBJECT, before, spec, outputs.get("moid"), ctx)
        return await self._put(spec, before, inputs, outputs, ctx)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """Bucket, server and state as they are live. A profile that waits for a deploy reads as staged."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        live = await existing_of_ours(api, OBJECT, spec, outputs, ctx, profile_what(spec))
        if live is None:
            return None
        seen = {key: value for key, value in spec.items() if key != "template"}
        seen |= reached(spec, outputs.get("spec") or {}) | await uuids.live(api, spec, live)
        seen["target_platform"] = live.get("TargetPlatform", spec["target_platform"])
        if "server_family" in spec:
            seen["server_family"] = live.get("ServerFamily", "")
        if "tags" in spec:
            seen["tags"] = ownership.named(live, spec["tags"])
        bucket = {"PolicyBucket": spec["policies"]}
        asked = [await api.refer(entry, spec["organization"]) for entry in spec["policies"]]
        defined = await media.as_defined(api, asked, live)
        seen["policies"] = (await live_references(api, spec, bucket, defined)).get("PolicyBucket", [])
        seen |= await derived.seen(api, spec, live, installing=defined is not live)
        server = await assigned(api, live, "AssignedServer", "compute.RackUnit")
        seen["serial"] = await places.as_named(api, spec["serial"], server)
        if pending(live) and not (staged(live) and spec["action"] == "stage"):
            # A word that no spec says: what is live is less than what was asked for.
            seen["action"] = "stage" if staged(live) else "assign"
        state = _outputs(spec, live, server) | {"adopted": bool(outputs.get("adopted"))}
        return Read({**inputs, "spec": seen}, {**inputs, "spec": seen, **state})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Off its server first, then away. The machine itself runs on as it is; `leave` takes it out of service."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        find = finder(api, OBJECT, spec)
        owned = Owned(profile_what(spec), ctx.identity, find, outputs.get("moid"), bool(outputs.get("adopted")))
        if (gone := await withdraw(api, owned, ctx)) is not None:
            await media.discard(api, ctx, gone)
        if leaving.KEY in spec and (gone is not None or await find() is None):
            await leaving.out_of_service(api, spec, ctx, profile_what(spec))

    async def _put(
        self, spec: Mapping[str, Any], before: Mapping[str, Any], inputs: Values, outputs: Values, ctx: Context
    ) -> dict[str, Any]:
        api = account(ctx)
        find = finder(api, OBJECT, spec)
        what = profile_what(spec)
        desired = Desired(
            object_type=OBJECT,
            what=what,
            identity=ctx.identity,
            find=find,
            birth={"Name": spec["name"], "Organization": await api.organization_of(spec["organization"])},
            owned={},
            adopt=bool(spec.get("adopt")),
            moid=outputs.get("moid"),
            dropped=frozenset(before.get("tags") or ()),
            # Sent in one call with an assignment, some policies were silently left out
            # (terraform-provider-intersight #181): make, then fill, then assign.
            late=frozenset({"PolicyBucket"}),
        )
        existing = await find()
        if existing is not None:
            guard(desired, existing)  # before a machine that stands in its way is removed, or it leaves its template
        server = await find_server(api, spec, ctx, what)
        await firmware.permit(api, spec, server, ctx, what)
        await refuse_unseen(api, spec, existing, server, what)
        template = await derived.template_of(api, OBJECT, spec)
        named = (await resolve(api, spec, {"PolicyBucket": spec["policies"]}))["PolicyBucket"]
        bucket = await media.with_image(api, existing, named)
        template = template if bucket is named else None  # with its image in, it is off its template
        family = _family(spec, before) if template is None else {}
        owned = {"TargetPlatform": spec["target_platform"]} | ({} if on_another(existing, server) else family)
        if template is None:
            owned |= {"PolicyBucket": bucket, **await uuids.owned(api, spec)}
        labels = derived.kept(existing if template else None, spec.get("tags") or {}, before.get("tags") or {})
        desired = replace(desired, owned=owned, labels=labels)
        if existing is not None and template is None and derived.source(existing):
            existing = await derived.detach(api, find, ctx, what)
        live = await converge(api, desired, existing or {})
        adopted = bool(outputs.get("adopted")) or ownership.is_adopted(live)
        state = outputs.get("spec") or {}
        try:
            if template is not None:
                await leave(api, find, what, server, ctx)
                live = await derived.follow(api, find, ctx, what, template)
                derived.compare(what, live, named, spec["policies"])
            await assign(api, find, desired, server, family, ctx)
            approved = spec.get("approved_disruptions") or []
            live = await deploy(api, find, approved, ctx, what, spec["name"], planned(spec, before, state))
        except (ProviderError, StoppedWaitingError) as unfinished:
            now = await find() or live
            handed = await derived.unfinished(api, spec, now, template)
            handed = {key: value for key, value in handed.items() if key != DIGEST} | reached(spec, state)
            left = {**inputs, "spec": handed, **_outputs(spec, now, server), "adopted": adopted}
            raise Incomplete(_id(spec), left, [str(unfinished)]) from None
        return {**inputs, **_outputs(spec, live, server), "adopted": adopted}


def _family(spec: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, str]:
    """The server family to write: the spec's, or none where only an earlier release of the spec had one."""
    own = spec.get("server_family", before.get("server_family") and UNSPECIFIED)
    return {"ServerFamily": str(own)} if own else {}


def _id(spec: Mapping[str, Any]) -> str:
    return f"{OBJECT}/{spec['organization']}/{spec['name']}"


def _outputs(spec: Mapping[str, Any], live: Mapping[str, Any], server: Mapping[str, Any] | None) -> dict[str, Any]:
    return (
        uuids.outputs(spec, live)
        | places.outputs(spec, server)
        | {
            "config_state": config_state(live),
            "pending_disruptions": disruptions(live),
            "hardware_uuid": str((server or {}).get("HardwareUuid") or (server or {}).get("Uuid") or ""),
            "moid": str(live.get("Moid") or ""),
        }
    )
