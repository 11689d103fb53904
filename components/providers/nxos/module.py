"""The kinds this module serves. They share their sessions, and what each switch was like before it was written."""

from __future__ import annotations

from podwright.components.providers.nxos.pool import Pool
from podwright.components.providers.nxos.read.health import Health
from podwright.components.providers.nxos.read.soak import Soak
from podwright.components.providers.nxos.read.verification import Verification
from podwright.components.providers.nxos.switch import Switch
from podwright.components.providers.protocol.kind import Kind

_POOL = Pool()
_BEFORE: dict[str, Health] = {}
KINDS: tuple[Kind, ...] = (Switch(_POOL, _BEFORE), Soak(_POOL, _BEFORE), Verification(_POOL))
