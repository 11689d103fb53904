"""The end of a wave or a layer: a resource that exists once all it depends on does. It reaches no device.

One dependency on it stands for the dependencies on everything that came before, so that a graph of many waves has
a number of edges that grows with the resources and not with their square.
"""

from __future__ import annotations

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


class Join(Kind):
    """`spec`: ``{"schema": 1, "cluster", "ends": what ends here, in words}``; `ready` is the join's name."""

    token = "podwright:index:Join"
    schema = 1

    def upgrade(self, inputs: Values) -> Values:
        """An older schema number alone is no difference."""
        spec = inputs.get("spec")
        return {**inputs, "spec": {**spec, "schema": self.schema}} if isinstance(spec, dict) else inputs

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """The shape of the spec."""
        del ctx
        return judge_spec(inputs, self.schema, {"cluster": str, "ends": str}, {})

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """What led to it is kept, and is no change: nothing is done for it."""
        return super().diff(old_inputs, new_inputs, outputs).without(("defined",))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """Known, where the program says its name."""
        del outputs
        return {"ready": UNKNOWN, **inputs}

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """At once."""
        name = str(inputs.get("ready") or ctx.urn.rsplit("::", maxsplit=1)[-1])
        return Created(name, {**inputs, "ready": name})

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """It is as it was made."""
        del id, ctx
        return Read(inputs, outputs)

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """At once."""
        del old_inputs, outputs, ctx
        return {"ready": id, **inputs}

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """There is nothing to take away."""
