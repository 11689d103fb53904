from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from podwright.components.providers.nxos.read import soak
from podwright.components.providers.nxos.session import Session
from podwright.lab.variants import VARIANTS, chosen
from tests.providers.nxos.covering import row_of
from tests.providers.nxos.moments import SEED
from tests.providers.nxos.rack import Rack, rack


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stays worse after a soak is waited for, but not for long."""
    monkeypatch.setattr(soak, "CONVERGES", 1.0)


@pytest.fixture
def forms(request: pytest.FixtureRequest) -> dict[str, str]:
    """A form of every variant of the lab: each combination must do.

    Each test draws one; under a seed all tests take one row of a covering array, in which sixteen seeds in a row have
    every pair of forms together. PODWRIGHT_VARIANTS=ports=layer2-up,prompt=plain names forms, the others are the first.
    """
    ours = {name: variant for name, variant in VARIANTS.items() if variant.side == "nxos"}
    if asked := os.environ.get("PODWRIGHT_VARIANTS"):
        drawn = chosen(dict(each.split("=") for each in asked.split(",")))
    elif "PODWRIGHT_VARIANTS_SEED" in os.environ and SEED.isdecimal():
        drawn = row_of(int(SEED), {name: tuple(variant.forms) for name, variant in ours.items()})
    else:
        draw = random.Random(f"{SEED} {request.node.nodeid}")
        drawn = {name: draw.choice(list(variant.forms)) for name, variant in ours.items()}
    print(f"PODWRIGHT_VARIANTS_SEED={SEED}: {' '.join(f'{name}={form}' for name, form in drawn.items())}")
    return drawn


@pytest_asyncio.fixture
async def lab(tmp_path: Path, forms: dict[str, str]) -> AsyncIterator[Rack]:
    with rack(tmp_path, variants=forms) as running:
        yield running
        await running.kind.close()


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every line typed on a switch, from the greeting on."""
    lines: list[str] = []
    real = Session._type

    async def recording(self: Session, line: str, limit: float) -> str:
        lines.append(line)
        return await real(self, line, limit)

    monkeypatch.setattr(Session, "_type", recording)
    return lines
