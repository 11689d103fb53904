"""Orders to a server's settings object (`compute.ServerSetting`): power, and what to boot from once.

An order is written, and some time later a workflow carries it out: `ConfigState` goes from Applied over Applying to
Applied or Failed. Right after the write it may still be the state of the order before. An order has begun once the
state is another, or the object was written since; where nobody saw it begin for a minute, it ended between two looks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.repeats import Repeats
from podwright.components.providers.intersight.transport import ApiError, UnansweredError
from podwright.components.providers.intersight.workflow import Pace, StoppedWaitingError
from podwright.components.providers.protocol.kind import Context, ProviderError

SECONDS = 600.0
"""Until an order that is not carried out is given up."""
BEGINS_WITHIN = 60.0
"""Seconds in which an order has begun, seen or not."""
Host = Mapping[str, Any]


async def order(api: Account, server: Mapping[str, Any], host: Host, values: Mapping[str, Any], ctx: Context) -> None:
    """Give an order and wait for its end. Raises ProviderError when it fails or does not end."""
    what = f"power of {host['name']}"
    pace = Pace(ctx, what, limit=SECONDS)
    try:
        written = await _write(api, server, host, values, pace)
        await _ended(api, server, host, written, values, pace)
    except StoppedWaitingError as stopped:
        raise ProviderError(str(stopped)) from None


async def _write(
    api: Account, server: Mapping[str, Any], host: Host, values: Mapping[str, Any], pace: Pace
) -> dict[str, Any]:
    """The settings as they were right after the order arrived."""
    what, repeats, before = f"power of {host['name']}", Repeats(), None
    while True:
        live = await _look(api, server, host)
        if before is not None and live.get("ModTime") != before:
            return live  # the order that got no answer arrived
        made = await repeats.attempt(api.patch(live, values, what))
        if isinstance(made, UnansweredError):
            before = live.get("ModTime")
        elif isinstance(made, ApiError):
            await pace.wait()
        else:
            # Without the object as answer, what stands now is what its beginning is compared with.
            return made if made.get("ModTime") else await _look(api, server, host)


async def _ended(
    api: Account,
    server: Mapping[str, Any],
    host: Host,
    written: Mapping[str, Any],
    values: Mapping[str, Any],
    pace: Pace,
) -> None:
    clock = asyncio.get_running_loop().time
    unseen_until, live, begun = clock() + BEGINS_WITHIN, written, False
    while True:
        state = str(live.get("ConfigState") or "")
        begun = begun or state == "Applying" or live.get("ModTime") != written.get("ModTime") or clock() > unseen_until
        if begun and state == "Failed":
            raise ProviderError(f"{host['name']}: Intersight failed to carry out {values['AdminPowerState']}")
        if begun and state == "Applied":
            return
        await pace.wait()
        live = await _look(api, server, host)


async def _look(api: Account, server: Mapping[str, Any], host: Host) -> dict[str, Any]:
    what = f"the settings of {host['name']}"
    found = await api.only("compute.ServerSetting", "Server.Moid", str(server["Moid"]), what)
    if found is None:
        raise ProviderError(f"{host['name']}: Intersight holds no settings object for the server {host['serial']}")
    return found
