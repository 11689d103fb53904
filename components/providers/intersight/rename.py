"""A profile under a new name: the object stays, with its server and everything deployed to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight import ownership
from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.repeats import ATTEMPTS, TIMES, Repeats
from podwright.components.providers.intersight.transport import ApiError
from podwright.components.providers.protocol.kind import Context, ProviderError


async def rename(
    api: Account, object_type: str, former: Mapping[str, Any], spec: Mapping[str, Any], moid: str | None, ctx: Context
) -> None:
    """Give the object of the spec `former` the name of `spec`; does nothing where the names are the same.

    An object that has the new name already is left to whoever looks it up next: it is ours from an attempt that was cut
    off, or somebody's. Raises ProviderError where Intersight does not rename it.
    """
    old, new, organization = former.get("name"), spec["name"], spec["organization"]
    if old in (None, new) or former.get("organization") != organization:
        return
    repeats = Repeats()
    for _ in range(ATTEMPTS + TIMES):
        if await api.named(object_type, new, organization) is not None:
            return
        live = await api.named(object_type, old, organization)
        if live is None or not ownership.is_ours(live, ctx.identity, moid):
            return
        try:
            await repeats.attempt(api.patch(live, {"Name": new}, f"{object_type} {old}"))
        except ApiError as refused:
            raise ProviderError(
                f"Intersight does not rename {old!r} to {new!r}: {refused.sentence()}; give the entry its former name "
                f"back, or take {old} out in one update and add {new} in the next"
            ) from None
    if await api.named(object_type, new, organization) is None:
        raise ProviderError(
            f"{old!r} was to be renamed {new!r} in Intersight {ATTEMPTS + TIMES} times and is not; run again"
        )
