"""Limitador: counters in memory, each of a window that begins with its first hit.

After Kuadrant/limitador, doc/how-it-works.md and limitador-server/src/envoy_rls/kuadrant_service.rs.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podwright.lab.openshift.kuadrant.predicates import ExpressionError, Known, holds, value

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
Key = tuple[Any, ...]


def seconds(window: str) -> float:
    """Of a duration of the Gateway API, such as 24h or 1m30s."""
    return sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)(ms|h|m|s)", window))


class Limitador:
    """One pod's counters: they are gone with it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._counters, self._lock = clock, dict[Key, tuple[float, int]](), threading.Lock()

    def over(self, limits: Sequence[tuple[Key, int]]) -> bool:
        """Whether one hit more would be beyond some limit: a check counts as one, whatever it asks for."""
        with self._lock:
            return any(self._used(key) + 1 > most for key, most in limits)

    def add(self, limits: Sequence[tuple[Key, int]], hits: int) -> None:
        """Count; what is beyond a limit is counted too."""
        with self._lock:
            for key, _ in limits:
                used = self._used(key)
                end = self._counters[key][0] if used else self._clock() + key[-1]
                self._counters[key] = (end, used + hits)

    def forget(self) -> None:
        """Begin with nothing."""
        with self._lock:
            self._counters.clear()

    def _used(self, key: Key) -> int:
        end, used = self._counters.get(key, (0.0, 0))
        return used if self._clock() < end else 0


def matching(place: Key, limits: Mapping[str, Any], known: Known) -> list[tuple[Key, int]]:
    """Counters of a policy's limits that a request is counted by: a key that ends with its window, and its limit.

    A predicate that finds nothing is not true; without a value a counter is nobody's.
    """
    found = []
    for name, limit in limits.items():
        try:
            if not all(holds(row["predicate"], known) for row in limit.get("when") or []):
                continue
            who = tuple(str(value(row["expression"], known)) for row in limit.get("counters") or [])
        except ExpressionError:
            continue
        for rate in limit.get("rates") or []:
            found.append(((*place, name, who, seconds(rate["window"])), int(rate["limit"])))
    return found
