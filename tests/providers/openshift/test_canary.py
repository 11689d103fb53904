"""What a watch counts, and what of a Route it writes: readings and objects as data."""

from typing import Any

import pytest

from podwright.components.providers.openshift.querier import Counted, UnreadError, _rows
from podwright.components.providers.openshift.shares import applied

Reading = list[tuple[dict[str, str], float]]


def _of(pod: str, code: str, value: float) -> tuple[dict[str, str], float]:
    return {"__name__": "haproxy_server_http_responses_total", "exported_pod": pod, "code": code}, value


def _error(pod: str, what: str, value: float) -> tuple[dict[str, str], float]:
    return {"__name__": f"haproxy_server_{what}_errors_total", "exported_pod": pod}, value


@pytest.mark.parametrize(
    ("readings", "requests", "failed"),
    [
        ([[_of("a", "2xx", 900), _of("a", "5xx", 40)]], 0, 0),
        ([[_of("a", "2xx", 900)], [_of("a", "2xx", 950)]], 50, 0),
        ([[_of("a", "2xx", 9), _of("a", "5xx", 1)], [_of("a", "2xx", 12), _of("a", "5xx", 3)]], 5, 2),
        ([[_of("a", "4xx", 0)], [_of("a", "4xx", 7)]], 7, 0),
        ([[], [_of("new", "2xx", 8)]], 8, 0),
        ([[_of("a", "2xx", 100)], [_of("a", "2xx", 4)]], 4, 0),
        ([[_of("a", "2xx", 10), _of("b", "2xx", 10)], [_of("b", "2xx", 13)], [_of("b", "2xx", 15)]], 5, 0),
        ([[_error("a", "response", 2)], [_error("a", "response", 5), _error("a", "connection", 1)]], 4, 4),
    ],
    ids=[
        *("the first reading counts nothing", "what came since", "5xx failed", "a client's own mistake is none"),
        *("a pod that was not there", "a router that began anew", "a pod that is gone", "no answer at all"),
    ],
)
def test_what_a_watch_counts(readings: list[Reading], requests: int, failed: int) -> None:
    counted = Counted()
    for each in readings:
        counted.add(list(each))
    assert (counted.requests, counted.failed) == (requests, failed)


@pytest.mark.parametrize(
    "raw",
    [
        b"<html>",
        b"[]",
        b'{"status": "error", "errorType": "timeout", "error": "query timed out"}',
        b'{"status": "success", "data": {"resultType": "matrix", "result": []}}',
        b'{"status": "success", "data": {"resultType": "vector", "result": [{"metric": {}}]}}',
    ],
)
def test_what_is_no_answer_of_prometheus_is_not_read_as_no_requests(raw: bytes) -> None:
    with pytest.raises(UnreadError, match="monitoring cannot be read"):
        _rows(raw)


def _route(listed: dict[str, Any]) -> dict[str, Any]:
    own = {
        "f:metadata": {"f:labels": {"f:team": {}}},
        "f:spec": {"f:host": {}, "f:to": {"f:kind": {}, "f:name": {}, "f:weight": {}}, **listed},
    }
    rows = [
        {"manager": "podwright.p.s", "operation": "Update", "fieldsV1": {"f:spec": {"f:path": {}}}},
        {"manager": "podwright.p.s", "operation": "Apply", "fieldsV1": own},
        {"manager": "router", "operation": "Update", "subresource": "status", "fieldsV1": {"f:status": {}}},
    ]
    behind = [{"kind": "Service", "name": "new", "weight": 10, "more": 1}, {"kind": "Service", "name": "x"}]
    return {
        "metadata": {"labels": {"team": "chat", "other": "1"}, "managedFields": rows},
        "spec": {"host": "a", "path": "/", "to": {"kind": "Service", "name": "chat", "weight": 90},
                 "alternateBackends": behind},
        "status": {"ingress": []},
    }  # fmt: skip


_KEY = 'k:{"kind":"Service","name":"new"}'


@pytest.mark.parametrize(
    ("listed", "behind"),
    [
        ({"f:alternateBackends": {}}, [{"kind": "Service", "name": "new", "weight": 10, "more": 1},
                                       {"kind": "Service", "name": "x"}]),
        ({"f:alternateBackends": {_KEY: {".": {}, "f:kind": {}, "f:name": {}, "f:weight": {}}}},
         [{"kind": "Service", "name": "new", "weight": 10}]),
        ({}, None),
    ],
    ids=["an atomic list", "a list by key", "none"],
)  # fmt: skip
def test_what_the_stack_has_applied_of_a_route_is_found_and_nothing_of_others(
    listed: dict[str, Any], behind: list[dict[str, Any]] | None
) -> None:
    found = applied(_route(listed), "podwright.p.s")
    spec = {"host": "a", "to": {"kind": "Service", "name": "chat", "weight": 90}}
    wanted = {**spec, "alternateBackends": behind} if behind else spec
    assert found == {"metadata": {"labels": {"team": "chat"}}, "spec": wanted}
    assert applied(_route(listed), "somebody") == {}
