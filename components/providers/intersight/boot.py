"""Booting and powering a server that only Intersight reaches: a blade has no BMC address of its own.

The image is mapped in a virtual media policy of the server's own, which is in its profile while it installs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight import media, places, settings
from podwright.components.providers.intersight.account import Account, account
from podwright.components.providers.intersight.deploy import REBOOT, deploy
from podwright.components.providers.intersight.managed import Find
from podwright.components.providers.intersight.restarts import Restart
from podwright.components.providers.intersight.workflow import StoppedWaitingError, staged
from podwright.components.providers.protocol.kind import Context, ProviderError

BOOT_ORDER = "boot.PrecisionPolicy"
Host = Mapping[str, Any]
Login = Mapping[str, Any]


async def boot_image(ctx: Context, login: Login, host: Host, url: str) -> None:
    """Put the image at `url` into the server's profile, bring the profile into force, start from the image once.

    `login`: endpoint, key_id, secret. `host`: name, serial. The server's profile must have a virtual media device in
    its boot order. An empty server was never started with it: a one-time boot device is one of the boot order in
    force, so everything staged is activated first. Nothing runs on a server that is being installed.
    """
    api = account(ctx, login)
    profile = await _profile(api, host)
    order = await _boot_order(api, profile, host)
    devices = [d for d in order.get("BootDevices") or [] if d.get("ObjectType") == "boot.VirtualMedia"]
    if not devices:
        raise ProviderError(f"{host['name']}: the boot order {order.get('Name')!r} has no virtual media device")
    find = _finder(api, profile)
    await media.insert(api, ctx, find, url)
    await _hand_over(api, find, host, ctx, restart=Restart.NOW)
    await settings.order(
        api,
        await _server(api, host),
        host,
        {"OneTimeBootDevice": devices[0]["Name"], "AdminPowerState": "PowerCycle"},
        ctx,
    )


async def eject(ctx: Context, login: Login, host: Host) -> None:
    """Take the image out of the server's profile again."""
    api = account(ctx, login)
    profile = await _profile(api, host)
    find = _finder(api, profile)
    await media.remove(api, ctx, find)
    await _hand_over(api, find, host, ctx, restart=Restart.WAITS)
    await media.discard(api, ctx, profile)


async def power(ctx: Context, login: Login, host: Host, order: str) -> None:
    """PowerOff, PowerOn, PowerCycle or Reboot, and wait until Intersight has carried it out."""
    api = account(ctx, login)
    await settings.order(api, await _server(api, host), host, {"AdminPowerState": order}, ctx)


async def restart(ctx: Context, login: Login, host: Host) -> None:
    """Restart it, or start it where it is off, as after a lost supply of power: a reboot order starts nothing."""
    api = account(ctx, login)
    server = await _server(api, host)
    order = "PowerOn" if server.get("OperPowerState") == "off" else "Reboot"
    await settings.order(api, server, host, {"AdminPowerState": order}, ctx)


async def uuids(ctx: Context, login: Login, host: Host) -> list[str]:
    """The UUIDs by which an operating system on the server may know it: its own, and the one its profile gives it."""
    server = await _server(account(ctx, login), host)
    return sorted({str(server[key]) for key in ("HardwareUuid", "Uuid") if server.get(key)})


async def waits_for_reset(ctx: Context, login: Login, host: Host) -> list[str]:
    """What of the server's profile was handed over and waits for a reboot; nothing for a server without a profile."""
    api = account(ctx, login)
    server = await _server(api, host)
    profiles = await api.where("server.Profile", "AssignedServer.Moid", str(server["Moid"]))
    changes = [((profile.get("ConfigChanges") or {}).get("Changes") or []) for profile in profiles if staged(profile)]
    return sorted({str(change) for each in changes for change in each or ["its server profile"]})


async def _server(api: Account, host: Host) -> dict[str, Any]:
    serial = str(host["serial"])
    found = await places.summary(api, serial)
    if found is None:
        if places.is_place(serial):
            raise ProviderError(f"{host['name']}: Intersight knows no {' '.join(places.words(serial))}")
        raise ProviderError(f"{host['name']}: Intersight knows no server with serial number {serial}; claim it first")
    return found


async def _profile(api: Account, host: Host) -> dict[str, Any]:
    server = await _server(api, host)
    what = f"the profile of {host['name']}"
    found = await api.only("server.Profile", "AssignedServer.Moid", str(server["Moid"]), what)
    if found is None:
        raise ProviderError(f"{host['name']}: the server {host['serial']} carries no server profile yet")
    return found


async def _boot_order(api: Account, profile: Mapping[str, Any], host: Host) -> dict[str, Any]:
    for ref in profile.get("PolicyBucket") or []:
        if ref.get("ObjectType") == BOOT_ORDER:
            found = await api.by_moid(BOOT_ORDER, str(ref["Moid"]))
            if found is not None:
                return found
    raise ProviderError(f"{host['name']}: its server profile {profile.get('Name')!r} has no {BOOT_ORDER}")


async def _hand_over(api: Account, find: Find, host: Host, ctx: Context, restart: Restart) -> None:
    try:
        await deploy(api, find, [REBOOT], ctx, f"server profile of {host['name']}", host["name"], restart=restart)
    except StoppedWaitingError as stopped:
        raise ProviderError(str(stopped)) from None


def _finder(api: Account, profile: Mapping[str, Any]) -> Find:
    async def find() -> dict[str, Any] | None:
        return await api.by_moid("server.Profile", str(profile["Moid"]))

    return find
