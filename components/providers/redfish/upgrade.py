"""New firmware for a server behind a controller of its own, as a roll-out brings it to a drained node.

The controller fetches the image (UpdateService.SimpleUpdate) or is sent it (MultipartHttpPushUri); which, it says
itself. Nothing is to restart by itself where it takes `@Redfish.OperationApplyTime`: the restart is the roll-out's.
What came of it is read from its inventory, never from a task: a controller that restarts for its own part forgets its
tasks. DMTF DSP0266 and DSP0268; https://www.dmtf.org/dsp/DSP0268.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import IO, Any

from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.redfish import firmware, image, orders
from podwright.components.providers.redfish.machine import BusyError, Machine, in_thread, opened

UPDATE_SECONDS = 90 * 60.0
"""One image. NVIDIA's guides for HGX baseboards speak of up to an hour for all their parts."""
AWAY_SECONDS = 15 * 60.0
"""A controller that restarts for new firmware is back after two to ten minutes."""
PAUSE = 10.0

Node = Mapping[str, Any]


class UnderWayError(ProviderError):
    """The wait is over and the controller goes on by itself; the message says what to do."""


async def waits(ctx: Context, node: Node) -> list[str]:
    """What a roll-out would bring, component by component. Raises ProviderError when the approval is over."""
    wanted = node.get("firmware") or {}
    if not wanted.get("images"):
        return []
    differing = _missing(wanted, await _running(ctx, node))
    if differing and datetime.now(tz=UTC).date() > date.fromisoformat(wanted["until"]):
        raise ProviderError(
            f"{node['name']}: the approval of firmware {wanted['version']} ({wanted['source']}) ended on "
            f"{wanted['until']}, and the server runs another; renew it in bmc.firmware.approved, or take the version "
            "back"
        )
    return [f"firmware {key} {old} to {wanted['components'][key]}" for key, old in differing.items()]


async def bring(ctx: Context, node: Node) -> None:
    """Hand over each image of a component that runs another version. The caller has drained the node, and restarts the
    machine afterwards. Raises ProviderError with what to do; the machine then runs on as it did."""
    if not await waits(ctx, node):
        return
    wanted, name = node["firmware"], str(node["name"])
    ctx.log(
        f"{name}: firmware {wanted['version']}, approved until {wanted['until']} ({wanted['source']}); hardware "
        "compatibility is not checked, no list has this model"
    )
    for each in wanted["images"]:
        if not set(each["components"]) & set(_missing(wanted, await _running(ctx, node))):
            continue
        ctx.stop_here(f"sending {each['url']} to {name}")
        with image.approved(name, each, ctx.reach) as file:
            ctx.log(f"{name}: {each['url']} is the approved image")
            await _update(ctx, node, str(each["url"]), file)
        await _answering(ctx, node)


async def verify(ctx: Context, node: Node) -> None:
    """What runs after the restart. A controller that waits for a restart of its own is given one.

    Raises ProviderError for components that still run another version.
    """
    wanted = node.get("firmware") or {}
    if not wanted.get("images"):
        return
    await _answering(ctx, node)
    if _missing(wanted, await _running(ctx, node)) and await _controller_restarted(ctx, node):
        await _answering(ctx, node)
    running = await _running(ctx, node)
    if _missing(wanted, running):
        (first, *_) = firmware.sentences(str(node["name"]), wanted, running)
        raise ProviderError(
            f"{first}, after its images were taken and it was restarted. Run again to bring them once more; if that "
            "does not help, its parts may need its power supplies unplugged, or the components of the approval are not "
            "those of its images"
        )


def _missing(wanted: Mapping[str, Any], running: Mapping[str, str]) -> dict[str, str]:
    """What components run that differ and that an image brings."""
    able = {each for one in wanted["images"] for each in one["components"]}
    return {key: old for key, old in firmware.differing(wanted["components"], running).items() if key in able}


# --- one update -------------------------------------------------------------------------------------------------------


async def _update(ctx: Context, node: Node, url: str, file: IO[bytes]) -> None:
    """Order one image and wait for the end of its task."""
    name, clock = str(node["name"]), asyncio.get_running_loop()
    end = clock.time() + UPDATE_SECONDS
    place = await _ordered(ctx, node, url, file, end)
    shown = ""
    while place:
        await _pause(ctx, name)
        try:
            async with opened(ctx, node, str(node["bmc"])) as machine:
                state = await in_thread(lambda: orders.followed(machine, place))
        except ProviderError as silent:
            state = orders.State(f"not answering ({silent})")
        if state.failure:
            raise ProviderError(f"{name}: {url} was not installed: {state.failure}; nothing was restarted")
        if state.over:
            return
        if state.word != shown:
            shown = state.word
            ctx.log(f"{name}: firmware: {shown}")
        if clock.time() > end:
            raise UnderWayError(
                f"{name}: the task of {url} is still {shown} after {UPDATE_SECONDS / 60:g} minutes; look at "
                f"{place} on its controller, then run again"
            )


async def _ordered(ctx: Context, node: Node, url: str, file: IO[bytes], end: float) -> str:
    """Where the task is followed; empty where there is none. A controller that is busy is asked again."""
    name, clock = str(node["name"]), asyncio.get_running_loop()
    while True:
        try:
            async with opened(ctx, node, str(node["bmc"])) as machine:
                return await in_thread(lambda: _order(machine, url, file))
        except BusyError as busy:
            if clock.time() > end:
                raise ProviderError(f"{name}: its controller takes no firmware: {busy}") from None
            ctx.log(f"{name}: its controller is busy ({busy}); waiting")
            await _pause(ctx, name)


def _order(machine: Machine, url: str, file: IO[bytes]) -> str:
    offer = orders.offered(machine)
    parameters: dict[str, Any] = {"@Redfish.OperationApplyTime": "OnReset"} if "OnReset" in offer.times else {}
    if offer.simple:
        protocol = {"TransferProtocol": url.partition(":")[0].upper()} if offer.protocols else {}
        return orders.pulled(machine, offer, {"ImageURI": url, **protocol, **parameters})
    return orders.pushed(machine, offer, image.Form(json.dumps(parameters), file))


# --- the controller ---------------------------------------------------------------------------------------------------


async def _running(ctx: Context, node: Node) -> dict[str, str]:
    async with opened(ctx, node, str(node["bmc"])) as machine:
        return await in_thread(lambda: machine.firmware(node["firmware"]["components"]))


async def _controller_restarted(ctx: Context, node: Node) -> bool:
    """True when the controller was restarted by order; False where it takes none."""
    async with opened(ctx, node, str(node["bmc"])) as machine:
        if not await in_thread(lambda: orders.restarted(machine)):
            return False
    ctx.log(f"{node['name']}: its controller restarts for its own firmware; the machine runs on")
    await _pause(ctx, str(node["name"]))
    return True


async def _answering(ctx: Context, node: Node) -> None:
    """Wait until the controller answers twice in a row: one that is about to restart still answers once."""
    name, clock = str(node["name"]), asyncio.get_running_loop()
    end, answered = clock.time() + AWAY_SECONDS, 0
    while answered < 2:
        await _pause(ctx, name)
        try:
            await _running(ctx, node)
            answered += 1
        except ProviderError as silent:
            answered = 0
            if clock.time() > end:
                raise ProviderError(
                    f"{name}: its controller has not come back for {AWAY_SECONDS / 60:g} minutes after new firmware: "
                    f"{silent}; look at it on site, then run again"
                ) from None
            ctx.log(f"{name}: waiting for its controller to answer again")


async def _pause(ctx: Context, name: str) -> None:
    """Raises ProviderError when the user asked to stop; an update goes on by itself."""
    try:
        await asyncio.wait_for(ctx.cancel.wait(), PAUSE)
    except TimeoutError:
        return
    raise UnderWayError(f"{name}: stopped waiting for its firmware, as asked; its controller goes on, run again")
