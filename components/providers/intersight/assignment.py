"""Which machine a server profile is on: bound, moved off another one first, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podwright.components.providers.intersight.account import Account, reference
from podwright.components.providers.intersight.deploy import unassign
from podwright.components.providers.intersight.managed import Desired, Find, converge
from podwright.components.providers.intersight.workflow import settled
from podwright.components.providers.protocol.kind import Context


async def assigned_server(api: Account, live: Mapping[str, Any]) -> dict[str, Any] | None:
    """The machine that a profile is assigned to, None for none."""
    ref = live.get("AssignedServer")
    if not isinstance(ref, Mapping) or not ref.get("Moid"):
        return None
    if ref.get("Serial"):
        return dict(ref)  # the list of a stack's profiles brings it along
    return await api.by_moid(str(ref.get("ObjectType") or "compute.RackUnit"), str(ref["Moid"]))


def on_another(live: Mapping[str, Any] | None, server: Mapping[str, Any]) -> bool:
    """True when the profile is on another machine than `server`."""
    current = (live or {}).get("AssignedServer")
    return isinstance(current, Mapping) and current.get("Moid") not in (None, server["Moid"])


async def leave(api: Account, find: Find, what: str, server: Mapping[str, Any], ctx: Context) -> dict[str, Any]:
    """Take the profile off a machine that is another one than `server`; returns the profile."""
    live = await settled(find, ctx, what)
    if on_another(live, server):
        ctx.log(f"{what} leaves another server first")
        await unassign(api, find, ctx, what)
        live = await settled(find, ctx, what)
    return live


async def assign(
    api: Account,
    find: Find,
    desired: Desired,
    server: Mapping[str, Any],
    family: Mapping[str, str],
    ctx: Context,
) -> dict[str, Any]:
    """Bind the profile to the machine; off another one first, and only then of the new one's family."""
    # The summary names the physical object: a reference to the summary itself is refused.
    target = {"ObjectType": server["SourceObjectType"], "Moid": server["Moid"]}
    live = await leave(api, find, desired.what, server, ctx)
    owned = dict(desired.owned) | dict(family) | {"AssignedServer": reference(target), "ServerAssignmentMode": "Static"}
    known = replace(desired, owned=owned, adopt=False, late=frozenset())
    # Looked up after the bucket was written: what Intersight left out of it is written again here.
    return await converge(api, known, live)
