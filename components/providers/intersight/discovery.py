"""The machine behind a serial number or in a place, waited for while Intersight discovers it.

A blade is known some 10 to 30 minutes after its domain's server ports came up: chassis first, then each slot. A rack
server without Fabric Interconnects is claimed by a person, so there is nothing to wait for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from podwright.components.providers.intersight import equipment, leaving, places
from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.workflow import Pace, StoppedWaitingError
from podwright.components.providers.protocol.kind import Context, ProviderError

PROFILE = "server.Profile"
DISCOVERY_SECONDS = 45 * 60.0
"""How long a blade is waited for; a resource's own create timeout (customTimeouts) comes before it."""
LONGEST_PAUSE = 32.0
"""Between looks: 64 blades that are waited for at once ask twice a second, all together."""
UNDER_WAY, BROKEN = "DiscoveryInProgress", "DiscoveryFailed"
"""Of `compute.PhysicalSummary.Lifecycle`."""


Look = Callable[[], Awaitable[dict[str, Any] | None]]


async def find_server(api: Account, spec: Mapping[str, Any], ctx: Context, what: str) -> dict[str, Any]:
    """The machine with the spec's serial number, or in its place, once it is discovered.

    Raises ProviderError when it is absent, stays undiscovered, is another model, or is taken.
    """
    serial = str(spec["serial"])
    found = await places.summary(api, serial)
    out = found is None or found.get("Lifecycle") in leaving.OUT
    if spec["target_platform"] == "FIAttached" and out and await leaving.back(api, spec, ctx, what):
        found = await places.summary(api, serial)
    if spec["target_platform"] == "FIAttached" and _missing(found):
        found = await _discovered(api, serial, ctx, what)
    if found is None:
        raise ProviderError(f"Intersight knows no server with serial number {serial}; claim it first")
    serial = str(found["Serial"])
    if found.get("Lifecycle") == BROKEN:
        raise ProviderError(
            f"{what}: Intersight failed to discover the server {serial}; decommission and recommission it there, then "
            "run again"
        )
    model = str(found.get("Model") or "")
    if model != spec["model"]:
        raise ProviderError(f"the server {serial} is a {model}, the spec for {spec['name']} says {spec['model']}")
    others = await api.where(PROFILE, "AssignedServer.Moid", str(found["Moid"]))
    for other in others:
        if other.get("Name") != spec["name"]:
            raise ProviderError(
                f"the server {serial} already carries the server profile {other.get('Name')!r}; unassign that first"
            )
    return found


async def find_chassis(api: Account, spec: Mapping[str, Any], ctx: Context, what: str) -> dict[str, Any]:
    """The chassis with the spec's serial number, once Intersight has found it behind its interconnects.

    Raises ProviderError when it stays unknown, is another model, or is taken.
    """
    serial, name = str(spec["serial"]), f"the chassis {spec['serial']}"

    async def look() -> dict[str, Any] | None:
        return await api.only("equipment.Chassis", "Serial", serial, name)

    found = await look() or await _waited(look, ("chassis", serial), "that it", ctx, what)
    model = str(found.get("Model") or "")
    if model != spec["model"]:
        raise ProviderError(f"{name} is a {model}, the spec for {spec['name']} says {spec['model']}")
    for other in await api.where("chassis.Profile", "AssignedChassis.Moid", str(found["Moid"])):
        if other.get("Name") != spec["name"]:
            raise ProviderError(
                f"{name} already carries the chassis profile {other.get('Name')!r}; unassign that first"
            )
    return found


def _missing(found: Mapping[str, Any] | None) -> bool:
    return found is None or found.get("Lifecycle") == UNDER_WAY


async def _discovered(api: Account, serial: str, ctx: Context, what: str) -> dict[str, Any]:
    async def look() -> dict[str, Any] | None:
        found = await places.summary(api, serial)
        own = await places.serial_of(api, serial) if found is None else None
        waiting = await equipment.identity(api, own) if own else None
        if waiting is None or waiting.get("Lifecycle") != equipment.WAITS:
            return found
        await equipment.make_way(api, waiting, ctx, what)
        return await places.summary(api, serial)

    return await _waited(look, places.words(serial), "that its chassis", ctx, what)


async def _waited(look: Look, sought: tuple[str, str], cabled: str, ctx: Context, what: str) -> dict[str, Any]:
    """What `look` finds once it is there and discovered: kind and serial number (or place) of what is `sought`, and
    which machine is `cabled` to the interconnects. Raises ProviderError after the limit."""
    limit = ctx.timeout or DISCOVERY_SECONDS
    pace = Pace(ctx, what, limit=limit, longest=LONGEST_PAUSE)
    clock = asyncio.get_running_loop().time
    began = clock()
    while True:
        found = await look()
        if found is not None and not _missing(found):
            return found
        kind, serial = sought
        state = f"is discovering the {kind} {serial}" if found else f"has not found a {kind} {serial} yet"
        minutes = int((clock() - began) / 60)
        ctx.log(f"{what}: Intersight {state}, {minutes} of at most {limit / 60:.0f} minutes")
        try:
            await pace.wait()
        except StoppedWaitingError:
            raise _undiscovered(sought, cabled, ctx, what, limit) from None


def _undiscovered(sought: tuple[str, str], cabled: str, ctx: Context, what: str, limit: float) -> ProviderError:
    kind, serial = sought
    if ctx.cancel.is_set():
        return ProviderError(f"{what}: stopped waiting for the {kind} {serial} to be discovered, as asked; run again")
    named, check = (serial, "slot") if kind == places.BLADE else (f"with serial number {serial}", "serial number")
    return ProviderError(
        f"{what}: Intersight discovered no {kind} {named} within {limit / 60:.0f} minutes; check "
        f"the {check}, {cabled} is on the domain's server_ports and that these links are up; then run again"
    )
