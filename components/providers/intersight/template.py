"""Server profile templates: the policies that several profiles are derived with. No server takes anything from one;
its profiles do, when they are brought in step with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight import ownership, uuids
from podwright.components.providers.intersight.account import account
from podwright.components.providers.intersight.derived import TEMPLATE
from podwright.components.providers.intersight.difference import bucket_difference
from podwright.components.providers.intersight.managed import Desired, Owned, converge, let_go
from podwright.components.providers.intersight.profile import PLATFORMS, UNSPECIFIED, finder
from podwright.components.providers.intersight.references import live_references, resolve
from podwright.components.providers.intersight.shape import PROFILE_NAME, judge_bucket, judge_name, spec_of
from podwright.components.providers.intersight.table import rules_of
from podwright.components.providers.protocol.kind import (
    UNKNOWN,
    CheckContext,
    Context,
    Created,
    Difference,
    Failure,
    Kind,
    Read,
    Values,
)
from podwright.components.providers.protocol.shape import judge_spec

REQUIRED = {"name": str, "organization": str, "target_platform": str, "policies": list}
OPTIONAL = {"server_family": str, "adopt": bool, uuids.KEY: dict}


class ServerProfileTemplateKind(Kind):
    """``podwright:intersight:ServerProfileTemplate``."""

    token = "podwright:intersight:ServerProfileTemplate"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys, names, choices; at most one policy of a type, as Intersight allows."""
        del ctx
        found = judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)
        if found:
            return found
        spec = spec_of(inputs)
        found += judge_name(spec, PROFILE_NAME)
        family = rules_of(TEMPLATE)["ServerFamily"]["one_of"]
        for key, choices in (("target_platform", PLATFORMS), ("server_family", family)):
            if spec.get(key, choices[0]) not in choices:
                found.append(Failure(("spec", key), f"must be one of {', '.join(choices)}, not {spec[key]!r}"))
        return [*found, *judge_bucket(spec["policies"]), *uuids.judge(spec)]

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; the order of policies means nothing."""
        del outputs
        found = bucket_difference(old_inputs, new_inputs).without(("spec", "schema"))
        return found.replacing(("spec", "name"), ("spec", "organization"), ("spec", "target_platform"))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """The moid is known once the object exists."""
        known = outputs or {}
        return {**inputs, "moid": known.get("moid", UNKNOWN), "adopted": known.get("adopted", False)}

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Make it, complete one of ours from a cut attempt, refuse a foreign one."""
        spec = spec_of(inputs)
        made = await self._put(spec, {}, ctx)
        return Created(f"{TEMPLATE}/{spec['organization']}/{spec['name']}", {**inputs, **made})

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Write what differs. Its profiles are brought in step by their own updates."""
        del id, old_inputs
        return {**inputs, **await self._put(spec_of(inputs), outputs, ctx)}

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """Policies, platform and family as they are live."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        live = await api.shown(TEMPLATE, spec["name"], spec["organization"])
        if live is None:
            return None
        if not ownership.is_ours(live, ctx.identity, outputs.get("moid")):
            ctx.warn(f"{_what(spec)} was replaced by one that is not ours; ours is gone")
            return None
        seen = dict(spec) | {"target_platform": live.get("TargetPlatform", spec["target_platform"])}
        bucket = await live_references(api, spec, {"PolicyBucket": spec["policies"]}, live)
        seen["policies"] = bucket.get("PolicyBucket", [])
        seen |= await uuids.live(api, spec, live)
        family = live.get("ServerFamily") or UNSPECIFIED
        if "server_family" in spec or family != UNSPECIFIED:
            seen["server_family"] = family
        return Read({**inputs, "spec": seen}, {**outputs, "spec": seen, "moid": live["Moid"]})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Refused by Intersight while a profile is derived from it; an adopted one is kept."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        find = finder(api, TEMPLATE, spec)
        owned = Owned(_what(spec), ctx.identity, find, outputs.get("moid"), bool(outputs.get("adopted")))
        if (left := await let_go(api, owned)) is not None:
            ctx.warn(left)

    async def _put(self, spec: Mapping[str, Any], outputs: Values, ctx: Context) -> dict[str, Any]:
        api = account(ctx)
        bucket = await resolve(api, spec, {"PolicyBucket": spec["policies"]})
        owned = {"TargetPlatform": spec["target_platform"], "ServerFamily": spec.get("server_family", UNSPECIFIED)}
        desired = Desired(
            object_type=TEMPLATE,
            what=_what(spec),
            identity=ctx.identity,
            find=finder(api, TEMPLATE, spec),
            birth={"Name": spec["name"], "Organization": await api.organization_of(spec["organization"])},
            owned=owned | bucket | await uuids.owned(api, spec),
            adopt=bool(spec.get("adopt")),
            moid=outputs.get("moid"),
        )
        live = await converge(api, desired)
        return {"moid": live["Moid"], "adopted": bool(outputs.get("adopted")) or ownership.is_adopted(live)}


def _what(spec: Mapping[str, Any]) -> str:
    return f"server profile template {spec['name']!r}"
