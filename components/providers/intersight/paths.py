"""Paths of a domain's servers through its interconnects: the one is touched only while the other carries them all.

A vNIC has a virtual interface on each interconnect that may carry it (`network.Vethernet`), which is down while the
interconnect does not reach the server, or none of its uplinks is up. What is up through the interconnect that is next
must be up through the other one too: that holds whatever was done before, and by whom.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.listing import quoted
from podwright.components.providers.intersight.workflow import Pace, StoppedWaitingError
from podwright.components.providers.protocol.kind import Context, ProviderError

PATH_SECONDS = 15 * 60.0
"""How long paths may take to come back: port channels and chassis modules need minutes after a deployment."""
LONGEST_PAUSE = 15.0
_FEW = 6
Live = Mapping[str, Any]


async def carried_by_the_other(
    api: Account, elements: Mapping[str, Live], fabric: str, ctx: Context, what: str
) -> None:
    """Wait until every server with a path up through `fabric` has one up through the other interconnect.

    `elements`: `network.Element` by fabric. Raises ProviderError with the servers and ports that keep it from going
    on: nothing of `fabric` was touched then.
    """
    (other,) = set(elements) - {fabric}
    pace = Pace(ctx, what, limit=PATH_SECONDS, longest=LONGEST_PAUSE)
    while True:
        missing = await _missing(api, elements[fabric], elements[other])
        if not missing:
            return
        ctx.log(f"{what}: waits for paths through fabric {other}: {_some(missing)}")
        try:
            await pace.wait()
        except StoppedWaitingError:
            ports = await _ports_down(api, elements[other])
            asked = " (stopped waiting as asked)" if ctx.cancel.is_set() else ""
            raise ProviderError(
                f"{what} was left alone{asked}: through fabric {other} these are not up, and would lose their last "
                f"path: {_some(missing)}{ports}. Mend fabric {other}, then run again"
            ) from None


async def _missing(api: Account, here: Live, other: Live) -> list[str]:
    """Servers that this interconnect carries and the other one, which has interfaces of theirs, does not; sorted."""
    own, others = await asyncio.gather(_interfaces(api, here), _interfaces(api, other))
    at_stake = {server for server, name, state in own if state == "up"}
    down = {(server, name) for server, name, state in others if state != "up" and server in at_stake}
    names = {server: await _named(api, server) for server in {server for server, _ in down}}
    return sorted(f"{names[server]} {name}" for server, name in down)


async def _interfaces(api: Account, element: Live) -> list[tuple[str, str, str]]:
    """Adapter's moid, name of the vNIC, state of its virtual interface on this interconnect."""
    found = await api.query(
        "network.Vethernet",
        f"NetworkElement.Moid eq {quoted(str(element['Moid']))}",
        "AdapterHostEthInterface($select=Name,AdapterUnit)",
    )
    listed = ((each.get("AdapterHostEthInterface") or {}, str(each.get("OperState") or "").lower()) for each in found)
    return [(_moid(vnic.get("AdapterUnit")), str(vnic.get("Name") or "?"), state) for vnic, state in listed]


def _moid(ref: Any) -> str:
    return str(ref.get("Moid") or "") if isinstance(ref, Mapping) else ""


async def _named(api: Account, adapter: str) -> str:
    """What people call the server that an adapter is in: its profile's name, else Intersight's own."""
    found = await api.by_moid("adapter.Unit", adapter) if adapter else None
    server = (found or {}).get("ComputeBlade") or (found or {}).get("ComputeRackUnit")
    if not (moid := _moid(server)):
        return "a server"
    profiles = await api.query("server.Profile", f"AssignedServer.Moid eq {quoted(moid)}")
    if profiles:
        return str(profiles[0]["Name"])
    summary = await api.by_moid("compute.PhysicalSummary", moid)
    return str((summary or {}).get("Name") or moid)


async def _ports_down(api: Account, element: Live) -> str:
    """Ports of an interconnect that have a role and no link, as the end of a sentence."""
    device, fabric = _moid(element.get("RegisteredDevice")), str(element.get("SwitchId") or "")
    condition = f"RegisteredDevice.Moid eq {quoted(device)} and SwitchId eq {quoted(fabric)}"
    ports = await api.query("ether.PhysicalPort", condition)
    down = [
        f"{each.get('SlotId')}/{each.get('PortId')} ({str(each.get('Role')).lower()})"
        for each in ports
        if str(each.get("OperState")).lower() != "up"
        and str(each.get("Role") or "unknown").lower() not in ("unknown", "unconfigured")
    ]
    return f"; ports of {fabric} without a link: {_some(sorted(down))}" if down else ""


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - _FEW
    return ", ".join(listed[:_FEW]) + (f" and {more} more" if more > 0 else "")
