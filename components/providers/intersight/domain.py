"""Domain profiles: a pair of Fabric Interconnects as one cluster profile and one switch profile per fabric.

Deploying one acts on both interconnects in turn, B after A, so that one fabric carries the traffic meanwhile: the next
one is touched only when every server that it carries is carried by the other one too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from podwright.components.changes.row import ChangeClass
from podwright.components.providers.intersight import derived, ownership
from podwright.components.providers.intersight.account import Account, account, reference
from podwright.components.providers.intersight.assignment import assigned_serial, withdraw
from podwright.components.providers.intersight.deploy import deploy
from podwright.components.providers.intersight.difference import bucket_difference
from podwright.components.providers.intersight.managed import (
    Desired,
    Owned,
    converge,
    existing_of_ours,
    finder,
    guard,
    let_go,
)
from podwright.components.providers.intersight.paths import carried_by_the_other
from podwright.components.providers.intersight.references import live_references, resolve
from podwright.components.providers.intersight.shape import PROFILE_NAME, judge_name, judge_targets, spec_of
from podwright.components.providers.intersight.sides import (
    CLUSTER,
    FABRICS,
    SWITCH,
    find_side,
    judge_fabrics,
    side_of,
    template_of_side,
)
from podwright.components.providers.intersight.table import object_types
from podwright.components.providers.intersight.workflow import StoppedWaitingError, config_state, pending, settled
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
from podwright.components.providers.protocol.limits import approved_now
from podwright.components.providers.protocol.shape import judge_spec

REQUIRED = {"name": str, "organization": str, "serials": dict, "policies": dict}
OPTIONAL = {"action": str, "approved_disruptions": list, "adopt": bool, "digest": str, "template": str}


class DomainProfileKind(Kind):
    """``podwright:intersight:DomainProfile``."""

    token = "podwright:intersight:DomainProfile"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Both fabrics named, every policy of a known type."""
        del ctx
        found = judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)
        if found:
            return found
        spec = spec_of(inputs)
        found += [*judge_name(spec, PROFILE_NAME), *judge_name(spec, PROFILE_NAME, "template")]
        found += [*judge_fabrics(spec, "serials"), *judge_fabrics(spec, "policies")]
        for fabric, targets in spec["policies"].items():
            found += judge_targets(targets, ("spec", "policies", fabric), object_types())
        if spec.get("action", "stage") not in ("stage", "deploy"):
            found.append(Failure(("spec", "action"), f"must be stage or deploy, not {spec['action']!r}"))
        return found

    def devices(self, inputs: Values) -> Mapping[Path, str]:
        """The serial number of each interconnect."""
        serials = spec_of(inputs)["serials"]
        return {("spec", "serials", fabric): str(serial) for fabric, serial in serials.items()}

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; the order of a fabric's policies means nothing."""
        del outputs
        found = bucket_difference(old_inputs, new_inputs).without(("spec", "schema"))
        return found.replacing(("spec", "name"), ("spec", "organization"))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """States are known after the deployment."""
        known = outputs or {}
        return {
            **inputs,
            "config_states": UNKNOWN,
            "moid": known.get("moid", UNKNOWN),
            "adopted": known.get("adopted", False),
        }

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """The cluster profile, then fabric A, then fabric B."""
        spec = spec_of(inputs)
        return Created(_id(spec), await self._put(spec, inputs, {}, ctx))

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """As create: only what differs is written."""
        del id, old_inputs
        return await self._put(spec_of(inputs), inputs, outputs, ctx)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """Buckets and interconnects of both fabrics as they are live."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        cluster = await existing_of_ours(api, CLUSTER, spec, outputs, ctx, f"domain profile {spec['name']!r}")
        if cluster is None:
            return None
        seen = {key: value for key, value in spec.items() if key != "template"} | await derived.seen(api, spec, cluster)
        seen |= {"policies": dict(spec["policies"]), "serials": dict(spec["serials"])}
        states: dict[str, str] = {}
        for fabric in FABRICS:
            live = side_of(await api.marked(SWITCH), cluster, fabric)
            live = live or await find_side(api, SWITCH, cluster, fabric)()
            bucket = {"PolicyBucket": spec["policies"][fabric]}
            references = await live_references(api, spec, bucket, live) if live else {}
            seen["policies"][fabric] = references.get("PolicyBucket", [])
            seen["serials"][fabric] = await assigned_serial(api, live or {}, "AssignedSwitch", "network.Element")
            states[fabric] = config_state(live or {})
            if spec.get("action") == "deploy" and (live is None or pending(live)):
                seen["action"] = "stage"
        state = {"config_states": states, "moid": cluster["Moid"], "adopted": bool(outputs.get("adopted"))}
        return Read({**inputs, "spec": seen}, {**inputs, "spec": seen, **state})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Off both interconnects, then the switch profiles, then the cluster profile."""
        del id
        spec = spec_of(inputs)
        api = account(ctx)
        find = finder(api, CLUSTER, spec)
        cluster = await find()
        adopted = bool(outputs.get("adopted"))
        if cluster is None:
            return
        ours = ownership.is_ours(cluster, ctx.identity, outputs.get("moid"))
        if ours and not adopted and not ownership.is_adopted(cluster):
            await _refuse_others(api, spec, cluster, ctx)
            for fabric in FABRICS:
                owned = Owned(_what(spec, fabric), ctx.identity, find_side(api, SWITCH, cluster, fabric))
                await withdraw(api, owned, ctx)
        owned = Owned(f"domain profile {spec['name']!r}", ctx.identity, find, outputs.get("moid"), adopted)
        if (left := await let_go(api, owned)) is not None:
            ctx.warn(left)

    async def _put(self, spec: Mapping[str, Any], inputs: Values, outputs: Values, ctx: Context) -> dict[str, Any]:
        api = account(ctx)
        desired = Desired(
            object_type=CLUSTER,
            what=f"domain profile {spec['name']!r}",
            identity=ctx.identity,
            find=finder(api, CLUSTER, spec),
            birth={"Name": spec["name"], "Organization": await api.organization_of(spec["organization"])},
            owned={},
            adopt=bool(spec.get("adopt")),
            moid=outputs.get("moid"),
        )
        template = await derived.template_of(api, CLUSTER, spec)
        existing = await desired.find()
        desired = replace(desired, labels=derived.kept(existing if template else None, {}, {}))
        cluster = await converge(api, desired, existing or {})
        adopted = bool(outputs.get("adopted")) or ownership.is_adopted(cluster)
        state: dict[str, Any] = {**inputs, "moid": cluster["Moid"], "adopted": adopted, "config_states": {}}
        try:
            if template is not None:
                cluster = await derived.attach(api, desired.find, ctx, desired.what, template)
            elif derived.source(cluster):
                cluster = await derived.detach(api, desired.find, ctx, desired.what) or cluster
            for fabric in FABRICS:
                live = await self._put_switch(api, spec, cluster, fabric, ctx)
                state["config_states"][fabric] = config_state(live)
            if template is not None:
                await converge(api, desired, await derived.follow(api, desired.find, ctx, desired.what, template))
        except (ProviderError, StoppedWaitingError) as unfinished:
            now = await desired.find() or cluster
            state["spec"] = await derived.unfinished(api, spec, now, template)
            raise Incomplete(_id(spec), state, [str(unfinished)]) from None
        return state

    async def _put_switch(
        self, api: Account, spec: Mapping[str, Any], cluster: Mapping[str, Any], fabric: str, ctx: Context
    ) -> dict[str, Any]:
        element = await _element(api, spec, fabric)
        bucket = await resolve(api, spec, {"PolicyBucket": spec["policies"][fabric]})
        side = await template_of_side(api, cluster, fabric)
        owned = {"AssignedSwitch": reference(element), **(bucket if side is None else {})}
        what = _what(spec, fabric)
        find = find_side(api, SWITCH, cluster, fabric)
        birth = {
            "Name": f"{spec['name']}-{fabric}",
            "SwitchId": fabric,
            "SwitchClusterProfile": reference(cluster),
        }
        late = frozenset({"PolicyBucket", "AssignedSwitch"})
        adopt = bool(spec.get("adopt"))
        desired = Desired(
            SWITCH, what, ctx.identity, find, birth, owned, adopt=adopt, listed=str(spec["name"]), late=late
        )
        existing = await find()
        if existing is not None and side is None and derived.source(existing):
            guard(desired, existing)
            existing = await derived.detach(api, find, ctx, what)
        desired = replace(desired, labels=derived.kept(existing if side else None, {}, {}))
        live = await converge(api, desired, existing or {})
        if side is not None:
            live = await converge(api, desired, await derived.take(api, find, ctx, what, side))
            derived.compare(what, live, bucket["PolicyBucket"], spec["policies"][fabric])
        if spec.get("action") == "deploy":
            await _await_paths(api, spec, await settled(find, ctx, what), fabric, ctx)
            return await deploy(api, find, spec.get("approved_disruptions") or [], ctx, what, spec["name"])
        return await settled(find, ctx, what) if live else live


async def _element(api: Account, spec: Mapping[str, Any], fabric: str) -> dict[str, Any]:
    serial = str(spec["serials"][fabric])
    element = await api.only("network.Element", "Serial", serial, f"the interconnect {serial}")
    if element is None:
        raise ProviderError(f"Intersight knows no Fabric Interconnect with serial number {serial}; claim it first")
    return element


async def _await_paths(
    api: Account, spec: Mapping[str, Any], live: Mapping[str, Any], fabric: str, ctx: Context
) -> None:
    """Before an interconnect takes something: the other one carries what this one does, or it is approved without."""
    if not pending(live):
        return
    what = _what(spec, fabric)
    if approved_now(ctx.config, (ChangeClass.DISRUPTIVE.word,), spec["name"], datetime.now(UTC)):
        ctx.log(f"{what}: paths through the other fabric are not waited for, as `changes.approve` has it")
        return
    elements = {each: await _element(api, spec, each) for each in FABRICS}
    await carried_by_the_other(api, elements, fabric, ctx, what)


async def _refuse_others(api: Account, spec: Mapping[str, Any], cluster: Mapping[str, Any], ctx: Context) -> None:
    """Before anything of a domain is taken away: a switch profile below it that is not ours would go with it."""
    for fabric in FABRICS:
        live = await find_side(api, SWITCH, cluster, fabric)()
        if live is not None and not ownership.is_ours(live, ctx.identity):
            raise ProviderError(
                f"{_what(spec, fabric)} does not carry this stack's mark and would go with the domain profile; delete "
                "it in Intersight first"
            )


def _id(spec: Mapping[str, Any]) -> str:
    return f"{CLUSTER}/{spec['organization']}/{spec['name']}"


def _what(spec: Mapping[str, Any], fabric: str) -> str:
    return f"switch profile {fabric} of domain {spec['name']!r}"
