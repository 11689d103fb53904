"""Templates of profiles: the policies that several profiles are derived with. No machine takes anything from one; its
profiles do, when they are brought in step with it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from podwright.components.providers.intersight import ownership, uuids
from podwright.components.providers.intersight.account import Account, account
from podwright.components.providers.intersight.chassis import OBJECT as CHASSIS
from podwright.components.providers.intersight.chassis import judge_taken
from podwright.components.providers.intersight.derived import TEMPLATES
from podwright.components.providers.intersight.difference import bucket_difference
from podwright.components.providers.intersight.discovery import PROFILE as SERVER
from podwright.components.providers.intersight.managed import Desired, Owned, converge, existing_of_ours, finder, let_go
from podwright.components.providers.intersight.profile import PLATFORMS, UNSPECIFIED
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

REQUIRED = {"name": str, "organization": str, "policies": list}
OPTIONAL = {"adopt": bool}


class TemplateKind(Kind):
    """A template of profiles of one type: how it is made, found, read and let go. A subclass says what it owns."""

    schema = 1
    object_type: ClassVar[str]
    called: ClassVar[str]
    required: ClassVar[Mapping[str, type]] = REQUIRED
    optional: ClassVar[Mapping[str, type]] = OPTIONAL
    replaced: ClassVar[tuple[str, ...]] = ("name", "organization")

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys, names, choices; at most one policy of a type, as Intersight allows."""
        del ctx
        found = judge_spec(inputs, self.schema, dict(self.required), dict(self.optional))
        if found:
            return found
        spec = spec_of(inputs)
        return [*judge_name(spec, PROFILE_NAME), *self.judge(spec)]

    @abstractmethod
    def judge(self, spec: Mapping[str, Any]) -> Iterator[Failure]:
        """What is wrong with a spec of the right shape, beside its name."""

    @abstractmethod
    async def owned(self, api: Account, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Properties that it owns, its policies among them."""

    @abstractmethod
    async def seen(self, api: Account, spec: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
        """These properties as they are live, in the words of a spec."""

    async def complete(self, api: Account, spec: Mapping[str, Any], live: Mapping[str, Any], ctx: Context) -> None:
        """Write what belongs to it in objects of their own."""

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; the order of policies means nothing."""
        del outputs
        found = bucket_difference(old_inputs, new_inputs).without(("spec", "schema"))
        return found.replacing(*(("spec", name) for name in self.replaced))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """The moid is known once the object exists."""
        known = outputs or {}
        return {**inputs, "moid": known.get("moid", UNKNOWN), "adopted": known.get("adopted", False)}

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Make it, complete one of ours from a cut attempt, refuse a foreign one."""
        spec = spec_of(inputs)
        made = await self._put(spec, {}, ctx)
        return Created(f"{self.object_type}/{spec['organization']}/{spec['name']}", {**inputs, **made})

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Write what differs. Its profiles are brought in step by their own updates."""
        del id, old_inputs
        return {**inputs, **await self._put(spec_of(inputs), outputs, ctx)}

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """What it holds as it is live."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        live = await existing_of_ours(api, self.object_type, spec, outputs, ctx, self.what(spec))
        if live is None:
            return None
        seen = {**spec, **await self.seen(api, spec, live)}
        return Read({**inputs, "spec": seen}, {**outputs, "spec": seen, "moid": live["Moid"]})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Refused by Intersight while a profile is derived from it; an adopted one is kept."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        find = finder(api, self.object_type, spec)
        owned = Owned(self.what(spec), ctx.identity, find, outputs.get("moid"), bool(outputs.get("adopted")))
        if (left := await let_go(api, owned)) is not None:
            ctx.warn(left)

    async def _put(self, spec: Mapping[str, Any], outputs: Values, ctx: Context) -> dict[str, Any]:
        api = account(ctx)
        desired = Desired(
            object_type=self.object_type,
            what=self.what(spec),
            identity=ctx.identity,
            find=finder(api, self.object_type, spec),
            birth={"Name": spec["name"], "Organization": await api.organization_of(spec["organization"])},
            owned=await self.owned(api, spec),
            adopt=bool(spec.get("adopt")),
            moid=outputs.get("moid"),
        )
        live = await converge(api, desired)
        await self.complete(api, spec, live, ctx)
        return {"moid": live["Moid"], "adopted": bool(outputs.get("adopted")) or ownership.is_adopted(live)}

    def what(self, spec: Mapping[str, Any]) -> str:
        """What sentences call it."""
        return f"{self.called} {spec['name']!r}"


async def bucket(api: Account, spec: Mapping[str, Any], policies: Sequence[Any]) -> dict[str, Any]:
    """The property that refers to `policies`."""
    return await resolve(api, spec, {"PolicyBucket": policies})


async def live_bucket(
    api: Account, spec: Mapping[str, Any], policies: Sequence[Any], live: Mapping[str, Any]
) -> list[Any]:
    """The policies of a live object, in the order of a spec's `policies` where they are the same."""
    found = await live_references(api, spec, {"PolicyBucket": policies}, live)
    return list(found.get("PolicyBucket", []))


class ServerProfileTemplateKind(TemplateKind):
    """``podwright:intersight:ServerProfileTemplate``."""

    token = "podwright:intersight:ServerProfileTemplate"
    object_type = TEMPLATES[SERVER]
    called = "server profile template"
    required: ClassVar[Mapping[str, type]] = {**REQUIRED, "target_platform": str}
    optional: ClassVar[Mapping[str, type]] = {**OPTIONAL, "server_family": str, uuids.KEY: dict}
    replaced = ("name", "organization", "target_platform")

    def judge(self, spec: Mapping[str, Any]) -> Iterator[Failure]:
        """Platform and family; policies, one of a type; the pool of UUIDs."""
        family = rules_of(self.object_type)["ServerFamily"]["one_of"]
        for key, choices in (("target_platform", PLATFORMS), ("server_family", family)):
            if spec.get(key, choices[0]) not in choices:
                yield Failure(("spec", key), f"must be one of {', '.join(choices)}, not {spec[key]!r}")
        yield from judge_bucket(spec["policies"])
        yield from uuids.judge(spec)

    async def owned(self, api: Account, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Policies, platform, family and what UUIDs are leased from."""
        return {
            **await bucket(api, spec, spec["policies"]),
            "TargetPlatform": spec["target_platform"],
            "ServerFamily": spec.get("server_family", UNSPECIFIED),
            **await uuids.owned(api, spec),
        }

    async def seen(self, api: Account, spec: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
        """Policies, platform, family and pool."""
        seen = {
            "policies": await live_bucket(api, spec, spec["policies"], live),
            "target_platform": live.get("TargetPlatform", spec["target_platform"]),
            **await uuids.live(api, spec, live),
        }
        family = live.get("ServerFamily") or UNSPECIFIED
        if "server_family" in spec or family != UNSPECIFIED:
            seen["server_family"] = family
        return seen


class ChassisProfileTemplateKind(TemplateKind):
    """``podwright:intersight:ChassisProfileTemplate``."""

    token = "podwright:intersight:ChassisProfileTemplate"
    object_type = TEMPLATES[CHASSIS]
    called = "chassis profile template"

    def judge(self, spec: Mapping[str, Any]) -> Iterator[Failure]:
        """Policies that a chassis takes, one of a type."""
        yield from judge_taken(spec["policies"])

    async def owned(self, api: Account, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Policies, and the one platform that a chassis has."""
        return {**await bucket(api, spec, spec["policies"]), "TargetPlatform": "FIAttached"}

    async def seen(self, api: Account, spec: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
        """Policies."""
        return {"policies": await live_bucket(api, spec, spec["policies"], live)}
