"""Booting and powering a server that only Intersight reaches: a blade has no BMC address of its own.

The image is mapped in the virtual media policy that the server's profile carries already. `Mappings` is a property that
no spec of ours says, so the policy's own resource does not see it come and go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight.account import Account, account, quoted
from podwright.components.providers.intersight.compare import difference
from podwright.components.providers.intersight.deploy import deploy
from podwright.components.providers.intersight.managed import VALIDATING_PAUSE, VALIDATING_TIMES, Find, passing
from podwright.components.providers.intersight.repeats import Repeats
from podwright.components.providers.intersight.transport import ApiError, UnansweredError
from podwright.components.providers.intersight.workflow import Pace, StoppedWaitingError, staged
from podwright.components.providers.protocol.kind import Context, ProviderError

VOLUME = "podwright-install"
SETTING_SECONDS = 600.0
Host = Mapping[str, Any]
Login = Mapping[str, Any]


async def boot_image(ctx: Context, login: Login, host: Host, url: str) -> None:
    """Map the image at `url`, hand the mapping to the server, start from it once.

    `login`: endpoint, key_id, secret. `host`: name, serial. The server's profile must be ours or anybody's with a
    virtual media policy and a virtual media device in its boot order.
    """
    api = account(ctx, login)
    profile = await _profile(api, host)
    media = await _policy(api, profile, "vmedia.Policy", host)
    order = await _policy(api, profile, "boot.PrecisionPolicy", host)
    devices = [d for d in order.get("BootDevices") or [] if d.get("ObjectType") == "boot.VirtualMedia"]
    if not devices:
        raise ProviderError(f"{host['name']}: the boot order {order.get('Name')!r} has no virtual media device")
    await _map(api, media, [_mapping(url)], host)
    await _hand_over(api, host, ctx)
    await _order(api, host, {"OneTimeBootDevice": devices[0]["Name"], "AdminPowerState": "PowerCycle"}, ctx)


async def eject(ctx: Context, login: Login, host: Host) -> None:
    """Take the mapping away again."""
    api = account(ctx, login)
    media = await _policy(api, await _profile(api, host), "vmedia.Policy", host)
    await _map(api, media, [], host)
    await _hand_over(api, host, ctx)


async def power(ctx: Context, login: Login, host: Host, order: str) -> None:
    """PowerOff, PowerOn, PowerCycle or Reboot, and wait until Intersight has carried it out."""
    await _order(account(ctx, login), host, {"AdminPowerState": order}, ctx)


async def waits_for_reset(ctx: Context, login: Login, host: Host) -> list[str]:
    """What of the server's profile was handed over and waits for a reboot; nothing for a server without a profile."""
    api = account(ctx, login)
    server = await _server(api, host)
    profiles = await api.query("server.Profile", f"AssignedServer.Moid eq {quoted(str(server['Moid']))}")
    changes = [((profile.get("ConfigChanges") or {}).get("Changes") or []) for profile in profiles if staged(profile)]
    return sorted({str(change) for each in changes for change in each or ["its server profile"]})


def _mapping(url: str) -> dict[str, Any]:
    return {
        "ClassId": "vmedia.Mapping",
        "ObjectType": "vmedia.Mapping",
        "VolumeName": VOLUME,
        "DeviceType": "cdd",
        "MountProtocol": url.partition("://")[0],
        "FileLocation": url,
    }


async def _server(api: Account, host: Host) -> dict[str, Any]:
    serial = str(host["serial"])
    found = await api.one("compute.PhysicalSummary", f"Serial eq {quoted(serial)}", f"the server {serial}")
    if found is None:
        raise ProviderError(f"{host['name']}: Intersight knows no server with serial number {serial}; claim it first")
    return found


async def _profile(api: Account, host: Host) -> dict[str, Any]:
    server = await _server(api, host)
    condition = f"AssignedServer.Moid eq {quoted(str(server['Moid']))}"
    found = await api.one("server.Profile", condition, f"the profile of {host['name']}")
    if found is None:
        raise ProviderError(f"{host['name']}: the server {host['serial']} carries no server profile yet")
    return found


async def _policy(api: Account, profile: Mapping[str, Any], kind: str, host: Host) -> dict[str, Any]:
    for ref in profile.get("PolicyBucket") or []:
        if ref.get("ObjectType") == kind:
            found = await api.by_moid(kind, str(ref["Moid"]))
            if found is not None:
                return found
    raise ProviderError(f"{host['name']}: its server profile {profile.get('Name')!r} has no {kind}")


async def _map(api: Account, media: dict[str, Any], mappings: list[dict[str, Any]], host: Host) -> None:
    """Set the mappings; servers of one pool share the policy, so mostly it is done already."""
    what = f"vmedia.Policy {media.get('Name')!r} of {host['name']}"
    repeats = Repeats()
    for _ in range(VALIDATING_TIMES):
        changes = difference("vmedia.Policy", {"Mappings": mappings}, media)
        if not changes:
            return
        try:
            await api.patch(media, changes, what)
        except UnansweredError as lost:
            await repeats.pause(lost)  # read again below
        except ApiError as refused:
            if not passing(refused):
                raise
            await asyncio.sleep(VALIDATING_PAUSE)
        again = await api.by_moid("vmedia.Policy", str(media["Moid"]))
        if again is None:
            raise ProviderError(f"{what} vanished; run again")
        media = again
    raise ProviderError(f"{what} is busy without end; look at its profiles in Intersight")


async def _hand_over(api: Account, host: Host, ctx: Context) -> None:
    find = _finder(api, await _profile(api, host))
    try:
        await deploy(api, find, [], ctx, f"server profile of {host['name']}", restart=False)
    except StoppedWaitingError as stopped:
        raise ProviderError(str(stopped)) from None


def _finder(api: Account, profile: Mapping[str, Any]) -> Find:
    async def find() -> dict[str, Any] | None:
        return await api.by_moid("server.Profile", str(profile["Moid"]))

    return find


async def _order(api: Account, host: Host, order: Mapping[str, Any], ctx: Context) -> None:
    """Give an order to the server's settings object and wait for its end."""
    server = await _server(api, host)
    condition = f"Server.Moid eq {quoted(str(server['Moid']))}"
    what = f"power of {host['name']}"
    pace = Pace(ctx, what, limit=SETTING_SECONDS)
    sent, unanswered, repeats = False, "", Repeats()
    while True:
        setting = await api.one("compute.ServerSetting", condition, f"the settings of {host['name']}")
        if setting is None:
            raise ProviderError(f"{host['name']}: Intersight holds no settings object for the server {host['serial']}")
        state = str(setting.get("ConfigState") or "")
        # An order without an answer arrived when the settings were written since.
        sent = sent or bool(unanswered and unanswered != setting.get("ModTime"))
        if sent and state in {"Applied", "Failed"}:
            if state == "Failed":
                raise ProviderError(f"{host['name']}: Intersight failed to carry out {order['AdminPowerState']}")
            return
        if not sent:
            try:
                await api.patch(setting, order, what)
            except UnansweredError as lost:
                unanswered = str(setting.get("ModTime"))
                await repeats.pause(lost)
                continue
            except ApiError as refused:
                if not passing(refused):
                    raise
                continue
            sent = True
        try:
            await pace.wait()
        except StoppedWaitingError as stopped:
            raise ProviderError(str(stopped)) from None
