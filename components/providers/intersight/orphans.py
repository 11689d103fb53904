"""Objects that carry a stack's mark although its state has them no more."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from podwright.components.providers.intersight.account import Account, account
from podwright.components.providers.intersight.derived import TEMPLATES
from podwright.components.providers.intersight.group import GROUP
from podwright.components.providers.intersight.listing import quoted
from podwright.components.providers.intersight.module import POLICIES, POOLS
from podwright.components.providers.intersight.ownership import OWNER
from podwright.components.providers.intersight.transport import ApiError
from podwright.components.providers.protocol.kind import Context, ProviderError

PROFILES: Final = ("server.Profile", "chassis.Profile", "fabric.SwitchClusterProfile")
TYPES: Final = (
    *POOLS, *POLICIES, *PROFILES, *(TEMPLATES[each] for each in PROFILES), GROUP,
)  # fmt: skip
"""Types that carry a mark of their own; what lies below them goes with them."""


async def orphans(managed: bool, ctx: Context) -> list[str]:
    """One sentence for each object with this stack's mark."""
    assert managed
    about = account(ctx)
    condition = f"Tags/any(t: t/Key eq {quoted(OWNER)} and t/Value eq {quoted(ctx.identity)})"
    found = await asyncio.gather(*(_marked(about, each, condition) for each in TYPES))
    return [
        f"Intersight object {kind} {live['Name']}" for kind, each in zip(TYPES, found, strict=True) for live in each
    ]


async def _marked(about: Account, kind: str, condition: str) -> list[dict[str, Any]]:
    try:
        return await about.query(kind, condition)
    except ApiError as refused:
        if refused.status == 404:  # an account or appliance that does not serve this type has no object of it
            return []
        raise ProviderError(f"Intersight did not list {kind}: {refused}") from None
