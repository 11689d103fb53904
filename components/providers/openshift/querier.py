"""Reads counters of the router from the cluster's own monitoring, by Thanos Querier's Route.

Red Hat's guide to monitoring APIs (https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/
monitoring_apis/accessing-monitoring-apis-by-using-the-cli): the Route `thanos-querier` alone, a bearer token of an
account with cluster-monitoring-view, and no more than one query in 30 seconds. The API server's proxy of services is no
way: it takes the Authorization header for itself, and kube-rbac-proxy asks for one.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import urllib3

from podwright.components.providers.exchange import Limits, Pool, exchange
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.protocol.kind import Context

NAMESPACE: Final = "openshift-monitoring"
_ROUTE: Final = f"/apis/route.openshift.io/v1/namespaces/{NAMESPACE}/routes/thanos-querier"
_AUTHORITY: Final = "/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert"
_TOKEN_SECONDS: Final = 600
"""The shortest that the API server gives (kubernetes/kubernetes, pkg/apis/authentication/validation)."""
_MOST_BYTES: Final = 16_000_000
_TIMEOUT: Final = 20.0
_FAMILY: Final = "haproxy_server_(http_responses|response_errors|connection_errors)_total"


class UnreadError(Exception):
    """Monitoring gave no numbers; the message says why."""


@dataclass
class Counted:
    """What the router has counted of one Service since the watch began, over restarts of routers and pods."""

    answers: int = 0
    """Answers of its pods, of whatever status."""
    failed: int = 0
    """Of them those of 5xx, and requests to which its pods gave none: no connection, broken off, timed out."""
    unanswered: int = 0
    _last: dict[tuple[tuple[str, str], ...], float] = field(default_factory=dict)
    _begun: bool = False

    @property
    def requests(self) -> int:
        """Requests that came to its pods."""
        return self.answers + self.unanswered

    def add(self, rows: list[tuple[Mapping[str, str], float]]) -> None:
        """One reading; the first one is where the count begins. A counter that is lower than it was began anew, and
        one that was not there began at 0."""
        for labels, value in rows:
            key = tuple(sorted(labels.items()))
            before = self._last.get(key, 0.0)
            if self._begun:
                self._count(labels, int(value - before if value >= before else value))
            self._last[key] = value
        self._begun = True

    def _count(self, labels: Mapping[str, str], more: int) -> None:
        if "code" in labels:
            self.answers += more
            self.failed += more if labels["code"] == "5xx" else 0
        else:
            self.unanswered += more
            self.failed += more


class Querier:
    """Asks with a token of one account, a new one for each question. No token is kept, logged or put into an error."""

    def __init__(self, kube: Kube, account: str, ctx: Context) -> None:
        self._kube, self._account, self._ctx = kube, account, ctx

    async def servers(self, namespace: str, route: str, service: str) -> list[tuple[Mapping[str, str], float]]:
        """Counters of the router's servers of a Service behind a Route. Raises UnreadError."""
        labels = {"exported_namespace": namespace, "route": route, "exported_service": service}
        chosen = ",".join(f'{key}="{value}"' for key, value in labels.items())
        try:
            host, authority = await self._place()
            token = await self._token()
            asked = urllib.parse.urlencode({"query": f'{{__name__=~"{_FAMILY}",{chosen}}}'})
            raw = await asyncio.to_thread(self._asked, host, authority, f"/api/v1/query?{asked}", token)
        except (KubeError, SilentError, urllib3.exceptions.HTTPError, OSError, ValueError) as problem:
            raise UnreadError(f"monitoring cannot be read: {problem}") from None
        return _rows(raw)

    async def _place(self) -> tuple[str, str]:
        """Host of its Route, and the authority of the router's certificate."""
        route = await self._kube.find(_ROUTE)
        bundle = await self._kube.find(_AUTHORITY)
        host = ((route or {}).get("spec") or {}).get("host")
        if not host:
            raise UnreadError(f"monitoring cannot be read: there is no Route thanos-querier in {NAMESPACE}")
        return str(host), str(((bundle or {}).get("data") or {}).get("ca-bundle.crt") or "")

    async def _token(self) -> str:
        body = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": _TOKEN_SECONDS},
        }
        path = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{self._account}/token"
        token = str(((await self._kube.request("POST", path, body)).get("status") or {}).get("token") or "")
        self._ctx.resolved(token)
        return token

    def _asked(self, host: str, authority: str, path: str, token: str) -> bytes:
        context = ssl.create_default_context()
        if self._ctx.reach.ca is not None:
            context.load_verify_locations(cafile=self._ctx.reach.ca)
        if authority:
            context.load_verify_locations(cadata=authority)
        # A certificate of the site's own stands in that ConfigMap without its root.
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        dialled, port = self._ctx.reach.endpoint(host, 443)
        pool = Pool(
            dialled, port, maxsize=1, ssl_context=context, server_hostname=host, assert_hostname=host,
            timeout=urllib3.Timeout(connect=5.0, read=_TIMEOUT),
        )  # fmt: skip
        headers = {"Host": host, "Accept": "application/json", "Authorization": f"Bearer {token}"}
        try:
            answer = exchange(pool, "GET", path, headers, Limits(2 * _TIMEOUT, _MOST_BYTES))
        finally:
            pool.close()
        if answer.status != 200:
            answered = bytes(answer.data[:200]).decode(errors="replace").strip()
            raise UnreadError(f"monitoring cannot be read: {host} answers with HTTP {answer.status} {answered}".strip())
        return bytes(answer.data)


def _rows(raw: bytes) -> list[tuple[Mapping[str, str], float]]:
    try:
        found: Any = json.loads(raw)
        if found["status"] != "success" or found["data"]["resultType"] != "vector":
            raise UnreadError(f"monitoring cannot be read: it answers {found.get('error') or 'with no vector'}")
        return [(dict(row["metric"]), float(row["value"][1])) for row in found["data"]["result"]]
    except (KeyError, TypeError, IndexError, ValueError, RecursionError, AttributeError):
        raise UnreadError("monitoring cannot be read: its answer is none of Prometheus's HTTP API") from None
