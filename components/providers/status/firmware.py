"""Which firmware bundle each server of an Intersight account runs, and what the compatibility list has of it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podwright.components.providers.intersight import places
from podwright.components.providers.intersight.account import Account, account
from podwright.components.providers.intersight.bundles import bundles
from podwright.components.providers.intersight.firmware import STATUS
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.reach import Reach, SecretNotFoundError


@dataclass(frozen=True)
class FirmwareSeen:
    """By serial number or slot: what runs, empty where nothing tells, and the HCL status of the hardware. A server that
    is in neither is not known. `problem` says why nothing was asked."""

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
    found = await asyncio.gather(*(places.summary(api, each) for each in serials))
    named = {str(each["Moid"]): serial for serial, each in zip(serials, found, strict=True) if each}
    servers = {str(each["Moid"]): each for each in found if each}
    runs = await bundles(api, servers.values())
    try:
        statuses = await asyncio.gather(*(api.where(STATUS, "ManagedObject.Moid", moid) for moid in servers))
    except ProviderError:
        statuses = []  # an older appliance has no such list: not checked
    listed = {
        named[str(each["ManagedObject"]["Moid"])]: str(each.get("HardwareStatus") or "")
        for status in statuses
        for each in status
    }
    return FirmwareSeen({named[moid]: version for moid, version in runs.items()}, listed)
