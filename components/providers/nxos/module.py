"""The kinds this module serves."""

from __future__ import annotations

from components.providers.nxos.switch import Switch
from components.providers.protocol.kind import Kind

KINDS: tuple[Kind, ...] = (Switch(),)
