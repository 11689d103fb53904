"""Cuts by seed: whose power goes, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

ROLES: Final = ("member", "spare", "replica", "queues", "remediators", "control plane")
"""member: a training server with a member of a gang; spare: one without; replica: an inference server with a replica;
queues: a control-plane host on which Kueue or JobSet runs; remediators: one with an operator of lost nodes; control
plane: any without these, where there is one."""
MOMENTS: Final = ("running", "starting", "remediating", "returning", "flickering")
"""running: everything stands. starting: a gang was made anew just before; its members wait, are bound or start.
remediating: a node of another pool is being given up. returning: a node that was off before comes up. flickering: as
running, and the power is back by itself within 20 s, before or after the node is given up."""
SECONDS: Final = {"running": 3.0, "starting": 1.5, "remediating": 10.0, "returning": 4.0, "flickering": 20.0}
"""The cut comes at any moment within so many seconds of it; a flicker lasts as long."""
GANGS: Final = ("pretrain", "second")
"""A JobSet and a Job."""


@dataclass(frozen=True)
class Cut:
    """One server's power. `chance` chooses among the servers of a role, and which gang is made anew."""

    moment: str
    role: str
    chance: float
    delay: float

    @property
    def gang(self) -> str:
        """The gang that is made anew."""
        return GANGS[int(self.chance * 1000) % len(GANGS)]

    @property
    def before(self) -> str:
        """Whose power is gone already when the moment is not a quiet one: never of the same pool."""
        return "replica" if self.role in ("member", "spare") else "member"


def cuts(seed: str) -> Iterator[Cut]:
    """Cuts without end. Each six from the beginning on have every role, each five every moment."""
    dice = Random(seed)
    roles, moments = _decks(dice, ROLES), _decks(dice, MOMENTS)
    while True:
        moment = next(moments)
        yield Cut(moment, next(roles), dice.random(), dice.random() * SECONDS[moment])


def _decks(dice: Random, cards: tuple[str, ...]) -> Iterator[str]:
    while True:
        yield from dice.sample(cards, len(cards))
