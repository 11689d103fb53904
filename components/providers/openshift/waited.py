"""Resources that are a wait: they stand once something on the cluster is so, and write nothing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from podwright.components.providers.protocol.kind import CheckContext, Context, Created, Failure, Kind, Read, Values
from podwright.components.providers.protocol.shape import judge_spec


class Waited(Kind):
    """A kind whose create and update are the same wait.

    What was waited for and is not so for a moment later is no reason to wait again: a read finds it as it was.
    """

    schema = 1
    required: Mapping[str, type]
    """Keys of its spec."""
    optional: Mapping[str, type]

    @abstractmethod
    def called(self, inputs: Values) -> str:
        """The resource's id."""

    @abstractmethod
    async def wait(self, inputs: Values, ctx: Context) -> Values:
        """Outputs, once it is so. Raises ProviderError when time is up or the user asked to stop."""

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys and types."""
        del ctx
        return judge_spec(inputs, self.schema, self.required, self.optional)

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Return once it is so."""
        return Created(self.called(inputs), await self.wait(inputs, ctx))

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """As it was."""
        del id, ctx
        return Read(inputs, outputs)

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """The same wait, for what is asked now."""
        del id, old_inputs, outputs
        return await self.wait(inputs, ctx)

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Nothing was written."""
        del id, inputs, outputs, ctx
