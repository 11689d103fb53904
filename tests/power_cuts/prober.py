"""A service from outside, every 100 ms: what its endpoints say, and what the router answers."""

from __future__ import annotations

import http.client
import ssl
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

PERIOD_SECONDS: Final = 0.1
SLOW_SECONDS: Final = 1.0
PATIENCE_SECONDS: Final = 60.0
"""Of a client; the router's own for a server that does not take a connection is 15 s."""
WORKERS: Final = 256


@dataclass(frozen=True)
class Probe:
    """One look: ready endpoints, those of them on a host with power, and what a request came to."""

    at: float
    ready: int
    alive: int


@dataclass(frozen=True)
class Reply:
    """One request: when it was sent, how long it took, its status; 0 for none."""

    at: float
    seconds: float
    status: int


class Prober:
    """Looks and asks until it is stopped. `endpoints` are nodes of ready endpoints, None where the API server does not
    say; `powered` is whether one has power."""

    def __init__(
        self, endpoints: Callable[[], list[str] | None], powered: Callable[[str], bool], port: int, host: str
    ) -> None:
        self._endpoints, self._powered, self._port, self._host = endpoints, powered, port, host
        self.probes: list[Probe] = []
        self.replies: list[Reply] = []
        self._counted = 0
        self._over = threading.Event()
        self._pool = ThreadPoolExecutor(WORKERS, "probe")
        self._context = ssl._create_unverified_context()
        self._thread = threading.Thread(target=self._run, name="prober", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; requests that are under way are waited for."""
        self._over.set()
        self._thread.join()
        self._pool.shutdown(wait=True)

    def _run(self) -> None:
        due = time.monotonic()
        while not self._over.is_set():
            self._pool.submit(self._ask)
            nodes = self._endpoints()
            if nodes is not None:
                self.probes.append(Probe(time.monotonic(), len(nodes), sum(map(self._powered, nodes))))
            due = max(due + PERIOD_SECONDS, time.monotonic())
            self._over.wait(due - time.monotonic())

    def _ask(self) -> None:
        sent, status = time.monotonic(), 0
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self._port, context=self._context, timeout=PATIENCE_SECONDS
        )
        try:
            connection.request("GET", "/v1/models", headers={"Host": self._host})
            answer = connection.getresponse()
            answer.read()
            status = answer.status
        except OSError:
            pass
        finally:
            connection.close()
            self.replies.append(Reply(sent, time.monotonic() - sent, status))

    def figures(self, since: float) -> dict[str, Any]:
        """Of what was looked at from a moment on, and of requests that have ended since the figures before."""
        probes = [each for each in self.probes if each.at >= since]
        replies = self.replies[self._counted :]
        self._counted += len(replies)
        return {
            "probes": len(probes),
            "least alive": min((each.alive for each in probes), default=0),
            "dead s": round(sum(each.ready > each.alive for each in probes) * PERIOD_SECONDS, 1),
            "asked": len(replies),
            "lost": sum(each.status != http.client.OK for each in replies),
            "slow": sum(each.seconds > SLOW_SECONDS for each in replies),
            "slowest s": round(max((each.seconds for each in replies), default=0.0), 1),
        }
