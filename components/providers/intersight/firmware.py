"""Whether a server may be brought to another firmware: the site's approval, and what Intersight's hardware
compatibility list (HCL) says of servers of the model that run the version already.

An HCL status speaks of what a server runs. Of a version that no server of the model runs yet there is none: that is
"not checked", which stops nothing and is reported. By the first server of a roll-out the next ones are judged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.bundles import SUMMARY, bundles, plain
from podwright.components.providers.protocol.kind import Context, Failure, ProviderError

KEYS = ("version", "until", "source")
REFUSED = "Not-Listed"
GOOD = "Validated"
STATUS = "cond.HclStatus"


def judge(firmware: Mapping[str, Any]) -> list[Failure]:
    """What is wrong with `firmware` of a profile's spec."""
    where = ("spec", "firmware")
    if sorted(firmware) != sorted(KEYS) or not all(isinstance(each, str) for each in firmware.values()):
        return [Failure(where, f"takes {', '.join(KEYS)}, each a text")]
    try:
        date.fromisoformat(str(firmware["until"]))
    except ValueError:
        return [Failure((*where, "until"), f"must be a day such as 2027-05-01, not {firmware['until']!r}")]
    return []


async def permit(api: Account, spec: Mapping[str, Any], server: Mapping[str, Any], ctx: Context, what: str) -> None:
    """Refuse a version whose approval is over, or that Intersight does not list for the hardware of a server that runs
    it. Nothing is asked of a server that runs it, and of a spec without `firmware`.

    Raises ProviderError with what to do.
    """
    wanted = spec.get("firmware")
    if wanted is None:
        return
    version, until = plain(wanted["version"]), date.fromisoformat(str(wanted["until"]))
    runs = (await _bundles(api, [server], ctx))[str(server.get("Moid"))]
    if runs == version:
        return
    if today() > until:
        raise ProviderError(
            f"{what}: the approval of firmware {version} ({wanted['source']}) ended on {until}, and the server runs "
            f"{runs or 'another'}; renew it in intersight.firmware.approved, or take the version back"
        )
    seen = await _statuses(api, str(server.get("Model") or ""), version, ctx)
    refused = next((each for each in seen if each.get("HardwareStatus") == REFUSED), None)
    if refused is not None:
        raise ProviderError(
            f"{what}: Intersight's hardware compatibility list does not have firmware {version} for this model "
            f"({refused.get('Reason') or 'no reason given'}), as a server that runs it shows; take the version back"
        )
    listed = any(each.get("HardwareStatus") == GOOD for each in seen)
    answer = "validated on a server that runs it" if listed else "not checked, no status of a server that runs it"
    ctx.log(f"firmware {version}: approved until {until}; hardware compatibility {answer}")


def today() -> date:
    """The day by which an approval is judged, in UTC."""
    return datetime.now(tz=UTC).date()


async def _bundles(api: Account, servers: list[Mapping[str, Any]], ctx: Context) -> dict[str, str]:
    """As `bundles`; where the account has no list of what components run, by the controllers' versions alone."""
    try:
        return await bundles(api, servers)
    except ProviderError as unanswered:
        ctx.warn(f"firmware is judged by the version of the management controller alone: {unanswered}")
        return {str(each.get("Moid")): plain(each.get("PackageVersion") or each.get("Firmware")) for each in servers}


async def _statuses(api: Account, model: str, version: str, ctx: Context) -> list[dict[str, Any]]:
    """HCL statuses of the servers of a model that run a version; none where the account has no such list, which is
    reported. A status has the version of the controller, so the bundle is that of the server it is of."""
    try:
        seen, servers = await asyncio.gather(api.where(STATUS, "InvModel", model), api.where(SUMMARY, "Model", model))
    except ProviderError as unanswered:
        ctx.warn(f"hardware compatibility is not checked: {unanswered}")
        return []
    runs = await _bundles(api, list(servers), ctx) if seen else {}
    return [each for each in seen if runs.get(str((each.get("ManagedObject") or {}).get("Moid"))) == version]
