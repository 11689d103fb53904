"""Everything that a stack may leave its mark on: made before all else, and gone when no mark is found any more.

A command that is killed leaves creations that no state holds, and `destroy` asks no provider about them. This
resource stands in the state from the first moment on, and every other one depends on it, so it is deleted last: then
it asks the devices, and fails with the name of each thing that this stack made and nothing took away.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from podwright.components.changes.departures import departures
from podwright.components.changes.impact import Impact
from podwright.components.providers.protocol.configuration import login_of
from podwright.components.providers.protocol.kind import (
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
from podwright.components.providers.site.renames import unannounced

Search = Callable[[Any, Context], Awaitable[list[str]]]
"""One sentence for each thing of the stack's that a part of the spec leads to."""

SEARCHES: Final[Mapping[str, tuple[str, str]]] = {
    "switches": ("nxos", "podwright.components.providers.nxos.orphans"),
    "intersight": ("intersight", "podwright.components.providers.intersight.orphans"),
    "installation": ("openshift", "podwright.components.providers.openshift.orphans"),
}
"""By key of the spec: whose login is used, and where the search is. A module is loaded when it is asked."""
_MOVABLE: Final = ("podwright:nxos:Switch", "podwright:intersight:DomainProfile")
_UNLESS_MOVED: Final = "unless it was moved to another stack, "
_WAY_OUT: Final = (
    "`podwright up` finds its own work again, and `podwright destroy` then removes it. What could not be asked must "
    "answer first: then run `podwright destroy` again"
)


class World(Kind):
    """``podwright:index:World``.

    `spec`: ``{"schema": 1, "cluster", "switches": {hostname: {"management", "credential"}}, "intersight": bool,
    "installation": {"cluster", "publish"} or {}, "servers": {host: {"serial"}}, "domains": {name: {"A", "B"}},
    "contents": {"pools": [name], "operators", "teams", "volumes", "training", "inference"}}``. A switch may have
    `serial`, a server `bmc` and `node`, both `renamed_from`.
    """

    token = "podwright:index:World"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """The shape of the spec, and that no device has another name than in the state without a word."""
        required = {"cluster": str, "switches": dict, "intersight": bool, "installation": dict}
        wrong = judge_spec(inputs, self.schema, required, {"servers": dict, "domains": dict, "contents": dict})
        return wrong or list(unannounced(ctx.old_inputs.get("spec") or {}, inputs["spec"]))

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """A device more or less changes where the search goes, and no device."""
        return super().diff(old_inputs, new_inputs, outputs).without(("spec", "schema"))

    def impacts(self, old_inputs: Values, new_inputs: Values) -> Sequence[Impact]:
        """What leaves the plan: the engine asks no provider about what it will delete."""
        return departures(*(each.get("spec") or {} for each in (old_inputs, new_inputs)))

    def notices(self, old_inputs: Values, new_inputs: Values) -> Sequence[str]:
        """Said here, because the preview of a deletion calls no provider."""
        return [
            f"{each.device} leaves the plan: {_UNLESS_MOVED if each.token in _MOVABLE else ''}{each.row.reason}"
            for each in self.impacts(old_inputs, new_inputs)
        ]

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """At once: nothing is asked before there is something to lose."""
        return Created(ctx.urn.rsplit("::", maxsplit=1)[-1], inputs)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """It is as it was made."""
        del id, ctx
        return Read(inputs, outputs)

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """At once."""
        del id, old_inputs, outputs, ctx
        return inputs

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Ask every device; ProviderError names each that still carries this stack's mark or did not answer."""
        del id, outputs
        spec = inputs["spec"]
        asked = [(key, spec[key]) for key in SEARCHES if spec.get(key)]
        found = await asyncio.gather(*(_search(key, part, ctx) for key, part in asked))
        if orphans := [sentence for each in found for sentence in each]:
            listed = "".join(f"\n  - {sentence}" for sentence in orphans)
            raise ProviderError(f"not everything that stack {ctx.identity} made is gone:{listed}\n{_WAY_OUT}")


async def _search(key: str, part: Any, ctx: Context) -> list[str]:
    module, place = SEARCHES[key]
    search: Search = importlib.import_module(place).orphans
    view = replace(ctx, config=login_of(ctx.config, f"podwright:{module}:Any"))
    try:
        return await search(part, view)
    except ProviderError as silent:
        return [f"{key}: could not be searched: {silent}"]
