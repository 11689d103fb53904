"""The hosts of an installation: booted from the image in parallel, switched off at the end of a cluster's life."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from podwright.components.providers.intersight import boot as intersight
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.redfish import boot

Host = Mapping[str, Any]


async def boot_all(
    spec: Mapping[str, Any], hosts: Sequence[Host], url: str, ctx: Context, booted: Callable[[str], None]
) -> None:
    """Boot every host from the image at `url`; `booted` is told each name as soon as that host is on its way.

    Raises ProviderError naming every host that failed; the others are booted all the same.
    """

    async def one(host: Host) -> None:
        if host.get("intersight"):
            ctx.log(f"{host['name']}: booting the installation image through Intersight")
            await intersight.boot_image(ctx, login(spec), host, url)
        elif not await boot.booted_from(ctx, host, url):
            ctx.log(f"{host['name']}: booting the installation image")
            await boot.boot_image(ctx, host, url)
        booted(str(host["name"]))
        ctx.log(f"{host['name']}: booted the installation image")

    await every(hosts, one)


async def eject_all(spec: Mapping[str, Any], hosts: Sequence[Host], ctx: Context) -> None:
    """Empty the virtual drives; a drive that cannot be emptied is warned of and stops nothing."""

    async def one(host: Host) -> None:
        try:
            if host.get("intersight"):
                await intersight.eject(ctx, login(spec), host)
            else:
                await boot.eject(ctx, host)
        except ProviderError as left:
            ctx.warn(f"the installation image stays in the virtual drive: {left}")

    await every(hosts, one)


async def off_all(spec: Mapping[str, Any], hosts: Sequence[Host], ctx: Context) -> None:
    """Switch every host off and empty its drive. Raises ProviderError naming those that did not go."""

    async def one(host: Host) -> None:
        ctx.log(f"{host['name']}: switching off")
        if host.get("intersight"):
            await intersight.power(ctx, login(spec), host, "PowerOff")
            return
        await boot.power_off(ctx, host)
        await boot.eject(ctx, host)

    await every(hosts, one)


def login(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """How the spec says to log in to Intersight. Raises ProviderError when it does not."""
    account = spec.get("intersight")
    if not isinstance(account, Mapping):
        raise ProviderError("hosts with `intersight: true` need the spec's `intersight`: endpoint, key_id, secret")
    return account


async def every(hosts: Sequence[Host], work: Callable[[Host], Awaitable[None]]) -> None:
    """Do `work` for all hosts at once and wait for all. Raises ProviderError with one sentence per failure."""
    ended = await asyncio.gather(*(work(host) for host in hosts), return_exceptions=True)
    failed = [str(error) for error in ended if isinstance(error, ProviderError)]
    for error in ended:
        if isinstance(error, BaseException) and not isinstance(error, ProviderError):
            raise error
    if failed:
        raise ProviderError("; ".join(failed))
