"""How many requests came: by verb and path, by status, for `curl …/counters` before and after a client's run."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from typing import Any

MOID = re.compile(r"(?<=/)[0-9a-f]{24}(?=/|$)")


class RequestCounters:
    """Counts every request that reached the listener, refused ones and those cut short by a fault too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_path: Counter[tuple[str, str]] = Counter()
        self._by_status: Counter[int] = Counter()
        self._in_bulk: Counter[str] = Counter()

    def took(self, verb: str, target: str) -> None:
        """One request; `target` as in its first line. Moids count as one path, the query does not count."""
        path = MOID.sub("{Moid}", target.partition("?")[0])
        with self._lock:
            self._by_path[verb, path] += 1

    def took_in_bulk(self, body: bytes) -> None:
        """What one request to bulk/Requests carries; each counts apart from the request itself."""
        try:
            document = json.loads(body)
            parts = [
                (part.get("Verb") or document.get("Verb", "POST"), part.get("Uri") or document.get("Uri", ""))
                for part in document.get("Requests") or []
            ]
        except (ValueError, AttributeError):
            return  # the service says what is wrong with it
        with self._lock:
            self._in_bulk.update(f"{verb} {MOID.sub('{Moid}', str(uri))}" for verb, uri in parts)

    def answered(self, status: int) -> None:
        """What a request was answered with."""
        with self._lock:
            self._by_status[status] += 1

    def total(self) -> int:
        """All requests since start."""
        with self._lock:
            return self._by_path.total()

    def document(self) -> dict[str, Any]:
        """{"total", "by_verb": {"GET": n}, "by_path": {"GET /api/v1/bios/Policies": n}, "by_status": {"200": n}}, and
        "in_bulk" like "by_path" for what came inside of bulk/Requests."""
        with self._lock:
            by_verb: Counter[str] = Counter()
            for (verb, _), count in self._by_path.items():
                by_verb[verb] += count
            return {
                "total": by_verb.total(),
                "by_verb": dict(sorted(by_verb.items())),
                "by_path": {f"{verb} {path}": n for (verb, path), n in sorted(self._by_path.items())},
                "in_bulk": dict(sorted(self._in_bulk.items())),
                "by_status": {str(status): n for status, n in sorted(self._by_status.items())},
            }
