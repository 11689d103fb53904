"""What Prometheus has of routers: counters of each server, as openshift/router exports them, and selectors of them.

After openshift/router, pkg/router/metrics/haproxy/haproxy.go (labels; with more than 500 servers none has any) and
openshift/cluster-ingress-operator, pkg/operator/controller/ingress/monitoring.go: its ServiceMonitor honours no labels,
so that namespace, pod and service of a server are `exported_` ones beside the router's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from podwright.lab.openshift.controller import Answered
from podwright.lab.openshift.ingress.listener import CONNECTION, RESPONSE
from podwright.lab.openshift.keda.gauges import QueryError, Series

RESPONSES = "haproxy_server_http_responses_total"
ERRORS = {what: f"haproxy_server_{what}_total" for what in (RESPONSE, CONNECTION)}
CODES = ("1xx", "2xx", "3xx", "4xx", "5xx", "other")
MOST = 500
"""`ROUTER_METRICS_HAPROXY_SERVER_THRESHOLD`."""
_OWN = {"namespace": "openshift-ingress", "service": "router-internal-default", "job": "router-internal-default",
        "endpoint": "metrics", "container": "router", "pod": "router-default-0"}  # fmt: skip
_SELECTOR = re.compile(r"(?P<name>[a-zA-Z_:][\w:]*)?\{(?P<labels>[^{}]*)\}")
_MATCHER = re.compile(r'\s*(\w+)\s*(=~|=)\s*"([^"\\]*)"\s*(?:,|$)')


def series(answered: Answered) -> Iterator[Series]:
    """Every counter of every server."""
    if len(answered) > MOST:
        return
    for (namespace, route, service, pod, address), counts in list(answered.items()):
        exported = {"exported_namespace": namespace, "exported_service": service, "exported_pod": pod}
        labels = {**_OWN, **exported, "route": route, "server": address}
        for code in CODES:
            yield Series(RESPONSES, {**labels, "code": code}, counts[code])
        for what, name in ERRORS.items():
            yield Series(name, labels, counts[what])


def answer(query: str, known: list[Series], at: float) -> list[dict[str, Any]]:
    """The vector that one selector gives at this moment. Raises QueryError."""
    selector = _SELECTOR.fullmatch(query.strip())
    if selector is None:
        raise QueryError(f"the lab answers selectors with labels alone, not {query}")
    matchers = _matchers(selector["labels"])
    if selector["name"]:
        matchers.append(("__name__", re.compile(re.escape(selector["name"]))))
    rows = [({"__name__": each.name, **each.labels}, each.value) for each in known]
    return [
        {"metric": labels, "value": [at, f"{value:g}" if value < 1e6 else str(int(value))]}
        for labels, value in rows
        if all(pattern.fullmatch(labels.get(name, "")) for name, pattern in matchers)
    ]


def _matchers(text: str) -> list[tuple[str, re.Pattern[str]]]:
    found, place = [], 0
    while place < len(text):
        matcher = _MATCHER.match(text, place)
        if matcher is None:
            raise QueryError(f"the lab cannot read {text[place:]}")
        name, how, value = matcher.groups()
        found.append((name, re.compile(value if how == "=~" else re.escape(value))))
        place = matcher.end()
    return found


def vector(rows: list[dict[str, Any]]) -> Mapping[str, Any]:
    """The answer's body, as Prometheus's HTTP API has it."""
    return {"status": "success", "data": {"resultType": "vector", "result": rows}}
