"""The Redfish module: which resource kinds it serves."""

from __future__ import annotations

from podwright.components.providers.protocol.kind import Kind
from podwright.components.providers.redfish.server import ServerKind

KINDS: tuple[Kind, ...] = (ServerKind(),)
