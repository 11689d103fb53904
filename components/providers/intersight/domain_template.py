"""Templates of domain profiles: one of the pair, and one for each fabric with its policies.

No interconnect takes anything from one; its profile does, when it is merged with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight import ownership
from podwright.components.providers.intersight.account import Account, account, reference
from podwright.components.providers.intersight.derived import TEMPLATES
from podwright.components.providers.intersight.difference import bucket_difference
from podwright.components.providers.intersight.managed import Desired, Owned, converge, existing_of_ours, finder, let_go
from podwright.components.providers.intersight.references import live_references, resolve
from podwright.components.providers.intersight.shape import PROFILE_NAME, judge_name, judge_targets, spec_of
from podwright.components.providers.intersight.sides import (
    CLUSTER,
    FABRICS,
    SWITCH,
    find_side,
    judge_fabrics,
    side_of,
)
from podwright.components.providers.intersight.table import object_types
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

PAIR, SIDE = TEMPLATES[CLUSTER], TEMPLATES[SWITCH]
REQUIRED = {"name": str, "organization": str, "policies": dict}
OPTIONAL = {"adopt": bool}


class DomainProfileTemplateKind(Kind):
    """``podwright:intersight:DomainProfileTemplate``."""

    token = "podwright:intersight:DomainProfileTemplate"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Both fabrics named, every policy of a known type."""
        del ctx
        found = judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)
        if found:
            return found
        spec = spec_of(inputs)
        found += [*judge_name(spec, PROFILE_NAME), *judge_fabrics(spec, "policies")]
        for fabric, targets in spec["policies"].items():
            found += judge_targets(targets, ("spec", "policies", fabric), object_types())
        return found

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; the order of a fabric's policies means nothing."""
        del outputs
        found = bucket_difference(old_inputs, new_inputs).without(("spec", "schema"))
        return found.replacing(("spec", "name"), ("spec", "organization"))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """The moid is known once the object exists."""
        known = outputs or {}
        return {**inputs, "moid": known.get("moid", UNKNOWN), "adopted": known.get("adopted", False)}

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """The template of the pair, then those of both fabrics."""
        spec = spec_of(inputs)
        made = await self._put(spec, {}, ctx)
        return Created(f"{PAIR}/{spec['organization']}/{spec['name']}", {**inputs, **made})

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Write what differs. Its profiles are merged with it by their own updates."""
        del id, old_inputs
        return {**inputs, **await self._put(spec_of(inputs), outputs, ctx)}

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """Buckets of both fabrics as they are live."""
        del id
        spec, api = spec_of(inputs), account(ctx)
        pair = await existing_of_ours(api, PAIR, spec, outputs, ctx, _what(spec))
        if pair is None:
            return None
        policies = {}
        for fabric in FABRICS:
            live = side_of(await api.marked(SIDE), pair, fabric) or await find_side(api, SIDE, pair, fabric)()
            bucket = {"PolicyBucket": spec["policies"][fabric]}
            policies[fabric] = (await live_references(api, spec, bucket, live) if live else {}).get("PolicyBucket", [])
        seen = {**spec, "policies": policies}
        return Read({**inputs, "spec": seen}, {**outputs, "spec": seen, "moid": pair["Moid"]})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """With those of its fabrics. Refused by Intersight while a domain is derived from it; an adopted one stays."""
        del id
        spec, api = spec_of(inputs), account(ctx)
        find = finder(api, PAIR, spec)
        owned = Owned(_what(spec), ctx.identity, find, outputs.get("moid"), bool(outputs.get("adopted")))
        if (left := await let_go(api, owned)) is not None:
            ctx.warn(left)

    async def _put(self, spec: Mapping[str, Any], outputs: Values, ctx: Context) -> dict[str, Any]:
        api = account(ctx)
        desired = Desired(
            object_type=PAIR,
            what=_what(spec),
            identity=ctx.identity,
            find=finder(api, PAIR, spec),
            birth={"Name": spec["name"], "Organization": await api.organization_of(spec["organization"])},
            owned={},
            adopt=bool(spec.get("adopt")),
            moid=outputs.get("moid"),
        )
        pair = await converge(api, desired)
        for fabric in FABRICS:
            await _put_side(api, spec, pair, fabric, ctx)
        return {"moid": pair["Moid"], "adopted": bool(outputs.get("adopted")) or ownership.is_adopted(pair)}


async def _put_side(
    api: Account, spec: Mapping[str, Any], pair: Mapping[str, Any], fabric: str, ctx: Context
) -> dict[str, Any]:
    birth = {"Name": f"{spec['name']}-{fabric}", "SwitchId": fabric, "SwitchClusterProfileTemplate": reference(pair)}
    desired = Desired(
        object_type=SIDE,
        what=f"template of fabric {fabric} of {_what(spec)}",
        identity=ctx.identity,
        find=find_side(api, SIDE, pair, fabric),
        birth=birth,
        owned=await resolve(api, spec, {"PolicyBucket": spec["policies"][fabric]}),
        adopt=bool(spec.get("adopt")),
        listed=str(spec["name"]),
    )
    return await converge(api, desired)


def _what(spec: Mapping[str, Any]) -> str:
    return f"domain profile template {spec['name']!r}"
