"""Booting a machine from an image once: what an installation needs of a BMC."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.redfish.machine import Machine, in_thread, opened

POWER_SECONDS = 300.0
"""How long a machine may take to change its power state; a large one takes a minute to start its self-test."""
LONGEST_PAUSE = 2.0


async def boot_image(ctx: Context, host: Mapping[str, Any], url: str) -> None:
    """Insert the image at `url`, start from it once, and return when the machine is powered on.

    `host`: name, bmc, serial, credential. Doing it twice is harmless as long as nothing was installed yet.
    """
    async with opened(ctx, host, str(host["bmc"])) as machine:
        await in_thread(lambda: machine.insert(url))
        await in_thread(machine.boot_once_from_drive)
        action = "ForceRestart" if await in_thread(machine.power) == "On" else "On"
        await in_thread(lambda: machine.press(action))
        await reached(machine, "On", ctx)


async def booted_from(ctx: Context, host: Mapping[str, Any], url: str) -> bool:
    """True when the machine was started from the image at `url` already: it is on, and the one-shot override is used
    up.
    """
    async with opened(ctx, host, str(host["bmc"])) as machine:
        return await in_thread(
            lambda: machine.power() == "On" and machine.holds(url) and not machine.boots_from_drive()
        )


async def eject(ctx: Context, host: Mapping[str, Any]) -> None:
    """Empty the virtual drive."""
    async with opened(ctx, host, str(host["bmc"])) as machine:
        await in_thread(machine.eject)


async def power_off(ctx: Context, host: Mapping[str, Any]) -> None:
    """Cut the power, if it is on, and wait until it is off."""
    async with opened(ctx, host, str(host["bmc"])) as machine:
        if await in_thread(machine.power) != "Off":
            await in_thread(lambda: machine.press("ForceOff"))
            await reached(machine, "Off", ctx)


async def uuid(ctx: Context, host: Mapping[str, Any]) -> str:
    """The UUID by which an operating system on the machine knows it."""
    async with opened(ctx, host, str(host["bmc"])) as machine:
        return await in_thread(lambda: machine.uuid)


async def restart(ctx: Context, host: Mapping[str, Any]) -> None:
    """Restart the machine through its operating system where the BMC can; the caller has drained it."""
    async with opened(ctx, host, str(host["bmc"])) as machine:
        action = "GracefulRestart" if await in_thread(lambda: machine.offers("GracefulRestart")) else "ForceRestart"
        if await in_thread(machine.power) != "On":
            action = "On"
        await in_thread(lambda: machine.press(action))
        await reached(machine, "On", ctx)


async def waits_for_reset(ctx: Context, host: Mapping[str, Any]) -> dict[str, Any]:
    """BIOS attributes that a reset would put into force."""
    async with opened(ctx, host, str(host["bmc"])) as machine:
        _, waiting = await in_thread(machine.bios)
        return waiting


async def reached(machine: Machine, state: str, ctx: Context) -> None:
    """Wait for a power state. Raises ProviderError when it does not come."""
    until = asyncio.get_running_loop().time() + POWER_SECONDS
    pause = 0.1
    while await in_thread(machine.reported_power) != state:
        if asyncio.get_running_loop().time() > until:
            raise ProviderError(f"{machine.name}: power is not {state} after {POWER_SECONDS:.0f} s")
        ctx.log(f"{machine.name}: waiting for power {state}")
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, LONGEST_PAUSE)
