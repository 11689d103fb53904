"""``podwright:nxos:Soak``: between two waves of a roll-out, the time and the look that the next wave waits for.

Nothing on any switch belongs to it. It fails when a switch of its wave is worse than right before it was written, and
then the engine does not begin the waves behind it (docs/decisions/0010-push-and-rollout.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from podwright.components.providers.nxos.pool import Pool
from podwright.components.providers.nxos.read.health import Health, from_values, look, worse
from podwright.components.providers.nxos.read.ports import running
from podwright.components.providers.nxos.session import Address
from podwright.components.providers.protocol.kind import (
    CheckContext,
    Context,
    Created,
    Failure,
    Incomplete,
    Kind,
    ProviderError,
    Read,
    Values,
)

_WAYS_OUT: Final = (
    "the waves behind were not begun; put the old values back into the stack file and run `podwright up` to undo this "
    "one, or mend the cause and run it again to go on"
)
_STEP: Final = 5.0
"""Seconds between two looks at whether somebody asked to stop."""

CONVERGES: Final = 20.0
"""Seconds behind the soak in which a switch may still become as good as before."""
_AGAIN: Final = 2.0


class Soak(Kind):
    """One per wave; its id is its name."""

    token = "podwright:nxos:Soak"
    schema = 1

    def __init__(self, pool: Pool, before: dict[str, Health]) -> None:
        self._pool = pool
        self._before = before

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Shape only."""
        del ctx
        spec = inputs.get("spec")
        if not isinstance(spec, Mapping) or not isinstance(spec.get("switches"), Mapping):
            return [Failure(("spec", "switches"), "must map the wave's hostnames to how each is reached")]
        if not isinstance(spec.get("seconds"), int) or spec["seconds"] < 0:
            return [Failure(("spec", "seconds"), "must be a number from 0 up")]
        return []

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """Nothing is worse until it was looked at."""
        del outputs
        return {**inputs, "before": {}}

    def unfinished(self, outputs: Values) -> Sequence[str]:
        """A change that did not pass: it stands on these switches and on none behind them."""
        left = outputs.get("before")
        if not isinstance(left, Mapping) or not left:
            return ()
        return (
            f"a change of {', '.join(sorted(left))} did not pass its soak and the waves behind were not begun: this "
            "update goes on with the stack file as it is now, or undoes it where the old values are back; what it "
            "leads to is compared with what stood before that change",
        )

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """The first time: whatever this very run changed on switches that had been in service is soaked."""
        wave = f"wave-{inputs['spec']['wave']}"
        return Created(wave, await self._soak(wave, inputs, {}, ctx))

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Soak what changed, and again what was worse the last time."""
        del old_inputs
        return await self._soak(id, inputs, outputs.get("before", {}), ctx)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """There is nothing to read."""
        del id, ctx
        return Read(inputs, outputs)

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """There is nothing to take away."""
        del id, inputs, outputs, ctx

    async def _soak(self, id: str, inputs: Values, left: Mapping[str, Any], ctx: Context) -> dict[str, Any]:
        """`left` is what the wave's switches were like before a change that did not pass."""
        switches: Mapping[str, Values] = inputs["spec"]["switches"]
        before = {name: from_values(health) for name, health in left.items() if name in switches}
        # A second attempt is held to what stood before the first one.
        before = {name: self._before[name] for name in switches if name in self._before} | before
        if not before:
            return {**inputs, "before": {}}
        seconds = inputs["spec"]["seconds"]
        ctx.log(f"soaking {', '.join(before)} for {seconds} s")
        await _wait(seconds, ctx)
        if problems := await self._problems(switches, before, ctx):
            baseline = {name: health.as_values() for name, health in before.items()}
            raise Incomplete(id, {**inputs, "before": baseline}, [*problems, _WAYS_OUT])
        for name in before:
            self._before.pop(name, None)
        return {**inputs, "before": {}}

    async def _problems(self, switches: Mapping[str, Values], before: Mapping[str, Health], ctx: Context) -> list[str]:
        """What stays worse: sessions that the change restarted may come back a little after the soak's own time."""
        end = asyncio.get_running_loop().time() + CONVERGES
        while True:
            looks = await asyncio.gather(
                *(self._look(name, switches[name], each, ctx) for name, each in before.items())
            )
            problems = [sentence for sentence in looks if sentence]
            if not problems or asyncio.get_running_loop().time() >= end:
                return problems
            await _wait(_AGAIN, ctx)

    async def _look(self, name: str, spec: Values, before: Health, ctx: Context) -> str:
        address = Address(name, spec["management"], ctx.config["credentials"]["user"], ctx.secret(spec["credential"]))
        try:
            async with self._pool.terminal(address, ctx) as terminal:
                session = await terminal.open()
                now = await look(session)
                config = (await running(session)).config
        except ProviderError as error:
            return str(error)
        found = list(worse(before, now, config))
        return f"{name} is worse than before the change: {'; '.join(found)}" if found else ""


async def _wait(seconds: float, ctx: Context) -> None:
    end = asyncio.get_running_loop().time() + seconds
    while (left := end - asyncio.get_running_loop().time()) > 0:
        ctx.stop_here("the soak was over")
        await asyncio.sleep(min(left, _STEP))
