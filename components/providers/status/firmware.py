"""Which firmware bundle each server of an Intersight account runs, and what the compatibility list has of it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podwright.components.providers.intersight.account import Account, account
from podwright.components.providers.intersight.bundles import SUMMARY, bundles
from podwright.components.providers.intersight.firmware import STATUS
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.reach import Reach, SecretNotFoundError


@dataclass(frozen=True)
class FirmwareSeen:
    """By serial number: what runs, empty where nothing tells, and the HCL status of the hardware. A server that is in
    neither is not known. `problem` says why nothing was asked."""

    runs: Mapping[str, str] = field(default_factory=dict)
    listed: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


async def look(login: Mapping[str, Any], serials: Sequence[str], reach: Reach, seconds: float) -> FirmwareSeen:
    """Read servers of an account: `login` has endpoint, key_id and secret (its name)."""
    if not serials:
        return FirmwareSeen()
    try:
        async with asyncio.timeout(seconds):
            return await _read(account(Context(config={"credentials": dict(login)}, reach=reach)), serials)
    except TimeoutError:
        return FirmwareSeen(problem=f"{login['endpoint']} has not answered within {seconds:.0f} s")
    except (ProviderError, SecretNotFoundError) as unanswered:
        return FirmwareSeen(problem=str(unanswered))


async def _read(api: Account, serials: Sequence[str]) -> FirmwareSeen:
    found = await asyncio.gather(*(api.where(SUMMARY, "Serial", each) for each in serials))
    servers = {str(each[0]["Moid"]): each[0] for each in found if each}
    runs = await bundles(api, servers.values())
    try:
        statuses = await asyncio.gather(*(api.where(STATUS, "ManagedObject.Moid", moid) for moid in servers))
    except ProviderError:
        statuses = []  # an older appliance has no such list: not checked
    listed = {
        str(servers[str(each["ManagedObject"]["Moid"])]["Serial"]): str(each.get("HardwareStatus") or "")
        for status in statuses
        for each in status
    }
    return FirmwareSeen({str(servers[moid]["Serial"]): version for moid, version in runs.items()}, listed)
