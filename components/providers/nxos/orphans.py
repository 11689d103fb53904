"""Switches that carry a stack's mark although its state has them no more."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from podwright.components.providers.nxos.pool import Pool
from podwright.components.providers.nxos.session import Address
from podwright.components.providers.nxos.write.ownership import mark_of
from podwright.components.providers.nxos.write.push import Push
from podwright.components.providers.protocol.kind import Context, ProviderError


async def orphans(switches: Mapping[str, Mapping[str, str]], ctx: Context) -> list[str]:
    """One sentence for each switch with this stack's mark, and for each that cannot be asked."""
    pool = Pool()
    try:
        found = await asyncio.gather(*(_marked(pool, name, switches[name], ctx) for name in sorted(switches)))
    finally:
        await pool.close()
    return [sentence for sentence in found if sentence]


async def _marked(pool: Pool, name: str, switch: Mapping[str, str], ctx: Context) -> str:
    user = str((ctx.config.get("credentials") or {}).get("user") or "")
    try:
        address = Address(name, switch["management"], user, ctx.secret(switch["credential"]))
        async with pool.terminal(address, ctx) as terminal:
            push = Push(terminal, ctx)
            mark = mark_of(await push.read())
    except ProviderError as silent:
        return f"switch {name} cannot be asked: {silent}"
    if mark.identity == ctx.identity:
        return f"switch {name} carries this stack's configuration"
    left = [each.line for each in push.writers if each.identity == ctx.identity]
    return f"switch {name} carries the line {left[0]!r} of a run of this stack" if left else ""
