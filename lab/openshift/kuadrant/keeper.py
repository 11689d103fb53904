"""What Kuadrant's filter does with one request at a gateway: Authorino, limits of requests, limits of tokens.

After Kuadrant/kuadrant-operator v1.5.2 (internal/wasm) and Kuadrant/wasm-shim (crates/kuadrant-filter): an action that
fails is a 500 or nothing, by its service's failure mode; a response is read when it has ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.kuadrant.authorino import Denied, Secrets, authorised
from podwright.lab.openshift.kuadrant.limits import Limitador, matching
from podwright.lab.openshift.kuadrant.predicates import Known

DENY = "deny"
_MODES = {
    "AUTH_SERVICE_FAILURE_MODE": DENY,
    "RATELIMIT_SERVICE_FAILURE_MODE": "allow",
    "RATELIMIT_CHECK_SERVICE_FAILURE_MODE": "allow",
    "RATELIMIT_REPORT_SERVICE_FAILURE_MODE": "allow",
}
"""Variables of the operator, and what each is without a value."""


@dataclass(frozen=True)
class Policies:
    """In force at one route: specs, each with its place; None where there is none."""

    auth: tuple[Any, Mapping[str, Any]] | None = None
    requests: tuple[Any, Mapping[str, Any]] | None = None
    tokens: tuple[Any, Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class Passed:
    """A request that goes on to a replica, and what its answer is counted by."""

    counted: Sequence[tuple[Any, int]] = ()


@dataclass
class Keeper:
    """What the filter has to do with."""

    limitador: Limitador = field(default_factory=Limitador)
    secrets: Secrets = ()
    """Those that Authorino may look at."""
    namespace: str = ""
    """Where it is."""
    authorino: bool = False
    """The gateway reaches a pod of it."""
    counts: bool = False
    """And one of Limitador."""
    env: Mapping[str, str] = field(default_factory=dict)
    of: Callable[[Object], Policies] = lambda _route: Policies()
    """Policies in force at an HTTPRoute."""

    def judge(self, policies: Policies, request: Mapping[str, Any]) -> Passed | Denied:
        """What becomes of a request: {"method", "path", "url_path", "headers"}."""
        known: dict[str, Any] = {"request": request}
        if policies.auth is not None:
            if not self.authorino:
                if self._fails("AUTH"):
                    return Denied(500)
            else:
                found = authorised(policies.auth[1], known, self.secrets, self.namespace)
                if isinstance(found, Denied):
                    return found
                known["auth"] = {"identity": found}
        requests, tokens = _counters(policies.requests, known), _counters(policies.tokens, known)
        for service, counters in (("RATELIMIT", requests), ("RATELIMIT_CHECK", tokens)):
            if counters and not self.counts and self._fails(service):
                return Denied(500)
            if counters and self.counts and self.limitador.over(counters):
                return Denied(429, {}, b"Too Many Requests\n")
        if self.counts:
            self.limitador.add(requests, 1)
        return Passed(tokens)

    def answered(self, passed: Passed, kind: str, body: bytes) -> int | None:
        """Count an answer: its status in place of the replica's where it is not to be given, else None."""
        if not passed.counted:
            return None
        total = used(kind, body)
        if total is None or not self.counts:
            return 500 if self._fails("RATELIMIT_REPORT") else None
        self.limitador.add(passed.counted, total)
        return None

    def _fails(self, service: str) -> bool:
        name = f"{service}_SERVICE_FAILURE_MODE"
        return self.env.get(name, _MODES[name]) == DENY


def used(kind: str, body: bytes) -> int | None:
    """Tokens of an answer: /usage/total_tokens of it, or of the last two events of a stream."""
    texts = [body]
    if "text/event-stream" in kind:
        texts = [line[5:].strip() for line in body.splitlines() if line.startswith(b"data:")][-2:]
    for text in texts:
        try:
            total = json.loads(text)["usage"]["total_tokens"]
        except (ValueError, KeyError, TypeError):
            continue
        if isinstance(total, int):
            return total
    return None


def _counters(policy: tuple[Any, Mapping[str, Any]] | None, known: Known) -> list[tuple[Any, int]]:
    if policy is None:
        return []
    place, spec = policy
    return matching(place, spec.get("limits") or {}, known)
