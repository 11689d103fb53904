from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.providers.nxos.rack import Rack, rack


@pytest_asyncio.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Rack]:
    with rack(tmp_path) as running:
        yield running
        await running.kind.close()
