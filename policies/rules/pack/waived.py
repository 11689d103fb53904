"""Waivers of one operation of the engine: which there are, and which of them a finding has needed."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

from ..rule import RuleText
from ..waivers import CLUSTER, Waiver, choose, given, verdict


class Waivers:
    """Waivers that clusters of the stack hand over, by the URN of the cluster."""

    def __init__(self, today: Callable[[], date]) -> None:
        self._today = today
        self._of: dict[str, tuple[Waiver, ...]] = {}
        self._needed: set[Waiver] = set()

    def read(self, token: str, urn: str, props: Any) -> Iterator[str]:
        """Take the waivers of a cluster; a sentence for each that has ended or ends soon. Nothing of other types."""
        if token == CLUSTER:
            self._of[urn] = given(props.get("about"))
            yield from filter(None, (each.ending(self._today()) for each in self._of[urn]))

    def of(self, rule: RuleText, urn: str) -> tuple[bool, str]:
        """Whether a finding is waived, and what it says of its waiver; empty where it has none."""
        every = (each for of in self._of.values() for each in of)
        waiver = choose(every, rule.id, urn.rpartition("::")[2])
        if waiver is not None:
            self._needed.add(waiver)
        return verdict(waiver, rule, self._today())

    def unsure(self, rule: RuleText) -> None:
        """A rule asked for what nobody knows before the update: whether its waivers are needed is seen then."""
        self._needed |= {each for of in self._of.values() for each in of if each.rule == rule.id}

    def idle(self) -> Iterator[tuple[str, str]]:
        """What is reported of each waiver that no finding has needed, and the cluster it is of. Forgets all of them."""
        for urn, waivers in self._of.items():
            yield from ((each.idle(), urn) for each in waivers if each not in self._needed)
        self._of.clear()
        self._needed.clear()
