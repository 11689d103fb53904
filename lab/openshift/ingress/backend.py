"""A Route as the router's process has it: its annotations as the template reads them, its endpoints, its counters.

After openshift/router, images/router/haproxy/conf/haproxy-config.template: a value that does not match its pattern is
left out without a word.
"""

from __future__ import annotations

import hashlib
import random
import re
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from math import log

from podwright.lab.openshift.ingress.endpoints import Endpoint

ROUTER = "haproxy.router.openshift.io/"
BALANCES = re.compile(r"roundrobin|leastconn|source|random")
TIME = re.compile(r"([1-9][0-9]*)(us|ms|s|m|h|d)?")
_MORE = "(?:includeSubDomains|preload)"
HSTS = re.compile(rf'(?:{_MORE}\s*;\s*)*max-age\s*=\s*(?:\d+|"\d+")(?:\s*;\s*{_MORE})*', re.I)
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
SILENCE_SECONDS = 30.0
"""`timeout server` of the template's defaults."""
RATE_SECONDS = 3.0
"""`conn_rate(3s)`."""


@dataclass
class Counts:
    """What a router counts of a backend, over every reload of its table."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    open: Counter[str] = field(default_factory=Counter)
    """Connections by pod."""
    due: Counter[str] = field(default_factory=Counter)
    """By pod, what roundrobin owes it."""
    sources: Counter[str] = field(default_factory=Counter)
    """Connections by source address."""
    begun: dict[str, deque[float]] = field(default_factory=lambda: defaultdict(deque))


@dataclass(frozen=True)
class Backend:
    """A Route and the endpoints behind it."""

    namespace: str
    name: str
    path: str
    notes: Mapping[str, str]
    endpoints: Sequence[Endpoint]
    counts: Counts = field(default_factory=Counts)
    services: int = 1
    """Services whose weight in the Route is not 0, whether they have endpoints or not (`ActiveServiceUnits`)."""

    @property
    def cookie(self) -> str:
        """Name of the cookie that keeps a client at a pod, which comes before a balance; empty where it is off."""
        off = self.notes.get(f"{ROUTER}disable_cookies", "").lower() in ("true", "1")
        return "" if off else _digest(f"{self.namespace}:{self.name}")

    @property
    def seconds(self) -> float:
        """Longest silence of a pod."""
        found = TIME.fullmatch(self.notes.get(f"{ROUTER}timeout", ""))
        return int(found[1]) * UNITS[found[2] or "ms"] if found else SILENCE_SECONDS

    @property
    def hsts(self) -> str:
        """The header, empty for none."""
        text = self.notes.get(f"{ROUTER}hsts_header", "")
        return text if HSTS.fullmatch(text) else ""

    @property
    def way(self) -> str:
        """How a pod is chosen: among several services by turns, unless the Route says otherwise."""
        text = self.notes.get(f"{ROUTER}balance", "")
        return text if BALANCES.fullmatch(text) else "roundrobin" if self.services > 1 else "random"

    def chosen(self, source: str, cookie: str) -> list[Endpoint]:
        """Endpoints in the order in which they are tried. One of weight 0 is left to those who have its cookie."""
        kept = [each for each in self.endpoints if self.cookie and identity(each) == cookie]
        # With a cookie of its own a client takes no turn.
        return kept + [each for each in self._ordered(source, turn=not kept) if each not in kept]

    def _ordered(self, source: str, *, turn: bool) -> list[Endpoint]:
        rows = [each for each in self.endpoints if each.weight]
        if self.way == "source":
            return sorted(rows, key=lambda each: _drawn(_digest(f"{source}{each.address}"), each.weight))
        if self.way == "random":
            return sorted(rows, key=lambda each: _drawn(f"{random.getrandbits(64):016x}", each.weight))
        with self.counts.lock:
            if self.way == "leastconn":
                # A server without a connection is as good as any other, whatever its weight (haproxy, src/lb_fwlc.c).
                return sorted(self._by_turns(rows, {each.pod: 1 for each in rows}), key=self._load)
            return self._by_turns(rows, {each.pod: each.weight for each in rows}) if turn else rows

    def _load(self, endpoint: Endpoint) -> float:
        count = self.counts.open[endpoint.pod]
        return (count + 1) / endpoint.weight if count else 0

    def _by_turns(self, rows: list[Endpoint], parts: Mapping[str, int]) -> list[Endpoint]:
        """The one that is due the most, and the others behind it; each gets its part of every cycle."""
        due = self.counts.due
        for pod in due.keys() - parts.keys():
            del due[pod]
        due.update(parts)
        ordered = sorted(rows, key=lambda each: -due[each.pod])
        for each in ordered[:1]:
            due[each.pod] -= sum(parts.values())
        return ordered

    def allows(self, source: str) -> bool:
        """Whether the address is in the list; a list in which nothing can be read is none."""
        text = self.notes.get(f"{ROUTER}ip_allowlist") or self.notes.get(f"{ROUTER}ip_whitelist") or ""
        networks = [] if text != text.strip() else [each for each in map(_network, text.split()) if each]
        return not networks or any(ip_address(source) in each for each in networks)

    @contextmanager
    def counted(self, source: str) -> Iterator[bool]:
        """Whether one more connection of this address is within the limits; it is counted first."""
        now, counts = time.monotonic(), self.counts
        limited = self.notes.get(f"{ROUTER}rate-limit-connections", "").lower() in ("true", "1")
        with counts.lock:
            counts.sources[source] += 1
            times = counts.begun[source]
            times.append(now)
            while times[0] < now - RATE_SECONDS:
                times.popleft()
            figures = {"concurrent-tcp": counts.sources[source], "rate-tcp": len(times)}
        try:
            yield not limited or all(self._below(key, figure) for key, figure in figures.items())
        finally:
            with counts.lock:
                counts.sources[source] -= 1

    def _below(self, key: str, figure: int) -> bool:
        """It refuses from its figure on (`ge`)."""
        text = self.notes.get(f"{ROUTER}rate-limit-connections.{key}", "")
        return not re.fullmatch(r"[+-]?\d+", text) or figure < int(text)

    @contextmanager
    def opened(self, endpoint: Endpoint) -> Iterator[None]:
        """A connection to a pod, as leastconn counts it."""
        with self.counts.lock:
            self.counts.open[endpoint.pod] += 1
        try:
            yield
        finally:
            with self.counts.lock:
                self.counts.open[endpoint.pod] -= 1


def identity(endpoint: Endpoint) -> str:
    """Value of the cookie for an endpoint."""
    return _digest(f"{endpoint.pod}:{endpoint.address}:{endpoint.port}")


def _drawn(digest: str, weight: int) -> float:
    """When an endpoint comes in a weighted order by lot; the digest is the lot."""
    return -log((int(digest[:16], 16) + 1) / (16**16 + 1)) / weight


def _network(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
