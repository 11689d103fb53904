"""Resource groups: which servers an organization sees.

A group belongs to no organization; which ones see through it is written on the organization's side, in a list that
others write too. Only the entry of our own group is put there and taken away.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from podwright.components.providers.intersight import ownership
from podwright.components.providers.intersight.account import Account, account, reference
from podwright.components.providers.intersight.managed import Desired, Find, Owned, converge, let_go
from podwright.components.providers.intersight.repeats import ATTEMPTS, TIMES, Repeats
from podwright.components.providers.intersight.shape import NAME, judge_name, spec_of
from podwright.components.providers.intersight.visible import ORGANIZATION, seen_by
from podwright.components.providers.intersight.workflow import Pace, StoppedWaitingError
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
from podwright.components.providers.protocol.shape import judge_spec

GROUP: Final = "resource.Group"
REQUIRED = {"name": str, "organization": str, "selectors": list}
OPTIONAL = {"adopt": bool}
SELECTOR = re.compile(r"^/api/v1/compute/(Blades|RackUnits)\?\$filter=(.+)$")
"""A selector of servers: their collection and a filter."""
_TYPES = {"Blades": "compute.Blade", "RackUnits": "compute.RackUnit"}
SECONDS = 120.0
"""Until an organization that does not see the servers of its new group is given up: Intersight works membership out
after the write, and no source gives a time."""


class ResourceGroupKind(Kind):
    """``podwright:intersight:ResourceGroup``."""

    token = "podwright:intersight:ResourceGroup"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys, name, and selectors that find servers."""
        del ctx
        found = judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)
        if found:
            return found
        spec = spec_of(inputs)
        found += judge_name(spec, NAME)
        for index, each in enumerate(spec["selectors"]):
            if not isinstance(each, str) or not SELECTOR.match(each):
                form = "/api/v1/compute/RackUnits?$filter=... or /api/v1/compute/Blades?$filter=..."
                found.append(Failure(("spec", "selectors", index), f"must be {form}, not {each!r}"))
        return found

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; another name is another group."""
        del outputs
        return leaf_difference(old_inputs, new_inputs).without(("spec", "schema")).replacing(("spec", "name"))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """The moid is known once the group exists."""
        known = outputs or {}
        return {**inputs, "moid": known.get("moid", UNKNOWN), "adopted": known.get("adopted", False)}

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Make it, complete one of ours from a cut attempt, refuse a foreign one; then show it to its organization."""
        spec = spec_of(inputs)
        return Created(f"{GROUP}/{spec['name']}", {**inputs, **await _put(spec, {}, ctx)})

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Write what differs; an organization that is no longer named loses the group after the new one has it."""
        del id
        spec, before = spec_of(inputs), str((old_inputs.get("spec") or {}).get("organization") or "")
        made = await _put(spec, outputs, ctx)
        if before and before != spec["organization"]:
            await _entry(account(ctx), before, made["moid"], listed=False)
        return {**inputs, **made}

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """Selectors as they are live; the organization where it has the group, else none."""
        del id
        spec, api = spec_of(inputs), account(ctx)
        live = await _finder(api, spec)()
        if live is None:
            return None
        if not ownership.is_ours(live, ctx.identity, outputs.get("moid")):
            ctx.warn(f"{_what(spec)} was replaced by one that is not ours; ours is gone")
            return None
        selectors = [str(each.get("Selector")) for each in live.get("Selectors") or ()]
        home = await _organization(api, spec["organization"])
        seen = {
            **spec,
            "selectors": spec["selectors"] if sorted(selectors) == sorted(spec["selectors"]) else selectors,
            "organization": spec["organization"] if _lists(home, live["Moid"]) else "",
        }
        return Read({**inputs, "spec": seen}, {**outputs, "spec": seen, "moid": live["Moid"]})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Taken from its organization, then deleted; Intersight refuses while another organization has it. An adopted
        one is kept, and stays with an organization that had it before."""
        del id
        spec, api = spec_of(inputs), account(ctx)
        live = await _finder(api, spec)()
        adopted = bool(outputs.get("adopted"))
        if live is not None and ownership.is_ours(live, ctx.identity, outputs.get("moid")):
            kept = adopted or ownership.is_adopted(live)
            if spec["organization"] and (outputs.get("given") or not kept):
                await _entry(api, spec["organization"], str(live["Moid"]), listed=False)
        owned = Owned(_what(spec), ctx.identity, _finder(api, spec), outputs.get("moid"), adopted)
        if (left := await let_go(api, owned)) is not None:
            ctx.warn(left)


async def _put(spec: Mapping[str, Any], outputs: Values, ctx: Context) -> dict[str, Any]:
    api = account(ctx)
    await api.organization(spec["organization"])  # one that is not there stops before anything is written
    desired = Desired(
        object_type=GROUP,
        what=_what(spec),
        identity=ctx.identity,
        find=_finder(api, spec),
        birth={"Name": spec["name"]},
        owned={"Qualifier": "Allow-Selectors", "Selectors": [{"Selector": each} for each in spec["selectors"]]},
        adopt=bool(spec.get("adopt")),
        moid=outputs.get("moid"),
    )
    live = await converge(api, desired)
    given = await _entry(api, spec["organization"], str(live["Moid"]), listed=True)
    await _shown(api, spec, ctx)
    return {
        "moid": live["Moid"],
        "adopted": bool(outputs.get("adopted")) or ownership.is_adopted(live),
        "given": bool(outputs.get("given")) or given,
    }


def _what(spec: Mapping[str, Any]) -> str:
    return f"resource group {spec['name']!r}"


def _finder(api: Account, spec: Mapping[str, Any]) -> Find:
    async def find() -> dict[str, Any] | None:
        return await api.only(GROUP, "Name", str(spec["name"]), _what(spec))

    return find


async def _organization(api: Account, name: str) -> dict[str, Any] | None:
    return await api.only(ORGANIZATION, "Name", name, f"organization {name}")


def _lists(home: Mapping[str, Any] | None, moid: str) -> bool:
    return any(each.get("Moid") == moid for each in (home or {}).get("ResourceGroups") or ())


async def _entry(api: Account, organization: str, moid: str, *, listed: bool) -> bool:
    """Put a group into an organization's list or take it away; every other entry stays. True where that was needed.

    The list is written whole, under the condition that nobody wrote it since it was read.
    """
    what, repeats, written = f"resource groups of organization {organization!r}", Repeats(), False
    for _ in range(ATTEMPTS + TIMES):
        home = await _organization(api, organization)
        if _lists(home, moid) is listed or home is None:
            return written
        others = [reference(each) for each in home.get("ResourceGroups") or () if each.get("Moid") != moid]
        ours = [{"ClassId": "mo.MoRef", "ObjectType": GROUP, "Moid": moid}] if listed else []
        await repeats.attempt(api.patch(home, {"ResourceGroups": [*others, *ours]}, what))
        written = True
    raise ProviderError(f"{what}: somebody keeps changing them; run again")


async def _shown(api: Account, spec: Mapping[str, Any], ctx: Context) -> None:
    """Wait until the organization sees what the selectors find: membership may come after the write."""
    pace = Pace(ctx, _what(spec), limit=SECONDS)
    home = await api.organization(spec["organization"])
    while unseen := await _unseen(api, spec, home):
        try:
            await pace.wait()
        except StoppedWaitingError as stopped:
            listed = ", ".join(unseen)
            raise ProviderError(f"{stopped}; {spec['organization']} does not see {listed} yet") from None


async def _unseen(api: Account, spec: Mapping[str, Any], home: str) -> list[str]:
    """Serial numbers of servers in the group that name other organizations and not this one."""
    found = []
    for each in spec["selectors"]:
        match = SELECTOR.match(each)
        assert match, "checked before"
        found += await api.query(_TYPES[match[1]], match[2])
    return sorted(str(each["Serial"]) for each in found if (seen := seen_by(each)) and home not in seen)
