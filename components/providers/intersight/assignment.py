"""Which machine a profile is on: bound, moved off another one first, read back, and left by a profile that goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podwright.components.providers.intersight import ownership
from podwright.components.providers.intersight.account import Account, reference
from podwright.components.providers.intersight.deploy import unassign
from podwright.components.providers.intersight.managed import Desired, Find, Owned, converge, let_go
from podwright.components.providers.intersight.workflow import StoppedWaitingError, settled
from podwright.components.providers.protocol.kind import Context, ProviderError


async def assigned(api: Account, live: Mapping[str, Any], key: str, object_type: str) -> dict[str, Any] | None:
    """The machine that the property `key` of a profile refers to, None for none; `object_type` where it has no type."""
    ref = _reference(live, key)
    if not ref.get("Moid"):
        return None
    if ref.get("Serial"):
        return dict(ref)  # the list of a stack's profiles brings it along
    return await api.by_moid(str(ref.get("ObjectType") or object_type), str(ref["Moid"]))


async def assigned_serial(api: Account, live: Mapping[str, Any], key: str, object_type: str) -> str:
    """The serial number of the machine that a profile is assigned to, empty for none."""
    return str((await assigned(api, live, key, object_type) or {}).get("Serial") or "")


def on_another(live: Mapping[str, Any] | None, machine: Mapping[str, Any], key: str = "AssignedServer") -> bool:
    """True when the profile is on another machine than `machine`."""
    return _reference(live or {}, key).get("Moid") not in (None, machine["Moid"])


def _reference(live: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    ref = live.get(key)
    return ref if isinstance(ref, Mapping) else {}


async def withdraw(api: Account, owned: Owned, ctx: Context) -> dict[str, Any] | None:
    """Take a profile of ours off its machine and delete it. Returns it as it was.

    None where there was none, or where it was left alone, which is warned of: another owner's, or one that existed
    before, which stays on its machine. Raises ProviderError where the user stops.
    """
    live = await owned.find()
    if live is None:
        return None
    kept = owned.adopted or ownership.is_adopted(live)
    if not kept and ownership.is_ours(live, owned.identity, owned.moid):
        try:
            await unassign(api, owned.find, ctx, owned.what)
        except StoppedWaitingError as stopped:
            raise ProviderError(str(stopped)) from None
    if (left := await let_go(api, owned)) is not None:
        ctx.warn(left)
        return None
    return live


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
