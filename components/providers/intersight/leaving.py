"""A machine in its place behind interconnects, taken out of service and put back where its profile's spec says so.

SDK, compute.BladeIdentity and compute.RackUnitIdentity: AdminAction Decommission and Recommission, Lifecycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.equipment import LEFT, identity
from podwright.components.providers.intersight.places import serial_of
from podwright.components.providers.intersight.repeats import Repeats
from podwright.components.providers.intersight.transport import ApiError
from podwright.components.providers.intersight.workflow import Pace, StoppedWaitingError
from podwright.components.providers.protocol.kind import Context, Failure, ProviderError

KEY, DECOMMISSION = "leave", "decommission"
OUT = frozenset({"Decommissioned", "DecommissionedForRemove"})
"""Lifecycles of a machine that is in its place and out of service."""
ORDER_SECONDS = 1800.0
"""For decommissioning and recommissioning; the discovery after the latter has a limit of its own."""


def judge(spec: Mapping[str, Any]) -> list[Failure]:
    """What is wrong with `leave` of a profile's spec."""
    given, where = spec.get(KEY, DECOMMISSION), ("spec", KEY)
    if given != DECOMMISSION:
        return [Failure(where, f"must be {DECOMMISSION}, not {given!r}")]
    if KEY in spec and spec["target_platform"] != "FIAttached":
        words = "is for servers behind Fabric Interconnects; one that stands by itself has a target, which a person "
        return [Failure(where, words + "deletes")]
    return []


async def out_of_service(api: Account, spec: Mapping[str, Any], ctx: Context, what: str) -> None:
    """Decommission the machine of a profile that is gone.

    Raises ProviderError for one that carries another profile, and where Intersight does not do it.
    """
    serial = await serial_of(api, str(spec["serial"])) or str(spec["serial"])
    one = await identity(api, serial)
    if one is None:
        ctx.log(f"{what}: Intersight lists no server {serial} behind interconnects; nothing to decommission")
        return
    if one.get("Lifecycle") in OUT | LEFT:
        return
    machine = await api.only("compute.PhysicalSummary", "Serial", serial, f"the server {serial}")
    for holder in await api.where("server.Profile", "AssignedServer.Moid", str(machine["Moid"])) if machine else ():
        raise ProviderError(
            f"{what}: the server {serial} carries the server profile {holder.get('Name')!r}; it is not decommissioned "
            "under it. Unassign that first, or decommission it in Intersight"
        )
    ctx.log(f"{what}: taking the server {serial} out of service (decommission)")
    await _ordered(api, one, "Decommission", ctx, what)


async def back(api: Account, spec: Mapping[str, Any], ctx: Context, what: str) -> bool:
    """Recommission a machine that is out of service, where its spec says so; False for one that is in service.

    Raises ProviderError for one that somebody else took out.
    """
    serial = await serial_of(api, str(spec["serial"])) or str(spec["serial"])
    one = await identity(api, serial)
    if one is None or one.get("Lifecycle") not in OUT:
        return False
    if KEY not in spec:
        raise ProviderError(
            f"{what}: the server {serial} is decommissioned; recommission it in Intersight, or write "
            "`leave: decommission` for it, and podwright does so when it joins; then run again"
        )
    ctx.log(f"{what}: putting the server {serial} back into service (recommission); it is discovered anew")
    await _ordered(api, one, "Recommission", ctx, what)
    return True


async def _ordered(api: Account, one: Mapping[str, Any], action: str, ctx: Context, what: str) -> None:
    """Order an action and wait until it is through. Without an answer it is looked up whether the order arrived."""
    kind, moid, serial, word = str(one["ObjectType"]), str(one["Moid"]), str(one.get("Serial")), action.lower()
    ctx.stop_here(f"{word} of the server {serial}")
    pace, repeats, ordered = Pace(ctx, what, limit=ORDER_SECONDS), Repeats(), False
    while (now := await api.by_moid(kind, moid)) is not None:
        life, state = str(now.get("Lifecycle")), now.get("AdminActionState")
        if life in OUT if action == "Decommission" else life not in OUT | {f"{action}InProgress"}:
            return
        if ordered and state == "Failed":
            raise ProviderError(
                f"{what}: Intersight did not {word} the server {serial}; look at its requests, do it there, then "
                "run again"
            )
        if state == "Applying":
            ordered = True
        elif not ordered:
            try:
                made = await repeats.attempt(api.patch(now, {"AdminAction": action}, f"the server {serial}", word))
                ordered = not isinstance(made, ProviderError)
            except ApiError:
                then = await api.by_moid(kind, moid)  # somebody else may have ordered it
                if then is None or then.get("AdminActionState") != "Applying":
                    raise
        try:
            await pace.wait()
        except StoppedWaitingError as stopped:
            raise ProviderError(str(stopped)) from None
