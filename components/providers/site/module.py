"""The kinds that belong to no module of devices."""

from __future__ import annotations

from podwright.components.providers.protocol.kind import Kind
from podwright.components.providers.site.join import Join
from podwright.components.providers.site.world import World

KINDS: tuple[Kind, ...] = (Join(), World())
