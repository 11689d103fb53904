"""Policies and pools: one object of a name in an organization, with the children that live and die with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podwright.components.providers.intersight import children, ownership
from podwright.components.providers.intersight.account import Account, account
from podwright.components.providers.intersight.compare import bare, difference, same
from podwright.components.providers.intersight.managed import Desired, Owned, converge, existing_of_ours, finder, let_go
from podwright.components.providers.intersight.overlaps import blocks_of, refuse_overlaps
from podwright.components.providers.intersight.references import (
    live_properties,
    live_references,
    named_what,
    released,
    resolve,
)
from podwright.components.providers.intersight.secrets import rotated
from podwright.components.providers.intersight.shape import (
    NAME,
    identity_parts,
    judge_name,
    judge_targets,
    spec_of,
)
from podwright.components.providers.intersight.table import NOT_SAID_HERE, OWN, judge, object_types, rules_of
from podwright.components.providers.protocol.difference import leaf_difference
from podwright.components.providers.protocol.kind import (
    UNKNOWN,
    CheckContext,
    Context,
    Created,
    Difference,
    Failure,
    Kind,
    ProviderError,
    Read,
    Values,
)
from podwright.components.providers.protocol.shape import judge_spec, nearest

REQUIRED = {"object_type": str, "name": str, "organization": str}
OPTIONAL = {"properties": dict, "references": dict, "children": list, "adopt": bool, "initial": list}


class PolicyKind(Kind):
    """``podwright:intersight:Policy`` (and, with another set of types, ``Pool``)."""

    schema = 1

    def __init__(self, token: str, types: Iterable[str]) -> None:
        self.token = token
        self._types = tuple(types)

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys, names, enums, ranges and patterns, judged with Cisco's own table, all at once."""
        del ctx
        found = judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)
        if found:
            return found
        spec = spec_of(inputs)
        found += judge_name(spec, NAME)
        kind = spec["object_type"]
        if kind not in self._types:
            return [
                *found,
                Failure(("spec", "object_type"), f"{kind!r} is none of ours{nearest(kind, self._types)}"),
            ]
        found += judge(kind, spec.get("properties", {}), ("spec", "properties"))
        references = spec.get("references", {})
        found += judge(kind, references, ("spec", "references"), references=True)
        for name, target in references.items():
            found += judge_targets(target, ("spec", "references", name), object_types())
        for index, name in enumerate(spec.get("initial", [])):
            if name not in spec.get("properties", {}):
                found.append(Failure(("spec", "initial", index), f"{name!r} is none of the spec's properties"))
        return found + children.check(kind, spec.get("children", []))

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; another type, name or organization is another object. A property that only a new object is
        given is no difference of one that is there."""
        del outputs
        found = leaf_difference(old_inputs, new_inputs).without(("spec", "schema"), ("spec", "initial"))
        existing = (old_inputs.get("spec") or {}).get("properties") or {}
        left = [name for name in _initial(new_inputs.get("spec")) if existing.get(name)]
        found = found.without(*(("spec", "properties", name) for name in left))
        return found.replacing(("spec", "object_type"), ("spec", "name"), ("spec", "organization"))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """The moid is known once the object exists."""
        return {
            **inputs,
            "moid": (outputs or {}).get("moid", UNKNOWN),
            "adopted": (outputs or {}).get("adopted", False),
        }

    def notices(self, old_inputs: Values, new_inputs: Values) -> Sequence[str]:
        """What it does to servers or interconnects: a restart is no change of the policy's own, yet it is reported."""
        return tuple(
            f"{each.device}: {', '.join(each.properties)}: servers whose profile uses it {each.row.verb}: "
            f"{each.row.reason}"
            for each in self.impacts(old_inputs, new_inputs)
            if each.row.verb
        )

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Look up, insert if absent, complete if it is ours from a cut attempt, refuse if it is foreign."""
        spec = spec_of(inputs)
        outputs = await self._put(spec, {}, {}, ctx)
        return Created(f"{spec['object_type']}/{spec['organization']}/{spec['name']}", {**inputs, **outputs})

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Write what differs; properties no longer defined go back to the platform's default."""
        del id
        return {**inputs, **await self._put(spec_of(inputs), old_inputs.get("spec") or {}, outputs, ctx)}

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """The properties we own as they are live, in our spelling where they mean the same."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        live = await existing_of_ours(api, spec["object_type"], spec, outputs, ctx, named_what(spec))
        if live is None:
            return None
        seen = dict(spec) | await self._seen(api, spec, live)
        return Read({**inputs, "spec": seen}, {**outputs, "spec": seen, "moid": live["Moid"]})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Children first. An adopted object is kept; one that profiles still use is refused by Intersight."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        adopted = bool(outputs.get("adopted"))
        find = finder(api, spec["object_type"], spec)
        live = await find()
        if live is not None and ownership.is_ours(live, ctx.identity, outputs.get("moid")):
            keep_others = adopted or ownership.is_adopted(live)
            await children.remove_all(api, spec, live, ctx, spare_strangers=keep_others)
        owned = Owned(named_what(spec), ctx.identity, find, outputs.get("moid"), adopted)
        if (left := await let_go(api, owned)) is not None:
            ctx.warn(left)

    async def import_(self, id: str, ctx: Context) -> Read:
        """Everything that is not at the platform's default, by id alone: ``ntp.Policy/default/ai-ntp``."""
        try:
            object_type, organization, name = identity_parts(id)
        except ValueError:
            raise ProviderError(f"an id has the form <object type>/<organization>/<name>, not {id!r}") from None
        if object_type not in self._types:
            raise ProviderError(f"{object_type!r} is none of ours{nearest(object_type, self._types)}")
        live = await account(ctx).named(object_type, name, organization)
        if live is None:
            raise ProviderError(f"Intersight has no {object_type} {name!r} in organization {organization!r}")
        properties = {
            key: bare(live[key])
            for key, rule in rules_of(object_type).items()
            if key in live and not _implied(key, live[key], rule)
        }
        spec = {"schema": 1, "object_type": object_type, "name": name, "organization": organization}
        inputs = {"spec": spec | {"properties": properties}}
        return Read(inputs, {**inputs, "moid": live["Moid"], "adopted": not ownership.is_ours(live, ctx.identity)})

    async def _put(
        self, spec: Mapping[str, Any], before: Mapping[str, Any], outputs: Values, ctx: Context
    ) -> dict[str, Any]:
        api = account(ctx)
        find = finder(api, spec["object_type"], spec)
        owned = dict(spec.get("properties", {})) | await resolve(api, spec, spec.get("references", {}))
        given_out = blocks_of(spec["object_type"], owned)
        if _initial(spec) or given_out:
            live = await find() or {}
            owned = {name: value for name, value in owned.items() if name not in _initial(spec) or not live.get(name)}
            given_out = {name: value for name, value in given_out.items() if name in owned}
            if difference(spec["object_type"], given_out, live):
                await refuse_overlaps(api, spec, owned)
        birth = {"Name": spec["name"], "Organization": await api.organization_of(spec["organization"])}
        desired = Desired(
            object_type=spec["object_type"],
            what=named_what(spec),
            identity=ctx.identity,
            find=find,
            birth=birth,
            owned=owned,
            released=released(before, spec),
            adopt=bool(spec.get("adopt")),
            moid=outputs.get("moid"),
            rotated=rotated(spec.get("properties", {}), before.get("properties") or {}),
            lookup=ctx.secret,
        )
        live = await converge(api, desired)
        await children.put(api, spec, before, live, ctx)
        return {"moid": live["Moid"], "adopted": bool(outputs.get("adopted")) or ownership.is_adopted(live)}

    async def _seen(self, api: Account, spec: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        if "properties" in spec:
            seen["properties"] = live_properties(spec["object_type"], spec["properties"], live)
            seen["properties"] |= {name: spec["properties"][name] for name in _initial(spec) if live.get(name)}
        if "references" in spec:
            seen["references"] = await live_references(api, spec, spec["references"], live)
        if "children" in spec:
            seen["children"] = await children.read_back(api, spec, live)
        return seen


def _initial(spec: Any) -> list[str]:
    """Names of properties that a new object is given, and one that is there keeps."""
    return list(spec.get("initial") or []) if isinstance(spec, Mapping) else []


def _implied(name: str, value: Any, rule: Mapping[str, Any]) -> bool:
    """True for what an import need not say: read-only, marks, references, and platform defaults."""
    if name in OWN or name in NOT_SAID_HERE or rule.get("fixed") or rule["kind"] == "reference":
        return True
    default = rule.get("default")
    return value is None or same(default, value, rule) or value in ([], {}, "", "platform-default")
