"""Staging BIOS settings on a machine that may be in its self-test, when the BIOS holds them itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.redfish.machine import BusyError, Machine, in_thread

LOCKED_SECONDS = 900.0
"""The self-test of a server with terabytes of memory takes up to a quarter of an hour."""
PAUSE = 5.0


async def staged(machine: Machine, attributes: Mapping[str, Any], ctx: Context) -> None:
    """Stage `attributes`, as the machine spells them, as soon as it takes them. Raises ProviderError if it does not."""
    clock = asyncio.get_running_loop()
    until = clock.time() + LOCKED_SECONDS
    while True:
        try:
            await in_thread(lambda: machine.stage_bios(attributes))
        except BusyError as busy:
            if clock.time() > until:
                raise ProviderError(
                    f"{machine.name}: its BMC took no BIOS settings for {LOCKED_SECONDS / 60:.0f} minutes: {busy}; "
                    "look at its console whether it hangs in its self-test, then run again"
                ) from None
            ctx.stop_here(f"staging BIOS attributes on {machine.name}")
            ctx.log(f"{machine.name}: its BIOS settings are locked, as while it starts; waiting")
            await asyncio.sleep(PAUSE)
        else:
            return
