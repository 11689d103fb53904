"""Two writers on one switch, each a provider of its own, begun some time apart and slowed line by line."""

from __future__ import annotations

import asyncio
import random
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import pytest

from podwright.components.providers.nxos.session import Session
from podwright.components.providers.nxos.switch import Switch
from podwright.components.providers.protocol.kind import Created, ProviderError
from tests.providers.nxos.rack import CONFIG, Rack, inputs

_FIRST = "cli alias name podwrightowner"
"""The first line of a plan. What comes between reading a switch and writing to it decides a race."""
_OFTEN = 0.05
"""How many of the other lines wait."""
LAG: ContextVar[tuple[random.Random, float] | None] = ContextVar("LAG", default=None)
"""What a writer's own lines wait for: a generator, and the longest wait in seconds."""


@dataclass(frozen=True)
class Writer:
    """A first `up` of one stack."""

    identity: str
    inputs: dict[str, Any]
    begins: float
    """Seconds after the other one's earliest."""
    lag: float
    """Longest wait before a line, in seconds."""


@dataclass(frozen=True)
class Ended:
    """How one ended: with outputs, or with a sentence."""

    writer: Writer
    made: Created | None
    sentence: str


def slowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every line wait as its writer says."""
    real = Session._type

    async def waiting(self: Session, line: str, limit: float) -> str:
        if (lag := LAG.get()) is not None:
            rng, longest = lag
            often = 1.0 if line.startswith(_FIRST) else _OFTEN
            await asyncio.sleep(rng.random() * longest if rng.random() < often else 0)
        return await real(self, line, limit)

    monkeypatch.setattr(Session, "_type", waiting)


async def race(lab: Rack, writers: list[Writer], seed: str) -> list[Ended]:
    """Run them side by side to their ends."""

    async def run(number: int, writer: Writer) -> Ended:
        LAG.set((random.Random(f"{seed} {number}"), writer.lag))
        await asyncio.sleep(writer.begins)
        kind = Switch()
        try:
            made = await kind.create(writer.inputs, lab.context(identity=writer.identity))
        except ProviderError as refused:
            return Ended(writer, None, str(refused))
        finally:
            await kind.close()
        return Ended(writer, made, "")

    return await asyncio.gather(*(run(number, writer) for number, writer in enumerate(writers)))


def drawn(seed: str, scale: float) -> list[Writer]:
    """Two stacks that both take the switch for theirs: the same plan, or one that differs; lags up to `scale` s."""
    rng = random.Random(seed)
    other = {**CONFIG, "interface loopback0": "ip address 10.0.0.2/32", "vlan 7": "name theirs"}
    plans = [CONFIG, rng.choice([CONFIG, other])]
    return [
        Writer(f"podwright/{name}", inputs(plan), rng.random() ** 2 * scale, rng.random() * scale)
        for name, plan in zip(("one", "two"), plans, strict=True)
    ]
