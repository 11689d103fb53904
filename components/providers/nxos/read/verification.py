"""``podwright:nxos:Verification``: what a switch shows, held against what it must show.

Nothing on any switch belongs to it. Its inputs are what must be seen, so what is seen on refresh shows as drift of
exactly those leaves (docs/decisions/0018-verification.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import Any, Final

from podwright.components.providers.nxos.pool import Pool
from podwright.components.providers.nxos.read.expectations import SCHEMA, Rows, compact, expanded, showing
from podwright.components.providers.nxos.read.findings import sentences
from podwright.components.providers.nxos.read.interfaces import live, look, unjudged
from podwright.components.providers.nxos.session import Address
from podwright.components.providers.protocol.kind import (
    UNKNOWN,
    CheckContext,
    Context,
    Created,
    Failure,
    Incomplete,
    Kind,
    Read,
    Values,
)

_STEP: Final = 5.0
"""Seconds between two looks."""


class Verification(Kind):
    """One per switch and stage; its id says which."""

    token = "podwright:nxos:Verification"
    schema = SCHEMA

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def upgrade(self, inputs: Values) -> Values:
        """Schema 1 had everything of every interface written out."""
        spec = inputs.get("spec")
        if not isinstance(spec, Mapping) or spec.get("schema") != 1:
            return inputs
        return {**inputs, "spec": compact(spec)}

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Shape only."""
        del ctx
        spec = inputs.get("spec")
        if not isinstance(spec, Mapping):
            return [Failure(("spec",), "must be a map")]
        found = [
            Failure(("spec", key), "must be a text that is not empty")
            for key in ("hostname", "stage", "management", "credential")
            if not isinstance(spec.get(key), str) or not spec[key]
        ]
        seconds = spec.get("settle_seconds")
        if not isinstance(seconds, int | float) or isinstance(seconds, bool) or seconds < 0:
            found.append(Failure(("spec", "settle_seconds"), "must be a number from 0 up"))
        return [*found, *_interfaces(spec)]

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """Which ports are down is known once the switch was asked."""
        del outputs
        return {**inputs, "unjudged": UNKNOWN}

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Look until all is as planned or the time to settle is over."""
        id = f"{inputs['spec']['hostname']}-{inputs['spec']['stage']}"
        return Created(id, await self._verify(id, inputs, ctx))

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Look again."""
        del old_inputs, outputs
        return await self._verify(id, inputs, ctx)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """What the switch shows now, in place of what it must show."""
        del id, outputs
        spec = inputs["spec"]
        planned = expanded(spec)
        seen = await self._look(spec, planned, ctx)
        now = {**inputs, "spec": showing(spec, live(planned, seen))}
        return Read(now, {**now, "unjudged": list(unjudged(planned, seen))})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """There is nothing to take away."""
        del id, inputs, outputs, ctx

    async def _verify(self, id: str, inputs: Values, ctx: Context) -> dict[str, Any]:
        spec = inputs["spec"]
        name, planned = spec["hostname"], expanded(spec)
        clock = asyncio.get_running_loop().time
        end = clock() + spec["settle_seconds"]
        echoed: list[str] = []
        while True:
            seen = await self._look(spec, planned, ctx, echoed)
            echoed = [port for port, row in seen.items() if row.get("answered")]
            dark = list(unjudged(planned, seen))
            wrong = sentences(name, planned, seen)
            if not wrong:
                break
            if clock() >= end:
                raise Incomplete(id, {**inputs, "unjudged": dark}, wrong)
            ctx.log(f"{len(wrong)} not as planned yet: {wrong[0]}")
            ctx.stop_here(f"{name} showed what it must")
            await asyncio.sleep(min(_STEP, max(end - clock(), 0.0)))
        if dark:
            ports = ", ".join(f"{port} (to {planned[port]['faces']})" for port in dark)
            ctx.warn(f"{name}: not judged, because they are down: {ports}")
        return {**inputs, "unjudged": dark}

    async def _look(
        self, spec: Values, planned: Rows, ctx: Context, echoed: Collection[str] = ()
    ) -> dict[str, dict[str, Any]]:
        """Other operations have the terminal between two looks."""
        user = ctx.config["credentials"]["user"]
        address = Address(spec["hostname"], spec["management"], user, ctx.secret(spec["credential"]))
        async with self._pool.terminal(address, ctx) as terminal:
            return await look(await terminal.open(), planned, echoed)


def _interfaces(spec: Values) -> list[Failure]:
    for key in ("defaults", "interfaces"):
        if not _maps(spec.get(key)):
            return [Failure(("spec", key), "must map classes of interfaces to what each must show")]
    if not all(map(_maps, spec["interfaces"].values())):
        return [Failure(("spec", "interfaces"), "must map interfaces to what each must show")]
    rows: list[tuple[tuple[str, ...], Values]] = [(("defaults", each), row) for each, row in spec["defaults"].items()]
    rows += [(("interfaces", each, n), row) for each, found in spec["interfaces"].items() for n, row in found.items()]
    return [
        Failure(("spec", *at, key), "must be a number of bytes")
        for at, row in rows
        for key in ("mtu", "probe")
        if key in row and (not isinstance(row[key], int | float) or isinstance(row[key], bool))
    ]


def _maps(found: Any) -> bool:
    return isinstance(found, Mapping) and all(isinstance(each, Mapping) for each in found.values())
